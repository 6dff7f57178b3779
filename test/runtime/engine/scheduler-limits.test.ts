// Limits of the scheduler per client: slots of one client, and its turn among others.

import { setTimeout as delay } from "node:timers/promises";
import { MessageChannel } from "node:worker_threads";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { collectGarbage } from "../../../runtime/base/idle-gc.js";
import { RequestField } from "../../../runtime/base/wire/batch.js";
import { ClientLimit } from "../../../runtime/engine/client-limit.js";
import type { SchedulerLimits } from "../../../runtime/engine/scheduler.js";
import { call, entry, setUp, until } from "./scheduler-setup.js";

interface Gone {
  aborted: boolean;
}

const test = suite("scheduler limits");

const HALF: SchedulerLimits = { perClient: 16, isSerial: false };

/** A plugin whose calls run until `release`. */
function slowPlugin() {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { plugin: entry("slow", () => released.then(() => 1)), release };
}

test("reserves slots for other clients when one has many slow requests", async () => {
  const { plugin, release } = slowPlugin();
  const { outcomes, scheduler, executor } = setUp([plugin, entry("one", () => 1)], 0, HALF);
  scheduler.setExecutors([executor(0)]);
  const many = Array.from({ length: 100 }, () => call(0));
  for (const pending of many) scheduler.submit(pending);
  assert.equal([scheduler.working, scheduler.waiting], [16, 84]);
  assert.is([...scheduler.calls()].length, 100);
  const otherCall = call(1, "/svc/plugin/x", "127.0.0.2");
  scheduler.submit(otherCall);
  await until(() => outcomes.length === 1);
  assert.is(
    outcomes[0],
    `${otherCall.serial} 3 200 1`.replace(" 3 ", ` ${outcomes[0]!.split(" ")[1]} `),
  );
  release();
  await until(() => outcomes.length === 101);
  const order = outcomes.slice(1).map((line) => Number(line.split(" ")[0]));
  assert.equal(
    order,
    many.map((pending) => pending.serial),
  );
  assert.equal([scheduler.working, scheduler.waiting], [0, 0]);
  // The whole share is there again.
  for (let sent = 0; sent < 17; sent++) scheduler.submit(call(1));
  assert.equal([scheduler.working, scheduler.waiting], [16, 1]);
  await until(() => outcomes.length === 118);
  scheduler.close();
});

type Scheduled = ReturnType<typeof setUp>["scheduler"];

/** Sends requests of a client. */
function submit(scheduler: Scheduled, client: number, count: number, plugin = 0): void {
  const address = `127.0.0.${client}`;
  for (let index = 0; index < count; index++)
    scheduler.submit(call(plugin, "/svc/plugin/x", address));
}

/** Returns how many slots each client holds. */
function held(scheduler: Scheduled): number[] {
  const counts = new Map<string, number>();
  for (const { call: runningCall, executor: slot } of scheduler.calls()) {
    const { remoteAddress } = runningCall.exchange.connection;
    if (slot !== null) counts.set(remoteAddress, (counts.get(remoteAddress) ?? 0) + 1);
  }
  return [...counts.values()];
}

test("divides the slots among clients with many slow requests, and leaves a share", async () => {
  const { plugin, release } = slowPlugin();
  const { outcomes, scheduler, executor } = setUp([plugin], 0, HALF);
  scheduler.setExecutors([executor(0)]);
  for (const client of [1, 2, 3]) submit(scheduler, client, 40);
  assert.equal(held(scheduler), [16, 8, 4]);
  // The first request of a client always has its turn, and all slots are in use.
  for (let client = 4; client <= 40; client++) submit(scheduler, client, 1);
  assert.is(scheduler.working, 32);
  release();
  await until(() => outcomes.length === 157);
  assert.equal([scheduler.working, scheduler.waiting], [0, 0]);
  scheduler.close();
});

