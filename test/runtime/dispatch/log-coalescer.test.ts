// Coalescing of log lines: events that are logged one by one, and summaries of the others.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { LogCoalescer } from "../../../runtime/dispatch/log-coalescer.js";
import { captureLog } from "./support/capture-log.js";

const test = suite("log coalescer");
/**
 * A module of its own: other tests of this process may have logged events of back-ends just now.
 */
const OWN = "../../../runtime/dispatch/back-end.js?few-lines";
const { BackEnd } = (await import(OWN)) as typeof import("../../../runtime/dispatch/back-end.js");

function begin(maxPerKind: number) {
  const sums: Record<string, number>[] = [];
  let ends: (() => void)[] = [];
  const few = new LogCoalescer({
    maxLines: maxPerKind,
    windowMs: 1000,
    later: (run) => ends.push(run),
    report: (untold) => sums.push(Object.fromEntries(untold)),
  });
  const windowEnds = (): void => {
    const due = ends;
    ends = [];
    for (const run of due) run();
  };
  return { few, sums, windowEnds, waiting: () => ends.length };
}

test("admits the first events and counts the others by kind", () => {
  const { few, sums, windowEnds, waiting } = begin(2);
  const admitted = ["down", "down", "down", "up", "down"].map((kind) => few.admits(kind));
  assert.equal(admitted, [true, true, false, false, false]);
  assert.is(waiting(), 1);
  windowEnds();
  assert.equal(sums, [{ down: 2, up: 1 }]);
});

test("logs only sums during a burst, and single lines again after a quiet window", () => {
  const { few, sums, windowEnds, waiting } = begin(1);
  few.admits("down");
  few.admits("down");
  windowEnds();
  assert.not(few.admits("down"));
  windowEnds();
  assert.equal(sums, [{ down: 1 }, { down: 1 }]);
  windowEnds();
  assert.is(waiting(), 0);
  assert.ok(few.admits("up"));
  assert.is(sums.length, 2);
});

function retire(partition: number): void {
  const position = { partition, replica: 0, width: 1000, height: 1, isPrimary: true };
  const row = { channels: 1, priority: 1 };
  new BackEnd({ host: "127.0.0.1", port: 1 }, row, position).markDown("of a test");
}

test("logs a few lines when a thousand back-ends go down", () => {
  const lines = captureLog(() => {
    for (let index = 0; index < 1000; index++) retire(index);
  });
  assert.ok(lines.length > 0 && lines.length <= 20, `${lines.length} lines`);
  assert.match(lines[0]!, /back-end 127\.0\.0\.1:1 \(partition 0, replica 0\) is down: of a test/);
});

test.run();
