// Received content of slots has a limit, and continues where it ended. Without a move, an instance
// keeps no content.

import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { installSlots } from "../../../runtime/base/instance-slots.js";
import { SlotShare } from "../../../runtime/lifecycle/slot-share.js";
import { loggedStore } from "../graph/support/logged-graph.js";
import { SLOT_PLAN } from "../graph/support/slot-plan.js";

const test = suite("content of slots");
const MOST = 2 ** 28;
const IDLE_MS = 1;

/** Nothing is written, so no graph is needed. */
function newShare(share = new SlotShare(null as never, null as never)) {
  return (id: string, slot: number, length: number, bytes = "", offset = 0) => {
    const own = { graph: "g", names: [], digest: "d" };
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