test("passes unused slots of a client to the others", async () => {
  const [first, second] = [slowPlugin(), slowPlugin()];
  const { outcomes, scheduler, executor } = setUp([first.plugin, second.plugin], 0, HALF);
  scheduler.setExecutors([executor(0)]);
  submit(scheduler, 1, 16, 0);
  submit(scheduler, 2, 40, 1);
  assert.equal(held(scheduler), [16, 8]);
  first.release();
  await until(() => outcomes.length === 16);
  assert.equal(held(scheduler), [16]);
  second.release();
  await until(() => outcomes.length === 56);
  scheduler.close();
});

test("lets the first request of every client take its turn among the waiting ones", () => {
  const limit = new ClientLimit(16);
  for (let client = 0; client < 50; client++) {
    assert.ok(limit.admit(call(0, "/svc/plugin/x", `127.0.0.${client}`)));
  }
  assert.not.ok(limit.admit(call(0, "/svc/plugin/x", "127.0.0.1")));
});

test("lets clients with waiting requests take turns when few slots are free", () => {
  const limit = new ClientLimit(16);
  const next = (client: number) => call(0, "/svc/plugin/x", `127.0.0.${client}`);
  const otherCalls = Array.from({ length: 26 }, (_, client) => next(10 + client));
  for (const admitted of [...otherCalls, next(1), next(2), next(1), next(2)])
    assert.ok(limit.admit(admitted));
  const waiting = [next(1), next(2), next(1)];
  for (const refusedCall of waiting) assert.not.ok(limit.admit(refusedCall));
  assert.is(limit.release(otherCalls[0]!), waiting[0]);
  assert.is(limit.release(waiting[0]!), waiting[1]);
  assert.is(limit.release(otherCalls[1]!), waiting[2]);
});

test("gives the only waiting client no further slot when few are free", () => {
  const limit = new ClientLimit(16);
  const next = (client: number) => call(0, "/svc/plugin/x", `127.0.0.${client}`);
  const others = Array.from({ length: 28 }, (_, client) => next(10 + client));
  for (const admitted of others) assert.ok(limit.admit(admitted));
  const [first, second, thirdCall] = [next(1), next(1), next(1)];
  assert.equal(
    [first, second, thirdCall].map((pending) => limit.admit(pending)),
    [true, true, false],
  );
  for (const client of [2, 3]) assert.ok(limit.admit(next(client)));
  assert.is(limit.release(first), null);
  assert.is(limit.release(others[0]!), thirdCall);
});

test("keeps the backlogs of clients apart after one was emptied", () => {
  const limit = new ClientLimit(1);
  const next = (client: number) => call(0, "/svc/plugin/x", `127.0.0.${client}`);
  const [first, second, thirdCall, fourthCall] = [next(1), next(1), next(2), next(2)];
  assert.equal([limit.admit(first), limit.admit(second)], [true, false]);
  assert.is(limit.release(first), second);
  assert.equal([limit.admit(thirdCall), limit.admit(fourthCall)], [true, false]);
  const fifth = next(1);
  assert.not.ok(limit.admit(fifth));
  assert.is(limit.release(second), fifth);
  assert.is(limit.release(thirdCall), fourthCall);
  assert.is(limit.release(fifth), null);
  assert.is(limit.size, 0);
});

test("admits a client with no running request before others get more", () => {
  const limit = new ClientLimit(16);
  const next = (client: number) => call(0, "/svc/plugin/x", `127.0.0.${client}`);
  for (let client = 10; client < 39; client++) limit.admit(next(client));
  const second = next(2);
  assert.equal([limit.admit(next(1)), limit.admit(second)], [true, true]);
  const waiting = [next(1), next(2)];
  for (const refusedCall of waiting) assert.not.ok(limit.admit(refusedCall));
  assert.is(limit.release(second), waiting[1]);
  assert.is(limit.release(waiting[1]!), waiting[0]);
});

