// The worker that a command starts before it reads the build.

import { syncBuiltinESMExports } from "node:module";
import threads from "node:worker_threads";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { IoThreadData } from "../../../runtime/engine/io-control.js";
import { startIoAhead, startIoWorker } from "../../../runtime/lifecycle/io-worker.js";

const test = suite("worker of the IO thread");
const { Worker } = threads;
const started: threads.Worker[] = [];

test.before(() => {
  threads.Worker = class extends Worker {
    constructor(...args: ConstructorParameters<typeof Worker>) {
      super(...args);
      started.push(this);
    }
  };
  syncBuiltinESMExports();
});
test.after(async () => {
  threads.Worker = Worker;
  syncBuiltinESMExports();
  for (const worker of started) await worker.terminate();
});

test("starts only one thread ahead until that one has ended", async () => {
  startIoAhead();
  startIoAhead();
  assert.is(started.length, 1);
  await started[0]!.terminate();
  startIoAhead();
  assert.is(started.length, 2);
});

test("keeps the waiting thread when its predecessor ends", async () => {
  const count = started.length;
  const used = started.at(-1)!;
  startIoWorker({} as IoThreadData);
  startIoAhead();
  await used.terminate();
  startIoAhead();
  assert.is(started.length, count + 1);
});

test.run();
