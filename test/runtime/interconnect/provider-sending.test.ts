// How a provider sends to a subscriber, and handles its acknowledgments.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Incarnation } from "../../../runtime/interconnect/leadership/leadership.js";
import { MessageType } from "../../../runtime/interconnect/wire/messages.js";
import { ProvidedPeer, type Subscription, until } from "./support/provided-peer.js";
import { settle } from "./support/provided-stream.js";
import { type StoppedTime, withStoppedTime } from "./support/stopped-time.js";

const test = suite<{ time: StoppedTime }>("sending to a subscriber");
withStoppedTime(test);

const { Start, Frame, Status, Pause, Resume } = MessageType;
const NOTHING = Buffer.alloc(0);

/** A provider and a subscriber that has everything. */
async function connect(provided: ProvidedPeer): Promise<Subscription> {
  provided.run();
  const subscriber = await provided.subscribe();
  await until(() => countMessages(subscriber, Frame) === 3);
  await subscriber.acknowledge(4);
  await until(() => provided.provider.hasAcknowledged(4));
  return subscriber;
}

function countMessages({ types }: Subscription, type: number): number {
  return types.filter((messageType) => messageType === type).length;
}

test("reports its subscriber while it is connected", async () => {
  const provided = await ProvidedPeer.create();
  const { provider } = provided;
  const subscriber = await connect(provided);
  const { digest, serial } = { digest: "d".repeat(32), serial: 7 };
  const shown = { host: "there", adminPort: 8081, serial, digest };
  await subscriber.peer.sendJson(Status, { ...shown, at: 1, graphs: [], goal: null });
  await until(() => provider.report().serial === 7);
  const { uri: _uri, txPort: _port, ...rest } = provider.report();
  assert.equal(rest, {
    ...{ ...shown, ip: "127.0.0.1", lagMs: 0, lagTransactions: 0 },
    ...{ isConnected: true, isSynchronizing: false },
  });
  subscriber.leave();
  await until(() => !provider.report().isConnected);
  await provided.stop();
});

test("logs once that a subscriber is attached, and why it was lost", async () => {
  const provided = await ProvidedPeer.create();
  const subscriber = await connect(provided);
  const { uri } = provided.provider;
  const address = uri.slice("svc://".length);
  await subscriber.acknowledge(3);
  await until(() => !provided.provider.hasAcknowledged(4));
  assert.equal(provided.logLines, [`replication: ${address} attached`]);
  subscriber.leave();
  await until(() => provided.logLines.length === 2);
  const lost = `SVC2531: replication: the connection was lost (${address}; tried again)`;
  assert.is(provided.logLines[1], lost);
  // The next attempt begins at once, and fails as the one before did.
  provided.provider.repair(null);
  const again = await provided.subscribe();
  await again.acknowledge(4);
  await until(() => provided.logLines.length === 3);
  again.leave();
  await until(() => provided.logLines.length === 4);
  assert.is(provided.logLines[3], lost);
  await provided.stop();
});

test("disconnects from a subscriber that refuses it, with the reason", async () => {
  const provided = await ProvidedPeer.create();
  const subscriber = await connect(provided);
  await subscriber.peer.sendJson(MessageType.Refusal, "no room");
  await subscriber.closed();
  await until(() => provided.logLines.length === 2);
  assert.match(provided.logLines[1]!, /^SVC2532: replication: rejected by the peer: no room/);
  provided.provider.repair(null);
  await provided.subscribe();
  await provided.stop();
});

test("tracks the position of a subscriber by its acknowledgments only", async () => {
  const provided = await ProvidedPeer.create();
  const { provider } = provided;
  const subscriber = await connect(provided);
  assert.equal(
    [provider.hasAcknowledged(4), provider.hasAcknowledged(5), provider.firstNeededSn],
    [true, false, 5],
  );
  await subscriber.acknowledge(2);
  await until(() => provider.firstNeededSn === 3);
  assert.is(provider.report().lagTransactions, 2);
  // Neither has the length, or the type, of one.
  const body = Buffer.alloc(8, 1);
  await subscriber.peer.send(MessageType.Ack, body.subarray(1));
  await subscriber.peer.send(Resume, body);
  await subscriber.acknowledge(9);
  await until(() => provider.firstNeededSn > 3);
  assert.is(provider.firstNeededSn, 5, "not more than there is");
  assert.is(provided.logLines.length, 1);
  await provided.stop();
});

