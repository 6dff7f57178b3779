// What a change has to know of who makes it: which vertices are its own, and how to wait for those
// of others. sessions/ implements it; nothing here may depend on how.

import { checkTimeout } from "../model/check-argument.js";
import type { GraphStore } from "../store/graph-store.js";

/** When to give up waiting, by `performance.now()`; 0: do not wait; Infinity: never. */
export type LockDeadline = number;

/** What a change works on, and for whom. */
export interface Access {
  readonly store: GraphStore;
  readonly session: SessionView;
}

export interface SessionView {
  /** `RecordWord.Owner` of the vertices that this session holds writable. */
  readonly id: number;
  /** Readonly locks that it holds: while there are any, it may change no arcs. */
  readonly readonlyHeld: number;
  /** Writable locks that it holds: while there are any, it may not truncate. */
  readonly writableHeld: number;
  /**
   * Returns when who holds a vertex may have released it. To be called without the writer's mutex.
   * @param seen `Header.LockReleases` as it was when the vertex was found to be locked
   * @throws AccessError "Object is locked: 'x'", or "Acquisition timeout: 'x'" after waiting
   */
  awaitRelease(vertex: number, seen: number, giveUpAt: LockDeadline): void;
}

/** Turns the `timeout` of a call (ms; 0: do not wait; negative: for ever) into a moment. */
export function lockDeadlineAfter(timeoutMs: number): LockDeadline {
  checkTimeout(timeoutMs);
  if (timeoutMs === 0) return 0;
  return timeoutMs < 0 ? Number.POSITIVE_INFINITY : performance.now() + timeoutMs;
}
