// Steps of an instance that joins its group, leads, hands over and follows: the order in which its
// log and its replication change. The test controls the time.

import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay, setImmediate as turn } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { DurableLog } from "../../../../runtime/interconnect/durable-log.js";
import {
  encodeRecord,
  type Incarnation,
  type LeadershipRecord,
} from "../../../../runtime/interconnect/leadership/leadership.js";
import {
  Membership,
  type Replicating,
} from "../../../../runtime/interconnect/leadership/membership.js";
import {
  promote,
  type ReplicaMarker,
  readReplicaMarker,
  writeReplicaMarker,
} from "../../../../runtime/interconnect/lineage.js";
import { MemoryEngine } from "../support/memory-engine.js";

const HOUR_MS = 3_600_000;
const LOG = "f".repeat(32);
const OTHER: Incarnation = ["S2", "2".repeat(32)];
const MARK: ReplicaMarker = {
  ...{ log: null, origin: null, epoch: 6, ancestors: [], isCaughtUp: true, isFetching: false },
};

interface Context {
  root: string;
  engine: MemoryEngine;
  calls: string[];
  lines: string[];
  /** End of its log, and requests that change graphs. */
  end: { last: number; durableSn: number; logId: string; chain: number; epoch: number };
  log: { changesInProgress: number };
  open: () => Membership;
  now: number;
}

const test = suite<Context>("steps of a membership");
const realNow = performance.now;
let members: Membership[] = [];

test.before.each((context) => {
  const root = mkdtempSync(join(tmpdir(), "svc-steps-"));
  const [calls, lines, engine]: [string[], string[], MemoryEngine] = [[], [], new MemoryEngine()];
  const end = { last: 7, durableSn: 7, logId: LOG, chain: 5, epoch: 3 };
  const log = {
    ...{ channel: { log: end }, changesInProgress: 0 },
    confirm: () => undefined,
    confirmUpTo: (sn: (() => number) | null) =>
      calls.push(`confirm up to ${sn === null ? "its end" : sn()}`),
    setGroup: () => undefined,
    settled: async () => calls.push("settled") > 0,
  };
  const graphs = [{ identity: "a".repeat(32), count: 5, digest: null }];
  const replicating: Replicating = {
    lead: async (epoch, addresses) => {
      calls.push(`lead ${epoch} ${addresses}`);
      promote(root, true, epoch);
    },
    follow: async () => void calls.push("follow"),
    stopProviding: () => calls.push("release"),
    rejectEpochsBelow: (epoch) => calls.push(`met ${epoch}`),
    freeze: (isFrozen) => calls.push(`freeze ${isFrozen}`),
    ...{ lag: () => 0, heardAtMs: () => 0, onChange: () => calls.push("changed") },
    positions: () => {
      return { log: { id: LOG, sn: 5, chain: 0 }, origin: null, epoch: 1, graphs, diverged: [] };
    },
    fetchPositions: async (addresses, ms) => {
      calls.push(`ask ${addresses} for ${ms} ms`);
      return addresses.map(() => null);
    },
    restart: () => calls.push("restart"),
  };
  const open = (): Membership => {
    const rules = { ttl: HOUR_MS, minSynced: 1, whenAlone: "refuse" as const };
    const others = { B1: "one:1", S2: "two:2" };
    const membership = new Membership({
      ...{ root, log: log as unknown as DurableLog, warn: (line) => lines.push(line) },
      ...{ replicating, openEngine: () => engine.open("S1") },
      settings: { engine: "memory:", ...rules, group: "B1", id: "S1", members: others },
    });
    members.push(membership);
    return membership;
  };
  Object.assign(context, { root, engine, calls, lines, end, log, open, now: 0 });
  performance.now = () => context.now;
});

test.after.each(async (context) => {
  performance.now = () => (context.now += 1_000);
  for (const { group } of members) await group.stop();
  members = [];
  performance.now = realNow;
  rmSync(context.root, { recursive: true });
});

/** Does everything that is due. */
async function settle({ group }: Membership): Promise<void> {
  for (let count = 0; count < 20; count++) {
    group.readNow();
    await turn();
  }
}

function store({ engine }: Context, { incarnation }: Membership, changes: object): void {
  const record = { holder: "B1", epoch: 4, beat: 0, synced: [incarnation, OTHER], next: null };
  engine.store(encodeRecord({ ...record, ...changes } as LeadershipRecord));
}

/** A leader, of which the other member has everything. */
async function lead(context: Context): Promise<Membership> {
  const membership = context.open();
  store(context, membership, { holder: null, next: "S1" });
  await membership.join();
  await settle(membership);
  membership.group.onAcknowledged(OTHER, 7);
  await settle(membership);
  assert.is(membership.group.report().role, "leading");
  return membership;
}

/** The calls of some kinds since the last time. */
function since({ calls }: Context, kinds: RegExp): string[] {
  return calls.splice(0).filter((call) => kinds.test(call));
}

test("knows the highest epoch of its log, its lineage and its replica marker", (context) => {
  const { root, end } = context;
  const epoch = (): number => context.open().group.report().epoch;
  assert.is(epoch(), 3);
  writeReplicaMarker(root, MARK);
  assert.is(epoch(), 6);
  promote(root, true, 8);
  assert.is(epoch(), 8);
  end.epoch = 9;
  assert.is(epoch(), 9);
});