test("reports positions of members to its group, and sends heartbeats to the members", async ({
  time,
}) => {
  const reports: unknown[] = [];
  const members = {
    ...{ maxDelayMs: 1, ackMs: 100, onLost: () => undefined },
    onAcknowledged: (...args: unknown[]) => reports.push(args),
  };
  const provided = await ProvidedPeer.create(members);
  const second = await connect(provided);
  second.leave();
  await until(() => provided.logLines.length === 2);
  assert.equal(reports, []);
  provided.provider.repair(null);
  const member: Incarnation = ["S1", "1".repeat(32)];
  const subscriber = await provided.subscribe({ member });
  await subscriber.first(Start);
  await subscriber.acknowledge(9);
  await until(() => reports.length > 0);
  assert.equal(reports, [[member, 4]]);
  const { bytesRead } = subscriber.peer;
  time.pass(members.ackMs);
  await until(() => subscriber.peer.bytesRead > bytesRead);
  await provided.stop();
});

test("starts once the transactions that the snapshots have are durable", async () => {
  const provided = await ProvidedPeer.create();
  provided.log.append("d");
  provided.provider.repair("all");
  provided.run();
  const subscriber = await provided.subscribe();
  await subscriber.first(Status);
  await settle();
  assert.not(subscriber.types.includes(Start));
  provided.log.channel.log.flushNow();
  provided.provider.wake();
  await subscriber.first(Start);
  assert.is(countMessages(subscriber, Start), 1);
  provided.log.channel.release();
  await provided.stop();
});

test("sends its state at intervals, and starts over after its root changes", async ({ time }) => {
  const provided = await ProvidedPeer.create();
  const subscriber = await connect(provided);
  assert.is(countMessages(subscriber, Status), 1);
  time.pass(1_999);
  provided.log.write("d");
  await until(() => countMessages(subscriber, Frame) === 4);
  assert.is(countMessages(subscriber, Status), 1);
  time.pass(1);
  provided.provider.wake();
  await until(() => countMessages(subscriber, Status) === 2);
  assert.equal([countMessages(subscriber, Start), subscriber.isClosed], [1, false]);
  provided.origin = { log: "e".repeat(32) };
  time.pass(2_000);
  provided.provider.wake();
  await subscriber.closed();
  assert.is(countMessages(subscriber, Status), 2);
  await provided.stop();
});

test("sends nothing while its output is suspended", async () => {
  const provided = await ProvidedPeer.create();
  const subscriber = await connect(provided);
  provided.gate.isOpen = false;
  provided.log.write("d");
  await settle();
  assert.is(countMessages(subscriber, Frame), 3);
  provided.gate.isOpen = true;
  provided.provider.wake();
  await until(() => countMessages(subscriber, Frame) === 4);
  await provided.stop();
});

test("sends nothing to a subscriber that paused it until it resumes or reconnects", async () => {
  const provided = await ProvidedPeer.create();
  const { provider } = provided;
  const subscriber = await connect(provided);
  const pause = async (): Promise<void> => {
    await subscriber.peer.send(Pause, NOTHING);
    // Messages are handled in order.
    await subscriber.acknowledge(2);
    await until(() => !provider.hasAcknowledged(4));
  };
  await pause();
  provided.log.write("d");
  await settle();
  assert.is(countMessages(subscriber, Frame), 3);
  await subscriber.peer.send(Resume, NOTHING);
  await until(() => countMessages(subscriber, Frame) === 4);
  await pause();
  subscriber.leave();
  await until(() => provided.logLines.length === 2);
  provider.repair(null);
  const next = await provided.subscribe();
  await next.first(Frame);
  await provided.stop();
});

test("sends at the allowed rate, and counts the sent data", async () => {
  const provided = await ProvidedPeer.create();
  const passed: (() => void)[] = [];
  const sizes: number[][] = [];
  provided.gate.pass = (...size) =>
    new Promise((resolve) => {
      sizes.push(size);
      passed.push(resolve);
    });
  provided.run();
  const subscriber = await provided.subscribe();
  const { body } = await subscriber.first(Frame);
  await settle();
  const { bytes, transactions, records, frames } = provided.traffic.out;
  assert.equal([bytes, transactions, records, frames], [body.length, 2, 1, 1]);
  assert.equal(sizes, [[body.length, 2, 1]]);
  assert.is(countMessages(subscriber, Frame), 1);
  passed[0]!();
  await until(() => countMessages(subscriber, Frame) === 2);
  passed[1]!();
  await until(() => passed.length === 3);
  passed[2]!();
  await provided.stop();
});

test("reports how long its subscriber has lagged", async ({ time }) => {
  const provided = await ProvidedPeer.create();
  const lag = (): number => provided.provider.report().lagMs;
  time.pass(3_000);
  assert.is(lag(), 3_000);
  const subscriber = await connect(provided);
  assert.is(lag(), 0);
  time.pass(500);
  assert.is(lag(), 0, "nothing is new");
  provided.log.write("d");
  time.pass(200);
  assert.is(lag(), 200);
  await subscriber.acknowledge(5);
  await until(() => provided.provider.hasAcknowledged(5));
  assert.is(lag(), 0);
  await provided.stop();
});

test.run();
