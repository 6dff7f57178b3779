// Received content of slots has a limit, and continues where it ended. Without a move, an instance
// keeps no content.

import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { installSlots, threadSlots } from "../../../runtime/base/instance-slots.js";
import { SlotShare } from "../../../runtime/lifecycle/slot-share.js";
import { loggedStore, replayTo } from "../graph/support/logged-graph.js";
import { openStore } from "../graph/support/make-graph.js";
import { SLOT_PLAN } from "../graph/support/slot-plan.js";

const test = suite("content of slots");
const MOST = 2 ** 28;
const IDLE_MS = 1;
const MOVE = { id: "a", version: 1, from: "B1", to: "B2", slots: [3] };

/** Nothing is written, so no graph is needed. */
function newShare(share = new SlotShare(null as never, null as never)) {
  return (id: string, slot: number, length: number, bytes = "", offset = 0) => {
    const ownShare = { graph: "g", names: [] };
    share.stage(id, [{ ...ownShare, slot, offset, length, bytes: Buffer.from(bytes) }]);
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

test("is limited in total for one move", () => {
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

test("is dropped by a target whose move was abandoned", async () => {
  const stage = newShare(new SlotShare(null as never, null as never, IDLE_MS));
  stage("a", 1, MOST);
  assert.throws(() => stage("a", 2, 1), /too large/);
  await until(
    (message) => message === null,
    () => stage("a", 2, 1),
  );
});

test("is absent while a move is only held, unless a write may have begun", () => {
  const move = { ...MOVE, to: "B1" };
  const absent: (string | null)[] = [];
  const slots = {
    record: { move: null as null | typeof move },
    setAbsentMove: (id: string | null) => void absent.push(id),
    change: ({ move: held }: { move: typeof move }) => {
      slots.record = { move: held };
      return slots.record;
    },
  };
  const share = new SlotShare(null as never, slots as never);
  assert.is(share.prepare(move).move?.id, "a");
  assert.equal(absent, ["a"]);
  share.prepare(move);
  assert.equal(absent, ["a"]);
});

test("is absent once a source has removed it", async () => {
  installSlots(SLOT_PLAN);
  const store = loggedStore();
  const graph = openStore(store);
  graph.createVertex("x");
  const slot = threadSlots()!.of("x");
  const graphs = { openConfigured: () => Promise.resolve(), storeOf: () => store };
  const calls: [string, number][] = [];
  const slots = {
    ...{ graphs: ["test"], own: "B1" },
    record: { move: { ...MOVE, slots: [slot], isGiven: true } },
    setAbsentMove: (id: string) => void calls.push([id, graph.order]),
  };
  const share = new SlotShare(graphs as never, slots as never);
  await share.clearOut("a");
  assert.equal(calls, [["a", 0]]);
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
  const awaited = shares[1]!.waitForDigests(await shares[0]!.digests());
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

test("is dropped by a source whose move was abandoned", async () => {
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
