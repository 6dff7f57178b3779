// Results held until their changes are durable, or can no longer become durable.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { DurabilityGate } from "../../../runtime/engine/durability-gate.js";
import { failureLine, failureMessage } from "../../../runtime/engine/error-message.js";
import { CommitClock } from "../../../runtime/graph/memory/commit-clock.js";

const test = suite("durability gate");

function setUp() {
  const clock = new CommitClock();
  const held = new DurabilityGate(clock);
  const outcomes: string[] = [];
  const hold = (flush: number): void =>
    held.hold(
      flush,
      () => outcomes.push(`sent ${flush}`),
      () => outcomes.push(`failed ${flush}`),
    );
  return { clock, held, outcomes, hold };
}

/** A flush that no other instance must have. */
function flush(clock: CommitClock): void {
  const number = clock.start();
  clock.finish(number);
  clock.confirm(number);
}

async function settled(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 20));
}

test("holds only results with pending changes", () => {
  const { clock, held } = setUp();
  flush(clock);
  assert.equal(
    [0, 1, 2].map((number) => held.mustHold(number)),
    [false, false, true],
  );
  assert.not.ok(new DurabilityGate(null).mustHold(1));
});

test("sends each result after its flush", async () => {
  const { clock, held, outcomes, hold } = setUp();
  hold(1);
  hold(2);
  assert.is(held.count, 2);
  assert.ok(clock.isRequested);
  flush(clock);
  await settled();
  assert.equal(outcomes, ["sent 1"]);
  flush(clock);
  await settled();
  assert.equal([outcomes, held.count], [["sent 1", "sent 2"], 0]);
});

test("waits for the confirmation of a flush, and fails abandoned results", async () => {
  const { clock, outcomes, hold } = setUp();
  const first = clock.start();
  clock.finish(first);
  hold(1);
  hold(2);
  await settled();
  assert.equal(outcomes, [], "no other instance has it");
  clock.confirm(first);
  await settled();
  assert.equal(outcomes, ["sent 1"]);
  clock.abandon();
  await settled();
  assert.equal(outcomes, ["sent 1", "failed 2"]);
  hold(2);
  const next = clock.nextFlush;
  hold(next);
  flush(clock);
  await settled();
  assert.equal(outcomes.slice(2), ["failed 2", `sent ${next}`]);
});

test("sends results that were confirmed before other flushes were abandoned", async () => {
  const { clock, outcomes, hold } = setUp();
  hold(1);
  hold(2);
  await settled();
  // Waiting threads look only after both.
  flush(clock);
  clock.abandon();
  await settled();
  assert.equal(outcomes, ["sent 1", "failed 2"]);
  // Only later ones are confirmed.
  flush(clock);
  hold(2);
  clock.abandon();
  hold(2);
  await settled();
  assert.equal(outcomes.slice(2), ["failed 2", "failed 2"]);
});

test("no thread ever sees an abandoned flush as confirmed", () => {
  const { clock } = setUp();
  clock.abandon();
  flush(clock);
  const { store } = Atomics;
  const looks: boolean[] = [];
  try {
    Atomics.store = ((...args: Parameters<typeof store>) => {
      const stored = store(...args);
      looks.push(clock.isConfirmed(1));
      return stored;
    }) as typeof store;
    clock.abandon();
  } finally {
    Atomics.store = store;
  }
  assert.equal(looks, [false, false, false]);
});

test("fails all held results when the log fails", async () => {
  const { clock, outcomes, hold } = setUp();
  hold(1);
  flush(clock);
  hold(2);
  clock.fail();
  await settled();
  assert.equal(outcomes.sort(), ["failed 2", "sent 1"]);
  assert.match(
    failureMessage("not-durable", "put").json,
    /DurabilityError.*not durable: .*SVC2502/,
  );
  // The executor itself is healthy.
  assert.match(failureLine("not-durable", "put"), /^plugin put made changes that may be lost/);
  assert.match(failureLine("executor-died", "put"), /was lost with its executor/);
});

test("notices a failure at the moment a result starts to wait", async () => {
  const { clock, outcomes, hold } = setUp();
  const { waitAsync } = Atomics;
  Atomics.waitAsync = ((...args: Parameters<typeof waitAsync>) => {
    clock.fail();
    return waitAsync(...args);
  }) as typeof waitAsync;
  try {
    hold(1);
  } finally {
    Atomics.waitAsync = waitAsync;
  }
  await settled();
  assert.equal(outcomes, ["failed 1"]);
});

test.run();
