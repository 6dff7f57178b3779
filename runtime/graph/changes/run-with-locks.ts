// Retry loop of changes: each attempt runs under the mutex; if another session holds a required
// vertex, the change waits for a release and retries.

import { Header } from "../memory/layout.js";
import { checkTimeout } from "../model/check-argument.js";
import type { GraphStore } from "../store/graph-store.js";
import { type Access, type LockDeadline, lockDeadlineAfter } from "../store/session-view.js";

/** Thrown by an attempt that must wait for a vertex; caught by `LockedChange`. */
class LockConflict {
  constructor(
    readonly vertex: number,
    /** `Header.LockReleases` at that time. */
    readonly seen: number,
  ) {}
}

/** Ends the attempt because another session holds a vertex. */
export function waitForLock(store: GraphStore, vertex: number): never {
  throw new LockConflict(vertex, Atomics.load(store.memory.header.ints, Header.LockReleases));
}

/**
 * A change executed as one mutation. Frequent changes never nest, so they share one instance per
 * thread, which receives its arguments before `run`: no call allocates an object or a closure.
 */
export abstract class LockedChange<T> {
  protected abstract try(access: Access): T;

  /**
   * @param timeoutMs maximum wait for vertices held by others; 0: do not wait, < 0: no limit
   * @throws AccessError after the timeout, and what the change throws
   */
  run(access: Access, timeoutMs: number): T {
    checkTimeout(timeoutMs);
    const { store, session } = access;
    const { writer } = store;
    let held: LockConflict;
    let giveUpAt: LockDeadline | null = null;
    for (;;) {
      writer.begin();
      try {
        const result = this.try(access);
        writer.commit();
        return result;
      } catch (error) {
        writer.rollback();
        if (!(error instanceof LockConflict)) throw error;
        held = error;
      } finally {
        writer.end();
      }
      giveUpAt ??= lockDeadlineAfter(timeoutMs);
      session.awaitRelease(held.vertex, held.seen, giveUpAt);
    }
  }
}

class OneChange<T> extends LockedChange<T> {
  readonly #change: () => T;

  constructor(change: () => T) {
    super();
    this.#change = change;
  }

  protected try(): T {
    return this.#change();
  }
}

/** Runs a function as a change. */
export function runWithLocks<T>(access: Access, timeoutMs: number, change: () => T): T {
  return new OneChange(change).run(access, timeoutMs);
}
