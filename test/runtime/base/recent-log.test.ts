// The shared ring of log entries: order, truncation, lost entries, concurrent writers.

import { Worker } from "node:worker_threads";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  enableRecentLog,
  recentLogEntries,
  recordLogEntry,
} from "../../../runtime/base/recent-log.js";
import { SharedRing } from "../../../runtime/base/shared-ring.js";
import { bundleSource } from "../../property/support/bundle-source.js";

const test = suite("recent log");

test("stores nothing before it is open", () => {
  const ring = new SharedRing("svc.test-ring", 10, 64);
  ring.keep(0, "too early");
  assert.equal(ring.after(0), { next: 0, missed: 0, entries: [] });
});

test("returns entries in order", () => {
  // Other files in this process may have recorded some.
  enableRecentLog();
  const { next: before } = recentLogEntries(0);
  recordLogEntry("warn", "first");
  recordLogEntry("error", "second");
  const { next, missed, lines } = recentLogEntries(before);
  assert.equal([next, missed], [before + 2, 0]);
  assert.equal(
    lines.map(({ number, level, text, thread }) => [number, level, text, thread]),
    [
      [before + 1, "warn", "first", 0],
      [before + 2, "error", "second", 0],
    ],
  );
  assert.equal(recentLogEntries(next).lines, []);
  // From before a restart.
  assert.is(recentLogEntries(next + 75).lines.length, Math.min(1000, next));
});

test("truncates long entries at a character boundary", () => {
  const { next: before } = recentLogEntries(0);
  recordLogEntry("info", "🦊".repeat(2000));
  const { text } = recentLogEntries(before).lines[0]!;
  assert.is(text, "🦊".repeat(506));
});

test("counts lost entries and returns the last thousand", () => {
  const { next: before } = recentLogEntries(0);
  for (let number = 0; number < 1500; number++) recordLogEntry("debug", `entry ${number}`);
  const { next, missed, lines } = recentLogEntries(before);
  assert.equal([next - before, missed, lines.length], [1500, 500, 1000]);
  assert.is(lines.at(-1)!.text, "entry 1499");
  assert.is(lines[0]!.text, "entry 500");
});

test("keeps entries of concurrent threads intact", async () => {
  const { next: before } = recentLogEntries(0);
  const program = bundleSource(new URL("./support/log-writer.ts", import.meta.url));
  const workers = [1, 2, 3, 4].map(() => new Worker(program, { eval: true }));
  await Promise.all(
    workers.map((worker) => new Promise((resolve) => worker.once("exit", resolve))),
  );
  // A previous test file may have something left to say.
  const lines = recentLogEntries(before).lines.filter(({ text }) => /^\d+:/.test(text));
  assert.is(lines.length, 800);
  for (const { text, thread } of lines) {
    assert.match(text, new RegExp(`^${thread}:(${thread})*$`));
  }
});

test.run();
