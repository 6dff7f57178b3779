// Service-IN and -OUT: reasons to take a server out of service, and its return.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SharedState } from "../../../runtime/base/wire/shared-state.js";
import { ServiceState } from "../../../runtime/lifecycle/service-state.js";

const test = suite("service state");

function createState(outReason: string | null) {
  const reasons: (string | null)[] = [];
  const state = new ServiceState(new SharedState(), outReason, (reason) => reasons.push(reason));
  return { state, reasons };
}

test("is Service-IN once started, unless taken out of service", () => {
  for (const [initial, left, isIn] of [
    [null, null, true],
    ["start", null, false],
    [null, "operator", false],
  ] as const) {
    const { state } = createState(initial);
    assert.not(state.isIn);
    if (left !== null) state.leave(left);
    state.started();
    assert.is(state.isIn, isIn);
  }
});

test("names the warm-up as the reason while it runs, unless another reason applies", async () => {
  const { state, reasons } = createState(null);
  await state.warmUp(async () => undefined);
  await state
    .warmUp(async () => {
      state.leave("operator");
      throw new Error("failed");
    })
    .catch(() => undefined);
  assert.equal(reasons, ["warm-up", null, "warm-up", "operator"]);
  state.started();
  assert.not(state.isIn);
});

test("recovers from a crash loop, but keeps a later decision of an operator", () => {
  const { state, reasons } = createState(null);
  state.started();
  state.crashLoop();
  assert.not(state.isIn);
  state.recovered();
  assert.ok(state.isIn);
  assert.equal(reasons, ["executors keep dying", null]);
  state.crashLoop();
  state.leave("operator");
  state.recovered();
  assert.not(state.isIn);
  state.enter();
  state.leave("program");
  state.crashLoop();
  state.recovered();
  assert.not(state.isIn);
});

test("stays Service-OUT until the graphs are ready, then becomes Service-IN by itself", () => {
  const { state, reasons } = createState(null);
  state.setNotReady("catching up 1/9");
  state.started();
  assert.not(state.isIn);
  state.setNotReady("catching up 5/9");
  assert.not(state.isIn);
  state.setNotReady(null);
  assert.ok(state.isIn);
  state.setNotReady("fetching snapshots 0/5");
  assert.not(state.isIn);
  assert.equal(reasons, ["catching up 1/9", "catching up 5/9", null, "fetching snapshots 0/5"]);
});

test("does not become Service-IN while the graphs are not ready, unless forced", () => {
  const { state, reasons } = createState("start");
  state.started();
  state.setNotReady("catching up 1/9");
  assert.throws(() => state.enter(), /SVC3401.*catching up 1\/9/);
  assert.not(state.isIn);
  state.setNotReady(null);
  assert.not(state.isIn, "nothing was ordered");
  state.setNotReady("catching up 2/9");
  state.force();
  assert.ok(state.isIn);
  state.setNotReady("catching up 3/9");
  assert.ok(state.isIn, "until the restart");
  assert.is(reasons.at(-1), null);
  state.leave("operator");
  assert.not(state.isIn);
});

test("is Service-OUT before its start, whether or not the graphs are ready", () => {
  const { state } = createState(null);
  state.setNotReady("waiting for a provider");
  state.setNotReady(null);
  assert.not(state.isIn);
  state.started();
  assert.ok(state.isIn);
});

test.run();
