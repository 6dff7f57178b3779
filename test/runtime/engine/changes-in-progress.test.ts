// Changes that begin while their instance hands leadership over: it waits for each, or refuses it.

import { setTimeout as delay, setImmediate as turn } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SharedState } from "../../../runtime/base/wire/shared-state.js";
import { ChangesInProgress, INLINE_CHANGES } from "../../../runtime/engine/changes-in-progress.js";
import { InlinePlugins } from "../../../runtime/engine/inline-plugins.js";
import type { PluginCall } from "../../../runtime/engine/plugin-call.js";
import { Scheduler } from "../../../runtime/engine/scheduler.js";
import { CommitClock } from "../../../runtime/graph/memory/commit-clock.js";
import { call, entry } from "./scheduler-setup.js";

const test = suite("changes in progress");

function schedulerOf(clock: CommitClock): Scheduler {
  const nothing = (): void => undefined;
  const events = { result: nothing, failed: nothing, dropped: nothing, terminate: nothing };
  return new Scheduler(new SharedState(), null, 0, 30_000, { ...events, retired: nothing }, clock);
}

function change(released: PluginCall[] = []): PluginCall {
  const one = { ...call(0), isChange: true, releaseKey: () => void released.push(one) };
  return one;
}

test("a leader that hands over counts each change that it executes", () => {
  const clock = new CommitClock();
  clock.setGroup("leading", 1);
  const scheduler = schedulerOf(clock);
  assert.ok(scheduler.submit(change()));
  assert.is(clock.changes, 1);
  scheduler.rejectQueued();
  assert.is(clock.changes, 0);
});

test("a change is refused if the handover did not see it in time", () => {
  const clock = new CommitClock();
  clock.setGroup("leading", 1);
  const scheduler = schedulerOf(clock);
  const count = clock.setChanges.bind(clock);
  // The handover begins after the request was admitted, and looks before the request is counted.
  clock.setChanges = (...given) => {
    clock.setGroup("refusing", 1);
    clock.setChanges = count;
    assert.is(clock.changes, 0);
    count(...given);
  };
  const released: PluginCall[] = [];
  const late = change(released);
  assert.not.ok(scheduler.submit(late));
  assert.is(clock.changes, 0);
  assert.equal(released, [late]);
  assert.equal(scheduler.rejectQueued(), []);
});

test("without a group, or for a query, nothing is refused", () => {
  const clock = new CommitClock();
  const scheduler = schedulerOf(clock);
  assert.ok(scheduler.submit(change()));
  clock.setGroup("following", 1);
  assert.ok(scheduler.submit(call(0)));
});

/** Runs a change inline; `answer` may be kept, to answer later. */
function runInline(clock: CommitClock, run: () => unknown): { isRun: boolean; told: number[] } {
  const told: number[] = [];
  const changes = new ChangesInProgress(clock, INLINE_CHANGES);
  const answers = {
    result: () => void told.push(clock.changes),
    refuse: () => void told.push(clock.changes),
  };
  const inline = new InlinePlugins(new SharedState(), answers, () => undefined, changes);
  const route = { name: "p", number: 0, timeoutMs: 20, inline: entry("p", run) };
  const isRun = inline.run(call(0).exchange, 0, route, 1, true);
  return { isRun, told };
}

test("an inline plugin that changes graphs is counted until its answer", async () => {
  const clock = new CommitClock();
  clock.setGroup("leading", 1);
  const counts: number[] = [];
  const run = (): void => void counts.push(clock.changes);
  const { isRun, told } = runInline(clock, run);
  assert.equal([isRun, counts, told, clock.changes], [true, [1], [1], 0]);
  const answering = delay(1);
  const later = runInline(clock, () => answering);
  assert.equal([later.told, clock.changes], [[], 1]);
  while (later.told.length === 0) await turn();
  assert.is(clock.changes, 0);
  const never = runInline(clock, () => new Promise(() => undefined));
  // Its time runs out.
  while (never.told.length === 0) await delay(1);
  assert.equal([never.told, clock.changes], [[1], 0]);
});

test("an inline plugin does not run if the handover did not see its change in time", () => {
  const clock = new CommitClock();
  clock.setGroup("refusing", 1);
  const { isRun, told } = runInline(clock, () => assert.unreachable());
  assert.equal([isRun, told, clock.changes], [false, [], 0]);
});

test.run();
