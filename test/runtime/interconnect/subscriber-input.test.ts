// Messages of a subscriber to its provider, and calls of its replica, while it follows.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { serialBase } from "../../../runtime/interconnect/log/segment-format.js";
import { MessageType } from "../../../runtime/interconnect/wire/messages.js";
import type { Peer } from "../../../runtime/interconnect/wire/peer.js";
import { attached, EPOCH, ID } from "./support/attached-subscriber.js";
import { until } from "./support/provided-peer.js";
import { settle } from "./support/provided-stream.js";

const test = suite("input of a subscriber");

const { Ack, Alive, Pause, Resume, Start, Status } = MessageType;

/** Types of all messages that come from now on. */
function typesFrom(peer: Peer): number[] {
  const types: number[] = [];
  void (async () => {
    for (let next = await peer.next(); next !== null; next = await peer.next()) {
      types.push(next.type);
    }
  })().catch(() => undefined);
  return types;
}

test("pauses its provider while input is suspended", async () => {
  const { subscriber, gate, provider, calls, leave, stop } = await attached(false);
  const types = typesFrom(provider);
  calls.length = 0;
  await provider.sendJson(Start, {});
  await until(() => calls.includes("start"));
  assert.equal(types, [], "it need not pause");
  gate.isOpen = false;
  for (let times = 0; times < 2; times++) await provider.sendJson(Start, {});
  await until(() => types.length > 0);
  subscriber.wake();
  await settle();
  assert.equal([types, calls], [[Pause], ["start"]]);
  gate.isOpen = true;
  subscriber.wake();
  await until(() => calls.length === 3);
  assert.equal(
    [types, calls],
    [
      [Pause, Resume],
      ["start", "start", "start"],
    ],
  );
  gate.isOpen = false;
  await provider.sendJson(Start, {});
  await until(() => types.length === 3);
  calls.length = 0;
  await leave(provider);
  await until(() => calls.includes("lose"));
  assert.not(calls.includes("start"), "what it has not applied is lost");
  stop();
});

test("reports its position at the start and at the intervals of its group", async () => {
  const { setInterval: every, clearInterval: end } = globalThis;
  const timers: { readonly ms: number; readonly run: () => void; timer: NodeJS.Timeout }[] = [];
  const ended: unknown[] = [];
  globalThis.setInterval = ((run: () => void, ms: number) => {
    const timer = every(run, ms);
    timers.push({ ms, run, timer });
    return timer;
  }) as typeof setInterval;
  globalThis.clearInterval = (timer) => {
    ended.push(timer);
    end(timer);
  };
  try {
    for (const [isMember, ms] of [
      [true, 1000],
      [false, 2000],
    ] as const) {
      timers.length = 0;
      const { replica, provider, calls, leave, offer, stop } = await attached(isMember);
      await leave(provider);
      await until(() => calls.includes("lose"));
      replica.durableSn = 7;
      replica.refreshMarker = () => void calls.push("keep");
      calls.length = 0;
      timers.length = 0;
      const next = await offer(EPOCH);
      assert.is((await next.expect(Ack)).readBigUInt64LE(), 7n);
      await next.expect(Status);
      assert.equal(calls, [`accept ${EPOCH}`, "keep"]);
      const types = typesFrom(next);
      const { run, timer } = timers.findLast((pending) => pending.ms === ms)!;
      run();
      await until(() => types.length === 2);
      assert.equal([types, calls.length], [[Ack, Status], 3]);
      calls.length = 0;
      await leave(next);
      await until(() => calls.includes("lose"));
      assert.ok(ended.includes(timer));
      stop();
    }
  } finally {
    [globalThis.setInterval, globalThis.clearInterval] = [every, end];
  }
});

test("counts transactions from the start of the log of a first provider", async () => {
  const { traffic, provider, stop } = await attached(false);
  await provider.send(MessageType.Frame, Buffer.alloc(8));
  await until(() => traffic.in.frames === 1);
  assert.is(traffic.serial, serialBase(ID) + 7);
  stop();
});

test("reports its provider while it follows, but not to another provider", async () => {
  const { subscriber, replica, traffic, provider, calls, dial, leave, stop } =
    await attached(false);
  assert.match(String(traffic.provider), /^svc:\/\/127\.0\.0\.1:\d+$/);
  traffic.providerDigest = "c".repeat(32);
  await leave(provider);
  await until(() => calls.includes("lose"));
  assert.equal([traffic.provider, traffic.providerDigest], [null, ""]);
  const next = await dial();
  await next.expect(MessageType.Positions);
  const types = typesFrom(next);
  // Something that the former provider has sent became durable.
  replica.durableSn = 7;
  replica.onDurable();
  await next.send(Alive, Buffer.alloc(0));
  await settle();
  assert.equal(types, []);
  subscriber.stop();
  stop();
});

test.run();
