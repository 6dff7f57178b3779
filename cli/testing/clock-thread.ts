// Preloaded into each thread of a test instance: replaces the system clock by the test's clock,
// under the names that all code uses, including plugins.

import { createRequire, syncBuiltinESMExports } from "node:module";
import { promisify } from "node:util";
import { BroadcastChannel, getEnvironmentData } from "node:worker_threads";
import { CLOCK_KEY, type ClockData, ClockMemory, ENDED } from "./clock-memory.js";
import { TestTimers } from "./test-timers.js";

const data = getEnvironmentData(CLOCK_KEY) as ClockData | undefined;
if (data !== undefined) follow(data);

function follow({ memory, channel: name }: ClockData): void {
  const clock = new ClockMemory(memory);
  const thread = clock.addThread();
  const timers = new TestTimers(clock);
  replaceClock(clock, timers);
  const channel = new BroadcastChannel(name);
  (channel as unknown as { unref(): void }).unref();
  channel.onmessage = async (message) => {
    await timers.clockChanged();
    const { data: turn } = message as { readonly data: number };
    setImmediate(() => clock.acknowledge(thread, turn));
  };
  process.on("exit", () => clock.acknowledge(thread, ENDED));
}

function replaceClock(clock: ClockMemory, timers: TestTimers): void {
  const { timeOrigin } = performance;
  performance.now = () => clock.nowMs - timeOrigin;
  globalThis.Date = new Proxy(Date, {
    construct: (target, args, type) =>
      Reflect.construct(target, args.length === 0 ? [clock.nowMs] : args, type),
    apply: (target) => new target(clock.nowMs).toString(),
    get: (target, key, receiver) =>
      key === "now" ? () => Math.floor(clock.nowMs) : Reflect.get(target, key, receiver),
  });
  const { setTimeout, setInterval, clear, sleep } = timers;
  Object.defineProperty(setTimeout, promisify.custom, { value: sleep });
  const timerFunctions = { setTimeout, setInterval, clearTimeout: clear, clearInterval: clear };
  Object.assign(globalThis, timerFunctions);
  const require = createRequire(import.meta.url);
  Object.assign(require("node:timers"), timerFunctions);
  require("node:timers/promises").setTimeout = sleep;
  syncBuiltinESMExports();
}
