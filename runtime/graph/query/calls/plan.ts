// A parsed query that can be executed any number of times. A call creates and executes one; a
// prepared query stores it.

import type { ArcTest } from "../match/arc-test.js";
import type { ExecuteOptions } from "../parse/query-options.js";

export interface Plan {
  /** Filter of the first level; null in searches of the whole graph. */
  readonly arc: ArcTest | null;
  /** True if the result may differ although the graph has not changed. */
  readonly isVolatile: boolean;
  /**
   * @param anchor 0 in searches of the whole graph
   * @throws SearchError after the time limit
   */
  execute(anchor: number, options: ExecuteOptions): unknown;
}

/** A plan whose result is a list of entries. */
export interface EntryPlan extends Plan {
  /**
   * Returns the number of hits of a complete execution, without rendering a result.
   * @throws SearchError after the time limit
   */
  count(anchor: number, options: ExecuteOptions): number;
  /**
   * Replaces the probe vector; returns false if it requires another plan. Plans without this method
   * always do.
   * @throws ValueError, TypeError if it is not a vector
   */
  rebind?(vector: unknown): boolean;
}
