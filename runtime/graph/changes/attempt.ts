// How changes wait: they are tried under the mutex, and where another session holds a vertex that
// they need, tried again when that may have been released. The hottest changes spell this out.

import { Header } from "../memory/layout.js";
import type { GraphStore } from "../store/graph-store.js";
import { giveUpAfter, type SessionView } from "./session-view.js";

/** What an attempt throws to say which vertex it has to wait for. Never leaves this folder. */
export class Held {
  constructor(
    readonly vertex: number,
    /** `Header.LockReleases` at that time. */
    readonly seen: number,
  ) {}
}

/** Ends an attempt: another session holds a vertex. */
export function waitFor(store: GraphStore, vertex: number): never {
  throw new Held(vertex, Atomics.load(store.memory.header.ints, Header.LockReleases));
}

/**
 * Runs a change as one mutation.
 * @param timeoutMs how long to wait for vertices that others hold; 0: not at all, < 0: for ever
 * @throws AccessError others hold one for longer, and what `change` throws
 */
export function attempt<T>(
  store: GraphStore,
  session: SessionView,
  timeoutMs: number,
  change: () => T,
): T {
  // A part of a larger mutation cannot wait: the mutex would stay taken.
  const giveUpAt = store.writer.isWriting ? 0 : giveUpAfter(timeoutMs);
  for (;;) {
    try {
      return store.writer.mutate(change);
    } catch (error) {
      if (!(error instanceof Held)) throw error;
      session.awaitRelease(error.vertex, error.seen, giveUpAt);
    }
  }
}
