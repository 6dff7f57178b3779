// Drains the transactions of several rings in commit order, by merging on their tickets. Graphs
// share no lock, but causality is preserved: the last ticket is read first, then the committed
// position of each ring. Transactions with higher tickets wait for the next drain, when everything
// that may precede them is visible.

import { assert } from "../../base/assert.js";
import type { CommitClock } from "../memory/commit-clock.js";
import type { CommitRing } from "../memory/commit-ring.js";
import { transactionWords } from "./transaction-format.js";

/** Ring of a graph with the number of the graph in the log. */
export interface NumberedRing {
  readonly ring: CommitRing;
  readonly number: number;
}

/** Transactions that several graphs have committed together. */
export interface Joint {
  /** Words of all of them. */
  words: number;
  transactions: number;
  /** Number of transactions that follow the current one. */
  left: number;
}

/**
 * Receives a transaction as a range of ring words; false: stop before this one. The transactions of
 * a joint are passed one after another; only the first may be refused.
 */
export type TransactionSink = (
  words: Uint32Array,
  at: number,
  length: number,
  from: number,
  joint: Joint,
) => boolean;

const TICKET = 3;

interface Cursor extends NumberedRing {
  position: number;
  readonly until: number;
}

/** Transactions that were drained but not yet released. */
export class DrainedTransactions {
  readonly #cursors: readonly Cursor[];

  constructor(cursors: readonly Cursor[]) {
    this.#cursors = cursors;
  }

  /** Allows the rings to overwrite the drained transactions. Call it once they are durable. */
  release(): void {
    for (const { ring, position } of this.#cursors) {
      if (position !== ring.consumed) ring.release(position);
    }
  }
}

/** @param last ticket up to which transactions are drained */
export function drainTransactions(
  rings: Iterable<NumberedRing>,
  clock: CommitClock,
  receive: TransactionSink,
  last = clock.lastTicket,
): DrainedTransactions {
  const cursors = clock.readBetweenJoints(() => findPublished(rings)) ?? [];
  const joint: Joint = { words: 0, transactions: 1, left: 0 };
  for (let left = cursors; left.length > 0; ) {
    const next = findLowestTicket(left, last);
    if (next === null) break;
    const { ring } = next;
    const at = ring.offsetAt(next.position);
    const length = transactionWords(ring.words, at);
    assert(length > 0, "the ring has a transaction at each position");
    assert(
      ((next.until - next.position - length) | 0) >= 0,
      "a transaction ends where it is complete",
    );
    if (joint.left > 0) joint.left--;
    else measureJoint(joint, left, ring.words[at + TICKET]!);
    if (!receive(ring.words, at, length, next.number, joint)) break;
    next.position = (next.position + length) | 0;
    if (next.position === next.until) left = left.filter((cursor) => cursor !== next);
  }
  return new DrainedTransactions(cursors);
}

function findPublished(rings: Iterable<NumberedRing>): Cursor[] {
  const cursors: Cursor[] = [];
  for (const { ring, number } of rings) {
    // Read in this order; see `CommitRing.waiting`.
    const until = ring.committed;
    const position = ring.consumed;
    if (((until - position) | 0) > 0) cursors.push({ ring, number, position, until });
  }
  return cursors;
}

/** Finds the transactions with a ticket, each of which is the next one of its ring. */
function measureJoint(joint: Joint, cursors: readonly Cursor[], ticket: number): void {
  joint.words = 0;
  joint.transactions = 0;
  for (const { ring, position } of cursors) {
    const at = ring.offsetAt(ring.skip(position));
    if (ring.words[at + TICKET] !== ticket) continue;
    joint.words += transactionWords(ring.words, at);
    joint.transactions++;
  }
  joint.left = joint.transactions - 1;
}

/** Returns the cursor with the lowest ticket; null if all are above `last`. */
function findLowestTicket(cursors: readonly Cursor[], last: number): Cursor | null {
  let found: Cursor | null = null;
  let lowest = last;
  for (const cursor of cursors) {
    const { ring } = cursor;
    cursor.position = ring.skip(cursor.position);
    const ticket = ring.words[ring.offsetAt(cursor.position) + TICKET]!;
    // Compared as a difference: tickets wrap at 2 ** 32.
    if (((ticket - lowest) | 0) > 0) continue;
    lowest = ticket;
    found = cursor;
  }
  return found;
}
