// The calling session as changes see it: the vertices it locks, and how to wait for vertices that
// others lock. Implemented by sessions/.

import { checkTimeout } from "../model/check-argument.js";
import type { GraphStore } from "./graph-store.js";

/** Deadline of a lock wait, by `performance.now()`; 0: do not wait; Infinity: no limit. */
export type LockDeadline = number;

/** Target and session of a change. */
export interface Access {
  readonly store: GraphStore;
  readonly session: SessionView;
}

export interface SessionView {
  /** `RecordWord.Owner` of the vertices that this session holds writable. */
  readonly id: number;
  /** Number of read-only locks; while there are any, the session may not change arcs. */
  readonly readonlyHeld: number;
  /** Number of writable locks; while there are any, the session may not truncate. */
  readonly writableHeld: number;
  /**
   * Returns when the holder of a vertex may have released it. Call without the mutex.
   * @param seen `Header.LockReleases` at the time the vertex was found locked
   * @throws AccessError "Object is locked: 'x'", or "Acquisition timeout: 'x'" after waiting
   */
  awaitRelease(vertex: number, seen: number, giveUpAt: LockDeadline): void;
}

/** Converts a `timeout` in ms (0: do not wait; negative: no limit) to a deadline. */
export function lockDeadlineAfter(timeoutMs: number): LockDeadline {
  checkTimeout(timeoutMs);
  if (timeoutMs === 0) return 0;
  return timeoutMs < 0 ? Number.POSITIVE_INFINITY : performance.now() + timeoutMs;
}
