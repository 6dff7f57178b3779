// Claims of one member of a group whose leader it does not follow.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Group } from "../../../../runtime/interconnect/leadership/group.js";
import {
  encodeRecord,
  type Incarnation,
} from "../../../../runtime/interconnect/leadership/leadership.js";
import { MemberFile } from "../../../../runtime/interconnect/leadership/member-file.js";
import { MemoryEngine } from "../support/memory-engine.js";

const TTL_MS = 100;
/** More than a forced claim may take. */
const LATER_MS = 20_000;
const OTHER: Incarnation = ["S2", "2".repeat(32)];

const test = suite("claims of a member");

/**
 * A member of a group whose leader is silent.
 * @param isSynced whether it may claim
 * @param isBehind result of the query to the other members
 */
function startMember(isSynced: boolean, isBehind: () => Promise<boolean>) {
  const folder = mkdtempSync(join(tmpdir(), "svc-claim-"));
  const engine = new MemoryEngine();
  const file = new MemberFile(folder, "S1");
  const synced = isSynced ? [file.incarnation, OTHER] : [OTHER];
  engine.store(encodeRecord({ holder: "B1", epoch: 1, beat: 0, synced, next: null }));
  const rules = { ttl: TTL_MS, minSynced: 1, whenAlone: "refuse" as const, members: {} };
  const nothing = async (): Promise<void> => undefined;
  const lines: string[] = [];
  const group = new Group({
    settings: { engine: "memory:", ...rules, group: "B1", id: "S1" },
    ...{ engine: engine.open("S1"), file, epoch: 0, lastSn: () => 0 },
    warn: (line) => lines.push(line),
    ...{ lag: () => 0, heardAtMs: () => 0, isComplete: () => true, isBehind },
    fetchPositions: async () => new Map([["S2", null]]),
    ...{ lead: nothing, follow: nothing, rejectEpochsBelow: () => undefined, freeze: nothing },
    ...{ thaw: () => undefined, confirm: () => undefined, publish: () => undefined },
    onChange: () => undefined,
  });
  const stop = async (): Promise<void> => {
    await group.stop();
    rmSync(folder, { recursive: true });
  };
  group.start();
  return { engine, group, lines, stop };
}

/** Resolves when the member has claimed, or has read the record several times more. */
async function readAgain(engine: MemoryEngine, group: Group): Promise<void> {
  const { reads } = engine;
  while (engine.record!.holder !== "S1" && engine.reads < reads + 3) {
    group.readNow();
    await turn();
  }
}

test("are not made by a member that stops while it queries others", async () => {
  let respond: (isBehind: boolean) => void = () => undefined;
  let isAsked = false;
  const { engine, stop } = startMember(true, () => {
    isAsked = true;
    return new Promise((resolve) => {
      respond = resolve;
    });
  });
  while (!isAsked) await turn();
  const stopped = stop();
  respond(false);
  await stopped;
  assert.is(engine.record!.holder, "B1");
});

test("are made by a member that cannot query others", async () => {
  const { engine, group, lines, stop } = startMember(true, async () => {
    throw new Error("closed");
  });
  while (engine.record!.holder !== "S1" || group.report().role === "following") await turn();
  assert.equal(lines, ["leadership: cannot ask other members: closed"]);
  await stop();
});

test("are logged when missing for long, and when missing again", async () => {
  const { engine, lines, stop } = startMember(false, async () => false);
  for (const beat of [1, 2]) {
    const record = { holder: "B1", epoch: 1, beat, synced: [OTHER], next: null };
    engine.store(encodeRecord(record));
    while (lines.length < beat) await turn();
  }
  const codes = lines.map((line) => line.slice(0, line.indexOf(":")));
  assert.equal(codes, ["SVC3402", "SVC3402"]);
  await stop();
});

test("are not expected in a new group, whose first member may come late", async () => {
  const { engine, lines, stop } = startMember(true, async () => false);
  engine.clear();
  // Ten reads take a `ttl` at least.
  while (engine.reads < 100) await turn();
  assert.equal(lines, []);
  await stop();
});

test("are not made after a forced claim has failed", async () => {
  const { engine, group, stop } = startMember(false, async () => false);
  while (engine.reads === 0) await turn();
  engine.unreachableFor.add("S1");
  const forced = group.force(true);
  const { now } = performance;
  performance.now = () => now.call(performance) + LATER_MS;
  const outcome = await forced.catch(({ message }: Error) => message);
  performance.now = now;
  assert.match(String(outcome), /memory: does not respond/);
  engine.unreachableFor.clear();
  await readAgain(engine, group);
  assert.is(engine.record!.holder, "B1");
  await stop();
});

test("are not made by a former leader that was asked to lead while it led", async () => {
  const { engine, group, stop } = startMember(true, async () => false);
  while (engine.record!.holder !== "S1" || group.report().role === "following") await turn();
  assert.is(await group.force(true), 2);
  engine.store(encodeRecord({ holder: "S2", epoch: 3, beat: 0, synced: [OTHER], next: null }));
  await readAgain(engine, group);
  assert.is(engine.record!.holder, "S2");
  await stop();
});

test.run();
