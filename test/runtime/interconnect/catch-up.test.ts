// When a replica may serve: conditions before it serves, and reasons to stop.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { CatchUp } from "../../../runtime/interconnect/catch-up.js";

const test = suite("catch-up");
const FOLLOWING = { hasProvider: true, isDiverged: false };
const ALONE = { hasProvider: false, isDiverged: false };

function create(isMarked: boolean) {
  const clock = { now: 0 };
  return { catchUp: new CatchUp(isMarked, () => clock.now), clock };
}

test("serves once everything that the provider had is durable", () => {
  const { catchUp } = create(false);
  assert.equal(catchUp.report(ALONE), { state: "waiting", done: 0, of: 0 });
  catchUp.begin(100);
  catchUp.beginSnapshot(50);
  catchUp.countSnapshotBytes(20);
  assert.equal(catchUp.report(FOLLOWING), { state: "fetching", done: 20, of: 50 });
  assert.not(catchUp.advance(60));
  assert.equal(catchUp.report(FOLLOWING), { state: "catching-up", done: 60, of: 100 });
  assert.not(catchUp.isMarked);
  assert.ok(catchUp.isFetching);
  assert.ok(catchUp.advance(100));
  assert.not(catchUp.isFetching);
  assert.not(catchUp.advance(101));
  assert.is(catchUp.report(FOLLOWING).state, "caught-up");
  assert.ok(catchUp.isMarked);
});

test("serves at once with an empty provider", () => {
  const { catchUp } = create(false);
  catchUp.begin(0);
  assert.ok(catchUp.advance(0));
  assert.is(catchUp.report(FOLLOWING).state, "caught-up");
});

test("waits for a provider that is not caught up itself", () => {
  const { catchUp } = create(false);
  catchUp.begin(null);
  assert.not(catchUp.advance(1000));
  assert.equal(catchUp.report(FOLLOWING), { state: "catching-up", done: 1000, of: 0 });
  catchUp.adoptGoal(null);
  assert.not(catchUp.advance(1001));
  catchUp.adoptGoal(2000);
  catchUp.adoptGoal(1);
  assert.not(catchUp.advance(1999));
  assert.ok(catchUp.advance(2000));
});

test("does not serve what a provider has rejected, until one accepts it", () => {
  const { catchUp, clock } = create(true);
  catchUp.providerRejected();
  clock.now = 10_000;
  assert.is(catchUp.report(ALONE).state, "diverged");
  catchUp.begin(0);
  catchUp.advance(0);
  assert.is(catchUp.report(FOLLOWING).state, "caught-up");
});

test("serves while it lags, and without its provider", () => {
  const { catchUp } = create(false);
  catchUp.begin(10);
  catchUp.advance(10);
  catchUp.providerLost();
  assert.is(catchUp.report(ALONE).state, "orphan");
  catchUp.begin(500);
  assert.is(catchUp.report(FOLLOWING).state, "caught-up");
  catchUp.beginSnapshot(7);
  assert.is(catchUp.report(FOLLOWING).state, "fetching");
  assert.not(catchUp.isMarked);
  catchUp.providerLost();
  assert.is(catchUp.report(ALONE).state, "waiting", "a graph is missing");
});

test("serves after a start without a provider only what was caught up before", () => {
  for (const isMarked of [true, false]) {
    const { catchUp, clock } = create(isMarked);
    clock.now = 9_999;
    assert.is(catchUp.report(ALONE).state, "waiting");
    clock.now = 10_000;
    const state = isMarked ? "orphan" : "waiting";
    assert.equal(catchUp.report(ALONE), { state, done: 0, of: 0 });
  }
  const { catchUp, clock } = create(true);
  catchUp.begin(10);
  clock.now = 20_000;
  catchUp.advance(5);
  assert.is(catchUp.report(FOLLOWING).state, "catching-up", "its provider has more");
  catchUp.providerLost();
  assert.is(catchUp.report(ALONE).state, "waiting");
  clock.now = 30_000;
  assert.is(catchUp.report(ALONE).state, "orphan");
});

test("catches up again with its first provider", () => {
  const { catchUp } = create(true);
  catchUp.begin(0);
  assert.ok(catchUp.advance(0));
  assert.not(catchUp.advance(1));
});

test("counts the snapshots of each connection", () => {
  const { catchUp } = create(false);
  for (const bytes of [50, 7]) {
    catchUp.begin(9);
    catchUp.beginSnapshot(bytes);
    catchUp.countSnapshotBytes(2);
    assert.equal(catchUp.report(FOLLOWING), { state: "fetching", done: 2, of: bytes });
    catchUp.providerLost();
  }
});

test("knows from the data folder whether snapshots have replaced graphs", () => {
  assert.is(new CatchUp(true).isFetching, false);
  assert.is(new CatchUp(true, () => 0, true).isFetching, true);
});

test("does not serve while a graph differs", () => {
  const { catchUp } = create(false);
  catchUp.begin(0);
  catchUp.advance(0);
  assert.is(catchUp.report({ hasProvider: true, isDiverged: true }).state, "diverged");
  assert.is(catchUp.report(FOLLOWING).state, "caught-up");
});

test.run();
