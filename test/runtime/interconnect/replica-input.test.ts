// Routing of a provider's messages to the parts of a replica, and the counts of traffic and lag.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { serialBase } from "../../../runtime/interconnect/log/segment-format.js";
import type { Replica } from "../../../runtime/interconnect/replica.js";
import { ReplicaInput } from "../../../runtime/interconnect/replica-input.js";
import type { MessageSource } from "../../../runtime/interconnect/snapshot-transfer.js";
import {
  MessageType,
  type MessageTypeNumber,
} from "../../../runtime/interconnect/wire/messages.js";
import type { Offer } from "../../../runtime/interconnect/wire/positions.js";
import { Traffic } from "../../../runtime/metrics/traffic.js";

const test = suite("replica input");
const SOURCE = null as unknown as MessageSource;
const DIGEST = "d".repeat(32);
const NOW = 1_000_000;
const { now } = Date;

test.before(() => {
  Date.now = () => NOW;
});
test.after(() => {
  Date.now = now;
});

/** An input whose replica records messages; its frames have two transactions of five records. */
function create() {
  const traffic = new Traffic();
  /** Distances from the provider. */
  const lags: (number | null)[] = [];
  traffic.setCaughtUp = (lagMs) => lags.push(lagMs);
  const messages: unknown[] = [];
  const replica = {
    appliedSn: null as number | null,
    compareDigests: (graphs: unknown) => messages.push({ graphs }),
    adoptGoal: (goal: unknown) => messages.push({ goal }),
    startFrames: (start: unknown) => messages.push({ start }),
    applyFrame: async () => ({
      header: { sn: replica.appliedSn! - 1, transactions: 2 },
      records: 5,
    }),
    receiveGraph: async (source: unknown, head: unknown) => {
      messages.push({ source, head, synchronizing: traffic.synchronizing });
    },
  };
  const input = new ReplicaInput(replica as unknown as Replica, traffic);
  const take = (type: MessageTypeNumber, content: object | Buffer) => {
    const body = Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content));
    return input.apply(SOURCE, { type, body });
  };
  const status = (ageMs: number, goal: number | null) => {
    const changeTime = NOW - ageMs;
    const status = {
      at: changeTime,
      host: "h",
      adminPort: 1,
      serial: 33,
      digest: DIGEST,
      graphs: [],
      goal,
    };
    return take(MessageType.Status, status);
  };
  const frame = (sn: number) => {
    replica.appliedSn = sn;
    return take(MessageType.Frame, Buffer.alloc(64));
  };
  return { traffic, lags, messages, replica, input, take, status, frame };
}

test("matches a state of the provider once its last transaction is applied", async () => {
  const { lags, status, frame } = create();
  await status(1000, 7);
  await frame(6);
  // The lag is unknown until transaction 7 arrives, even if a later status has arrived.
  await status(500, 9);
  assert.equal(lags, []);
  await frame(7);
  await frame(8);
  assert.equal(lags, [1000]);
  await status(100, 8);
  assert.equal(lags, [1000, 100]);
  // The provider does not know its own position.
  await status(50, null);
  assert.equal(lags, [1000, 100, 50]);
  await status(-60_000, null);
  assert.equal(lags, [1000, 100, 50, 0], "its clock is ahead");
});

test("matches no state before it knows its own position", async () => {
  const { lags, status, frame } = create();
  await status(0, null);
  assert.equal(lags, []);
  await frame(2);
  assert.is(lags.length, 1);
});

test("counts received data, and computes the serial of a root provider", async () => {
  const { traffic, input, frame } = create();
  const logId = "a".repeat(32);
  input.begin({ isRoot: true, logId } as Offer);
  await frame(8);
  assert.is(traffic.serial, serialBase(logId) + 8);
  assert.equal(traffic.in, { bytes: 64, transactions: 2, records: 5, frames: 1 });
  input.begin({ isRoot: false, logId } as Offer);
  await frame(9);
  assert.is(traffic.serial, serialBase(logId) + 8, "the status of the provider sets it");
});

test("forwards the contents of messages", async () => {
  const { traffic, messages, take, status } = create();
  await take(MessageType.Start, { sn: 3, chain: 4 });
  await status(0, 5);
  assert.equal(messages, [{ start: { sn: 3, chain: 4 } }, { graphs: [] }, { goal: 5 }]);
  assert.equal([traffic.serial, traffic.providerDigest], [33, DIGEST]);
  const refusal = await take(MessageType.SnapshotEnd, {}).catch(({ message }: Error) => message);
  assert.match(String(refusal), /message \d+ is not expected/);
});

test("reports that it synchronizes until a snapshot is received", async () => {
  const { traffic, messages, replica, take } = create();
  await take(MessageType.SnapshotBegin, { bytes: 1 });
  assert.equal(messages, [{ source: SOURCE, head: { bytes: 1 }, synchronizing: 1 }]);
  assert.is(traffic.synchronizing, 0);
  replica.receiveGraph = async () => {
    throw new Error("lost");
  };
  const failure = await take(MessageType.SnapshotBegin, {}).catch(({ message }: Error) => message);
  assert.equal([failure, traffic.synchronizing], ["lost", 0]);
});

test.run();
