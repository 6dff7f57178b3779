// Which followers a leader waits for, and which may lead after it.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { FollowerProgress } from "../../../../runtime/interconnect/leadership/follower-progress.js";
import type { Incarnation } from "../../../../runtime/interconnect/leadership/leadership.js";

const ONE: Incarnation = ["S1", "a"];

const test = suite("progress of followers");

test("waits for a new follower once it follows without delay, and is connected", () => {
  const progress = new FollowerProgress();
  progress.written(0, 5);
  progress.acknowledged(10, ONE, 3);
  progress.lost(20, ONE);
  progress.admit(30);
  assert.equal(progress.required(), [], "it has just left");
  progress.acknowledged(40, ONE, 4);
  progress.admit(50);
  assert.is(progress.required().length, 1);
  assert.not(progress.haveAll());
  assert.not(progress.hasAll("S1"), "it cannot take over yet");
  assert.equal(progress.wanted(60, 0), [], "it lacks a change from before");
  progress.acknowledged(70, ONE, 5);
  assert.equal(progress.wanted(80, 0), [ONE]);
});

test("does not wait for a follower that is a second late", () => {
  const progress = new FollowerProgress();
  progress.acknowledged(0, ONE, 0);
  progress.written(0, 5);
  progress.admit(1000);
  assert.equal(progress.required(), []);
  progress.acknowledged(1001, ONE, 5);
  progress.admit(1002);
  assert.ok(progress.hasAll("S1"));
});

test.run();
