// How far a replica is behind, by what its provider reports and what it has applied.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Replica } from "../../../runtime/interconnect/replica.js";
import { ReplicaInput } from "../../../runtime/interconnect/replica-input.js";
import type { MessageSource } from "../../../runtime/interconnect/snapshot-transfer.js";
import { MessageType } from "../../../runtime/interconnect/wire/messages.js";
import { Traffic } from "../../../runtime/metrics/traffic.js";

const test = suite("replica input");

test("is even with a state of the provider once its last transaction is applied", async () => {
  const traffic = new Traffic();
  const found: (number | null)[] = [];
  traffic.setEven = (lagMs) => found.push(lagMs);
  const replica = {
    appliedSn: null as number | null,
    ...{ compare: () => undefined, adoptGoal: () => undefined, start: () => undefined },
    take: async () => ({ header: { sn: replica.appliedSn, units: 1 }, records: 1 }),
  };
  const input = new ReplicaInput(replica as unknown as Replica, traffic);
  const source = null as unknown as MessageSource;
  const status = (ageMs: number, goal: number | null) => {
    const at = Date.now() - ageMs;
    const digest = "0".repeat(32);
    const given = { at, host: "h", adminPort: 1, serial: 1, digest, graphs: [], goal };
    const body = Buffer.from(JSON.stringify(given));
    return input.take(source, { type: MessageType.Status, body });
  };
  const frame = (sn: number) => {
    replica.appliedSn = sn;
    return input.take(source, { type: MessageType.Frame, body: Buffer.alloc(0) });
  };
  await status(1000, 7);
  await frame(6);
  // Not known until transaction 7 is here, also if a later state is.
  await status(500, 9);
  assert.equal(found, []);
  await frame(7);
  await frame(8);
  assert.is(found.length, 1);
  assert.ok(found[0]! >= 1000);
  await status(100, 8);
  assert.is(found.length, 2);
  assert.ok(found[1]! >= 100 && found[1]! < 1000);
  // The provider does not know its own end.
  await status(0, null);
  assert.is(found.length, 3);
});

test.run();
