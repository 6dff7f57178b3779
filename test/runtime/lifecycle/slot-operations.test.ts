// Commands of a move of slots to an instance: its lease guards them, and requests go on before a
// map is durable.

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { installSlots, type SlotPlan } from "../../../runtime/base/instance-slots.js";
import { findSlotRecord, KeptSlots } from "../../../runtime/base/kept-slots.js";
import { divideSlots } from "../../../runtime/base/slot-map.js";
import type { Parts } from "../../../runtime/lifecycle/operation.js";
import { moveSlots } from "../../../runtime/lifecycle/slot-operations.js";

const PLAN: SlotPlan = {
  ...{ id: "0123456789abcdef", map: divideSlots(16, 2), groups: ["B1", "B2"], own: -1 },
  ...{ partitions: [0, 1], graphs: ["things"], everywhere: [] },
};
const LATER = { version: 1, map: divideSlots(16, 1), groups: PLAN.groups, move: null };
const RELEASE = { do: "release-requests" };
const HOLD = { do: "hold-requests", slots: [3], withQueries: false };

interface Context {
  root: string;
  slots: KeptSlots;
  /** Versions of the map when requests were held or released. */
  versions: number[];
  /** Version in the data folder when they were released last. */
  keptVersion: number | null;
  send: (command: object, lease?: string) => Promise<object>;
}

const test = suite<Context>("commands of a move of slots");

test.before.each((context) => {
  context.root = mkdtempSync(join(tmpdir(), "svc-slots-"));
  context.slots = new KeptSlots(context.root, PLAN);
  context.versions = [];
  const { slots, versions } = context;
  const service = {
    lease: { isHeldBy: (lease: string) => lease === "run", during: (act: () => unknown) => act() },
    holdRequests: async () => versions.push(slots.record.version) - 1,
    releaseRequests: async () => {
      versions.push(slots.record.version);
      context.keptVersion = findSlotRecord(context.root)?.version ?? null;
    },
  };
  const parts = { service, graphs: { slots } } as unknown as Parts;
  context.send = (command, lease = "run") =>
    moveSlots(parts, { content: JSON.stringify(command), lease });
});

test.after.each(({ root }) => {
  installSlots(null);
  rmSync(root, { recursive: true });
});

test("a map is in use before requests continue, and durable afterwards", async (context) => {
  const { root, slots, versions, send } = context;
  assert.equal(await send(HOLD), { running: 0 });
  assert.equal(await send({ ...RELEASE, record: LATER }), {});
  assert.equal(versions, [0, 1]);
  assert.is(context.keptVersion, null, "requests do not wait for the disk");
  assert.is(findSlotRecord(root)!.version, 1);
  await send(RELEASE);
  assert.equal([versions, slots.record.version], [[0, 1, 1], 1]);
});

test("requests continue with a map that cannot be written", async ({ root, versions, send }) => {
  mkdirSync(join(root, "_slots.json.tmp"));
  const sent = send({ ...RELEASE, record: LATER });
  const reason = await sent.catch((error: Error) => error.message);
  assert.match(String(reason), /EISDIR/);
  assert.equal(versions, [1]);
});

test("commands of another run, and invalid ones, change nothing", async (context) => {
  const { slots, versions, send } = context;
  for (const [command, lease, text] of [
    [{ ...RELEASE, record: LATER }, "other", /lease lost/],
    [{ ...RELEASE, record: { ...LATER, map: divideSlots(32, 1) } }, "run", /invalid command/],
    [{ do: "tell", command: { do: "lose", id: "a" } }, "run", /invalid command/],
    [{ do: "lose" }, "run", /unknown command lose/],
  ] as const) {
    const reason = await send(command, lease).catch((error: Error) => error.message);
    assert.match(String(reason), text);
  }
  assert.equal([slots.record.version, versions], [0, []]);
});

test.run();
