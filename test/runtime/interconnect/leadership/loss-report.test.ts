// The log reports when all members that may lead have lost their data, in virtual time.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Incarnation } from "../../../../runtime/interconnect/leadership/leadership.js";
import {
  explainRefusal,
  LossReport,
} from "../../../../runtime/interconnect/leadership/loss-report.js";
import type { Positions } from "../../../../runtime/interconnect/wire/positions.js";
import type { SimulatedMember } from "../../../property/support/interconnect/simulated-member.js";
import { VirtualWorld } from "../../../property/support/interconnect/virtual-world.js";
import { Random } from "../../../property/support/random.js";
import { QuietEngine, startMembers, TTL_MS } from "../support/virtual-members.js";

const LIMIT_MS = 60_000;
const IDS = ["B1", "B2", "B3"];
const LINE = /SVC3402: .*/g;

const test = suite("the loss of the members that may lead");

/** Runs a group whose last member missed a change, so that it may not lead. */
async function withLateMember(
  run: (
    members: readonly [SimulatedMember, SimulatedMember, SimulatedMember],
    until: (holds: () => boolean) => Promise<void>,
    sleep: (ms: number) => Promise<void>,
  ) => Promise<void>,
): Promise<void> {
  const world = new VirtualWorld(new Random(1));
  const engine = new QuietEngine(world.time, world.random);
  const members: SimulatedMember[] = [];
  const until = async (holds: () => boolean): Promise<void> => {
    await world.runUntil(world.time.now + LIMIT_MS, holds);
    assert.ok(holds(), members.map(({ id, log }) => `${id}\n${log}`).join("\n---\n"));
  };
  const sleep = (ms: number) => world.runUntil(world.time.now + ms, () => false);
  const add = (id: string) => members[0]!.run(() => void members[0]!.graph.createVertex(id, {}));
  world.install();
  try {
    members.push(...startMembers(world, engine, IDS));
    const [leader, follower, lateMember] = members as [
      SimulatedMember,
      SimulatedMember,
      SimulatedMember,
    ];
    await until(() => leader.isLeading && engine.record?.synced.length === 3);
    add("first");
    await until(() => lateMember.hasGraph && lateMember.graph.hasVertex("first"));
    lateMember.crash("process");
    await until(() => engine.record?.synced.length === 2);
    add("second");
    await until(() => follower.graph.hasVertex("second"));
    await run([leader, follower, lateMember], until, sleep);
  } finally {
    for (const member of members) member.free();
    world.uninstall();
  }
}

test("is logged once, with the position of each member and the command", async () => {
  await withLateMember(async ([leader, follower, lateMember], until, sleep) => {
    for (const member of [leader, follower]) member.crash("disk");
    for (const member of [leader, follower, lateMember]) member.start();
    await until(() => lateMember.log.includes("SVC3402"));
    await sleep(20 * TTL_MS);
    const lines = lateMember.log.match(LINE)!;
    assert.is(lines.length, 1, lines.join("\n"));
    const [line] = lines;
    assert.match(line!, /B1 has lost its data, B2 has lost its data/);
    assert.match(line!, /master-serial of each member: B3 \d{9,} of epoch \d+, B1 0, B2 0\./);
    assert.match(line!, /only if the data is lost, continue with what B3 has/);
    assert.match(line!, /svc admin promote B3 --accept-loss$/);
    assert.match(follower.log, /SVC3402: .*svc admin promote B3 --accept-loss/);
  });
});

test("is logged again when a member turns out to be empty, too", async () => {
  await withLateMember(async ([leader, follower, lateMember], until) => {
    for (const member of [leader, follower]) member.crash("disk");
    for (const member of [leader, lateMember]) member.start();
    await until(() => lateMember.log.includes("B1 has lost its data, B2 does not respond"));
    follower.start();
    await until(() => lateMember.log.includes("B1 has lost its data, B2 has lost its data"));
  });
});

/** Creates a report about a group whose members all have the same positions. */
function makeReport(positions: Positions | null) {
  const observed = { asked: 0, lines: [] as string[] };
  const report = new LossReport({
    ...{ group: "B1", engine: "memory:", intervalMs: LIMIT_MS },
    warn: (line) => observed.lines.push(line),
    fetchPositions: async () => {
      observed.asked++;
      return new Map(IDS.map((id) => [id, positions]));
    },
  });
  return { report, seen: observed };
}

