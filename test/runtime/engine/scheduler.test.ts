// The scheduler with real executors over real message ports: results, queueing, revocation,
// timeouts, dead executors.

import { setTimeout as delay } from "node:timers/promises";
import { MessageChannel } from "node:worker_threads";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { nowMs } from "../../../runtime/base/clock.js";
import { HALF_CLOSED_CLIENT_GRACE_MS, JOB_GRACE_MS } from "../../../runtime/base/limits.js";
import { RESULT_REVOKED, RESULT_VALUE, RequestField } from "../../../runtime/base/wire/batch.js";
import type { PluginCall } from "../../../runtime/engine/plugin-call.js";
import { call, entry, nextSerial, setUp, until } from "./scheduler-setup.js";

interface Gone {
  aborted: boolean;
  readonly connection: { endedAtMs: number };
}

const test = suite("scheduler");

test("returns results with their slot", async () => {
  const { outcomes, scheduler, executor } = setUp([entry("one", () => ({ n: 1 }))]);
  scheduler.setExecutors([executor(0)]);
  const first = call(0);
  const startedMs = nowMs();
  Object.assign(first.exchange, { t0Ms: startedMs - 5 });
  scheduler.submit(first);
  scheduler.submit(call(0));
  await until(() => outcomes.length === 2);
  const { queueUs, runUs } = first.exchange;
  assert.ok(queueUs >= 5000 && queueUs + runUs <= 5000 + (nowMs() - startedMs) * 1000 + 1);
  assert.ok(Number.isInteger(queueUs) && Number.isInteger(runUs) && runUs >= 0);
  assert.is(outcomes[0], `${first.serial} 0 200 {"n":1}`);
  assert.is(outcomes[1], `${first.serial + 1} 1 200 {"n":1}`);
  assert.is(scheduler.working, 0);
  scheduler.close();
});

test("queues requests in order when all slots are taken", async () => {
  const { outcomes, scheduler, executor } = setUp([entry("one", (request) => request.sn)]);
  scheduler.setExecutors([executor(0)]);
  const first = nextSerial();
  for (let sent = 0; sent < 100; sent++) scheduler.submit(call(0));
  assert.is(scheduler.working, 32);
  assert.is(scheduler.waiting, 68);
  await until(() => outcomes.length === 100);
  const order = outcomes.map((line) => Number(line.split(" ")[0]));
  assert.equal(
    order,
    Array.from({ length: 100 }, (_, index) => first + index),
  );
  scheduler.close();
});

test("responds with 404 to a number without a plugin", async () => {
  const { outcomes, scheduler, executor } = setUp([]);
  scheduler.setExecutors([executor(0)]);
  scheduler.submit(call(3));
  await until(() => outcomes.length === 1);
  assert.match(outcomes[0]!, / 404 kind 1$/);
  scheduler.close();
});

test("moves queued requests from a stuck executor to another", async () => {
  const { outcomes, scheduler, executor, state } = setUp([entry("one", () => 1)]);
  // An executor that claims its first request and then hangs.
  const { port1, port2 } = new MessageChannel();
  const stuck: unknown[][] = [];
  port1.on("message", (batch: unknown[]) => {
    stuck.push(batch);
    state.claim(batch[RequestField.Slot] as number, Date.now());
  });
  scheduler.setExecutors([{ id: 1, port: port2 }, executor(0)]);
  const burning = call(0);
  scheduler.submit(burning);
  const others = Array.from({ length: 8 }, () => call(0));
  for (const pending of others) scheduler.submit(pending);
  await until(() => outcomes.length === 8);
  assert.not.ok(outcomes.some((line) => line.startsWith(`${burning.serial} `)));
  // The stuck executor finds its queued requests revoked and reports it; their slots are free.
  const results: unknown[] = [stuck.length];
  for (const batch of stuck) {
    for (let offset = 0; offset < batch.length; offset += RequestField.Stride) {
      const slot = batch[offset + RequestField.Slot] as number;
      const isFirst = batch[offset + RequestField.Serial] === burning.serial;
      assert.is(state.claim(slot, Date.now()), false);
      const kind = isFirst ? RESULT_VALUE : RESULT_REVOKED;
      results.push(slot, batch[offset + RequestField.Serial], isFirst ? 200 : 0, kind, "7", 0);
    }
  }
  port1.postMessage(results);
  await until(() => scheduler.working === 0);
  assert.is(outcomes.at(-1), `${burning.serial} 0 200 7`);
  port1.close();
  scheduler.close();
});

