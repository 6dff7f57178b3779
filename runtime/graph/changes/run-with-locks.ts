// How changes wait: they are tried under the mutex, and where another session holds a vertex that
// they need, tried again when that may have been released.

import { Header } from "../memory/layout.js";
import { checkTimeout } from "../model/check-argument.js";
import type { GraphStore } from "../store/graph-store.js";
import { type Access, type LockDeadline, lockDeadlineAfter } from "./session-view.js";

/** What a try throws to say which vertex it has to wait for. Never leaves this folder. */
class Held {
  constructor(
    readonly vertex: number,
    /** `Header.LockReleases` at that time. */
    readonly seen: number,
  ) {}
}

/** Ends a try: another session holds a vertex. */
export function waitForLock(store: GraphStore, vertex: number): never {
  throw new Held(vertex, Atomics.load(store.memory.header.ints, Header.LockReleases));
}

/**
 * A change that is made as one mutation. Those that are made all the time are one object each for
 * the whole thread, which takes its arguments before it runs: none of them is under way when
 * another one is, and a call makes neither object nor function.
 */
export abstract class LockedChange<T> {
  protected abstract try(access: Access): T;

  /**
   * @param timeoutMs how long to wait for vertices that others hold; 0: not at all, < 0: for ever
   * @throws AccessError others hold one for longer, and what the change throws
   */
  run(access: Access, timeoutMs: number): T {
    checkTimeout(timeoutMs);
    const { store, session } = access;
    const { writer } = store;
    let held: Held;
    let giveUpAt: LockDeadline | null = null;
    for (;;) {
      writer.begin();
      try {
        const result = this.try(access);
        writer.commit();
        return result;
      } catch (error) {
        writer.rollback();
        if (!(error instanceof Held)) throw error;
        held = error;
      } finally {
        writer.end();
      }
      // A part of a larger mutation cannot wait: the mutex would stay taken.
      giveUpAt ??= writer.isWriting ? 0 : lockDeadlineAfter(timeoutMs);
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
