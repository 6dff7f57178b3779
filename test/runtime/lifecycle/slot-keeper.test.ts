// An instance looks after its slots: it takes over the record of its group's leader, a dispatcher
// the latest map, and a move that a run continues is left alone.

import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { installSlots, type SlotPlan } from "../../../runtime/base/instance-slots.js";
import { KeptSlots } from "../../../runtime/base/kept-slots.js";
import type { SlotRecord } from "../../../runtime/base/slot-record.js";
import { SlotKeeper } from "../../../runtime/lifecycle/slot-keeper.js";
import { until } from "../interconnect/support/instance.js";

const test = suite<{ root: string }>("keeper of slots");
const MAP = {
  count: 16,
  runs: [
    [0, 0],
    [8, 1],
  ] as [number, number][],
};
const GROUPS = ["B1", "B2"];
const LATER: SlotRecord = { version: 7, map: MAP, groups: GROUPS, move: null };

let server: Server;
let keeper: SlotKeeper | null = null;
/** Answer of the other instance, and the number of questions. */
let reply: object = {};
let calls = 0;

test.before(async () => {
  server = createServer((request, response) => {
    const isToken = request.url!.includes("GetAuthToken");
    if (!isToken) calls++;
    const body = isToken ? { authtoken: "t" } : reply;
    response.end(JSON.stringify({ status: "OK", response: body }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
test.after(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
test.before.each((context) => {
  context.root = mkdtempSync(join(tmpdir(), "svc-keeper-"));
  calls = 0;
});
test.after.each(({ root }) => {
  keeper?.close();
  installSlots(null);
  rmSync(root, { recursive: true });
});

function keep(root: string, id: string, more: { leads?: boolean; partitions?: [number] } = {}) {
  const { port } = server.address() as AddressInfo;
  const { leads = false, partitions = null } = more;
  const plan: SlotPlan = {
    ...{ id: "0".repeat(16), map: MAP, groups: GROUPS, own: partitions === null ? 0 : -1 },
    ...{ partitions, graphs: ["things"], everywhere: [] },
  };
  const slots = new KeptSlots(root, plan);
  // The builder has the port of the server.
  const endpoint = { host: "127.0.0.1", graph: "things" };
  const instances = {
    TD: { host: endpoint.host, type: "dispatch", hport: 2 },
    B1: { ...endpoint, type: "builder", hport: port - 1 },
    S1: { ...endpoint, type: "search", hport: 4, tport: 6 },
  };
  const descriptor = {
    ...{ name: "x", graphs: ["things"], slots: { graphs: ["things"], count: 16 }, instances },
    topology: { transaction: { B1: ["S1"] }, dispatch: { TD: [{ partitions: ["B1"] }] } },
  };
  const node = { id, descriptor, descriptorHash: null, build: null, outReason: null, lease: null };
  keeper = new SlotKeeper({
    ...{ slots, projectDir: root, adminKey: null, node: () => node },
    leads: async () => leads,
  });
  return slots;
}

function holds(condition: () => boolean, slots: KeptSlots): Promise<void> {
  return until(condition, () => `${calls} ${JSON.stringify(slots.record)}`);
}

test("a leader with an empty data folder keeps the map of the descriptor", async ({ root }) => {
  const slots = keep(root, "S1", { leads: true });
  assert.not.ok(slots.isKnown);
  await holds(() => slots.isKnown, slots);
  assert.equal([slots.record.version, calls], [0, 0]);
});

test("another member takes over the record of the leader alone", async ({ root }) => {
  reply = { leads: false, record: LATER };
  const slots = keep(root, "S1");
  await holds(() => calls > 1, slots);
  assert.not.ok(slots.isKnown);
  reply = { leads: true, record: LATER };
  await holds(() => slots.isKnown, slots);
  assert.equal(slots.record, LATER);
});

test("a dispatcher takes over the latest map once, without a move", async ({ root }) => {
  const move = { id: "m", version: 8, from: "B1", to: "B2", slots: [1], isGiven: false };
  reply = { leads: true, record: { ...LATER, move } };
  const slots = keep(root, "TD", { partitions: [0] });
  await holds(() => slots.record.version === 7, slots);
  assert.is(slots.record.move, null);
  const before = calls;
  keeper!.close();
  assert.is(calls, before);
});

test("checks a move by itself, and leaves it to a running coordinator", async ({ root }) => {
  reply = { leads: true, isRun: true, record: LATER };
  const slots = keep(root, "S1", { leads: true });
  await holds(() => slots.isKnown, slots);
  const move = { id: "m", version: 1, from: "B1", to: "B2", slots: [3] };
  slots.change({ do: "hold", move });
  await holds(() => calls > 0, slots);
  assert.is(slots.record.move?.id, "m");
});

test.run();
