// Received content of slots has a limit, and continues where it ended. Without a move, an instance
// keeps no content.

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { SvcError } from "../../../runtime/base/errors.js";
import { installSlots, threadSlots } from "../../../runtime/base/instance-slots.js";
import { findSlotRecord, KeptSlots } from "../../../runtime/base/kept-slots.js";
import { GraphSlots } from "../../../runtime/graph/log/slot-content.js";
import type { GraphStore } from "../../../runtime/graph/store/graph-store.js";
import { SlotShare } from "../../../runtime/lifecycle/slot-share.js";
import { readStage, removeStage } from "../../../runtime/lifecycle/stage-file.js";
import { loggedStore, replayTo } from "../graph/support/logged-graph.js";
import { openStore } from "../graph/support/make-graph.js";
import { SLOT_PLAN } from "../graph/support/slot-plan.js";

const test = suite<{ root: string }>("content of slots");
const MOST = 2 ** 28;
const IDLE_MS = 1;
const MOVE = { id: "a", version: 1, from: "B1", to: "B2", slots: [3] };

test.before.each((context) => {
  context.root = mkdtempSync(join(tmpdir(), "svc-stage-"));
});
test.after.each(({ root }) => rmSync(root, { recursive: true }));

/** Nothing is written, so no graph is needed. */
function newShare(share = new SlotShare(null as never, null as never)) {
  return (id: string, slot: number, length: number, bytes = "", offset = 0) => {
    const own = { graph: "g", names: [] };
    share.stage(id, [{ ...own, slot, offset, length, bytes: Buffer.from(bytes) }]);
  };
}

/** Resolves when an act ends as wanted. */
async function until(isDone: (message: string | null) => boolean, act: () => void): Promise<void> {
  for (;;) {
    // Each act lets content be kept for longer.
    await delay(10 * IDLE_MS);
    let message: string | null = null;
    try {
      act();
    } catch (error) {
      ({ message } = error as Error);
    }
    if (isDone(message)) return;
  }
}

test("is limited in total, of one move", () => {
  const stage = newShare();
  stage("a", 1, MOST - 1);
  stage("a", 2, 1);
  assert.throws(() => stage("a", 3, 1), /too large/);
  // Content that is sent again replaces the former.
  stage("a", 1, MOST - 2);
  stage("a", 3, 1);
  assert.throws(() => stage("a", 4, 1), /too large/);
  stage("b", 4, MOST);
});

test("continues where it ended", () => {
  const stage = newShare();
  assert.throws(() => stage("a", 1, 4, "abcd", 2), /does not continue at 2/);
  stage("a", 1, 4, "ab");
  assert.throws(() => stage("a", 1, 4, "c", 3), /does not continue at 3/);
  assert.throws(() => stage("a", 1, 4, "cde", 2), /does not continue at 2/);
  stage("a", 1, 4, "cd", 2);
});

test("is forgotten by a target whose move goes on no more", async () => {
  const stage = newShare(new SlotShare(null as never, null as never, IDLE_MS));
  stage("a", 1, MOST);
  assert.throws(() => stage("a", 2, 1), /too large/);
  await until(
    (message) => message === null,
    () => stage("a", 2, 1),
  );
});

/** A target with the content of a vertex of another group, which it has received. */
async function makeTarget(context: { readonly root: string }) {
  installSlots(SLOT_PLAN);
  const [source, target] = [loggedStore(), loggedStore()];
  const own = openStore(source);
  own.createVertex("x");
  const slot = threadSlots()!.of("x");
  const { contents, names } = new GraphSlots(source, threadSlots()!).encode([slot], 1);
  own.closeAll();
  const { words } = contents[0]!;
  const move = { ...MOVE, from: "B2", to: "B1", slots: [slot], isStaged: true };
  const map = { count: SLOT_PLAN.map.count, runs: [[0, 1]] as [number, number][] };
  const plan = { ...SLOT_PLAN, map, groups: ["B1", "B2"], graphs: ["test"], own: 0 };
  const bytes = Buffer.from(words.buffer, words.byteOffset, words.byteLength);
  const chunk = { graph: "test", slot, offset: 0, length: bytes.length, bytes, names };
  let flushes = 0;
  const clock = { nextFlush: 1, waitConfirmed: async () => flushes++ >= 0 };
  const start = (store: GraphStore) => {
    const slots = new KeptSlots(context.root, plan);
    slots.keepFirst();
    const graphs = { clock, openConfigured: () => Promise.resolve(), storeOf: () => store };
    return { slots, share: new SlotShare(graphs as never, slots) };
  };
  const responds = () => threadSlots()!.idSince(1e15) !== null;
  const first = start(target);
  first.share.stage("a", [chunk]);
  return { ...first, store: target, move, chunk, start, responds, flushes: () => flushes };
}

