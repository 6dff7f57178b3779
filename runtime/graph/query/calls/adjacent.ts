// Adjacent: tests whether a vertex has a matching arc to a matching neighbor.

import { D_OUT } from "../../model/constants.js";
import type { GraphStore } from "../../store/graph-store.js";
import { readConsistently } from "../../store/read-consistently.js";
import { type Anchor, findAnchor } from "../match/anchor.js";
import type { ArcTest } from "../match/arc-test.js";
import { type Deadline, readDeadline } from "../match/deadline.js";
import { explainRule } from "../match/describe-test.js";
import { checkedArguments } from "../parse/query-arguments.js";
import type {
  AdjacencyQueryOptions,
  ArcFilter,
  ExecuteOptions,
  VertexCondition,
} from "../parse/query-options.js";
import { SimpleArcFilter } from "../parse/simple-arc-filter.js";
import { type Explainable, type ExplainedBy, runExplained } from "../render/explained.js";
import { isAdjacent, planWalk, type WalkPlan } from "../walk/walk.js";
import { findArc } from "./arc-value.js";
import type { Plan } from "./plan.js";

/** Execution options of queries that return no page. */
export type LimitOptions = Omit<ExecuteOptions, "hits" | "offset">;
/** Options of `adjacent`. */
export type AdjacentOptions = AdjacencyQueryOptions & LimitOptions;

/** Plan of an adjacency test. */
export class Adjacency implements Plan {
  readonly #plan: WalkPlan;

  /** @throws QueryError, SearchError, UnsupportedError */
  constructor(
    store: GraphStore,
    { arc, neighbor, repeat, through, pre, filter, post, memory }: AdjacencyQueryOptions,
  ) {
    const walk = { arc, neighbor, repeat, through, pre, filter, post, memory };
    this.#plan = planWalk(store, walk, D_OUT);
  }

  get arc(): ArcTest {
    return this.#plan.arc;
  }

  get isVolatile(): boolean {
    return this.#plan.expressions.isVolatile;
  }

  execute(anchor: number, options: LimitOptions): boolean {
    return this.#search(anchor, readDeadline("adjacency", options));
  }

  /** As `execute`, with an explanation if one is requested. */
  executeExplained<O extends LimitOptions>(
    anchor: number,
    options: O,
  ): ExplainedBy<O, "adjacent", boolean> {
    const search = (deadline: Deadline): boolean => this.#search(anchor, deadline);
    return runExplained("adjacent", "adjacency", options, search, (isFound) => {
      return { plan: [...explainRule(this.#plan.rule), "until the first"], matched: +isFound };
    });
  }

  #search(anchor: number, deadline: Deadline): boolean {
    const { store, expressions } = this.#plan;
    const { meter } = store;
    const begun = meter.begin();
    const isFound = readConsistently(store, expressions.hasEffects, () =>
      isAdjacent(this.#plan, anchor, deadline),
    );
    meter.end(begun);
    return isFound;
  }
}

const PLAIN = new SimpleArcFilter();

/**
 * Returns whether an arc leads to the vertex with an id; null unless the filter consists of
 * relationship, direction and modifier. Such a lookup is faster than planning it.
 * @throws KeyError no such vertex
 */
export function hasArcBetween(
  store: GraphStore,
  anchor: Anchor,
  arc: ArcFilter | undefined,
  neighbor: VertexCondition | undefined,
): boolean | null {
  if (typeof neighbor !== "string" || neighbor === "" || neighbor.includes("*")) return null;
  const isAny = arc === undefined || arc === null;
  if (!isAny && !(PLAIN.read(store.relationships, arc, D_OUT) && PLAIN.direction === D_OUT)) {
    return null;
  }
  const { meter } = store;
  const begun = meter.begin();
  const from = findAnchor(store, anchor);
  const to = store.ids.resolve(neighbor);
  const isFound =
    to !== 0 &&
    readConsistently(store, false, () => {
      if (isAny) return findArc(store, from, to, 0, 0);
      // Read the filter again: the code of its name may have been reassigned meanwhile.
      const isKnown = PLAIN.read(store.relationships, arc, D_OUT);
      return isKnown && findArc(store, from, to, PLAIN.key, PLAIN.mask);
    });
  meter.end(begun);
  return isFound;
}

/**
 * Returns whether such an arc exists (queries, "adjacent").
 * @throws KeyError no such vertex
 * @throws QueryError, SearchError, UnsupportedError, TypeError
 */
export function adjacent<O extends Explainable<AdjacentOptions> = AdjacentOptions>(
  store: GraphStore,
  anchor: Anchor,
  options?: O,
): ExplainedBy<O, "adjacent", boolean> {
  const checkedOptions: O = checkedArguments("adjacent", options);
  return new Adjacency(store, checkedOptions).executeExplained(
    findAnchor(store, anchor),
    checkedOptions,
  );
}