test("joins as a replica at the end of its log, unless it is one already", async (context) => {
  const { root, end } = context;
  await context.open().join();
  assert.equal(since(context, /settled|follow/), ["settled", "follow"]);
  const log = { id: LOG, sn: 7, chain: 5 };
  const joined = { ...MARK, log, origin: LOG, epoch: 3, isCaughtUp: false };
  assert.equal(readReplicaMarker(root), joined);
  writeReplicaMarker(root, MARK);
  await context.open().join();
  assert.equal(since(context, /settled|follow/), ["follow"]);
  assert.equal(readReplicaMarker(root), MARK);
  promote(root, true, 2);
  rmSync(join(root, "_lineage.json"));
  end.durableSn = 0;
  await context.open().join();
  assert.equal([readReplicaMarker(root)!.log, readReplicaMarker(root)!.origin], [null, null]);
});

test("holds responses for its members before it provides to them", async (context) => {
  await lead(context);
  assert.equal(since(context, /lead|confirm/), ["confirm up to -1", "lead 5 one:1,two:2"]);
});

test("follows from the end of its log, and stops confirming changes", async (context) => {
  const membership = await lead(context);
  context.calls.length = 0;
  store(context, membership, { holder: "S2", epoch: 9, synced: [OTHER] });
  context.now = HOUR_MS / 4;
  await settle(membership);
  const steps = since(context, /release|confirm|settled|follow|met/).slice(0, 5);
  assert.equal(steps, ["release", "confirm up to its end", "settled", "follow", "met 5"]);
  const { log, epoch } = readReplicaMarker(context.root)!;
  assert.equal([log, epoch], [{ id: LOG, sn: 7, chain: 5 }, 5]);
});

for (const [isEnding, freezeMs, title] of [
  [true, 100, "a handover waits for changes in progress"],
  [false, 600, "a handover waits for endless changes half of its time"],
] as const) {
  test(title, async (context) => {
    const membership = await lead(context);
    context.now = 100;
    context.log.changesInProgress = 1;
    context.calls.length = 0;
    const handover = membership.group.handOver("S2", 1_000);
    await settle(membership);
    context.now = freezeMs - 1;
    await delay(10);
    assert.equal(since(context, /freeze|settled/), []);
    context.now = freezeMs;
    if (isEnding) context.log.changesInProgress = 0;
    await handover;
    assert.equal(since(context, /freeze|settled/).slice(0, 2), ["freeze true", "settled"]);
  });
}

test("a late handover makes graphs writable again", async (context) => {
  const membership = await lead(context);
  context.end.last = 8;
  context.calls.length = 0;
  const handover = membership.group.handOver("S2", 1_000).catch(() => undefined);
  await settle(membership);
  context.now = 1_000;
  await handover;
  const steps = since(context, /freeze|settled/);
  assert.equal(steps, ["freeze true", "settled", "freeze false"]);
});

test("does not claim while snapshots replace its graphs", async (context) => {
  writeReplicaMarker(context.root, { ...MARK, isFetching: true });
  const membership = context.open();
  store(context, membership, { holder: null, next: "S1" });
  await membership.join();
  await settle(membership);
  assert.is(context.engine.record!.holder, null);
  writeReplicaMarker(context.root, MARK);
  context.now = 2 * HOUR_MS;
  await settle(membership);
  assert.is(context.engine.record!.holder, "S1");
});

test("reads the record at once when its provider has gone", async (context) => {
  const membership = context.open();
  store(context, membership, {});
  await membership.join();
  await settle(membership);
  const { reads } = context.engine;
  for (let count = 0; count < 5; count++) await turn();
  assert.is(context.engine.reads, reads);
  membership.onProviderChange();
  for (let count = 0; count < 5; count++) await turn();
  assert.is(context.engine.reads, reads + 1);
});

test("reports the positions of all members if none may lead", async (context) => {
  const membership = context.open();
  store(context, membership, { holder: "S2", synced: [OTHER] });
  await membership.join();
  for (let count = 0; count <= 50; count++) {
    context.now += HOUR_MS / 10;
    await settle(membership);
  }
  assert.equal(since(context, /ask/), [`ask one:1,two:2 for ${HOUR_MS / 2} ms`]);
  const each = /: S1 \d+ of epoch 1, B1 does not respond, S2 does not respond\. /;
  assert.match(context.lines.join(), each);
});

test("queries only members that its settings name", async (context) => {
  const membership = context.open();
  const synced = [membership.incarnation, OTHER, ["S9", "9".repeat(32)]];
  store(context, membership, { synced });
  await membership.join();
  for (let count = 0; count <= 10; count++) {
    context.now += HOUR_MS / 10;
    await settle(membership);
  }
  assert.is(context.engine.record!.holder, "S1");
  assert.equal(since(context, /ask/), [`ask two:2 for ${HOUR_MS * 0.05} ms`]);
});

test("leaves its group when it discards changes", async (context) => {
  const membership = context.open();
  store(context, membership, {});
  await membership.join();
  await settle(membership);
  context.calls.length = 0;
  membership.restartWithoutChanges("it is ahead", null);
  await settle(membership);
  assert.ok(existsSync(join(context.root, "_ahead.json")));
  assert.equal(since(context, /changed|restart/), ["changed", "restart"]);
  store(context, membership, { holder: null, next: "S1" });
  const { reads } = context.engine;
  await settle(membership);
  assert.equal([context.engine.reads, context.engine.record!.holder], [reads, null]);
});

test.run();
