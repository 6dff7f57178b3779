// The ring between writers and the transaction log: each transaction is drained once, in order and
// whole, at any fill level and position.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { drainTransactions } from "../../../../runtime/graph/log/drain-transactions.js";
import { CommitClock } from "../../../../runtime/graph/memory/commit-clock.js";
import {
  CommitRing,
  createRingMemory,
  TRANSACTION_HEAD_WORDS,
} from "../../../../runtime/graph/memory/commit-ring.js";
import { CapacityError } from "../../../../runtime/graph/model/errors.js";
import { Random, SEED } from "../../../property/support/random.js";

const test = suite<{ clock: CommitClock }>("commit ring");
const WORDS = 2 ** 17;

test.before.each((context) => {
  context.clock = new CommitClock();
});

function makeRing(clock: CommitClock, words = WORDS): CommitRing {
  const ring = new CommitRing(createRingMemory(words), clock);
  ring.isOn = true;
  return ring;
}

/** Commits a transaction with a record of n words, filled with a number. */
function write(ring: CommitRing, content: number, ...records: readonly number[]): void {
  for (const words of records) {
    const offset = ring.reserve(words);
    ring.words.fill(content, offset, offset + words);
  }
  ring.prepare(content, 0);
  ring.publish();
}

/** Waiting transactions: number of words and content of each, which must be uniform. */
function take(
  ring: CommitRing,
  maxCommits = Number.POSITIVE_INFINITY,
): [words: number, content: number][] {
  const taken: [number, number][] = [];
  const units = drainTransactions([{ ring, number: 0 }], ring.clock, (words, offset, length) => {
    if (taken.length >= maxCommits) return false;
    const content = words[offset + 1]!;
    const rest = words.subarray(offset + TRANSACTION_HEAD_WORDS, offset + length);
    assert.ok(rest.every((word) => word === content));
    taken.push([length - TRANSACTION_HEAD_WORDS, content]);
    return true;
  });
  units.release();
  return taken;
}

test("drains transactions as they were written", ({ clock }) => {
  const ring = makeRing(clock);
  write(ring, 1, 3, 5);
  write(ring, 2, 1);
  assert.equal(take(ring), [
    [8, 1],
    [1, 2],
  ]);
  assert.equal(take(ring), []);
});

test("never drains a discarded transaction", ({ clock }) => {
  const ring = makeRing(clock);
  ring.reserve(100);
  assert.ok(ring.hasTransaction);
  ring.discard();
  assert.not.ok(ring.hasTransaction);
  write(ring, 1, 2);
  assert.equal(take(ring), [[2, 1]]);
});

test("takes over the committed transaction of a dead thread", ({ clock }) => {
  const { memory } = makeRing(clock);
  const [dead, heir] = [new CommitRing(memory, clock), new CommitRing(memory, clock)];
  dead.reserve(2);
  dead.prepare(7, 0);
  heir.takeOver(false);
  assert.is(heir.waiting, 0);
  const otherRing = new CommitRing(memory, clock);
  const offset = otherRing.reserve(2);
  otherRing.words.fill(8, offset, offset + 2);
  otherRing.prepare(8, 0);
  heir.takeOver(true);
  assert.equal(take(heir), [[2, 8]]);
  // A commit without records leaves nothing behind.
  heir.takeOver(true);
  assert.equal(take(heir), []);
});

test("drains transactions of several rings in commit order", ({ clock }) => {
  const rings = [makeRing(clock), makeRing(clock)];
  const order = [0, 1, 1, 0, 1, 1, 1, 0];
  for (const [index, ring] of order.entries()) write(rings[ring]!, index, 1);
  const numbered = rings.map((ring, number) => ({ ring, number }));
  const taken: [number, number][] = [];
  const receive = (words: Uint32Array, offset: number, _length: number, from: number): boolean => {
    taken.push([from, words[offset + 1]!]);
    return taken.length < 5;
  };
  drainTransactions(numbered, clock, receive).release();
  // The last one was rejected.
  drainTransactions(numbered, clock, receive).release();
  taken.splice(4, 1);
  assert.equal(
    taken.map(([from]) => from),
    order.slice(0, taken.length),
  );
  drainTransactions(numbered, clock, () => true).release();
  assert.is(clock.lastTicket, order.length);
  for (const ring of rings) assert.is(ring.waiting, 0);
});

