// Utilization of the event loop from given numbers: warnings, their times and their frequency.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { EventLoopMonitor } from "../../../runtime/engine/event-loop-monitor.js";
import { captureLog } from "../dispatch/support/capture-log.js";

const test = suite("event loop monitor");

/** Ticks of one second each with these percentages; returns their results and log lines. */
function ticks(percents: readonly number[], inline: readonly string[] = []) {
  let [active, idle] = [1000, 500];
  const load = new EventLoopMonitor(() => ({ active, idle, utilization: 0 }));
  const reported: number[] = [];
  const lines = captureLog(() => {
    for (const percent of percents) {
      active += percent * 10;
      idle += (100 - percent) * 10;
      reported.push(load.tick(inline));
    }
  });
  return { reported, lines };
}

test("computes the busy share since the last tick", () => {
  assert.equal(ticks([0, 7, 100, 50]).reported, [0, 7, 100, 50]);
  const still = new EventLoopMonitor(() => ({ active: 5, idle: 5, utilization: 0 }));
  assert.is(still.tick([]), 0);
});

test("logs five busy seconds in a row", () => {
  assert.equal(ticks([90, 90, 90, 90, 80, 90, 90, 90, 90]).lines, []);
  const { lines } = ticks([90, 90, 90, 90, 95]);
  assert.is(lines.length, 1);
  assert.match(lines[0]!, /IO thread was 91 % busy for 5 s: this instance is overloaded/);
});

test("names inline plugins in the log", () => {
  const { lines } = ticks([81, 81, 81, 81, 81], ["price", "a"]);
  assert.match(lines[0]!, /by load, or by background work of @inline plugins: a, price$/);
});

test("logs again after a minute, even with an idle period between", () => {
  // The log limits equal lines to one per second.
  let runs = 0;
  const count = (percents: readonly number[]): number =>
    ticks(percents, [`p${++runs}`]).lines.length;
  assert.is(count(Array(64).fill(100)), 1);
  assert.is(count(Array(65).fill(100)), 2);
  const often = [100, 100, 100, 100, 100, 0];
  assert.is(count([...often, ...often, ...often]), 1);
});

test.run();
