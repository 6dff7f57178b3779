// Members of a group in virtual time, without faults of their own.

import { SimulatedMember } from "../../../property/support/interconnect/simulated-member.js";
import type { VirtualWorld } from "../../../property/support/interconnect/virtual-world.js";
import { SimulatedEngine } from "../../../property/support/leadership/simulated-engine.js";

export const TTL_MS = 2000;
const FIRST_PORT = 10_000;
const FIRST_HTTP_PORT = 20_000;

/** An engine that gets no message at all of some members, and is on time for the others. */
export class QuietEngine extends SimulatedEngine {
  override isCalm = true;

  override call(...args: Parameters<SimulatedEngine["call"]>): void {
    if (!this.unreachableFor.has(args[0])) super.call(...args);
  }
}

export function startMembers(
  world: VirtualWorld,
  engine: SimulatedEngine,
  ids: readonly string[],
): SimulatedMember[] {
  const ports = new Map(ids.map((id, n) => [id, FIRST_PORT + n]));
  const rules = { engine: "simulated:", group: "B1", ttl: TTL_MS, minSynced: 1 };
  return [...ports].map(([id, port], n) => {
    const others = [...ports].filter(([memberId]) => memberId !== id);
    const members = Object.fromEntries(
      others.map(([memberId, port]) => [memberId, `127.0.0.1:${port}`]),
    );
    const member = new SimulatedMember({
      ...{ id, world, engine, port, archive: null, httpPort: FIRST_HTTP_PORT + n },
      settings: { ...rules, whenAlone: "refuse", id, members },
      serve: async () => ({ status: 503, body: "" }),
      discarded: () => undefined,
      inService: () => undefined,
      readiness: () => undefined,
    });
    member.start();
    return member;
  });
}
