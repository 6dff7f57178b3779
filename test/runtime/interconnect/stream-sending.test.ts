// How a provider of a stream connects, sends what is written, and ends.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { provideStream, settle } from "./support/provided-stream.js";
import { type StoppedTime, withStoppedTime } from "./support/stopped-time.js";

const test = suite<{ time: StoppedTime }>("sending to a stream");
withStoppedTime(test);
const ATTACHED = "replication: memory://stream attached";

test("begins with the first transaction", async () => {
  const { log, run, provider, logs, stop } = provideStream({ vertices: [] });
  const { isConnected, isSynchronizing } = provider.report();
  assert.equal([isConnected, isSynchronizing], [false, false]);
  await run();
  assert.is(logs.length, 0, "the log has no id yet");
  log.write("a");
  await settle();
  assert.ok(provider.hasAcknowledged(2));
  await stop();
});

test("retries on request, and not for a transaction", async () => {
  const { log, receiveState, run, provider, logs, stop } = provideStream();
  await receiveState({ log: "f".repeat(32) });
  await run();
  log.write("d");
  await settle();
  assert.is(logs.length, 1);
  provider.wake();
  await settle();
  assert.is(logs.length, 2);
  await stop();
});

test("logs a failure again after a success, which ends the wait for an attempt", async () => {
  const { log, receiveState, run, provider, broker, hooks, logLines, stop } = provideStream();
  await receiveState();
  const fail = async (): Promise<void> => {
    throw new Error("no route");
  };
  const failure = "SVC3365: no route (memory://stream; tried again)";
  const { opened } = hooks;
  hooks.opened = fail;
  assert.is(await run(), failure);
  hooks.opened = opened;
  provider.wake();
  await settle();
  assert.is(logLines.at(-1), ATTACHED);
  log.write("d");
  await settle();
  assert.ok(provider.hasAcknowledged(5), "no delay of a failed attempt is left");
  hooks.opened = fail;
  broker.disconnect();
  provider.wake();
  await settle();
  const lost = "SVC3365: the connection was lost (memory://stream; tried again)";
  assert.equal(logLines, [failure, ATTACHED, lost, failure]);
  await stop();
});

test("sends again what the broker failed to store", async () => {
  const { log, receiveState, run, provider, logLines, hooks, stop } = provideStream();
  await receiveState();
  let isFull = false;
  hooks.opened = async (log) => {
    const append = log.append.bind(log);
    log.append = (...args) =>
      isFull ? Promise.reject(new Error("the broker is full")) : append(...args);
  };
  await run();
  log.write("d");
  isFull = true;
  await settle();
  assert.match(logLines.at(-1)!, /the broker is full/);
  isFull = false;
  provider.wake();
  await settle();
  assert.ok(provider.hasAcknowledged(5));
  await stop();
});

test("holds back transactions that may not leave yet", async () => {
  const { receiveState, run, provider, broker, gate, stop } = provideStream();
  await receiveState();
  gate.isOpen = false;
  assert.is(await run(), ATTACHED);
  assert.equal(
    [provider.hasAcknowledged(3), provider.hasAcknowledged(4), broker.parts],
    [true, false, 2],
  );
  assert.equal([provider.firstNeededSn, provider.report().lagTransactions], [4, 1]);
  gate.isOpen = true;
  provider.wake();
  await settle();
  assert.ok(provider.hasAcknowledged(4));
  await stop();
});

test("sends at the allowed rate, and counts the sent data", async () => {
  const { log, receiveState, run, provider, gate, traffic, stop } = provideStream();
  await receiveState({ reached: log.ends[0]! });
  const passed: (() => void)[] = [];
  const sizes: number[][] = [];
  gate.pass = (...size) =>
    new Promise((resolve) => {
      sizes.push(size);
      passed.push(resolve);
    });
  await run();
  assert.equal([provider.hasAcknowledged(3), provider.hasAcknowledged(4)], [true, false]);
  const { bytes, transactions, records, frames } = traffic.out;
  assert.ok(bytes > 0);
  assert.equal([sizes, [transactions, records, frames]], [[[bytes, 1, 1]], [1, 1, 1]]);
  passed[0]!();
  await settle();
  assert.is(provider.hasAcknowledged(4), true);
  passed[1]!();
  await stop();
});

test("sends its state once it has sent everything, and rarely", async ({ time }) => {
  const { log, receiveState, run, provider, broker, stop } = provideStream();
  await receiveState();
  await run();
  assert.is(broker.parts, 3, "the previous message, a frame and the state");
  const sent = async (): Promise<number> => {
    provider.wake();
    await settle();
    return broker.parts;
  };
  log.write("d");
  assert.is(await sent(), 4, "a frame");
  time.pass(2_000);
  assert.equal([await sent(), await sent()], [5, 5], "the state");
  time.pass(2_000);
  assert.is(await sent(), 5, "nothing has changed");
  await stop();
});

test("reports how long the stream has lagged", async ({ time }) => {
  const { log, receiveState, run, provider, gate, stop } = provideStream();
  await receiveState();
  const lag = (): number => provider.report().lagMs;
  gate.isOpen = false;
  await run();
  time.pass(3_000);
  assert.is(lag(), 3_000);
  gate.isOpen = true;
  provider.wake();
  await settle();
  assert.is(lag(), 0);
  gate.isOpen = false;
  log.write("d");
  time.pass(200);
  assert.is(lag(), 200);
  await stop();
});

test("ends while it connects", async () => {
  const { receiveState, hooks, broker, run, provider, stop } = provideStream();
  await receiveState();
  let connect = (): void => undefined;
  hooks.opened = () =>
    new Promise((resolve) => {
      connect = resolve;
    });
  await run();
  provider.stop();
  connect();
  await stop();
  assert.is(broker.parts, 1);
});

test("ends although the broker no longer responds", async () => {
  const { receiveState, hooks, run, provider, stop } = provideStream();
  await receiveState();
  hooks.opened = async (log) => {
    const close = log.close.bind(log);
    const closed = new Promise<never>((_resolve, reject) => {
      log.close = () => {
        reject(new Error("closed"));
        return close();
      };
    });
    log.append = () => closed;
  };
  await run();
  assert.ok(provider.hasAcknowledged(3), "the stream has it already");
  await stop();
});

test.run();
