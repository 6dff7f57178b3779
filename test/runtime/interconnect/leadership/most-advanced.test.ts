// Of two members that may lead next, the one with more of the former leader's log does, in virtual
// time. Otherwise it would copy all graphs of the other one while changes wait for a synced member.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { hasMore } from "../../../../runtime/interconnect/leadership/more-advanced.js";
import type { Positions } from "../../../../runtime/interconnect/wire/positions.js";
import type { SimulatedMember } from "../../../property/support/interconnect/simulated-member.js";
import { linkKey } from "../../../property/support/interconnect/virtual-network.js";
import { VirtualWorld } from "../../../property/support/interconnect/virtual-world.js";
import { Random } from "../../../property/support/random.js";
import { QuietEngine, startMembers, TTL_MS } from "../support/virtual-members.js";

const LIMIT_MS = 60_000;
/** Without a preference, half of them would end with the other leader. */
const SEEDS = 8;
const IDS = ["B1", "B2", "B3"];

const test = suite("the most advanced member");

/**
 * The leader loses its power after a change that has reached one member only.
 * @param mayLead whether that one reaches the engine
 * @returns whether the next leader has the change, and the time until it leads
 */
async function takeover(seed: number, mayLead: boolean) {
  const random = new Random(seed);
  const world = new VirtualWorld(random);
  const engine = new QuietEngine(world.time, random);
  const members: SimulatedMember[] = [];
  const until = async (holds: () => boolean): Promise<void> => {
    await world.runUntil(world.time.now + LIMIT_MS, holds);
    assert.ok(holds(), members.map(({ id, log }) => `${id}\n${log}`).join("\n---\n"));
  };
  world.install();
  try {
    members.push(...startMembers(world, engine, IDS));
    const [leader, second, thirdMember] = members as [
      SimulatedMember,
      SimulatedMember,
      SimulatedMember,
    ];
    await until(() => leader.isLeading && engine.record?.synced.length === IDS.length);
    leader.run(() => void leader.graph.createVertex("first", {}));
    await until(() => members.every(({ graph }) => graph.hasVertex("first")));
    world.network.cut.add(linkKey(leader.id, second.id));
    leader.run(() => void leader.graph.createVertex("second", {}));
    await until(() => thirdMember.graph.hasVertex("second"));
    leader.crash("power");
    const from = world.time.now;
    if (!mayLead) engine.unreachableFor.add(thirdMember.id);
    world.network.cut.clear();
    await until(() => engine.record!.holder !== leader.id);
    const next = members.find(({ id }) => id === engine.record!.holder)!;
    const log = members.map((member) => member.log).join("\n");
    return { isKept: next.graph.hasVertex("second"), ms: world.time.now - from, log };
  } finally {
    for (const member of members) member.free();
    world.uninstall();
  }
}

test("becomes the next leader", async () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { isKept, log } = await takeover(seed, true);
    assert.ok(isKept, `seed ${seed}`);
    assert.not.match(log, /the connection was lost/, "of members that were only asked");
  }
});

test("is waited for only once", async () => {
  const { isKept, ms } = await takeover(1, false);
  assert.not.ok(isKept);
  assert.ok(ms < 2 * TTL_MS, `${ms} ms`);
});

test("is ahead in the same log, by the change counts of any graph", () => {
  const makeLogPosition = (digit: string) => ({ id: digit.repeat(32), sn: 5, chain: 0 });
  const [log, otherLog] = [makeLogPosition("1"), makeLogPosition("2")];
  const graph = (digit: string, count: number) => ({
    ...{ identity: digit.repeat(32), count, digest: null },
  });
  const positionsAt = (
    logPosition: Positions["log"],
    ...graphs: Positions["graphs"]
  ): Positions => ({
    ...{ log: logPosition, origin: null, epoch: 2, graphs, diverged: [] },
  });
  const ownPositions = positionsAt(log, graph("a", 7));
  const compared = [
    positionsAt(log, graph("a", 8)),
    // Created by the next transaction, or erased here.
    positionsAt({ ...log, sn: 6 }, graph("a", 7), graph("b", 1)),
    positionsAt(log, graph("a", 7), graph("b", 1)),
    ownPositions,
    positionsAt(log, graph("a", 6)),
    positionsAt(otherLog, graph("a", 8)),
    positionsAt(null, graph("a", 8)),
  ].map((theirs) => hasMore(theirs, ownPositions));
  assert.is(
    hasMore(positionsAt(log, graph("a", 8)), positionsAt(null, graph("a", 7))),
    false,
    "of no log",
  );
  assert.equal(compared, [true, true, false, false, false, false, false]);
});

test.run();
