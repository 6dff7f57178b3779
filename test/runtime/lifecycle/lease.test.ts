// Lease of a procedure: one holder at a time, until it is released, expires, or is preempted.

import { MessageChannel } from "node:worker_threads";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { RunningProcedure } from "../../../runtime/builtin/server-view.js";
import { Lease } from "../../../runtime/lifecycle/lease.js";

const test = suite("lease");

const claim = (holder: string, seconds = 60, isForced = false) => {
  return { holder, seconds, isForced, what: "rolling-update", operator: holder };
};

test("is refused while another holder has it, and names the holder", () => {
  const holders: (string | null)[] = [];
  const lease = new Lease((shown) => holders.push(shown?.operator ?? null));
  assert.is(lease.take(claim("a")), null);
  assert.is(lease.take(claim("a")), null);
  const refusal = lease.take(claim("b"))!;
  assert.equal([refusal.what, refusal.operator], ["rolling-update", "a"]);
  assert.ok(refusal.leftSeconds > 0 && refusal.leftSeconds <= 60);
  assert.equal([lease.isHeldBy("a"), lease.isHeldBy("b")], [true, false]);
  lease.release("b");
  assert.ok(lease.isHeldBy("a"));
  lease.release("a");
  assert.is(lease.take(claim("c")), null);
  assert.equal(holders, ["a", null, "c"]);
  lease.release("c");
});

test("can be preempted, and the previous holder cannot release it", () => {
  const lease = new Lease(() => {});
  lease.take(claim("a"));
  assert.is(lease.take(claim("b", 60, true)), null);
  lease.release("a");
  assert.ok(lease.isHeldBy("b"));
  assert.is(lease.take(claim("a"))!.operator, "b");
  lease.release("b");
  // It is free, but the procedure of "a" is over.
  assert.is(lease.take(claim("a"))!.operator, "b");
  assert.is(lease.take(claim("c")), null);
  lease.release("c");
});

test("is not taken again by a late renewal of a holder that has released it", () => {
  const holders: (string | null)[] = [];
  const lease = new Lease((shown) => holders.push(shown?.operator ?? null));
  lease.take(claim("a"));
  lease.release("a");
  const refusal = lease.take(claim("a"))!;
  assert.equal([refusal.operator, refusal.leftSeconds], ["a", 0]);
  assert.not(lease.isHeldBy("a"));
  // It may have expired before its holder releases it.
  lease.release("b");
  assert.is(lease.take(claim("b"))!.operator, "b");
  assert.is(lease.take(claim("c")), null);
  assert.equal(holders, ["a", null, "c"]);
  lease.release("c");
});

test("tells a preempted holder how long its successor has the lease", () => {
  const lease = new Lease(() => {});
  lease.take(claim("a"));
  lease.take(claim("b", 60, true));
  lease.take({ ...claim("b"), what: "progress" });
  assert.is(lease.take(claim("a"))!.leftSeconds, 60);
  lease.release("b");
  assert.is(lease.take(claim("a"))!.leftSeconds, 0);
});

/** Resolves when a lease that is not renewed has expired, after an act of its holder. */
async function expire(act: (lease: Lease) => void): Promise<void> {
  // Its timer does not keep the process alive.
  const awake = setInterval(() => {}, 1000);
  await new Promise<void>((resolve) => {
    const lease = new Lease((shown: RunningProcedure | null) => {
      if (shown === null) resolve();
    });
    lease.take(claim("a", 0.02));
    act(lease);
  });
  clearInterval(awake);
}

test("expires without renewal", async () => {
  await expire((lease) => {
    lease.take(claim("a", 0.02));
  });
});

test("does not expire while the instance executes an operation of its holder", async () => {
  let acts = 0;
  await expire((lease) => {
    const act = async (): Promise<void> => {
      for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setTimeout(resolve, 2));
      assert.ok(lease.isHeldBy("a"));
      if (acts++ === 0) lease.take(claim("a", 0.001));
    };
    lease.take(claim("a", 0.001));
    void lease.during(() => lease.during(act).then(act));
  });
  assert.is(acts, 2);
});

test("reports its minimum remaining time, also while its holder is active", async () => {
  const lease = new Lease(() => {});
  // Not yet due for the timer, which this test keeps from running.
  const left = () => lease.take(claim("b"))!.leftSeconds;
  const spend = (): void => {
    const until = performance.now() + 3;
    while (performance.now() < until);
  };
  lease.take(claim("a", 0.001));
  await lease.during(async () => {
    spend();
    assert.is(left(), 1);
  });
  assert.is(left(), 1);
  lease.release("a");
});

test("a renewal queued behind other work of the thread counts", async () => {
  const { port1, port2 } = new MessageChannel();
  let ended = 0;
  const lease = new Lease(
    () => {},
    () => ended++,
  );
  const renewed = new Promise((resolve) => {
    port2.once("message", () => resolve(lease.take(claim("a"))));
  });
  // Timers are due before messages then.
  await new Promise((resolve) => setImmediate(resolve));
  lease.take(claim("a", 0.001));
  port1.postMessage("renew");
  const until = performance.now() + 5;
  while (performance.now() < until);
  await renewed;
  await new Promise((resolve) => setImmediate(resolve));
  port1.close();
  assert.is(ended, 0);
  assert.ok(lease.isHeldBy("a"));
  lease.release("a");
});

test("reports that a holder's lease is over", () => {
  let ended = 0;
  const lease = new Lease(
    () => {},
    () => ended++,
  );
  lease.take(claim("a"));
  lease.take(claim("a"));
  assert.is(ended, 0);
  lease.take(claim("b", 60, true));
  assert.is(ended, 1);
  lease.release("b");
  assert.is(ended, 2);
});

test.run();
