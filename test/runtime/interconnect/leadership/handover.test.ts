// A handover by one member, with a clock that never makes anything due.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Group } from "../../../../runtime/interconnect/leadership/group.js";
import type {
  Incarnation,
  LeadershipEngine,
} from "../../../../runtime/interconnect/leadership/leadership.js";
import { MemberFile } from "../../../../runtime/interconnect/leadership/member-file.js";
import { MemoryEngine } from "../support/memory-engine.js";

const HOUR_MS = 3_600_000;
/** Longer than a leader waits for a lost member. */
const LATER_MS = 2000;
/** More than a leader waits before it reads the record again. */
const READ_LATER_MS = HOUR_MS / 8;
/** More than any call of the engine takes. */
const MUCH_LATER_MS = 10 * HOUR_MS;
const OTHER: Incarnation = ["S1", "1".repeat(32)];

const test = suite("handover");

/** An engine whose swaps wait, whose answers are lost, or whose reads fail. */
function unreliable(engine: LeadershipEngine) {
  let ready = Promise.resolve();
  const broken = { swap: false, read: false };
  const hold = (until: Promise<void>): void => {
    ready = until;
  };
  const swap: LeadershipEngine["swap"] = async (...args) => {
    await ready;
    const revision = await engine.swap(...args);
    if (broken.swap) throw new Error("its answer was lost");
    return revision;
  };
  const read: LeadershipEngine["read"] = async () => {
    if (broken.read) throw new Error("no engine");
    return engine.read();
  };
  return { ...engine, swap, read, broken, hold };
}

/** A member that leads, with synced members that have acknowledged everything. */
async function leading(others: readonly Incarnation[]) {
  const folder = mkdtempSync(join(tmpdir(), "svc-handover-"));
  const engine = new MemoryEngine();
  let end = 0;
  let role = "";
  let isFrozen = false;
  let thaws = 0;
  /** Holder, and confirmed transaction, whenever changes are confirmed. */
  const confirmed: string[] = [];
  const nothing = async (): Promise<void> => undefined;
  const rules = { ttl: HOUR_MS, minSynced: 1, whenAlone: "refuse" as const, members: {} };
  const { broken, hold, ...calls } = unreliable(engine.open("B1"));
  const group = new Group({
    settings: { engine: "memory:", ...rules, group: "B1", id: "B1" },
    ...{ engine: calls, file: new MemberFile(folder, "B1"), epoch: 0 },
    ...{ warn: () => undefined, lastSn: () => end, lag: () => 0, heardAtMs: () => 0 },
    ...{ isComplete: () => true, isBehind: async () => false, lead: nothing, follow: nothing },
    freeze: async () => {
      isFrozen = true;
    },
    ...{
      onChange: () => undefined,
      rejectEpochsBelow: () => undefined,
      fetchPositions: async () => new Map(),
    },
    thaw: () => {
      thaws++;
    },
    confirm: () => confirmed.push(`${engine.record?.holder} ${group.confirmedSn()}`),
    publish: (published) => {
      role = published;
    },
  });
  group.start();
  while (role !== "refusing") await turn();
  while (group.report().synced.length < others.length) {
    for (const member of others) group.onAcknowledged(member, 0);
    // Makes the next step due.
    group.readNow();
    await turn();
  }
  /** Changes are written, and confirmed without a member that is just coming. */
  const write = (sn: number): void => {
    end = sn;
  };
  /** Begins a handover after one more change; resolves when it waits for members. */
  const handOver = async (ms = HOUR_MS): Promise<{ readonly over: Promise<void> }> => {
    end = 1;
    const handover = group.handOver("S1", ms);
    while (!isFrozen) await turn();
    // It finds that the change is not acknowledged, and waits.
    for (let count = 0; count < 10; count++) await turn();
    assert.is(engine.record!.holder, "B1");
    return { over: handover };
  };
  const stop = async (): Promise<void> => {
    await group.stop();
    rmSync(folder, { recursive: true });
  };
  const state = (): readonly [role: string, thaws: number] => [group.report().role, thaws];
  return { group, engine, confirmed, broken, write, handOver, hold, state, stop };
}

test("needs a member that caught up with the log as of its admission", async () => {
  const { group, engine, write, stop } = await leading([OTHER]);
  const otherMember: Incarnation = ["S2", "2".repeat(32)];
  const named = async (sn: number): Promise<boolean> => {
    group.onAcknowledged(otherMember, sn);
    for (let count = 0; count < 10; count++) {
      group.readNow();
      await turn();
    }
    return engine.record!.synced.some(([id]) => id === "S2");
  };
  write(5);
  assert.equal([await named(4), await named(5)], [false, true]);
  await stop();
});