function has(store: GraphStore, id: string): boolean {
  const graph = openStore(store);
  const found = graph.hasVertex(id);
  graph.closeAll();
  return found;
}

test("is durable in a target that has nothing of it, until it is written", async (context) => {
  const { share, slots, store, move, chunk, responds, flushes } = await makeTarget(context);
  assert.equal(await share.store({ ...move, slots: [...move.slots, 1] }), { missing: [1] });
  await share.store(move);
  assert.is(slots.record.move?.id, "a");
  assert.is(readStage(context.root, "a").size, 1);
  assert.ok(responds() && !has(store, "x"));
  await share.write(move);
  assert.ok(!responds() && has(store, "x"));
  assert.equal(await share.store(move), { missing: move.slots });
  // Content that comes again says nothing about what is written.
  share.stage("a", [chunk]);
  await share.store(move);
  assert.not(responds());
  assert.is(flushes(), 0);
  installSlots(null);
});

test("is not replaced by that of a move that is refused", async (context) => {
  const { share, move, chunk } = await makeTarget(context);
  await share.store(move);
  share.stage("b", [chunk]);
  const code = await share.store({ ...move, id: "b" }).catch((error: SvcError) => error.code);
  assert.is(code, "SVC3413");
  assert.is(readStage(context.root, "a").size, 1);
  installSlots(null);
});

test("is shown before it is durable, and taken after", async (context) => {
  const { share, slots, move, responds, flushes, start, store } = await makeTarget(context);
  await share.store(move);
  await share.write(move);
  await share.show("a");
  assert.ok(responds() && threadSlots()!.owns("x") && !threadSlots()!.mayChange("x"));
  assert.is(flushes(), 0);
  assert.not(findSlotRecord(context.root)!.move!.isGiven);
  await share.take("a");
  assert.is(flushes(), 1);
  assert.ok(threadSlots()!.mayChange("x"));
  assert.equal([slots.record.move, findSlotRecord(context.root)!.version], [null, 1]);
  assert.throws(() => readStage(context.root, "a"), /lacks the content of the move a/);
  assert.is(start(store).slots.record.version, 1);
  installSlots(null);
});

for (const what of ["show", "take"] as const) {
  test(`is written once more after a crash, by ${what}`, async (context) => {
    const { share, move, start, responds } = await makeTarget(context);
    await share.store(move);
    await share.write(move);
    await share.show("a");
    const store = loggedStore();
    const again = start(store);
    assert.not(responds() || has(store, "x"));
    await again.share[what]("a");
    assert.ok(responds() && has(store, "x"));
    installSlots(null);
  });
}

test("of a move that an earlier release has begun is taken as it is", async (context) => {
  const { share, slots, move, flushes } = await makeTarget(context);
  const { isStaged: _, ...old } = move;
  await share.write(old);
  assert.is(flushes(), 1);
  await share.take("a");
  assert.equal([flushes(), slots.record.move, slots.record.version], [1, null, 1]);
  installSlots(null);
});

test("is kept until the slots are taken durably", async (context) => {
  const { share, move } = await makeTarget(context);
  await share.store(move);
  const blocked = join(context.root, "_slots.json.tmp");
  mkdirSync(blocked);
  const reason = await share.take("a").catch((error: Error) => error.message);
  assert.match(String(reason), /EISDIR/);
  assert.is(readStage(context.root, "a").size, 1);
  installSlots(null);
});

