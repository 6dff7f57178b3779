// Hit source of a neighborhood: a traversal whose arcs may be grouped.

import type { ExpressionSet } from "../../evaluate/expression-set.js";
import { D_OUT, F_ID } from "../../model/constants.js";
import type { GraphStore } from "../../store/graph-store.js";
import type { TextScores } from "../../texts/text-scores.js";
import { ArcGroupBuffer, type GroupOptions } from "../hits/arc-groups.js";
import type { HitKind } from "../hits/hit-order.js";
import type { HitSink } from "../hits/hit-sink.js";
import type { ArcTest, DirectionNumber } from "../match/arc-test.js";
import type { Deadline } from "../match/deadline.js";
import { explainRule } from "../match/describe-test.js";
import type { TextCheck } from "../match/text-check.js";
import type { ResultOptions, SummaryOptions } from "../parse/query-options.js";
import { findTextCheck } from "../parse/vertex-condition.js";
import { arcExists } from "../render/arc-exists.js";
import { createHighlights, type Highlights } from "../render/highlights.js";
import type { HitSource, HitSourceResult } from "../render/hit-source.js";
import type { Row } from "../render/row.js";
import type { NeighborhoodCounts } from "../render/typed-results.js";
import { planWalk, type WalkOptions, type WalkPlan, walkNeighborhood } from "../walk/walk.js";
import { parseAggregateOption } from "./aggregate-option.js";

type SourceOptions = WalkOptions &
  SummaryOptions &
  ResultOptions & { readonly aggregate?: unknown };

/** Source of the arcs around one vertex, or of the vertices at their other ends. */
export class NeighborhoodSource implements HitSource {
  readonly store: GraphStore;
  readonly kind: HitKind;
  readonly timed = "neighborhood";
  readonly listName: string;
  readonly defaultFields = F_ID;
  readonly missingFields = 0;
  readonly plan: WalkPlan;
  readonly arc: ArcTest;
  readonly expressions: ExpressionSet;
  readonly texts: TextScores | null;
  readonly #text: TextCheck | null;
  readonly #highlights: Highlights | null;
  /** How arcs are grouped; null if they are not. */
  readonly #grouping: GroupOptions | null;
  #groups: ArcGroupBuffer | null = null;

  constructor(
    store: GraphStore,
    options: SourceOptions,
    defaultDirection: DirectionNumber = D_OUT,
    kind: HitKind = "arc",
    listName = "neighborhood",
  ) {
    this.store = store;
    this.listName = listName;
    this.kind = kind;
    this.plan = planWalk(store, options, defaultDirection);
    this.arc = this.plan.arc;
    this.expressions = this.plan.expressions;
    this.#text = findTextCheck(this.plan.neighbor);
    this.#highlights = createHighlights(store, this.#text?.searched ?? null, options);
    this.texts = this.#text?.scores ?? null;
    this.expressions.texts = this.texts;
    this.#grouping = parseAggregateOption(store, options.aggregate);
  }

  search(anchor: number, sink: HitSink, deadline: Deadline): void {
    if (this.#grouping === null) {
      walkNeighborhood(this.plan, anchor, sink, deadline);
      return;
    }
    this.#grouping.test?.bind(this.store.relationships);
    const groups = new ArcGroupBuffer(this.store, sink, this.#grouping);
    this.#groups = groups;
    try {
      walkNeighborhood(this.plan, anchor, groups, deadline);
    } finally {
      // Also after a search that a limit has ended.
      groups.flush();
    }
  }

  highlight(entry: object, vertex: number): boolean {
    this.#highlights?.add(entry, vertex, this.#text!.hasTypos);
    return this.#highlights !== null;
  }

  isCurrent(row: Row): boolean {
    return this.#groups === null ? arcExists(row) : this.#groups.isCurrent(row.head);
  }

  explain(): string[] {
    const steps = explainRule(this.plan.rule);
    return this.#grouping === null ? steps : [...steps, "grouped by head"];
  }

  counts({ hits, neighbors, excluded }: HitSourceResult): NeighborhoodCounts {
    const counts = { neighbors, arcs: hits };
    return excluded === 0 ? counts : { ...counts, excluded_arcs: excluded };
  }
}
