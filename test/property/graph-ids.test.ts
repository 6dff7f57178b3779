// limit: 60 s
// Random creation, deletion and lookup of ids and strings against a map, alone and beside a thread
// that changes all tables. ROUNDS=n runs more, SEED=n repeats a run.

import type { Worker } from "node:worker_threads";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { UNTYPED } from "../../runtime/graph/store/code-ranges.js";
import { GraphStore } from "../../runtime/graph/store/graph-store.js";
import { rounds } from "../support/rounds.js";
import { startWorker } from "../support/start-worker.js";
import { type ChurnData, deleteVertex, makeVertex } from "./support/churn-ids.js";
import { Random, SEED } from "./support/random.js";

const test = suite("graph ids");
const ROUNDS = rounds(1);
const MAX_FINDS = 10_000_000 * ROUNDS;
const THREAD = 100;
const CHURN_THREAD = 101;
const LETTERS = ["a", "b", "é", "€", "😀", "~"];

function randomId(random: Random): string {
  const length = 1 + random.below(random.below(20) === 0 ? 60 : 4);
  return Array.from({ length }, () => random.of(LETTERS)).join("");
}

test("find the ids of a map", () => {
  const random = new Random();
  for (let round = 0; round < 3 * ROUNDS; round++) {
    const store = GraphStore.create("test", THREAD);
    const otherStore = GraphStore.attach(store.share, CHURN_THREAD);
    const handles = new Map<string, number>();
    for (let step = 0; step < 8000; step++) {
      // Random deletions prevail in the second half.
      const isMaking = random.below(8000) > step * 0.8;
      const [readStore, by] = random.below(2) === 0 ? [store, otherStore] : [otherStore, store];
      const id = randomId(random);
      const expected = handles.get(id) ?? 0;
      assert.is(readStore.ids.find(id), expected, `seed ${SEED}`);
      if (expected !== 0) assert.is(readStore.ids.idOf(expected), id, `seed ${SEED}`);
      const isUndone = random.below(10) === 0;
      const change = (): void => {
        if (isMaking && expected === 0) handles.set(id, makeVertex(by, id));
        else if (!isMaking && expected !== 0) {
          deleteVertex(by, expected);
          handles.delete(id);
        }
        if (isUndone) throw new Error("undo");
      };
      if (!isUndone) by.writer.mutate(change);
      else {
        assert.throws(() => by.writer.mutate(change), "undo");
        if (expected === 0) handles.delete(id);
        else handles.set(id, expected);
      }
    }
    assert.is(store.typeLists.count(UNTYPED), handles.size);
    for (const [id, handle] of handles) {
      assert.is(store.ids.idOf(handle), id, `seed ${SEED}`);
      assert.is(
        otherStore.ids.findInternal(store.ids.internalIdOf(handle)),
        handle,
        `seed ${SEED}`,
      );
    }
  }
});

test("find existing ids during writes, and never missing ones", async () => {
  const store = GraphStore.create("test", THREAD);
  const { ids, strings, writer, relationships } = store;
  const keptIds = Array.from({ length: 2000 }, (_, index) => `kept ${index}`);
  const handles = keptIds.map((id) => writer.mutate(() => makeVertex(store, id)));
  const texts = keptIds.map((id) => writer.mutate(() => strings.intern(id)));
  writer.mutate(() => relationships.define("knows"));
  const control = new Int32Array(new SharedArrayBuffer(8));
  const data: ChurnData = { share: store.share, thread: CHURN_THREAD, seed: SEED, control };
  const worker = startWorker(new URL("support/churn-ids.ts", import.meta.url), data);
  const ended = waitForExit(worker);
  try {
    await begun(control, ended);
    const random = new Random();
    const rounds = Atomics.load(control, 1) + 20 * ROUNDS;
    const isChurned = () => Atomics.load(control, 1) >= rounds;
    for (let finds = 0; finds < 300_000 || (!isChurned() && finds < MAX_FINDS); finds++) {
      const index = random.below(keptIds.length);
      const id = keptIds[index]!;
      assert.is(ids.find(id), handles[index], `seed ${SEED}`);
      assert.is(ids.idOf(handles[index]!), id, `seed ${SEED}`);
      assert.is(strings.find(id), texts[index], `seed ${SEED}`);
      assert.is(strings.text(texts[index]!), id, `seed ${SEED}`);
      assert.is(ids.find(`never ${index}`), 0, `seed ${SEED}`);
      if (finds % 100 !== 0) continue;
      assert.is(relationships.codeOf("knows"), 512);
      const key = 1 + random.below(2000);
      assert.match(store.keys.nameOf(key), /^(key\d+)?$/);
      assert.is(ids.findInternal(ids.internalIdOf(handles[index]!)), handles[index]);
    }
    assert.ok(isChurned(), "the writer goes on");
  } finally {
    Atomics.store(control, 0, 1);
    await ended;
  }
});

function waitForExit(worker: Worker): Promise<unknown> {
  return new Promise((resolve, reject) => {
    worker.once("exit", resolve);
    worker.once("error", reject);
  });
}

/** Waits until the thread has completed its first round. */
async function begun(control: Int32Array, ended: Promise<unknown>): Promise<void> {
  const { value } = Atomics.waitAsync(control, 1, 0) as { value: Promise<unknown> | string };
  await Promise.race([value, ended]);
}

test.run();