test("sends a finished result without waiting for the next plugin", async () => {
  const { outcomes, scheduler, state } = setUp([]);
  const { port1, port2 } = new MessageChannel();
  const finished = call(0);
  const burning = call(0);
  // An executor that has finished its first request and still runs the second.
  port1.on("message", () => {
    for (const slot of [0, 1]) state.claim(slot, Date.now());
    state.results.open(0, finished.serial);
    state.results.keep(0, finished.serial, 200, RESULT_VALUE, "1");
  });
  scheduler.setExecutors([{ id: 0, port: port2 }]);
  scheduler.submit(finished);
  scheduler.submit(burning);
  await until(() => outcomes.length === 1);
  assert.is(outcomes[0], `${finished.serial} 0 200 1`);
  // Its executor posts the result later; only one response is sent.
  port1.postMessage([
    1,
    ...[0, finished.serial, 200, RESULT_VALUE, "1", 0],
    ...[1, burning.serial, 200, RESULT_VALUE, "2", 0],
  ]);
  await until(() => scheduler.working === 0);
  assert.equal(outcomes.slice(1), [`${burning.serial} 1 200 2`]);
  port1.close();
  scheduler.close();
});

test("times out a pending async plugin and drops its late result", async () => {
  let settle: (value: string) => void = () => {};
  const late = new Promise<string>((resolve) => {
    settle = resolve;
  });
  const { outcomes, scheduler, executor } = setUp([entry("slow", () => late)], 30);
  scheduler.setExecutors([executor(0)]);
  const slowCall = call(0);
  scheduler.submit(slowCall);
  await until(() => outcomes.length === 1);
  assert.is(outcomes[0], `${slowCall.serial} 0 timeout`);
  assert.is(scheduler.working, 0);
  settle("late");
  await delay(20);
  assert.is(outcomes.length, 1);
  scheduler.close();
});

test("removes waiting requests of disconnected clients", async () => {
  const { outcomes, scheduler, executor } = setUp([entry("never", () => new Promise(() => {}))]);
  scheduler.setExecutors([executor(0)]);
  for (let slot = 0; slot < 32; slot++) scheduler.submit(call(0));
  await until(() => scheduler.working === 32);
  await delay(20); // already claimed
  const waiting = Array.from({ length: 4 }, () => call(0));
  for (const pending of waiting) scheduler.submit(pending);
  const [first, reset, ended, ending] = waiting.map(({ exchange }) => exchange as unknown as Gone);
  reset!.aborted = true;
  ended!.connection.endedAtMs = Date.now() - 2 * HALF_CLOSED_CLIENT_GRACE_MS;
  ending!.connection.endedAtMs = Date.now() + 1000;
  scheduler.tick();
  assert.equal(outcomes, [`${waiting[1]!.serial} dropped`, `${waiting[2]!.serial} dropped`]);
  assert.not.ok(first!.aborted);
  assert.equal(
    scheduler.rejectQueued().map((pending) => pending.serial),
    [waiting[0]!.serial, waiting[3]!.serial],
  );
  scheduler.close();
});

test("removes requests of disconnected clients from the queue of a stuck executor", async () => {
  const { outcomes, scheduler, state } = setUp([]);
  const { port1, port2 } = new MessageChannel();
  scheduler.setExecutors([{ id: 0, port: port2 }]);
  const calls = Array.from({ length: 32 }, () => call(0));
  for (const pending of calls) scheduler.submit(pending);
  state.claim(0, Date.now());
  for (const pending of calls) (pending.exchange as unknown as Gone).aborted = true;
  const laterCall = call(0);
  scheduler.submit(laterCall);
  scheduler.tick();
  assert.is(outcomes.length, 31, "all but the one that runs");
  // The executor skips revoked requests.
  const revoked = calls
    .slice(1)
    .flatMap(({ serial }, index) => [index + 1, serial, 0, RESULT_REVOKED, 0, 0]);
  port1.postMessage([0, ...revoked]);
  await until(() => scheduler.waiting === 0);
  assert.is(scheduler.working, 2);
  scheduler.close();
});

test("rejects requests that wait longer than the limit", () => {
  const { outcomes, scheduler } = setUp([]);
  const { port2 } = new MessageChannel();
  scheduler.setExecutors([{ id: 0, port: port2 }]);
  for (let count = 0; count < 33; count++) scheduler.submit(call(0));
  for (let second = 0; second <= 30; second++) {
    assert.is(outcomes.length, 0, `after ${second} s`);
    scheduler.tick();
  }
  assert.is(outcomes.length, 33);
  scheduler.close();
});

test("does not block other requests behind those for the last queue", async () => {
  const { outcomes, scheduler, executor, state } = setUp([
    entry("never", () => new Promise(() => {})),
    entry("one", () => 1),
  ]);
  scheduler.setExecutors([executor(0)]);
  const last = (): PluginCall => ({ ...call(0), minQueue: 3 });
  for (let count = 0; count < 20; count++) scheduler.submit(last());
  assert.is(scheduler.waiting, 20 - 17, "queue 3 has 17 slots");
  const smallCall = call(1);
  scheduler.submit(smallCall);
  await until(() => outcomes.length > 0);
  assert.is(outcomes[0], `${smallCall.serial} 0 200 1`);
  assert.is(scheduler.waiting, 3);
  assert.is(state.slotState(0), 0);
  scheduler.close();
});

