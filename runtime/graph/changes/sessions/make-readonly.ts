// Makes a graph read-only once no session holds a vertex for writing.

import { AccessError, OperationTimeout } from "../../model/errors.js";
import type { GraphStore } from "../../store/graph-store.js";
import type { LockEntry } from "../../store/lock-table.js";
import type { LockDeadline } from "../../store/session-view.js";
import type { SessionAccess } from "./graph-access.js";

/**
 * Makes a graph read-only.
 * @param setReadonly called in a mutation to set the reason
 * @param isForced ignores vertices held for writing
 * @throws OperationTimeout while vertices are held for writing
 */
export function makeReadonly(
  access: SessionAccess,
  setReadonly: (store: GraphStore, isReadonly: boolean) => void,
  giveUpAt: LockDeadline,
  isForced: boolean,
): void {
  const { store, session } = access;
  for (;;) {
    const seen = session.releases();
    const held = store.writer.mutate(() => {
      const writable = isForced ? [] : store.locks.entries().filter((lock) => lock.isWritable);
      if (writable.length === 0) setReadonly(store, true);
      return writable;
    });
    if (held.length === 0) return;
    awaitRelease(access, held, seen, giveUpAt);
  }
}

function awaitRelease(
  access: SessionAccess,
  held: readonly LockEntry[],
  seen: number,
  giveUpAt: LockDeadline,
): void {
  const { store, session } = access;
  try {
    session.awaitRelease(held[0]!.vertex, seen, giveUpAt);
  } catch (error) {
    if (!(error instanceof AccessError)) throw error;
    const ids = held.map((lock) => store.ids.idOf(lock.vertex)).join(", ");
    const holder = session.writableHeld > 0 ? "Current thread holds" : "Others hold";
    throw new OperationTimeout(`${holder} ${held.length} writable vertices: (${ids})`, {
      cause: error,
    });
  }
}
