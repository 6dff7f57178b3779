// Records of operations: made again of another graph they give the same graph, made twice they
// change nothing more, and what is no record is refused and changes nothing. ROUNDS=n does more of
// it, SEED=n the same again.
// limit: 60 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { truncate } from "../../runtime/graph/changes/graph.js";
import { DataError } from "../../runtime/graph/model/errors.js";
import { apply } from "../../runtime/graph/operations/apply.js";
import { decodeOperation } from "../../runtime/graph/operations/encode-operation.js";
import { GraphStore } from "../../runtime/graph/store/graph-store.js";
import { checkStore } from "../runtime/graph/support/check-store.js";
import { TEST_THREAD } from "../runtime/graph/support/make-graph.js";
import { BundledThread } from "./support/bundled-thread.js";
import { comparable, withoutOperations } from "./support/comparable.js";
import { FakeClock } from "./support/fake-clock.js";
import { randomChange } from "./support/graph-change.js";
import { type ChangedGraph, makeChange, openForChanges, outcomeOf } from "./support/make-change.js";
import { Random, SEED } from "./support/random.js";
import type { RecordingThreadData } from "./support/recording-thread.js";

const test = suite<{ clock: FakeClock }>("records of operations");
const ROUNDS = Number(process.env.ROUNDS ?? 2);
const CHANGES = 2500;
const LOG_BYTES = 1 << 23;
const DAMAGES = 50_000;
const IDS = Array.from({ length: 50 }, (_, index) => `v${index}`);
/** Vertices of these are truncated now and then. */
const TYPES = ["person", "thing", null];

test.before.each((context) => {
  context.clock = new FakeClock().start();
});

test.after.each(({ clock }) => {
  clock.stop();
});

function replay(store: GraphStore, record: Uint8Array): void {
  store.writer.mutate(() => {
    decodeOperation(store, record, store.operation);
    apply(store, store.operation);
  });
}

/** Random changes, some of vertices that are held, deleted and used again meanwhile. */
function changeAtRandom(changed: ChangedGraph, random: Random, changes: number): void {
  const { graph, session, store } = changed;
  for (let index = 0; index < changes; index++) {
    const roll = random.below(200);
    if (roll < 3) useDeleted(changed, random);
    else if (roll < 8) graph.closeAll();
    else if (roll === 8 && random.below(4) === 0) {
      graph.closeAll();
      truncate(store, session, random.of(TYPES));
    }
    const change = randomChange(random, IDS);
    outcomeOf(() => makeChange(changed, change));
  }
  graph.closeAll();
}

/** Deletes a vertex that is held, which keeps it, and uses it again. */
function useDeleted({ graph }: ChangedGraph, random: Random): void {
  const id = random.of(IDS);
  const vertex = graph.openVertex(id, "w");
  if (vertex.getType() === "__vertex__") vertex.setType("thing");
  vertex.setRank(random.below(4), 1);
  graph.disconnect(id);
  graph.deleteVertex(id);
  const other = random.of(IDS);
  const [from, to] = random.below(2) === 0 ? [id, other] : [other, id];
  if (random.below(4) > 0) outcomeOf(() => graph.connect(from, "near", to));
}

test(`records made again give the same graph (seed ${SEED})`, ({ clock }) => {
  const random = new Random();
  for (let round = 0; round < ROUNDS; round++) {
    const changed = openForChanges(GraphStore.make("test", TEST_THREAD), clock);
    const { store } = changed;
    const copy = GraphStore.make("test", TEST_THREAD);
    const twice = GraphStore.make("test", TEST_THREAD);
    store.recorder = (record) => {
      // What happens later must not matter.
      clock.second += 1000;
      replay(copy, record);
      replay(twice, record);
      replay(twice, record);
      clock.second -= 1000;
    };
    for (let part = 0; part < 4; part++) {
      changeAtRandom(changed, random, CHANGES / 4);
      for (const one of [store, copy, twice]) checkStore(one);
      assert.equal(comparable(copy), comparable(store));
      assert.equal(withoutOperations(twice), withoutOperations(store));
    }
  }
});

