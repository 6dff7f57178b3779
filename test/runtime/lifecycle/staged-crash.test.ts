// A target that crashes while it shows slots has their content afterwards, wherever its log ends.

import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { installSlots, type SlotPlan, threadSlots } from "../../../runtime/base/instance-slots.js";
import { KeptSlots } from "../../../runtime/base/kept-slots.js";
import type { Graph } from "../../../runtime/graph/api/graph.js";
import { applyTransaction } from "../../../runtime/graph/log/apply-transaction.js";
import { GraphSlots } from "../../../runtime/graph/log/slot-content.js";
import type { GraphStore } from "../../../runtime/graph/store/graph-store.js";
import { SlotShare } from "../../../runtime/lifecycle/slot-share.js";
import { checkStore } from "../graph/support/check-store.js";
import { loggedStore, takeUnits } from "../graph/support/logged-graph.js";
import { openStore } from "../graph/support/make-graph.js";
import { ALL_SLOTS, SLOT_PLAN } from "../graph/support/slot-plan.js";

const test = suite("a crash of a target that shows slots");
const [MOVED, OWN] = [ALL_SLOTS.slice(0, 8), ALL_SLOTS.slice(8)];
const PLAN: SlotPlan = {
  ...SLOT_PLAN,
  map: {
    count: 16,
    runs: [
      [0, 1],
      [8, 0],
    ],
  },
};
const MOVE = { id: "a", version: 1, from: "B2", to: "B1", slots: MOVED, isStaged: true };
const VERTICES = Array.from({ length: 60 }, (_, n) => `v${n}`);
let root = "";

test.before.each(() => {
  root = mkdtempSync(join(tmpdir(), "svc-crash-"));
});
test.after.each(() => {
  installSlots(null);
  rmSync(root, { recursive: true });
});

/** Creates vertices with attributes of all kinds, and arcs to all slots and anchors. */
function fill(graph: Graph, ids: readonly string[]): void {
  graph.createVertex("all", { type: "kind" });
  for (const [n, id] of ids.entries()) {
    graph.createVertex(id, { type: "thing", properties: { n, text: "x".repeat(n) } });
    const vertex = graph.openVertex(id);
    if (n % 3 === 0) vertex.setVector([n, 1, 2]);
    if (n % 5 === 0) vertex.setExpiration(2_000_000_000 + n);
    vertex.close();
    graph.connect(id, "next", `v${(n * 7) % VERTICES.length}`);
    graph.connect(id, "in", "all");
    graph.connect("all", "has", id);
  }
}

function digestsOf(store: GraphStore, slots: readonly number[]): string[] {
  const { contents } = new GraphSlots(store, threadSlots()!).encode(
    slots,
    Number.POSITIVE_INFINITY,
  );
  return contents.map(({ digest }) => digest);
}

/** A process whose data folder has the record, and whose log had these transactions. */
function start(folder: string, units: readonly Uint32Array[]) {
  const slots = new KeptSlots(folder, PLAN);
  slots.keepFirst();
  const store = loggedStore();
  for (const unit of units) applyTransaction(store, unit, 0);
  takeUnits(store);
  const clock = { nextFlush: 1, waitConfirmed: () => Promise.resolve(true) };
  const graphs = { clock, openConfigured: () => Promise.resolve(), storeOf: () => store };
  return { store, share: new SlotShare(graphs as never, slots), slots };
}

function encodeSource() {
  installSlots({ ...PLAN, map: SLOT_PLAN.map });
  const source = loggedStore();
  const graph = openStore(source);
  fill(graph, VERTICES);
  const { contents, names } = new GraphSlots(source, threadSlots()!).encode(
    MOVED,
    Number.POSITIVE_INFINITY,
  );
  graph.closeAll();
  return contents.map(({ slot, words, digest }) => {
    const bytes = Buffer.from(words.buffer, words.byteOffset, words.byteLength);
    return { graph: "test", slot, offset: 0, length: bytes.length, bytes, names, digest };
  });
}

/** Changes of other slots, which are acknowledged meanwhile. */
function changeOthers(graph: Graph, others: readonly string[], moved: readonly string[]): void {
  for (const [n, id] of others.entries()) {
    graph.connect(id, "later", moved[n % moved.length]!);
    if (n % 4 === 0) graph.disconnect(id, "next");
    if (n % 9 === 0) graph.deleteVertex(id);
  }
}

test("leaves the content that was stored, and all changes of others", async () => {
  const chunks = encodeSource();
  const expected = chunks.map(({ digest }) => digest);
  const { store, share } = start(join(root, "data"), []);
  const slotOf = (id: string): number => threadSlots()!.of(id);
  const others = VERTICES.filter((id) => OWN.includes(slotOf(id)));
  const moved = VERTICES.filter((id) => MOVED.includes(slotOf(id)));
  const graph = openStore(store);
  fill(graph, others);
  const before = takeUnits(store);
  share.stage("a", chunks);
  await share.store(MOVE);
  await share.write(MOVE);
  assert.equal(digestsOf(store, MOVED), expected);
  await share.show("a");
  changeOthers(graph, others, moved);
  assert.throws(() => graph.disconnect(moved[0]!, "next"), /moving/);
  graph.closeAll();
  const units = takeUnits(store);
  assert.ok(units.length > 20);
  for (let count = 0; count <= units.length; count++) {
    const folder = join(root, "crash");
    cpSync(join(root, "data"), folder, { recursive: true });
    const again = start(folder, [...before, ...units.slice(0, count)]);
    const own = digestsOf(again.store, OWN);
    await again.share.take("a");
    assert.equal(digestsOf(again.store, MOVED), expected, `${count} transactions`);
    assert.equal(digestsOf(again.store, OWN), own, `${count} transactions`);
    checkStore(again.store);
    rmSync(folder, { recursive: true });
  }
});

test.run();
