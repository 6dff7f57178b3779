// Transactions of the log: replay on another graph yields the same graph, and invalid ones are
// rejected without changes. ROUNDS=n runs more, SEED=n repeats a run.
// limit: 60 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { truncate } from "../../runtime/graph/changes/graph.js";
import { applyTransaction } from "../../runtime/graph/log/apply-transaction.js";
import { recordCount } from "../../runtime/graph/log/transaction-format.js";
import { TRANSACTION, TRANSACTION_HEAD_WORDS } from "../../runtime/graph/memory/commit-ring.js";
import { Header } from "../../runtime/graph/memory/layout.js";
import { DataError } from "../../runtime/graph/model/errors.js";
import { digestText } from "../../runtime/graph/store/content-digest.js";
import { GraphStore } from "../../runtime/graph/store/graph-store.js";
import {
  computeDigest,
  digestCheckpoint,
  verifyDigest,
} from "../../runtime/graph/store/verify-digest.js";
import { checkStore } from "../runtime/graph/support/check-store.js";
import { loggedStore, replayTo, takeUnits } from "../runtime/graph/support/logged-graph.js";
import { TEST_THREAD } from "../runtime/graph/support/make-graph.js";
import { rounds } from "../support/rounds.js";
import { BundledThread } from "./support/bundled-thread.js";
import { comparable } from "./support/comparable.js";
import { FakeClock } from "./support/fake-clock.js";
import { randomChange } from "./support/graph-change.js";
import { type ChangedGraph, makeChange, openForChanges, runChange } from "./support/make-change.js";
import { Random, SEED } from "./support/random.js";
import type { RecordingThreadData } from "./support/recording-thread.js";

const test = suite<{ clock: FakeClock }>("operation records");
const ROUNDS = rounds(2);
const CHANGES = 2500;
const DAMAGES = 50_000;
const IDS = Array.from({ length: 50 }, (_, index) => `v${index}`);
/** Vertices of these types are truncated occasionally. */
const TYPES = ["person", "thing", null];

test.before.each((context) => {
  context.clock = new FakeClock().start();
});

test.after.each(({ clock }) => {
  clock.stop();
});

/** Random changes, some of vertices that are locked, deleted and reused meanwhile. */
function changeAtRandom(changed: ChangedGraph, random: Random, changes: number): void {
  const { graph, session, store } = changed;
  for (let index = 0; index < changes; index++) {
    const roll = random.below(200);
    if (roll < 3) useDeleted(changed, random);
    else if (roll < 8) graph.closeAll();
    else if (roll === 8 && random.below(4) === 0) {
      graph.closeAll();
      truncate({ store, session }, random.of(TYPES));
    }
    const change = randomChange(random, IDS);
    runChange(() => makeChange(changed, change));
  }
  graph.closeAll();
}

/** Deletes a locked vertex, which keeps it, and reuses it. */
function useDeleted({ graph }: ChangedGraph, random: Random): void {
  const id = random.of(IDS);
  const vertex = graph.openVertex(id, "w");
  if (vertex.getType() === "__vertex__") vertex.setType("thing");
  vertex.setRank(random.below(4), 1);
  graph.disconnect(id);
  graph.deleteVertex(id);
  const otherId = random.of(IDS);
  const [from, to] = random.below(2) === 0 ? [id, otherId] : [otherId, id];
  if (random.below(4) > 0) runChange(() => graph.connect(from, "near", to));
}

test(`replay to the same graph (seed ${SEED})`, ({ clock }) => {
  const random = new Random();
  for (let round = 0; round < ROUNDS; round++) {
    const store = loggedStore();
    const changed = openForChanges(store, clock);
    const copy = GraphStore.create("test", TEST_THREAD);
    const loneStore = loggedStore();
    loneStore.memory.log!.isOn = false;
    for (let part = 0; part < 4; part++) {
      changeAtRandom(changed, random, CHANGES / 4);
      // Later events must not matter.
      clock.second += 1000;
      const units = takeUnits(store);
      for (const transaction of units) applyTransaction(copy, transaction, 0);
      loneStore.writer.runUnshared(() => {
        for (const transaction of units) applyTransaction(loneStore, transaction, 0);
      });
      clock.second -= 1000;
      for (const graph of [store, copy, loneStore]) checkStore(graph);
      assert.is(digestCheckpoint(store)!.digest, digestCheckpoint(loneStore)!.digest);
      assert.ok(verifyDigest(store));
      for (const graph of [copy, loneStore]) {
        assert.equal(comparable(graph), comparable(store));
        assert.equal(computeDigest(graph), computeDigest(store));
        assert.is(digestCheckpoint(store)!.digest, digestText(computeDigest(graph)));
      }
    }
  }
});

