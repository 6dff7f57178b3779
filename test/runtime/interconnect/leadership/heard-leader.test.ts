// A leader that its members still hear is replaced later than a silent one, in virtual time: soon
// after a takeover it may just reach the engine slowly.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SimulatedMember } from "../../../property/support/interconnect/simulated-member.js";
import { linkOf } from "../../../property/support/interconnect/virtual-network.js";
import { VirtualWorld } from "../../../property/support/interconnect/virtual-world.js";
import { SimulatedEngine } from "../../../property/support/leadership/simulated-engine.js";
import { Random } from "../../../property/support/random.js";

const TTL_MS = 2000;
const LIMIT_MS = 60_000;
const test = suite("a leader that is heard");

/** An engine that gets no message at all of some members, and is on time for the others. */
class QuietEngine extends SimulatedEngine {
  override isCalm = true;

  override call(...given: Parameters<SimulatedEngine["call"]>): void {
    if (!this.unreachableFor.has(given[0])) super.call(...given);
  }
}

function start(world: VirtualWorld, engine: SimulatedEngine): SimulatedMember[] {
  const ports = new Map(["B1", "B2"].map((id, n) => [id, 10_000 + n]));
  const rules = { engine: "simulated:", group: "B1", ttl: TTL_MS, minSynced: 1 };
  return [...ports].map(([id, port], n) => {
    const others = [...ports].filter(([other]) => other !== id);
    const members = Object.fromEntries(others.map(([other, at]) => [other, `127.0.0.1:${at}`]));
    const member = new SimulatedMember({
      ...{ id, world, engine, port, archive: null, httpPort: 20_000 + n },
      settings: { ...rules, whenAlone: "refuse", id, members },
      serve: async () => ({ status: 503, body: "" }),
      inService: () => undefined,
      readiness: () => undefined,
    });
    member.start();
    return member;
  });
}

/** Returns how long a leader stays that the engine does not hear any more, after a takeover. */
async function timeUntilReplaced(isHeard: boolean): Promise<number> {
  const world = new VirtualWorld(new Random(1));
  const engine = new QuietEngine(world.time, world.random);
  const members: SimulatedMember[] = [];
  const until = async (holds: () => boolean): Promise<void> => {
    await world.runUntil(world.time.now + LIMIT_MS, holds);
    assert.ok(holds(), members.map(({ id, log }) => `${id}\n${log}`).join("\n---\n"));
  };
  const leader = (): SimulatedMember | undefined => members.find(({ isLeading }) => isLeading);
  world.install();
  try {
    members.push(...start(world, engine));
    await until(() => leader() !== undefined && engine.record?.synced.length === 2);
    const first = leader()!;
    // It sees the takeover when it goes on.
    first.pause(2 * TTL_MS);
    await until(() => engine.record!.holder !== first.id);
    const second = members.find(({ id }) => id !== first.id)!;
    await until(() => first.group?.role === "following" && second.isLeading);
    await until(() => engine.record!.synced.length === 2 && second.isLeading);
    const { epoch } = engine.record!;
    const from = world.time.now;
    engine.unreachableFor.add(second.id);
    if (!isHeard) world.network.cut.add(linkOf("B1", "B2"));
    await until(() => engine.record!.epoch > epoch);
    return world.time.now - from;
  } finally {
    for (const member of members) member.free();
    world.uninstall();
  }
}

test("is replaced after twice the time", async () => {
  const [heard, silent] = [await timeUntilReplaced(true), await timeUntilReplaced(false)];
  assert.ok(silent < 1.8 * TTL_MS && heard > 1.8 * TTL_MS, `${silent} ${heard}`);
});

test.run();
