// Outlier ejection of back-ends that hang or fail, and their recovery.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  EJECT_AFTER_CONSECUTIVE_ERRORS,
  FIRST_EJECTION_MS,
  MAX_EJECTION_MS,
  RETRYABLE_TRIAL_WAIT_MS,
  SLOW_START_MS,
} from "../../../runtime/base/limits.js";
import { OutlierDetector } from "../../../runtime/dispatch/outlier-detector.js";
import { later } from "./support/later.js";

const test = suite("outlier detector");

test("ejects after one timeout, or after consecutive errors", () => {
  const hanging = new OutlierDetector();
  hanging.recordTimeout();
  assert.is(hanging.isEjected, true);
  const failing = new OutlierDetector();
  for (let i = 1; i < EJECT_AFTER_CONSECUTIVE_ERRORS; i++) failing.recordResponse(true);
  failing.recordResponse(false);
  for (let i = 1; i < EJECT_AFTER_CONSECUTIVE_ERRORS; i++) failing.recordResponse(true);
  assert.is(failing.isEjected, false);
  failing.recordResponse(true);
  assert.is(failing.isEjected, true);
});

test("admits one trial at a time, retryable requests first", () => {
  const outlier = new OutlierDetector();
  outlier.recordTimeout();
  const due = () => [outlier.isHalfOpenDue(true), outlier.isHalfOpenDue(false)];
  assert.equal(due(), [false, false]);
  later(FIRST_EJECTION_MS + 1, () => {
    assert.equal(due(), [true, false]);
    outlier.recordRequest();
    assert.equal(due(), [false, false]);
    outlier.recordEnd();
    assert.equal(due(), [true, false]);
  });
  later(FIRST_EJECTION_MS + RETRYABLE_TRIAL_WAIT_MS + 1, () => assert.equal(due(), [true, true]));
});

test("recovers after a successful trial, with a slow start", () => {
  const outlier = new OutlierDetector();
  assert.is(outlier.costFactor, 1);
  outlier.recordTimeout();
  outlier.recordRequest();
  outlier.recordEnd();
  outlier.recordResponse(false);
  assert.is(outlier.isEjected, false);
  assert.ok(outlier.costFactor > 3.9);
  later(SLOW_START_MS / 2, () => assert.ok(Math.abs(outlier.costFactor - 2.5) < 0.1));
  later(SLOW_START_MS + 1, () => assert.is(outlier.costFactor, 1));
});

test("doubles the ejection time per relapse, up to a limit", () => {
  const outlier = new OutlierDetector();
  let now = 0;
  const lasts: number[] = [];
  for (let round = 0; round < 9; round++) {
    later(now, () => {
      outlier.recordTimeout();
      outlier.recordTimeout();
    });
    let ms = FIRST_EJECTION_MS;
    for (;;) {
      let isDue = false;
      later(now + ms + 1, () => {
        isDue = outlier.isHalfOpenDue(true);
      });
      if (isDue) break;
      ms *= 2;
    }
    lasts.push(ms);
    now += ms + 5;
  }
  const expected = [1, 2, 4, 8, 16, 32, 64, 64, 64].map((n) => n * 1000);
  assert.equal(
    lasts,
    expected.map((ms) => Math.min(ms, MAX_EJECTION_MS)),
  );
});

test.run();
