// A thread that sleeps until a lock is released is woken by the release, not by its timeout.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { TEST_THREAD } from "../support/make-graph.js";

const test = suite("lock sleepers");
const LONG_MS = 60_000;

test("all wake on a release", async () => {
  const { locks } = GraphStore.create("sleepers", TEST_THREAD);
  const releases = locks.releases;
  const sleeps = [locks.sleepAsync(releases, LONG_MS), locks.sleepAsync(releases, LONG_MS)];
  locks.wakeWaiting();
  assert.equal(await Promise.all(sleeps), ["ok", "ok"]);
});

test("wake on the second release when they start between two", async () => {
  const { locks } = GraphStore.create("sleepers", TEST_THREAD);
  for (let round = 0; round < 3; round++) {
    locks.wakeWaiting();
    const sleep = locks.sleepAsync(locks.releases, LONG_MS);
    assert.ok(sleep !== null);
    locks.wakeWaiting();
    assert.is(await sleep, "ok");
  }
});

test("do not sleep after a release", () => {
  const { locks } = GraphStore.create("sleepers", TEST_THREAD);
  const releases = locks.releases;
  locks.wakeWaiting();
  assert.is(locks.sleepAsync(releases, LONG_MS), null);
  locks.sleep(releases, LONG_MS);
});

test.run();
