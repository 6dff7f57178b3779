// Choice of a replica in a simulated partition: 32 clients that send their next request at once,
// two replicas with a queue each, of which one may be 50 ms slower. Compared with a choice by load
// alone. The clock is simulated, so other work on the machine changes nothing.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { BackEnd } from "../../../runtime/dispatch/back-end.js";
import type { Channel } from "../../../runtime/dispatch/channel.js";
import { Matrix } from "../../../runtime/dispatch/matrix.js";
import { readMatrixConfig } from "../../../runtime/settings/matrix-config.js";

const test = suite("choice of a replica");
const ANY = { isPrimary: false, affinity: -1 };
const CLIENTS = 32;
/** Mean time in the queue of a replica, and the wait after it. */
const SERVICE_MS = 0.15;
const WAIT_MS = 2;
const SECONDS = 10;

interface Running {
  readonly backEnd: BackEnd;
  readonly channel: Channel;
  readonly load: number;
  readonly sentMs: number;
  readonly doneMs: number;
}

interface Outcome {
  readonly perSecond: number;
  readonly p99Ms: number;
  /** Share of the second replica. */
  readonly share: number;
}

/** @param isMeasured whether the dispatcher learns from latencies */
function simulate(extraMs: (nowMs: number) => number, isMeasured: boolean): Outcome {
  let seed = Number(process.env.SEED ?? 7);
  const random = (): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return (seed + 1) / (2 ** 31 + 1);
  };
  const addresses = [1, 2].map((port) => ({ host: "127.0.0.1", port }));
  const config = { partitions: [addresses], replicas: [{ priority: 1 }, { priority: 1 }] };
  const matrix = new Matrix(readMatrixConfig(config));
  for (const backEnd of matrix.all()) backEnd.markUp();
  const busyUntilMs = [0, 0];
  const latencies: number[] = [];
  let second = 0;
  let nowMs = 0;
  const send = (): Running => {
    const backEnd = matrix.choose(0, ANY, [], true) as BackEnd;
    const channel = backEnd.takeChannel();
    backEnd.speed.requestSent(nowMs);
    const { replica } = backEnd.position;
    const queue = Math.max(nowMs, busyUntilMs[replica]!) - SERVICE_MS * Math.log(random());
    busyUntilMs[replica] = queue;
    const doneMs = queue + WAIT_MS + (replica === 1 ? extraMs(nowMs) : 0);
    return { backEnd, channel, load: backEnd.load, sentMs: nowMs, doneMs };
  };
  const { now } = performance;
  performance.now = () => nowMs;
  try {
    const running = Array.from({ length: CLIENTS }, send);
    while (nowMs < SECONDS * 1000) {
      const next = running.reduce((first, run) => (run.doneMs < first.doneMs ? run : first));
      nowMs = next.doneMs;
      const ms = nowMs - next.sentMs;
      next.backEnd.returnChannel(next.channel, -1);
      if (isMeasured) next.backEnd.speed.observe(matrix.pluginMeans.relate("/a", ms / next.load));
      latencies.push(ms);
      second += next.backEnd.position.replica;
      running[running.indexOf(next)] = send();
    }
  } finally {
    performance.now = now;
  }
  latencies.sort((a, b) => a - b);
  const p99Ms = latencies[Math.floor(0.99 * latencies.length)]!;
  return { perSecond: latencies.length / SECONDS, p99Ms, share: second / latencies.length };
}

const text = (outcome: Outcome): string => JSON.stringify(outcome);

test("sends a replica that is 50 ms slower at most a hundredth of the requests", () => {
  const byLoad = simulate(() => 50, false);
  const chosen = simulate(() => 50, true);
  assert.ok(byLoad.share > 0.03, text(byLoad));
  assert.ok(chosen.share <= 0.01, text(chosen));
  assert.ok(chosen.p99Ms <= 0.4 * byLoad.p99Ms, `${text(chosen)}, by load ${text(byLoad)}`);
});

test("keeps the request rate without a fault", () => {
  const byLoad = simulate(() => 0, false);
  const chosen = simulate(() => 0, true);
  assert.ok(chosen.perSecond >= 0.99 * byLoad.perSecond, `${text(chosen)}, ${text(byLoad)}`);
  assert.ok(Math.abs(chosen.share - byLoad.share) < 0.05, `${text(chosen)}, ${text(byLoad)}`);
});

test("uses a replica again after it was slow for some seconds", () => {
  // Half of the last five seconds, except for what the trials take.
  const { share } = simulate((nowMs) => (nowMs < 5000 ? 50 : 0), true);
  assert.ok(share > 0.2, String(share));
});

test.run();
