// A neighborhood as a tree: each entry lists the arcs followed from its head, down to the requested
// depth. Pages are cut from the outer list, `nestedHits` limits the inner ones.

import { F_ANCHOR, F_ANCHOR_OBID, F_ID, F_MOD, F_PRED, R_DICT } from "../../model/constants.js";
import { invalidArgument } from "../../model/invalid-argument.js";
import type { GraphStore } from "../../store/graph-store.js";
import { readConsistently } from "../../store/read-consistently.js";
import type { Probe } from "../../vectors/probe.js";
import type { HitOrder } from "../hits/hit-order.js";
import { HitTree } from "../hits/hit-tree.js";
import type { ArcTest } from "../match/arc-test.js";
import { type Deadline, readDeadline } from "../match/deadline.js";
import { isRepeated } from "../match/vertex-test.js";
import { nestedCondition, parseNestedHits } from "../parse/nest-option.js";
import { parsePage } from "../parse/query-arguments.js";
import type {
  ExecuteOptions,
  NeighborhoodQueryOptions,
  VertexCondition,
} from "../parse/query-options.js";
import { arcExists } from "../render/arc-exists.js";
import { fieldsFor, resolveProbe, resolveSortOrder } from "../render/entry-options.js";
import { MAX_RENDERINGS, resolveRemovals } from "../render/entry-query.js";
import type { Field } from "../render/fields.js";
import { dictionaryValue } from "../render/render-entries.js";
import { type ResultFormat, resultFormat, Stopwatch } from "../render/result-format.js";
import { Row } from "../render/row.js";
import type { Explanation, QueryTiming } from "../render/typed-results.js";
import { walkNeighborhood } from "../walk/walk.js";
import { NeighborhoodSource } from "./neighborhood-source.js";
import type { EntryPlan } from "./plan.js";

/** Fields that every entry has, or that follow from its position in the tree. */
const ALWAYS = F_ANCHOR | F_ANCHOR_OBID | F_PRED | F_ID;

export class NestedQuery implements EntryPlan {
  readonly #source: NeighborhoodSource;
  readonly #format: ResultFormat;
  readonly #order: HitOrder | null;
  readonly #probe: Probe | null;
  readonly #fields: readonly Field[];
  readonly #hasModifier: boolean;
  readonly #nestedHits: number;

  /** @throws QueryError, SearchError, ValueError, TypeError */
  constructor(store: GraphStore, options: NeighborhoodQueryOptions, levels: number) {
    const { arc, filter, neighbor } = options;
    const condition = nestedCondition(neighbor, levels, { arc, filter });
    const walk = { ...options, neighbor: condition as VertexCondition, collect: true };
    const source = new NeighborhoodSource(store, walk);
    if (isRepeated(source.plan.rule)) {
      const text = "nested entries are one arc apart";
      throw invalidArgument(text, options.repeat, "no `repeat` beside `nest`", ".repeat");
    }
    this.#source = source;
    this.#format = resultFormat(options, R_DICT);
    this.#probe = resolveProbe(source, options.vector);
    this.#order = resolveSortOrder(source, options, this.#probe);
    const fields = fieldsFor(source, options);
    this.#fields = fields.filter(({ bit }) => (bit & ALWAYS) === 0);
    this.#hasModifier = fields.some(({ bit }) => bit === F_MOD);
    this.#nestedHits = parseNestedHits(options.nestedHits);
  }

  get arc(): ArcTest {
    return this.#source.arc;
  }

  get isVolatile(): boolean {
    return this.#source.expressions.isVolatile;
  }

  execute(anchor: number, options: ExecuteOptions): unknown {
    const { store, expressions } = this.#source;
    return readConsistently(store, expressions.hasEffects, () =>
      this.#executeOnce(anchor, options),
    );
  }

  /** Returns the number of entries of the outer list. */
  count(anchor: number, options: ExecuteOptions): number {
    const { store, expressions } = this.#source;
    return readConsistently(store, expressions.hasEffects, () => {
      return this.#search(anchor, readDeadline("neighborhood", options)).roots().length;
    });
  }

  #search(anchor: number, deadline: Deadline): HitTree {
    const tree = new HitTree(this.#order, this.#format.hasCounts);
    walkNeighborhood(this.#source.plan, anchor, tree, deadline);
    return tree;
  }

  #executeOnce(anchor: number, options: ExecuteOptions): unknown {
    const { store } = this.#source;
    const { hasCounts, hasTiming, hasExplanation } = this.#format;
    const { hits, offset } = parsePage(options);
    const deadline = readDeadline("neighborhood", options, hasExplanation);
    const { meter } = store;
    const begun = meter.begin();
    const watch = hasTiming || hasExplanation ? new Stopwatch() : null;
    const removals = resolveRemovals(store);
    const tree = this.#search(anchor, deadline);
    watch?.split();
    const roots = tree.roots().slice(offset, offset + hits);
    const row = new Row(store, anchor, this.#order, this.#probe);
    const entries = this.#render(roots, { tree, row, deadline }, removals);
    meter.end(begun);
    if (!hasCounts && watch === null) return entries;
    return {
      neighborhood: entries,
      ...(hasCounts && { counts: { neighbors: tree.neighbors, arcs: tree.hits.length } }),
      ...(hasTiming && { time: watch!.time }),
      ...(hasExplanation && { explain: this.#explain(tree, deadline.spent, watch!.time) }),
    };
  }

  #explain({ hits }: HitTree, looked: number, time: QueryTiming): Explanation {
    const plan = [...this.#source.explain(), "arcs of each level under the arc that led there"];
    return { plan, looked, matched: hits.length, time };
  }

  /** Renders again while vertices are removed meanwhile, and finally without their arcs. */
  #render(roots: readonly number[], found: FoundTree, removals: number): unknown[] {
    const { store } = this.#source;
    for (let rendering = 1; ; rendering++) {
      const now = resolveRemovals(store);
      const entries = this.#list(roots, found, now !== removals);
      if (resolveRemovals(store) === now || rendering === MAX_RENDERINGS) return entries;
    }
  }

  #list(slots: readonly number[], found: FoundTree, isDoubtful: boolean): unknown[] {
    const { tree, row, deadline } = found;
    const entries: unknown[] = [];
    for (const slot of slots) {
      deadline.spendTime(ROW_UNITS);
      row.load(tree.hits, slot);
      if (isDoubtful && !arcExists(row)) continue;
      const entry = this.#entry(row);
      const children = tree.childrenOf(slot).slice(0, this.#nestedHits);
      entries.push({ ...entry, next: this.#list(children, found, isDoubtful) });
    }
    return entries;
  }

  #entry(row: Row): Record<string, unknown> {
    const { relationship, modifier, value, head, store } = row;
    const arc = this.#hasModifier ? [relationship, modifier, value] : [relationship, value];
    const entry: Record<string, unknown> = { arc, id: store.ids.idOf(head) };
    for (const field of this.#fields) entry[field.field] = dictionaryValue(field, row);
    return entry;
  }
}

/** Cost of rendering a row, in visited arcs. */
const ROW_UNITS = 16;

interface FoundTree {
  readonly tree: HitTree;
  readonly row: Row;
  readonly deadline: Deadline;
}