const SYNCED: readonly Incarnation[] = [["B1", "1".repeat(32)]];
/** The position of a graph with changes. */
const CHANGED = { identity: "1", count: 5, digest: null };
const NOTHING = { log: null, origin: null, epoch: 1, graphs: [], diverged: [] };

test("names the member of the latest leader, whose log may be the oldest", async () => {
  const lines: string[] = [];
  /** @param second when the followed log began */
  const positionsAt = (epoch: number, second: number, sn: number): Positions => {
    const id = (second * 1_000_000).toString(16).padStart(16, "0").padEnd(32, "0");
    const graphs = [CHANGED];
    return { ...NOTHING, graphs, log: { id, sn, chain: 0 }, epoch, member: ["B9", "9".repeat(32)] };
  };
  const report = new LossReport({
    ...{ group: "B1", engine: "memory:", intervalMs: LIMIT_MS, warn: (line) => lines.push(line) },
    fetchPositions: async () => {
      const same = [positionsAt(3, 100, 8), positionsAt(3, 100, 8)];
      const states = [
        positionsAt(2, 200, 9),
        positionsAt(3, 100, 7),
        ...same,
        positionsAt(4, 300, 0),
      ];
      return new Map([["B1", null], ...states.map((state, n) => [`B${n + 2}`, state] as const)]);
    },
  });
  await report.check(SYNCED);
  assert.match(lines[0]!, /B2 200000009 of epoch 2, .*B4 100000008 of epoch 3/);
  assert.match(
    lines[0]!,
    /svc admin promote B4 --accept-loss$/,
    "B5 is no later, and B6 has nothing of its leader yet",
  );
});

test("a refusal says that members have only new graphs, and names the one with changes", () => {
  const member: Incarnation = ["B1", "9".repeat(32)];
  const has = (count: number, second: number): Positions => {
    const log = { id: `000${second}`.padEnd(32, "0"), sn: 2, chain: 0 };
    return { ...NOTHING, log, member, graphs: [{ ...CHANGED, count }] };
  };
  const states = new Map([
    ["B1", has(0, 2)],
    ["B2", has(5, 1)],
  ]);
  assert.match(
    explainRefusal(states, SYNCED),
    /^no member that may .*: B1 has lost its data\. .*: B1 0, B2 .* promote B2 --accept-loss/,
  );
});

test("a refusal names the leader, which has no position", () => {
  const states = new Map([["B1", { ...NOTHING, member: null }]]);
  assert.match(explainRefusal(states, SYNCED), /have all changes are: B1; .* member: B1 leads$/);
});

test("a refusal recommends no loss while another member leads", () => {
  // The record that the asked member has read last still names the former leader.
  const states = new Map([
    ["B1", null],
    ["B2", { ...NOTHING, member: null }],
  ]);
  assert.match(explainRefusal(states, SYNCED), /, or add --accept-loss\. .*, B2 leads$/);
});

test("is not logged while a member leads that the engine cannot reach", async () => {
  for (const synced of [SYNCED, null]) {
    const { report, seen: observed } = makeReport({ ...NOTHING, member: null });
    await report.check(synced);
    assert.equal(observed, { asked: 1, lines: [] });
  }
});

test("is not logged while a member of the record has its data", async () => {
  const { report, seen: observed } = makeReport({ ...NOTHING, member: SYNCED[0]! });
  await report.check(SYNCED);
  assert.equal(observed, { asked: 1, lines: [] });
});

test("is checked at intervals, and logged again after a leader existed", async () => {
  const { report, seen: observed } = makeReport(null);
  for (let round = 0; round < 3; round++) await report.check(SYNCED);
  assert.equal([observed.asked, observed.lines.length], [1, 1]);
  report.reset();
  await report.check(null);
  assert.equal([observed.asked, observed.lines.length], [2, 2]);
  assert.match(
    observed.lines[1]!,
    /memory: has lost its record\..*\. Once all members run, continue with what/,
  );
  report.reset();
  await report.check(null);
  assert.is(observed.lines.length, 3);
});

test("is not logged while one of them may still lead", async () => {
  await withLateMember(async ([leader, follower, lateMember], until, sleep) => {
    leader.crash("disk");
    leader.start();
    lateMember.start();
    await until(() => follower.isLeading);
    await sleep(20 * TTL_MS);
    assert.not.match(`${leader.log}${lateMember.log}`, /SVC3402/);
  });
});

test.run();