test("reports a hung executor once per timeout", async () => {
  const { outcomes, scheduler, state } = setUp([], 30);
  const { port1, port2 } = new MessageChannel();
  port1.on("message", (batch: unknown[]) => {
    if (batch.length > 0) state.claim(batch[RequestField.Slot] as number, Date.now());
  });
  scheduler.setExecutors([{ id: 5, port: port2 }]);
  const first = call(0);
  const second = call(0);
  scheduler.submit(first);
  scheduler.submit(second);
  await until(() => outcomes.includes(`${first.serial} 0 timeout`));
  // Makes the scheduler check its executors.
  scheduler.submit(call(0));
  await until(() => outcomes.includes("terminate 5"));
  await delay(50);
  assert.is(outcomes.filter((line) => line === "terminate 5").length, 1);
  port1.close();
  scheduler.close();
});

test("terminates an executor whose plugin blocks beyond the timeout", async () => {
  const { outcomes, scheduler, state } = setUp([], 30);
  const { port1, port2 } = new MessageChannel();
  port1.on("message", (batch: unknown[]) => {
    const slot = batch[RequestField.Slot] as number;
    state.claim(slot, performance.timeOrigin + performance.now());
    state.setRunningSlot(5, slot);
  });
  scheduler.setExecutors([{ id: 5, port: port2 }]);
  const burning = call(0);
  scheduler.submit(burning);
  await until(() => outcomes.length === 2);
  assert.equal(outcomes, [`${burning.serial} 0 timeout`, "terminate 5"]);
  assert.is(scheduler.working, 1);
  scheduler.executorDied(5);
  assert.is(scheduler.working, 0);
  assert.is(outcomes.length, 2);
  port1.close();
  scheduler.close();
});

test("terminates the executor of a job that continues after it was cancelled", async () => {
  const { outcomes, scheduler, executor } = setUp([entry("never", () => new Promise(() => {}))]);
  scheduler.setExecutors([executor(0)]);
  const [request, job] = [call(0), { ...call(0), plugin: { name: "j", number: 0, isJob: true } }];
  for (const rejectedCall of [request, job as PluginCall]) {
    scheduler.submit(rejectedCall);
    const gone = rejectedCall.exchange as unknown as Gone;
    gone.aborted = true;
    gone.connection.endedAtMs = Date.now() - JOB_GRACE_MS - 1;
  }
  await until(() => outcomes.includes("terminate 0"));
  assert.equal(outcomes, [`${job.serial} 1 timeout`, "terminate 0"]);
  scheduler.close();
});

test("fails claimed requests of a dead executor and requeues the others", async () => {
  const { outcomes, scheduler, executor, state } = setUp([entry("one", () => 1)]);
  const { port1, port2 } = new MessageChannel();
  let received = 0;
  port1.on("message", (batch: unknown[]) => {
    received += batch.length / RequestField.Stride;
    state.claim(batch[RequestField.Slot] as number, Date.now());
  });
  scheduler.setExecutors([{ id: 1, port: port2 }]);
  const begun = call(0);
  const queued = call(0);
  scheduler.submit(begun);
  scheduler.submit(queued);
  await until(() => received === 2);
  scheduler.executorDied(1);
  assert.equal(outcomes, [`${begun.serial} 0 executor-died`]);
  assert.is(scheduler.waiting, 1);
  scheduler.replaceExecutor(1, 2, executor(2).port);
  await until(() => outcomes.length === 2);
  assert.match(outcomes[1]!, new RegExp(`^${queued.serial} \\d+ 200 1$`));
  port1.close();
  scheduler.close();
});

test("sends results that an executor finished before it died", async () => {
  const large = "x".repeat(10_000);
  const dies = (): number => {
    scheduler.executorDied(0);
    return 0;
  };
  const { outcomes, scheduler, executor } = setUp([
    entry("small", () => 1),
    entry("large", () => large),
    entry("dies", dies),
  ]);
  scheduler.setExecutors([executor(0)]);
  const calls = [call(0), call(1), call(0), call(2), call(0)];
  for (const pending of calls) scheduler.submit(pending);
  await until(() => outcomes.length === 4);
  const [first] = calls;
  assert.equal(outcomes.map((line) => line.slice(0, 40)).sort(), [
    `${first!.serial} 0 200 1`,
    `${first!.serial + 1} 1 200 "${"x".repeat(40)}`.slice(0, 40),
    `${first!.serial + 2} 2 200 1`,
    `${first!.serial + 3} 3 executor-died`,
  ]);
  assert.is(scheduler.waiting, 1);
  assert.is(scheduler.working, 0);
  scheduler.close();
});

test("retires idle executors of an older build", async () => {
  let settle: () => void = () => {};
  const old = new Promise<void>((resolve) => {
    settle = resolve;
  });
  const { outcomes, scheduler, executor } = setUp([entry("wait", () => old)]);
  scheduler.setExecutors([executor(0)]);
  const runningCall = call(0);
  scheduler.submit(runningCall);
  await delay(5);
  scheduler.setExecutors([executor(1)]);
  assert.equal(outcomes, []);
  settle();
  await until(() => outcomes.length === 2);
  assert.equal(outcomes, [`${runningCall.serial} 0 200 null`, "retired 0"]);
  scheduler.close();
});

test.run();
