// Adjacent: whether a vertex has an arc that matches, to a neighbor that matches.

import { D_OUT } from "../../model/constants.js";
import type { GraphStore } from "../../store/graph-store.js";
import { steadily } from "../../store/steady-names.js";
import { type Anchor, findAnchor } from "../match/anchor.js";
import type { ArcTest } from "../match/arc-test.js";
import { checkedArguments } from "../parse/query-arguments.js";
import type { AdjacencyQueryOptions, ExecuteOptions } from "../parse/query-options.js";
import { deadlineOf } from "../walk/deadline.js";
import { QueryMeter } from "../walk/query-meter.js";
import { isAdjacent, planWalk, type WalkPlan } from "../walk/walk.js";
import type { Plan } from "./plan.js";

/** Options of queries that have no page. */
export type LimitOptions = Omit<ExecuteOptions, "hits" | "offset">;
/** Options of `adjacent`. */
export type AdjacentOptions = AdjacencyQueryOptions & LimitOptions;

/** A parsed test for an arc. */
export class Adjacency implements Plan {
  readonly #plan: WalkPlan;

  /** @throws QueryError, SearchError, UnsupportedError */
  constructor(
    store: GraphStore,
    { arc, neighbor, pre, filter, post, memory }: AdjacencyQueryOptions,
  ) {
    this.#plan = planWalk(store, { arc, neighbor, pre, filter, post, memory }, D_OUT);
  }

  get arc(): ArcTest {
    return this.#plan.arc;
  }

  get isVolatile(): boolean {
    return this.#plan.expressions.isVolatile;
  }

  execute(anchor: number, options: LimitOptions): boolean {
    const { store, expressions } = this.#plan;
    const meter = QueryMeter.of(store);
    const begun = meter.begin();
    const isFound = steadily(store, expressions.hasEffects, () =>
      isAdjacent(this.#plan, anchor, deadlineOf("adjacency", options)),
    );
    meter.end(begun);
    return isFound;
  }
}

/**
 * Whether there is such an arc (queries, "adjacent").
 * @throws KeyError no such vertex
 * @throws QueryError, SearchError, UnsupportedError, TypeError
 */
export function adjacent(store: GraphStore, anchor: Anchor, options?: AdjacentOptions): boolean {
  const given = checkedArguments("adjacent", options);
  return new Adjacency(store, given).execute(findAnchor(store, anchor), given);
}