test("completes on the last acknowledgment, not at the next interval", async () => {
  const { group, engine, handOver, stop } = await leading([OTHER]);
  const { over: handover } = await handOver();
  group.onAcknowledged(OTHER, 1);
  await handover;
  assert.equal([engine.record!.holder, engine.record!.next], [null, "S1"]);
  await stop();
});

test("all changes are confirmed first, even if a late member is dropped", async () => {
  const lateIncarnation: Incarnation = ["S2", "2".repeat(32)];
  const { group, engine, confirmed, handOver, stop } = await leading([OTHER, lateIncarnation]);
  const { over: handover } = await handOver();
  group.onAcknowledged(OTHER, 1);
  group.onLost(lateIncarnation);
  assert.not.ok(confirmed.includes("B1 1"), "another member lacks the change");
  const { now } = performance;
  try {
    performance.now = () => now.call(performance) + LATER_MS;
    group.readNow();
    await handover;
  } finally {
    performance.now = now;
  }
  assert.is(engine.record!.holder, null);
  assert.ok(confirmed.includes("B1 1"), confirmed.join());
  await stop();
});

/** Advances the time by more than one check of the outcome. */
async function whileLooking(): Promise<void> {
  const since = performance.now();
  while (performance.now() < since + 20) await turn();
}

/** A handover whose time is over before the call that completes it has an answer. */
async function undecided() {
  const member = await leading([OTHER]);
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  member.hold(released);
  const { now } = performance;
  const since = now.call(performance);
  // No time passes before the call begins.
  performance.now = () => since;
  const { over: handover } = await member.handOver(1);
  member.group.onAcknowledged(OTHER, 1);
  for (let count = 0; count < 10; count++) await turn();
  performance.now = now;
  await whileLooking();
  // Changes that began now would fail.
  assert.equal(member.state(), ["refusing", 0]);
  return { ...member, over: handover, release };
}

test("a handover past its time limit waits for the pending call", async () => {
  const { engine, over: handover, release, state, stop } = await undecided();
  release();
  await handover;
  assert.equal([engine.record!.holder, ...state()], [null, "following", 0]);
  await stop();
});

/** A handover whose time is over before the answer of the engine is lost. */
async function withLostResponse(isEngineAway: boolean) {
  const member = await undecided();
  const { group, broken, over: handover, release } = member;
  Object.assign(broken, { swap: true, read: isEngineAway });
  release();
  for (let count = 0; count < 10; count++) await turn();
  // Changes that began now might fail.
  assert.equal(member.state(), ["refusing", 0]);
  const { now } = performance;
  performance.now = () => now.call(performance) + READ_LATER_MS;
  group.readNow();
  const outcome = await handover.catch(({ message }: Error) => message);
  performance.now = now;
  return { ...member, outcome };
}

test("a handover without a response ends according to the record", async () => {
  const { engine, outcome, state, stop } = await withLostResponse(false);
  assert.is(outcome, undefined);
  assert.equal([engine.record!.holder, ...state()], [null, "following", 0]);
  await stop();
});

test("a leader continues if the engine cannot report the outcome of its handover", async () => {
  const { broken, outcome, state, stop } = await withLostResponse(true);
  assert.match(String(outcome), /does not respond$/);
  assert.is(state()[1], 1);
  Object.assign(broken, { swap: false, read: false });
  await stop();
});

test("a leader continues after a pause longer than any call", async () => {
  const { group, broken, over: handover, release, state, stop } = await undecided();
  const { now } = performance;
  performance.now = () => now.call(performance) + MUCH_LATER_MS;
  await whileLooking();
  Object.assign(broken, { swap: true, read: true });
  release();
  group.readNow();
  const outcome = await handover.catch(({ message }: Error) => message);
  performance.now = now;
  assert.match(String(outcome), /does not respond$/);
  assert.is(state()[1], 1, "it accepts changes again");
  Object.assign(broken, { swap: false, read: false });
  await stop();
});

test("a handover with unknown outcome ends with its instance", async () => {
  const { group, over: handover, release, stop } = await undecided();
  let outcome = "";
  void handover.catch(({ message }: Error) => {
    outcome = message;
  });
  // It has nothing left to hand over when it stops.
  group.onSuperseded(2);
  const stopped = stop();
  await whileLooking();
  assert.match(outcome, /outcome unknown, because memory: does not respond/);
  release();
  await stopped;
});

test.run();