test("holds back transactions after the given turn", ({ clock }) => {
  const ring = makeRing(clock);
  write(ring, 1, 1);
  const late = {
    lastTicket: 0,
    readBetweenJoints: (read: () => unknown) => read(),
  } as unknown as CommitClock;
  drainTransactions([{ ring, number: 0 }], late, () => assert.unreachable() as never).release();
  assert.equal(take(ring), [[1, 1]]);
});

test("reuses the start of the ring while it is drained at once", ({ clock }) => {
  const ring = makeRing(clock, 2 ** 20);
  for (let index = 1; index < 5000; index++) {
    write(ring, index, 100);
    assert.equal(take(ring), [[100, index]]);
  }
  assert.is(ring.words.indexOf(4999, 2 ** 15), -1);
});

test("accepts a transaction of half the ring and rejects a larger one", ({ clock }) => {
  const ring = makeRing(clock);
  const maxWords = WORDS / 2 - TRANSACTION_HEAD_WORDS;
  for (let round = 1; round < 9; round++) {
    write(ring, round, 100, maxWords - 100);
    assert.equal(take(ring), [[maxWords, round]]);
    write(ring, round, 1000);
    assert.equal(take(ring), [[1000, round]]);
  }
  ring.reserve(maxWords);
  assert.throws(
    () => ring.reserve(1),
    (error: unknown) => error instanceof CapacityError,
  );
  ring.discard();
  assert.equal(take(ring), []);
});

test("accepts a transaction of 8 MiB in a graph's ring and rejects a larger one", ({ clock }) => {
  const ring = new CommitRing(createRingMemory(), clock);
  ring.isOn = true;
  write(ring, 1, 2 ** 21 - TRANSACTION_HEAD_WORDS);
  assert.is(take(ring)[0]![0], 2 ** 21 - TRANSACTION_HEAD_WORDS);
  const text = /transaction exceeds the 8 MiB log buffer/;
  assert.throws(() => ring.reserve(2 ** 21 - TRANSACTION_HEAD_WORDS + 1), text);
});

test("has no room when full, and rejects writes once it is off", ({ clock }) => {
  const ring = makeRing(clock);
  assert.ok(ring.hasRoom);
  for (let index = 0; index < 7; index++) write(ring, index, WORDS / 8);
  assert.not.ok(ring.hasRoom);
  const writer = new CommitRing(ring.memory, clock);
  ring.isOn = false;
  assert.ok(writer.awaitRoom());
  assert.throws(() => writer.reserve(WORDS / 8), /transaction log no longer accepts changes/);
  take(ring, 2);
  assert.ok(ring.hasRoom);
});

test(`drains transactions of all sizes at all offsets (seed ${SEED})`, ({ clock }) => {
  const random = new Random();
  const ring = makeRing(clock, 2 ** 12);
  const written: [number, number][] = [];
  for (let index = 0; index < 200_000; index++) {
    const isFull = ring.waiting > 2 ** 11 - 600;
    if (isFull || random.below(3) === 0) {
      assert.equal(take(ring, 1 + random.below(9)), written.splice(0, written.length - left(ring)));
      continue;
    }
    const records = random.list(4, () => 1 + random.below(random.below(9) === 0 ? 140 : 9));
    if (records.length === 0) continue;
    write(ring, index, ...records);
    written.push([records.reduce((sum, words) => sum + words, 0), index]);
  }
});

/** Waiting transactions. */
function left(ring: CommitRing): number {
  let units = 0;
  drainTransactions([{ ring, number: 0 }], ring.clock, () => {
    units++;
    return true;
  });
  return units;
}

test.run();
