// Takes the units that wait in the rings of several graphs, in the order in which they were
// committed: by their tickets. What was done after something else never comes before it, though
// graphs share no lock: the last ticket is read first, then how far each ring is complete. What is
// complete, but has a higher ticket, comes the next time, when what may be before it is there, too.

import type { CommitClock } from "../memory/commit-clock.js";
import type { CommitRing } from "../memory/commit-ring.js";

/** The ring of a graph, by the number that units have in the log. */
export interface NumberedRing {
  readonly ring: CommitRing;
  readonly number: number;
}

/** Gets a unit, as place in the words of a ring; false: it is not taken, nor is any behind it. */
export type TransactionSink = (
  words: Uint32Array,
  at: number,
  length: number,
  from: number,
) => boolean;

const TICKET = 3;

interface Cursor extends NumberedRing {
  position: number;
  readonly until: number;
}

/** What was taken, and not released yet. */
export class DrainedTransactions {
  readonly #cursors: readonly Cursor[];

  constructor(cursors: readonly Cursor[]) {
    this.#cursors = cursors;
  }

  /** What was taken is safe: its place may be written over. */
  release(): void {
    for (const { ring, position } of this.#cursors) {
      if (position !== ring.consumed) ring.release(position);
    }
  }
}

export function drainTransactions(
  rings: Iterable<NumberedRing>,
  clock: CommitClock,
  receive: TransactionSink,
): DrainedTransactions {
  const last = clock.lastTicket;
  const cursors: Cursor[] = [];
  for (const { ring, number } of rings) {
    // In this order: see CommitRing.waiting.
    const until = ring.committed;
    const position = ring.consumed;
    if (((until - position) | 0) > 0) cursors.push({ ring, number, position, until });
  }
  for (let left = cursors; left.length > 0; ) {
    const next = first(left, last);
    if (next === null) break;
    const { ring } = next;
    const at = ring.offsetAt(next.position);
    const length = ring.words[at]! >>> 8;
    if (!receive(ring.words, at, length, next.number)) break;
    next.position = (next.position + length) | 0;
    if (next.position === next.until) left = left.filter((cursor) => cursor !== next);
  }
  return new DrainedTransactions(cursors);
}

/** The one whose next unit has the lowest ticket; null: all are too high. */
function first(cursors: readonly Cursor[], last: number): Cursor | null {
  let found: Cursor | null = null;
  let lowest = last;
  for (const cursor of cursors) {
    const { ring } = cursor;
    cursor.position = ring.skip(cursor.position);
    const ticket = ring.words[ring.offsetAt(cursor.position) + TICKET]!;
    // Tickets begin again after 2 ** 32.
    if (((ticket - lowest) | 0) > 0) continue;
    lowest = ticket;
    found = cursor;
  }
  return found;
}
