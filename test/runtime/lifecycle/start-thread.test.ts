// Threads that the system does not start.

import { syncBuiltinESMExports } from "node:module";
import threads from "node:worker_threads";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SvcError } from "../../../runtime/base/errors.js";
import { startThread } from "../../../runtime/lifecycle/start-thread.js";
import { threadGauges } from "../../../runtime/metrics/thread-gauges.js";

const test = suite("threads that cannot start");
const { Worker } = threads;

/** Lets each new worker fail like one for which the system has no thread, or else. */
function failWith(code: string): void {
  threads.Worker = class {
    constructor() {
      throw Object.assign(new Error("EAGAIN"), { code });
    }
  } as unknown as typeof Worker;
  syncBuiltinESMExports();
}

test.after.each(() => {
  threads.Worker = Worker;
  syncBuiltinESMExports();
});

test("name the limits of the system", () => {
  failWith("ERR_WORKER_INIT_FAILED");
  try {
    startThread("executor", { name: "svc-executor-1" });
    assert.unreachable();
  } catch (error) {
    assert.instance(error, SvcError);
    assert.is((error as SvcError).code, "SVC2206");
    assert.match((error as SvcError).message, "`ulimit -u`");
  }
  // It is not reported as a thread.
  assert.equal(threadGauges(), []);
});

test("keep the reason of another failure", () => {
  failWith("ERR_OTHER");
  assert.throws(() => startThread("executor", {}), /^EAGAIN$/);
});

test.run();
