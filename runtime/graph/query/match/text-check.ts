// The condition `text` of a vertex: its texts match a search. The index is searched once for each
// execution, when the first vertex is tested; each vertex is then looked up in the result.

import { ARC_WORDS } from "../../memory/layout.js";
import type { GraphStore } from "../../store/graph-store.js";
import type { AllDocuments } from "../../texts/all-documents.js";
import { createDetailsReader } from "../../texts/match-details.js";
import { searchTexts } from "../../texts/search-texts.js";
import type { TextIndex } from "../../texts/text-index.js";
import { TextScores } from "../../texts/text-scores.js";
import type { TextQuery } from "../parse/text-query.js";
import { moveArc } from "./arc-stack.js";
import { readDeadline } from "./deadline.js";
import type { VertexCheck } from "./vertex-test.js";

/** Number of exact matches at which `fuzzy: "auto"` does not search for typos. */
const ENOUGH = 10;
const NO_LIMITS = {};

export class TextCheck implements VertexCheck {
  readonly label = "texts";
  readonly scores = new TextScores();
  readonly #store: GraphStore;
  readonly #query: TextQuery;
  readonly #isNegated: boolean;
  /** Whether words could have typos in the last search. */
  hasTypos = true;
  #found: AllDocuments | null = null;

  constructor(store: GraphStore, query: TextQuery, isNegated: boolean) {
    this.#store = store;
    this.#query = query;
    this.#isNegated = isNegated;
  }

  /** The search whose words matching vertices contain; null if the check is negated. */
  get searched(): TextQuery | null {
    return this.#isNegated ? null : this.#query;
  }

  bind(): void {
    this.#found = null;
    this.scores.clear();
  }

  candidates(limit: number): readonly number[] | null {
    if (this.#isNegated) return null;
    const { count, vertices } = this.#search();
    return count > limit ? null : Array.from(vertices);
  }

  estimate(): number | null {
    return this.#isNegated ? null : this.#search().count;
  }

  unindexed(): readonly string[] {
    return [];
  }

  describe(): string {
    return this.#isNegated ? "not text" : "text";
  }

  passes(vertex: number): boolean {
    if (this.#found === null) this.#search();
    return this.scores.has(vertex) !== this.#isNegated;
  }

  filter(arcs: Uint32Array, from: number, end: number): number {
    let top = from;
    for (let arc = from; arc < end; arc += ARC_WORDS) {
      if (this.passes(arcs[arc]!)) top = moveArc(arcs, arc, top);
    }
    return top;
  }

  #search(): AllDocuments {
    if (this.#found !== null) return this.#found;
    let found = this.#find(!this.#query.isFuzzyOnDemand);
    if (this.#query.isFuzzyOnDemand && found.count < ENOUGH) found = this.#find(true);
    const { vertices, scores } = found;
    for (let at = 0; at < found.count; at++) this.scores.set(vertices[at]!, scores[at]!);
    this.#found = found;
    return found;
  }

  /** @throws KeyError no such index; SearchError after the time limit of the thread */
  #find(allowsTypos: boolean): AllDocuments {
    this.hasTypos = allowsTypos;
    const deadline = readDeadline("global", NO_LIMITS);
    const query = this.#query;
    const read = (index: TextIndex) => query.read(index, allowsTypos);
    const findPosition = (): number => query.place;
    const { statistics, all } = searchTexts(this.#store, findPosition, read, {
      ...{ hits: 0, all: "scores", accepts: null, statistics: null },
      spend: (documents) => deadline.spend(documents),
    });
    this.scores.details = createDetailsReader(this.#store, findPosition, read, statistics);
    return all!;
  }
}
