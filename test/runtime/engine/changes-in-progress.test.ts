// Changes that begin while their instance hands leadership over: it waits for each, or refuses it.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SharedState } from "../../../runtime/base/wire/shared-state.js";
import type { PluginCall } from "../../../runtime/engine/plugin-call.js";
import { Scheduler } from "../../../runtime/engine/scheduler.js";
import { CommitClock } from "../../../runtime/graph/memory/commit-clock.js";
import { call } from "./scheduler-setup.js";

const test = suite("changes in progress");

function makeScheduler(clock: CommitClock): Scheduler {
  const nothing = (): void => undefined;
  const events = { result: nothing, onFailure: nothing, onDrop: nothing, terminate: nothing };
  return new Scheduler(new SharedState(), null, 0, 30_000, { ...events, onRetire: nothing }, clock);
}

function change(released: PluginCall[] = []): PluginCall {
  const changeCall = {
    ...call(0),
    isChange: true,
    releaseKey: () => void released.push(changeCall),
  };
  return changeCall;
}

test("a leader that hands over counts each change that it executes", () => {
  const clock = new CommitClock();
  clock.setGroup("leading", 1);
  const scheduler = makeScheduler(clock);
  assert.ok(scheduler.submit(change()));
  assert.is(clock.changes, 1);
  scheduler.rejectQueued();
  assert.is(clock.changes, 0);
});

test("rejects a change that the handover did not see in time", () => {
  const clock = new CommitClock();
  clock.setGroup("leading", 1);
  const scheduler = makeScheduler(clock);
  const count = clock.setChanges.bind(clock);
  // The handover begins after the request was admitted, and looks before the request is counted.
  clock.setChanges = (...args) => {
    clock.setGroup("refusing", 1);
    clock.setChanges = count;
    assert.is(clock.changes, 0);
    count(...args);
  };
  const released: PluginCall[] = [];
  const lateCall = change(released);
  assert.not.ok(scheduler.submit(lateCall));
  assert.is(clock.changes, 0);
  assert.equal(released, [lateCall]);
  assert.equal(scheduler.rejectQueued(), []);
});

test("rejects nothing without a group, and no query", () => {
  const clock = new CommitClock();
  const scheduler = makeScheduler(clock);
  assert.ok(scheduler.submit(change()));
  clock.setGroup("following", 1);
  assert.ok(scheduler.submit(call(0)));
});

test.run();