test(`records of two threads give the graph that both have changed (seed ${SEED})`, async () => {
  const bundled = new BundledThread(new URL("support/recording-thread.ts", import.meta.url));
  const store = GraphStore.make("test", TEST_THREAD);
  const shared = {
    ready: new Int32Array(new SharedArrayBuffer(4)),
    end: new Int32Array(new SharedArrayBuffer(4)),
    log: new Uint8Array(new SharedArrayBuffer(LOG_BYTES)),
  };
  const threads = [101, 102].map((thread) => {
    const { share } = store;
    const own = { share, thread, seed: SEED + thread, changes: 2 * CHANGES, threads: 2 };
    const data: RecordingThreadData = { ...own, ...shared };
    const worker = bundled.start(data);
    return new Promise((resolve, reject) => {
      worker.once("error", reject);
      worker.once("exit", resolve);
    });
  });
  await Promise.all(threads);
  const copy = GraphStore.make("test", TEST_THREAD);
  const log = Buffer.from(shared.log.buffer, 0, shared.end[0]!);
  for (let at = 0; at < log.length; ) {
    const end = at + 4 + log.readUInt32LE(at);
    replay(copy, new Uint8Array(log.subarray(at + 4, end)));
    at = end;
  }
  assert.ok(log.length > 0);
  checkStore(copy);
  assert.equal(comparable(copy), comparable(store));
});

test("what is undone leaves no record", ({ clock }) => {
  const { graph, store } = openForChanges(GraphStore.make("test", TEST_THREAD), clock);
  const records: Uint8Array[] = [];
  store.recorder = (record) => records.push(record);
  graph.connect("a", "likes", "b");
  assert.is(records.length, 2);
  assert.throws(() =>
    store.writer.mutate(() => {
      graph.connect("a", "likes", "c");
      throw new Error("undo");
    }),
  );
  assert.is(records.length, 2);
});

test(`damaged records are refused and change nothing (seed ${SEED})`, ({ clock }) => {
  const random = new Random();
  const changed = openForChanges(GraphStore.make("test", TEST_THREAD), clock);
  const { store } = changed;
  const records: Uint8Array[] = [];
  store.recorder = (record) => records.push(record);
  changeAtRandom(changed, random, CHANGES);
  store.recorder = null;
  const before = comparable(store);
  let applied = 0;
  for (let index = 0; index < DAMAGES * ROUNDS; index++) {
    const record = damage(random, random.of(records), random.of(records));
    const count = store.operationCount;
    try {
      replay(store, record);
      applied++;
    } catch (error) {
      const hex = Buffer.from(record).toString("hex");
      if (!(error instanceof DataError)) throw new Error(hex, { cause: error });
      assert.is(store.operationCount, count);
    }
    if (index % 5000 === 0) checkStore(store);
  }
  checkStore(store);
  // Some are records as good as any.
  assert.ok(applied > 0 && applied < DAMAGES * ROUNDS);
  assert.not.equal(comparable(store), before);
});

/** A record with bytes changed, taken out, put in, cut off, or of two. */
function damage(random: Random, record: Uint8Array, other: Uint8Array): Uint8Array {
  const at = random.below(record.length + 1);
  switch (random.below(6)) {
    case 0:
      return record.slice(0, at);
    case 1:
      return Uint8Array.of(...record.slice(0, at), random.below(256), ...record.slice(at));
    case 2:
      return Uint8Array.of(...record.slice(0, at), ...record.slice(at + 1 + random.below(3)));
    case 3:
      return Uint8Array.of(...record.slice(0, at), ...other.slice(random.below(other.length)));
    default: {
      const damaged = record.slice();
      for (let count = 1 + random.below(3); count > 0; count--) {
        const byte = random.below(damaged.length);
        damaged[byte]! ^= random.below(2) === 0 ? 1 << random.below(8) : random.below(256);
      }
      return damaged;
    }
  }
}

test.run();
