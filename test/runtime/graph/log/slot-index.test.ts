// The index of slots finds each vertex once, even if handles are reused between two calls.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { installSlots, threadSlots } from "../../../../runtime/base/instance-slots.js";
import { SlotIndex } from "../../../../runtime/graph/log/slot-index.js";
import { Header } from "../../../../runtime/graph/memory/layout.js";
import type { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { Random } from "../../../property/support/random.js";
import { loggedStore } from "../support/logged-graph.js";
import { openStore } from "../support/make-graph.js";
import { ALL_SLOTS, SLOT_PLAN } from "../support/slot-plan.js";

const test = suite("index of slots");
const STEPS = 400;

test.before.each(() => installSlots(SLOT_PLAN));
test.after.each(() => installSlots(null));

/** Slot of each vertex, with its handle. */
function listAll({ vertices, ids }: GraphStore): string[] {
  const listed: string[] = [];
  for (let vertex = 1; vertex < vertices.end; vertex++) {
    if (vertices.isUsed(vertex)) listed.push(`${threadSlots()!.of(ids.idOf(vertex))} ${vertex}`);
  }
  return listed.sort();
}

function listFound(index: SlotIndex, slots: readonly number[]): string[] {
  const entries = [...index.find(new Set(slots))];
  return entries
    .flatMap(([slot, vertices]) => vertices.map((vertex) => `${slot} ${vertex}`))
    .sort();
}

test("vertices that are created, deleted and created again are found once", () => {
  const random = new Random(1);
  const store = loggedStore();
  const graph = openStore(store);
  const index = new SlotIndex(store, threadSlots()!);
  const ids: string[] = [];
  let next = 0;
  for (let step = 0; step < STEPS; step++) {
    for (let n = random.below(4) * random.below(20); n > 0; n--) {
      const id = `v${next++}`;
      graph.createVertex(id);
      ids.push(id);
    }
    const isShrinking = random.below(3) === 0;
    // Handles that were used at the last call are used again before the next one.
    const isLooked = isShrinking && random.below(2) === 0;
    for (let n = isShrinking ? random.below(30) : 0; n > 0 && ids.length > 0; n--) {
      graph.deleteVertex(ids.splice(random.below(ids.length), 1)[0]!);
    }
    if (isLooked || random.below(2) === 0) {
      assert.equal(listFound(index, ALL_SLOTS), listAll(store), `step ${step}`);
    }
  }
  graph.closeAll();
});

test("more vertices than free handles are remembered are found", () => {
  const store = loggedStore();
  const graph = openStore(store);
  const index = new SlotIndex(store, threadSlots()!);
  const count = 3000;
  for (let n = 0; n < count; n++) graph.createVertex(`a${n}`);
  for (let n = 0; n < count; n++) graph.deleteVertex(`a${n}`);
  assert.equal(listFound(index, ALL_SLOTS), []);
  for (let n = 0; n < count / 2; n++) graph.createVertex(`b${n}`);
  assert.equal(listFound(index, ALL_SLOTS), listAll(store));
  for (let n = 0; n < count; n++) graph.createVertex(`c${n}`);
  assert.equal(listFound(index, ALL_SLOTS), listAll(store));
  graph.closeAll();
});

test("a free handle that is older by half of all generations hides no new vertex", () => {
  const store = loggedStore();
  const graph = openStore(store);
  const index = new SlotIndex(store, threadSlots()!);
  graph.createVertex("old");
  graph.createVertex("used");
  graph.deleteVertex("old");
  store.memory.header.words[Header.VertexSerial]! += 2 ** 31 + 9;
  listFound(index, ALL_SLOTS);
  // Its handle is used again, and that of the old one is not.
  graph.deleteVertex("used");
  graph.createVertex("new");
  assert.equal(listFound(index, ALL_SLOTS), listAll(store));
  graph.closeAll();
});

test("a few new vertices are found without a scan of all others", () => {
  const store = loggedStore();
  const graph = openStore(store);
  const index = new SlotIndex(store, threadSlots()!);
  const count = 3000;
  for (let n = 0; n < count; n++) graph.createVertex(`a${n}`);
  for (let n = 0; n < count / 2; n++) graph.deleteVertex(`a${n}`);
  listFound(index, ALL_SLOTS);
  for (let n = 0; n < 10; n++) graph.createVertex(`b${n}`);
  const { vertices } = store;
  let looks = 0;
  vertices.isAsOld = (handle, serial) => {
    looks++;
    return Object.getPrototypeOf(vertices).isAsOld.call(vertices, handle, serial);
  };
  assert.equal(listFound(index, ALL_SLOTS), listAll(store));
  assert.ok(looks < count / 2, `${looks}`);
  graph.closeAll();
});

test.run();
