// A leader that its members still hear is replaced later than a silent one, in virtual time: soon
// after a takeover it may just reach the engine slowly.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { SimulatedMember } from "../../../property/support/interconnect/simulated-member.js";
import { linkKey } from "../../../property/support/interconnect/virtual-network.js";
import { VirtualWorld } from "../../../property/support/interconnect/virtual-world.js";
import { Random } from "../../../property/support/random.js";
import { QuietEngine, startMembers, TTL_MS } from "../support/virtual-members.js";

const LIMIT_MS = 60_000;
const test = suite("a leader that is heard");

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
    members.push(...startMembers(world, engine, ["B1", "B2"]));
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
    if (!isHeard) world.network.cut.add(linkKey("B1", "B2"));
    await until(() => engine.record!.epoch > epoch);
    return world.time.now - from;
  } finally {
    for (const member of members) member.free();
    world.uninstall();
  }
}

test("is replaced only after twice the usual time", async () => {
  const [heardMs, silent] = [await timeUntilReplaced(true), await timeUntilReplaced(false)];
  assert.ok(silent < 1.8 * TTL_MS && heardMs > 1.8 * TTL_MS, `${silent} ${heardMs}`);
});

test.run();