test("forgets clients without requests, except a few", () => {
  const limit = new ClientLimit(16);
  collectGarbage();
  const { heapUsed } = process.memoryUsage();
  for (let client = 0; client < 100_000; client++) {
    const address = `10.${client >> 16}.${(client >> 8) & 255}.${client & 255}`;
    const localCall = call(0, "/svc/plugin/x", address);
    assert.ok(limit.admit(localCall));
    assert.is(limit.release(localCall), null);
  }
  collectGarbage();
  assert.ok(process.memoryUsage().heapUsed - heapUsed < 2e6);
  assert.is(limit.size, 0);
});

test("does not limit dispatchers and trusted clients", async () => {
  const { scheduler } = setUp([], 0, { perClient: 1, isSerial: false });
  const { port2 } = new MessageChannel();
  scheduler.setExecutors([{ id: 0, port: port2 }]);
  for (let sent = 0; sent < 3; sent++) {
    const dispatched = call(0);
    (dispatched.exchange.connection as { ident: unknown }).ident = [1, 1, 1, 0, 0, 0, 1];
    scheduler.submit(dispatched);
    scheduler.submit({ ...call(0), isTrusted: true });
  }
  assert.equal([scheduler.working, scheduler.waiting], [6, 0]);
  scheduler.close();
});

test("releases the share of requests without a response", async () => {
  const { outcomes, scheduler, executor } = setUp([entry("one", () => 1)], 0, {
    perClient: 1,
    isSerial: false,
  });
  const abortedCalls = Array.from({ length: 4 }, () => call(0));
  for (const aborted of abortedCalls) scheduler.submit(aborted);
  // Without an executor the first one waits for a slot, the others for the first one.
  assert.is(scheduler.waiting, 4);
  for (const aborted of abortedCalls) (aborted.exchange as unknown as Gone).aborted = true;
  scheduler.setExecutors([executor(0)]);
  assert.equal(
    outcomes,
    abortedCalls.map((aborted) => `${aborted.serial} dropped`),
  );
  for (const pending of [call(0), call(0)]) scheduler.submit(pending);
  assert.equal([scheduler.working, scheduler.waiting], [1, 1]);
  await until(() => outcomes.length === 6);
  for (const pending of [call(0), call(0)]) scheduler.submit(pending);
  assert.is(scheduler.rejectQueued().length, 1);
  await until(() => outcomes.length === 7);
  scheduler.submit(call(0));
  assert.equal([scheduler.working, scheduler.waiting], [1, 0]);
  await until(() => outcomes.length === 8);
  scheduler.close();
});

test("puts the first request of a client before further ones of others", async () => {
  const { state, scheduler } = setUp([], 0, { perClient: 0, isSerial: true });
  const { port1, port2 } = new MessageChannel();
  const batch: unknown[] = [];
  port1.on("message", (message: unknown[]) => {
    batch.push(...message);
    if (batch.length === message.length) state.claim(batch[RequestField.Slot] as number, 1);
  });
  scheduler.setExecutors([{ id: 0, port: port2 }]);
  const from = (address: string) => call(0, "/svc/plugin/x", address);
  const hungry = [1, 2, 3, 4].map(() => from("127.0.0.1"));
  for (const pending of hungry) scheduler.submit(pending);
  await until(() => batch.length === 4 * RequestField.Stride);
  const [second, thirdCall] = [from("127.0.0.2"), from("127.0.0.3")];
  for (const pending of [second, thirdCall]) scheduler.submit(pending);
  assert.equal([scheduler.waiting], [0]);
  await delay(1);
  const started: unknown[] = [];
  await until(() => batch.length >= 11 * RequestField.Stride);
  for (let offset = 0; offset < batch.length; offset += RequestField.Stride) {
    const isFirst = offset === 0;
    if (isFirst || state.claim(batch[offset + RequestField.Slot] as number, 1)) {
      started.push(batch[offset + RequestField.Serial]);
    }
  }
  const [first, ...rest] = hungry.map((pending) => pending.serial);
  assert.equal(started, [first, second.serial, thirdCall.serial, ...rest]);
  port1.close();
  scheduler.close();
});

test.run();