test("is shown all the same if another move is refused", async (context) => {
  const { share, move, chunk, responds } = await makeTarget(context);
  await share.store(move);
  await share.write(move);
  await share.show("a");
  share.stage("b", [chunk]);
  for (const act of ["store", "write"] as const) {
    const other = share[act]({ ...move, id: "b", version: 2 });
    const reason = await other.catch((error: Error) => error.message);
    assert.match(String(reason), /another move is not finished/);
    assert.ok(responds());
  }
  installSlots(null);
});

test("is shown as it was written, without what is stored", async (context) => {
  const { share, move, responds } = await makeTarget(context);
  await share.store(move);
  await share.write(move);
  removeStage(context.root);
  await share.show("a");
  assert.ok(responds());
  installSlots(null);
});

test("is shown by a target only", async (context) => {
  const slots = new KeptSlots(context.root, SLOT_PLAN);
  const share = new SlotShare(null as never, slots);
  slots.change({ do: "hold", move: { ...MOVE, isStaged: true } });
  slots.change({ do: "give", id: "a" });
  const reason = await share.show("a").catch((error: Error) => error.message);
  assert.match(String(reason), /do not move to this group/);
  installSlots(null);
});

test("is removed with a move that is undone", async (context) => {
  const { share, slots, store, move, chunk } = await makeTarget(context);
  await share.store(move);
  await share.write(move);
  await share.remove("a");
  assert.not(has(store, "x"));
  assert.throws(() => readStage(context.root, "a"), /lacks the content of the move a/);
  // Nothing of it counts as written.
  slots.change({ do: "abort", id: "a" });
  share.stage("a", [chunk]);
  await share.store(move);
  await share.show("a");
  assert.ok(has(store, "x"));
  installSlots(null);
});

test("is not there once a source has removed it", async () => {
  installSlots(SLOT_PLAN);
  const store = loggedStore();
  const graph = openStore(store);
  graph.createVertex("x");
  const slot = threadSlots()!.of("x");
  const graphs = { openConfigured: () => Promise.resolve(), storeOf: () => store };
  const seen: [string, number][] = [];
  const slots = {
    ...{ graphs: ["test"], own: "B1" },
    record: { move: { ...MOVE, slots: [slot], isGiven: true } },
    noteAbsent: (id: string) => void seen.push([id, graph.order]),
  };
  const share = new SlotShare(graphs as never, slots as never);
  await share.clearOut("a");
  assert.equal(seen, [["a", 0]]);
  graph.closeAll();
  installSlots(null);
});

test("of a leader is awaited by its replicas", async () => {
  const [leader, replica] = [loggedStore(), loggedStore()];
  const graph = openStore(leader);
  graph.createVertex("x");
  const shares = [leader, replica].map((store) => {
    const graphs = { openConfigured: () => Promise.resolve(), storeOf: () => store };
    return new SlotShare(graphs as never, { graphs: ["test"] } as never);
  });
  const awaited = shares[1]!.await(await shares[0]!.digests());
  let isEarly = true;
  void awaited.then(() => {
    isEarly = replica.operationCount === 0;
  });
  await delay(0);
  replayTo(leader, replica);
  assert.equal(await awaited, { isReached: true });
  assert.not(isEarly);
  graph.closeAll();
});

test("is forgotten by a source whose move goes on no more", async () => {
  installSlots(SLOT_PLAN);
  const store = loggedStore();
  const graphs = { openConfigured: () => Promise.resolve(), storeOf: () => store };
  const slots = { graphs: ["test"], record: { map: SLOT_PLAN.map } };
  const share = new SlotShare(graphs as never, slots as never, IDLE_MS);
  await share.encode([0], 1);
  const read = () => void share.read([{ graph: store.name, slot: 0, offset: 0 }]);
  read();
  await until((message) => message?.includes("is not encoded") === true, read);
  installSlots(null);
});

test.run();