test(`of two threads replay to the common graph (seed ${SEED})`, async () => {
  const bundled = new BundledThread(new URL("support/recording-thread.ts", import.meta.url));
  const store = loggedStore();
  const ready = new Int32Array(new SharedArrayBuffer(4));
  const copy = GraphStore.create("test", TEST_THREAD);
  let running = 2;
  const threads = [101, 102].map((thread) => {
    const { share } = store;
    const workerData = {
      share,
      thread,
      seed: SEED + thread,
      changes: 2 * CHANGES,
      threads: 2,
      ready,
    };
    const data: RecordingThreadData = workerData;
    const worker = bundled.start(data);
    return new Promise<void>((resolve, reject) => {
      worker.once("error", reject);
      worker.once("exit", () => {
        running--;
        resolve();
      });
    });
  });
  let taken = 0;
  while (running > 0) {
    for (const transaction of takeUnits(store)) {
      applyTransaction(copy, transaction, 0);
      taken++;
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(threads);
  replayTo(store, copy);
  assert.ok(taken > 0);
  checkStore(copy);
  assert.equal(comparable(copy), comparable(store));
});

test("reveal a wrong digest", ({ clock }) => {
  const store = loggedStore();
  changeAtRandom(openForChanges(store, clock), new Random(), 100);
  assert.ok(verifyDigest(store));
  store.memory.header.words[Header.Digest + 2]! ^= 1;
  assert.not(verifyDigest(store));
});

test("are not written for changes rolled back", ({ clock }) => {
  const store = loggedStore();
  const { graph } = openForChanges(store, clock);
  graph.connect("a", "likes", "b");
  assert.is(takeUnits(store).length, 1);
  assert.throws(() =>
    store.writer.mutate(() => {
      graph.connect("a", "likes", "c");
      throw new Error("undo");
    }),
  );
  assert.equal(takeUnits(store), []);
});

test(`are rejected without changes when corrupt (seed ${SEED})`, ({ clock }) => {
  const random = new Random();
  const store = loggedStore();
  const changed = openForChanges(store, clock);
  changeAtRandom(changed, random, CHANGES);
  const units = takeUnits(store).filter((transaction) => transaction.length < 2000);
  store.memory.log!.isOn = false;
  const before = comparable(store);
  let applied = 0;
  for (let index = 0; index < DAMAGES * ROUNDS; index++) {
    const transaction = damage(random, random.of(units), random.of(units));
    const count = store.operationCount;
    setCount(transaction, count);
    try {
      applyTransaction(store, transaction, 0);
      applied++;
    } catch (error) {
      const hex = Buffer.from(transaction.buffer).toString("hex");
      if (!(error instanceof DataError)) throw new Error(hex, { cause: error });
      assert.is(store.operationCount, count);
    }
    if (index % 5000 === 0) checkStore(store);
  }
  checkStore(store);
  // Some are valid by chance.
  assert.ok(applied > 0 && applied < DAMAGES * ROUNDS);
  assert.not.equal(comparable(store), before);
});

/** Makes a transaction the next one of a graph: only its records are to be rejected. */
function setCount(transaction: Uint32Array, before: number): void {
  transaction[0] = (TRANSACTION | (transaction.length << 8)) >>> 0;
  transaction[1] = before + recordCount(transaction, 0);
}

/** A transaction with records changed, removed, inserted, truncated, or mixed from two. */
function damage(random: Random, transaction: Uint32Array, donor: Uint32Array): Uint32Array {
  const offset =
    TRANSACTION_HEAD_WORDS + random.below(transaction.length - TRANSACTION_HEAD_WORDS + 1);
  const { length } = donor;
  const from = TRANSACTION_HEAD_WORDS + random.below(length - TRANSACTION_HEAD_WORDS);
  switch (random.below(6)) {
    case 0:
      return transaction.slice(0, offset);
    case 1:
      return Uint32Array.of(
        ...transaction.slice(0, offset),
        random.below(256),
        ...transaction.slice(offset),
      );
    case 2:
      return Uint32Array.of(
        ...transaction.slice(0, offset),
        ...transaction.slice(offset + 1 + random.below(3)),
      );
    case 3:
      return Uint32Array.of(...transaction.slice(0, offset), ...donor.slice(from));
    default: {
      const damaged = transaction.slice();
      const bytes = new Uint8Array(damaged.buffer);
      for (let count = 1 + random.below(3); count > 0; count--) {
        const byte =
          random.below(bytes.length - 4 * TRANSACTION_HEAD_WORDS) + 4 * TRANSACTION_HEAD_WORDS;
        bytes[byte]! ^= random.below(2) === 0 ? 1 << random.below(8) : random.below(256);
      }
      return damaged;
    }
  }
}

test.run();
