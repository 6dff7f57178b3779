// A subscriber with a provider meets another one: outside of a group it refuses that, and in a
// group it leaves its provider for one of a higher epoch.
// limit: 30 s

import { setImmediate as turn } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { MessageType } from "../../../runtime/interconnect/wire/messages.js";
import { parseJsonBody } from "../../../runtime/interconnect/wire/peer.js";
import { parsePositions } from "../../../runtime/interconnect/wire/positions.js";
import { attached, EPOCH, ID, isLeft } from "./support/attached-subscriber.js";
import { type StoppedTime, withStoppedTime } from "./support/stopped-time.js";

const test = suite<{ time: StoppedTime }>("subscriber");
withStoppedTime(test);

test("of no group refuses a second provider", async () => {
  const { provider, dial, stop } = await attached(false);
  const second = await dial();
  const message = await second.next();
  assert.is(message!.type, MessageType.Refusal);
  assert.match(message!.body.toString(), /already attached to a provider/);
  assert.not(provider.isClosed);
  stop();
});

test("of a group leaves its provider for one of a higher or the same epoch", async () => {
  for (const epoch of [EPOCH, EPOCH + 1]) {
    const { provider, met, offer, stop } = await attached(true);
    const second = await offer(epoch);
    assert.ok(await isLeft(provider));
    assert.equal(met, [epoch]);
    // It connects again: what is here may have changed until now.
    assert.ok(await isLeft(second));
    stop();
  }
});

test("of a group refuses a member that asks for its provider", async () => {
  const { subscriber, traffic, provider, logLines, dial, leave, stop } = await attached(true);
  assert.match(String(traffic.provider), /^svc:/);
  assert.ok(subscriber.heardAtMs > 0);
  provider.close();
  while (traffic.provider !== null) await turn();
  const asking = await dial();
  await asking.expect(MessageType.Positions);
  assert.equal([traffic.provider, subscriber.heardAtMs], [null, Number.NEGATIVE_INFINITY]);
  logLines.length = 0;
  await leave(asking);
  assert.equal(logLines, [], "members often ask");
  stop();
});

test("of a group stays with its provider if the other one has a lower epoch", async () => {
  const { provider, met, offer, stop } = await attached(true);
  const second = await offer(EPOCH - 1);
  assert.ok(await isLeft(second));
  assert.equal([met, provider.isClosed], [[], false]);
  stop();
});

test("reports the state of its replica, and when it last heard its provider", async () => {
  const { subscriber, stop } = await attached(false);
  assert.equal([subscriber.origin, subscriber.report().state], [ID, "fetching"]);
  assert.is(subscriber.positions()!.epoch, EPOCH);
  assert.ok(performance.now() - subscriber.heardAtMs < 60_000);
  stop();
  for (let turns = 0; turns < 100 && subscriber.heardAtMs > 0; turns++) await turn();
  assert.is(subscriber.heardAtMs, Number.NEGATIVE_INFINITY);
});

test("of a group leaves its provider once it has heard of a higher epoch", async () => {
  const { subscriber, provider, calls, offer, stop } = await attached(true);
  for (const epoch of [EPOCH + 1, EPOCH]) subscriber.rejectEpochsBelow(epoch);
  assert.ok(await isLeft(provider));
  assert.equal(calls, [`accept ${EPOCH}`, "mark", "lose", "disturbed"]);
  const previousPeer = await offer(EPOCH);
  const text = `provider is at stale epoch ${EPOCH}; this instance is at epoch ${EPOCH + 1}`;
  const refusal = await previousPeer.next();
  assert.equal([refusal!.type, JSON.parse(refusal!.body.toString())], [MessageType.Refusal, text]);
  const next = await offer(EPOCH + 1);
  await next.expect(MessageType.Status);
  assert.is(calls.at(-1), `accept ${EPOCH + 1}`);
  // It is known by now.
  subscriber.rejectEpochsBelow(EPOCH + 1);
  assert.not(next.isClosed);
  await next.sendJson(MessageType.Start, {});
  while (calls.at(-1) !== "start") await turn();
  stop();
});

test("stays with a provider of the epoch that it has heard of", async () => {
  const { subscriber, provider, calls, stop } = await attached(true);
  for (const epoch of [EPOCH - 1, EPOCH]) subscriber.rejectEpochsBelow(epoch);
  provider.send(MessageType.Alive, Buffer.alloc(0));
  for (let turns = 0; turns < 20; turns++) await turn();
  assert.equal([provider.isClosed, calls], [false, [`accept ${EPOCH}`]]);
  stop();
});

