// How a provider sends to a subscriber, and what it learns from it.

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
async function connect(one: ProvidedPeer): Promise<Subscription> {
  one.run();
  const subscriber = await one.subscribe();
  await until(() => countOf(subscriber, Frame) === 3);
  await subscriber.acknowledge(4);
  await until(() => one.provider.hasAcknowledged(4));
  return subscriber;
}

function countOf({ types }: Subscription, type: number): number {
  return types.filter((one) => one === type).length;
}

test("shows who its subscriber is, while it is connected", async () => {
  const one = await ProvidedPeer.create();
  const { provider } = one;
  const subscriber = await connect(one);
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
  await one.stop();
});

test("says once that a subscriber is attached, and how it was lost", async () => {
  const one = await ProvidedPeer.create();
  const subscriber = await connect(one);
  const { uri } = one.provider;
  const address = uri.slice("svc://".length);
  await subscriber.acknowledge(3);
  await until(() => !one.provider.hasAcknowledged(4));
  assert.equal(one.said, [`replication: ${address} attached`]);
  subscriber.leave();
  await until(() => one.said.length === 2);
  const lost = `SVC2531: replication: the connection was lost (${address}; tried again)`;
  assert.is(one.said[1], lost);
  // The next attempt begins at once, and fails as the one before did.
  one.provider.repair(null);
  const again = await one.subscribe();
  await again.acknowledge(4);
  await until(() => one.said.length === 3);
  again.leave();
  await until(() => one.said.length === 4);
  assert.is(one.said[3], lost);
  await one.stop();
});

test("leaves a subscriber that refuses it, and says why", async () => {
  const one = await ProvidedPeer.create();
  const subscriber = await connect(one);
  await subscriber.peer.sendJson(MessageType.Refusal, "no room");
  await subscriber.closed();
  await until(() => one.said.length === 2);
  assert.match(one.said[1]!, /^SVC2532: replication: rejected by the peer: no room/);
  one.provider.repair(null);
  await one.subscribe();
  await one.stop();
});

test("knows what a subscriber has by its acknowledgements only", async () => {
  const one = await ProvidedPeer.create();
  const { provider } = one;
  const subscriber = await connect(one);
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
  assert.is(one.said.length, 1);
  await one.stop();
});

test("tells its group what members have, and shows them that it lives", async ({ time }) => {
  const told: unknown[] = [];
  const members = {
    ...{ maxDelayMs: 1, ackMs: 100, lost: () => undefined },
    acknowledged: (...given: unknown[]) => told.push(given),
  };
  const one = await ProvidedPeer.create(members);
  const other = await connect(one);
  other.leave();
  await until(() => one.said.length === 2);
  assert.equal(told, []);
  one.provider.repair(null);
  const member: Incarnation = ["S1", "1".repeat(32)];
  const subscriber = await one.subscribe({ member });
  await subscriber.first(Start);
  await subscriber.acknowledge(9);
  await until(() => told.length > 0);
  assert.equal(told, [[member, 4]]);
  const { bytesRead } = subscriber.peer;
  time.pass(members.ackMs);
  await until(() => subscriber.peer.bytesRead > bytesRead);
  await one.stop();
});

test("starts once the transactions that the snapshots have are durable", async () => {
  const one = await ProvidedPeer.create();
  one.log.append("d");
  one.provider.repair("all");
  one.run();
  const subscriber = await one.subscribe();
  await subscriber.first(Status);
  await settle();
  assert.not(subscriber.types.includes(Start));
  one.log.channel.log.flushNow();
  one.provider.wake();
  await subscriber.first(Start);
  assert.is(countOf(subscriber, Start), 1);
  one.log.channel.release();
  await one.stop();
});

test("sends its state at intervals, and begins again once its root is another", async ({
  time,
}) => {
  const one = await ProvidedPeer.create();
  const subscriber = await connect(one);
  assert.is(countOf(subscriber, Status), 1);
  time.pass(1_999);
  one.log.write("d");
  await until(() => countOf(subscriber, Frame) === 4);
  assert.is(countOf(subscriber, Status), 1);
  time.pass(1);
  one.provider.wake();
  await until(() => countOf(subscriber, Status) === 2);
  assert.equal([countOf(subscriber, Start), subscriber.isClosed], [1, false]);
  one.origin = { log: "e".repeat(32) };
  time.pass(2_000);
  one.provider.wake();
  await subscriber.closed();
  assert.is(countOf(subscriber, Status), 2);
  await one.stop();
});

test("sends nothing while its output is suspended", async () => {
  const one = await ProvidedPeer.create();
  const subscriber = await connect(one);
  one.gate.isOpen = false;
  one.log.write("d");
  await settle();
  assert.is(countOf(subscriber, Frame), 3);
  one.gate.isOpen = true;
  one.provider.wake();
  await until(() => countOf(subscriber, Frame) === 4);
  await one.stop();
});

test("sends nothing to a subscriber that has paused it, until it goes on or connects", async () => {
  const one = await ProvidedPeer.create();
  const { provider } = one;
  const subscriber = await connect(one);
  const pause = async (): Promise<void> => {
    await subscriber.peer.send(Pause, NOTHING);
    // Messages are handled in order.
    await subscriber.acknowledge(2);
    await until(() => !provider.hasAcknowledged(4));
  };
  await pause();
  one.log.write("d");
  await settle();
  assert.is(countOf(subscriber, Frame), 3);
  await subscriber.peer.send(Resume, NOTHING);
  await until(() => countOf(subscriber, Frame) === 4);
  await pause();
  subscriber.leave();
  await until(() => one.said.length === 2);
  provider.repair(null);
  const next = await one.subscribe();
  await next.first(Frame);
  await one.stop();
});

test("sends at the rate that is allowed, and counts what it sends", async () => {
  const one = await ProvidedPeer.create();
  const passed: (() => void)[] = [];
  const sizes: number[][] = [];
  one.gate.pass = (...size) =>
    new Promise((resolve) => {
      sizes.push(size);
      passed.push(resolve);
    });
  one.run();
  const subscriber = await one.subscribe();
  const { body } = await subscriber.first(Frame);
  await settle();
  const { bytes, transactions, records, frames } = one.traffic.out;
  assert.equal([bytes, transactions, records, frames], [body.length, 2, 1, 1]);
  assert.equal(sizes, [[body.length, 2, 1]]);
  assert.is(countOf(subscriber, Frame), 1);
  passed[0]!();
  await until(() => countOf(subscriber, Frame) === 2);
  passed[1]!();
  await until(() => passed.length === 3);
  passed[2]!();
  await one.stop();
});

test("tells for how long its subscriber lacks something", async ({ time }) => {
  const one = await ProvidedPeer.create();
  const lag = (): number => one.provider.report().lagMs;
  time.pass(3_000);
  assert.is(lag(), 3_000);
  const subscriber = await connect(one);
  assert.is(lag(), 0);
  time.pass(500);
  assert.is(lag(), 0, "nothing is new");
  one.log.write("d");
  time.pass(200);
  assert.is(lag(), 200);
  await subscriber.acknowledge(5);
  await until(() => one.provider.hasAcknowledged(5));
  assert.is(lag(), 0);
  await one.stop();
});

test.run();
