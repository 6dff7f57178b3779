// The ring between writers and the log: whatever is committed comes out once, in order and whole,
// however full the ring is and wherever it ends.

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

const test = suite<{ clock: CommitClock }>("ring under the log");
const WORDS = 2 ** 17;

test.before.each((context) => {
  context.clock = new CommitClock();
});

function makeRing(clock: CommitClock, words = WORDS): CommitRing {
  const ring = new CommitRing(createRingMemory(words), clock);
  ring.isOn = true;
  return ring;
}

/** Commits a unit of records of so many words each, filled with a number. */
function write(ring: CommitRing, content: number, ...records: readonly number[]): void {
  for (const words of records) {
    const at = ring.reserve(words);
    ring.words.fill(content, at, at + words);
  }
  ring.prepare(content, 0);
  ring.publish();
}

/** What waits: of each unit its number of words and content, which must be the same throughout. */
function take(
  ring: CommitRing,
  most = Number.POSITIVE_INFINITY,
): [words: number, content: number][] {
  const taken: [number, number][] = [];
  const units = drainTransactions([{ ring, number: 0 }], ring.clock, (words, at, length) => {
    if (taken.length >= most) return false;
    const content = words[at + 1]!;
    const rest = words.subarray(at + TRANSACTION_HEAD_WORDS, at + length);
    assert.ok(rest.every((word) => word === content));
    taken.push([length - TRANSACTION_HEAD_WORDS, content]);
    return true;
  });
  units.release();
  return taken;
}

test("units come out as they went in", ({ clock }) => {
  const ring = makeRing(clock);
  write(ring, 1, 3, 5);
  write(ring, 2, 1);
  assert.equal(take(ring), [
    [8, 1],
    [1, 2],
  ]);
  assert.equal(take(ring), []);
});

test("what is forgotten never comes out", ({ clock }) => {
  const ring = makeRing(clock);
  ring.reserve(100);
  assert.ok(ring.hasTransaction);
  ring.discard();
  assert.not.ok(ring.hasTransaction);
  write(ring, 1, 2);
  assert.equal(take(ring), [[2, 1]]);
});

test("of a dead thread's unit all is taken over that was committed", ({ clock }) => {
  const { memory } = makeRing(clock);
  const [dead, heir] = [new CommitRing(memory, clock), new CommitRing(memory, clock)];
  dead.reserve(2);
  dead.prepare(7, 0);
  heir.takeOver(false);
  assert.is(heir.waiting, 0);
  const other = new CommitRing(memory, clock);
  const at = other.reserve(2);
  other.words.fill(8, at, at + 2);
  other.prepare(8, 0);
  heir.takeOver(true);
  assert.equal(take(heir), [[2, 8]]);
  // A commit without records leaves nothing behind.
  heir.takeOver(true);
  assert.equal(take(heir), []);
});

test("units of several rings come in the order of their commits", ({ clock }) => {
  const rings = [makeRing(clock), makeRing(clock)];
  const order = [0, 1, 1, 0, 1, 1, 1, 0];
  for (const [index, ring] of order.entries()) write(rings[ring]!, index, 1);
  const numbered = rings.map((ring, number) => ({ ring, number }));
  const taken: [number, number][] = [];
  const receive = (words: Uint32Array, at: number, _length: number, from: number): boolean => {
    taken.push([from, words[at + 1]!]);
    return taken.length < 5;
  };
  drainTransactions(numbered, clock, receive).release();
  // The last one was refused.
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

test("what is complete and has a later ticket than was given waits", ({ clock }) => {
  const ring = makeRing(clock);
  write(ring, 1, 1);
  const late = { lastTicket: 0 } as CommitClock;
  drainTransactions([{ ring, number: 0 }], late, () => assert.unreachable() as never).release();
  assert.equal(take(ring), [[1, 1]]);
});

test("while all is taken at once little of the ring is used", ({ clock }) => {
  const ring = makeRing(clock, 2 ** 20);
  for (let index = 1; index < 5000; index++) {
    write(ring, index, 100);
    assert.equal(take(ring), [[100, index]]);
  }
  assert.is(ring.words.indexOf(4999, 2 ** 15), -1);
});

test("a unit of half the ring fits in, a larger one is refused", ({ clock }) => {
  const ring = makeRing(clock);
  const most = WORDS / 2 - TRANSACTION_HEAD_WORDS;
  for (let round = 1; round < 9; round++) {
    write(ring, round, 100, most - 100);
    assert.equal(take(ring), [[most, round]]);
    write(ring, round, 1000);
    assert.equal(take(ring), [[1000, round]]);
  }
  ring.reserve(most);
  assert.throws(
    () => ring.reserve(1),
    (error: unknown) => error instanceof CapacityError,
  );
  ring.discard();
  assert.equal(take(ring), []);
});

test("a unit of 8 MiB fits into the ring that graphs have, a larger one is refused", ({
  clock,
}) => {
  const ring = new CommitRing(createRingMemory(), clock);
  ring.isOn = true;
  write(ring, 1, 2 ** 21 - TRANSACTION_HEAD_WORDS);
  assert.is(take(ring)[0]![0], 2 ** 21 - TRANSACTION_HEAD_WORDS);
  const text = /too many changes at once for the log, which takes 8 MiB/;
  assert.throws(() => ring.reserve(2 ** 21 - TRANSACTION_HEAD_WORDS + 1), text);
});

test("a full ring has no room, and takes nothing once it is off", ({ clock }) => {
  const ring = makeRing(clock);
  assert.ok(ring.hasRoom);
  for (let index = 0; index < 7; index++) write(ring, index, WORDS / 8);
  assert.not.ok(ring.hasRoom);
  const writer = new CommitRing(ring.memory, clock);
  ring.isOn = false;
  assert.ok(writer.awaitRoom());
  assert.throws(() => writer.reserve(WORDS / 8), /the log takes nothing more/);
  take(ring, 2);
  assert.ok(ring.hasRoom);
});

test(`units of all sizes at all places (seed ${SEED})`, ({ clock }) => {
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

/** Units that wait. */
function left(ring: CommitRing): number {
  let units = 0;
  drainTransactions([{ ring, number: 0 }], ring.clock, () => {
    units++;
    return true;
  });
  return units;
}

test.run();