test("closes the oldest connection without a proof when there are too many", async () => {
  const { provider, dial, reach, stop } = await attached(true);
  const [first, second] = [await reach(), await reach()];
  for (let peers = 3; peers < 16; peers++) {
    const peer = await dial();
    await peer.expect(MessageType.Positions);
  }
  const last = await dial();
  await last.expect(MessageType.Positions);
  assert.ok(await isLeft(first));
  assert.not(second.isClosed);
  const another = await dial();
  await another.expect(MessageType.Positions);
  assert.ok(await isLeft(second));
  // All others have proved who they are.
  const refusedPeer = await reach();
  assert.is(await refusedPeer.next(), null);
  assert.not(provider.isClosed);
  stop();
});

const END = { id: ID, sn: 7, chain: 1, counts: { [ID]: 3 } };

test("reports its provider's view of it", async () => {
  for (const isAhead of [true, false]) {
    const { subscriber, provider, ahead, calls, logLines, dial, stop } = await attached(true);
    provider.close();
    while (subscriber.heardAtMs > 0) await turn();
    calls.length = 0;
    logLines.length = 0;
    const next = await dial();
    await next.expect(MessageType.Positions);
    await (isAhead ? next.refuseAhead("another past", END) : next.refuse("another past"));
    while (subscriber.heardAtMs > 0 || (isAhead ? ahead : calls).length === 0) await turn();
    assert.equal([ahead, calls], isAhead ? [[["another past", END]], []] : [[], ["reject"]]);
    stop();
  }
});

test("retries while it cannot discard changes that its provider lacks", async () => {
  const { provider, ahead, logLines, dial, stop } = await attached(true);
  provider.close();
  const push = ahead.push.bind(ahead);
  ahead.push = () => {
    throw new Error("no space left");
  };
  const refuse = async (): Promise<void> => {
    const next = await dial();
    await next.expect(MessageType.Positions);
    await next.refuseAhead("another past", END);
  };
  await refuse();
  while (!logLines.some((line) => /^SVC3404: .*cannot be set aside: no space left$/.test(line))) {
    await turn();
  }
  ahead.push = push;
  await refuse();
  while (ahead.length === 0) await turn();
  stop();
});

test("acknowledges transactions only once they are durable", async () => {
  const { replica, provider, stop } = await attached(false);
  replica.onDurable();
  replica.durableSn = 7;
  replica.onDurable();
  const message = await provider.next();
  assert.equal([message!.type, message!.body.readBigUInt64LE()], [MessageType.Ack, 7n]);
  stop();
});

test("settles and retires its replica", async () => {
  const { subscriber, calls, stop } = await attached(false);
  calls.length = 0;
  await subscriber.settle();
  await subscriber.retire();
  assert.equal(calls, ["settle", "retire"]);
  stop();
});

test("announces its epoch once it is promoted", async () => {
  const { subscriber, provider, dial, stop } = await attached(false);
  subscriber.onPromoted(9);
  assert.ok(await isLeft(provider));
  const peer = await dial();
  const positions = parseJsonBody(await peer.expect(MessageType.Positions));
  assert.equal(parsePositions(positions), {
    ...{ log: null, origin: null, epoch: 9, graphs: [], diverged: [], member: null },
  });
  const left = isLeft(peer);
  for (let turns = 0; turns < 50; turns++) await turn();
  assert.not(peer.isClosed, "it has the time to read them");
  await peer.send(MessageType.Status, Buffer.alloc(0));
  assert.ok(await left);
  stop();
});

test("reports each failure once", async () => {
  const { subscriber, provider, logLines, dial, stop } = await attached(false);
  provider.close();
  while (subscriber.heardAtMs > 0) await turn();
  logLines.length = 0;
  for (let times = 0; times < 2; times++) {
    const peer = await dial();
    await peer.expect(MessageType.Positions);
    await peer.send(MessageType.Start, Buffer.alloc(0));
    assert.ok(await isLeft(peer));
  }
  assert.is(logLines.length, 1);
  assert.match(logLines[0]!, /^SVC2531: replication: expected message/);
  stop();
});

test("names a failure of its own disk by the code of lost connections", async () => {
  const { subscriber, replica, provider, logLines, offer, stop } = await attached(false);
  provider.close();
  while (subscriber.heardAtMs > 0) await turn();
  logLines.length = 0;
  replica.accept = async () => {
    throw new Error("EIO");
  };
  assert.ok(await isLeft(await offer(EPOCH)));
  assert.equal(logLines, ["SVC2531: EIO"]);
  stop();
});

test.run();
