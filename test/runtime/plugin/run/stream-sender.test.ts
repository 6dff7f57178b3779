// Sources of streams that are written by hand, and fail where generators cannot.

import type { MessagePort } from "node:worker_threads";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { StreamSender } from "../../../../runtime/plugin/run/stream-sender.js";

const test = suite("sender of a stream");

const CYCLIC: { self?: object } = {};
CYCLIC.self = CYCLIC;

/** Sends one part and waits for ever; resolves with what was told once `end` has been called. */
async function told(part: unknown, end: () => never, isCancelled: boolean): Promise<string[]> {
  const told: string[] = [];
  const stray = (error: Error): number => told.push(`stray ${error.message}`);
  process.on("uncaughtException", stray);
  // The port alone keeps no process alive.
  const alive = setInterval(() => {}, 1000);
  await new Promise<void>((resolve) => {
    let n = 0;
    const iterator: AsyncIterator<unknown> = {
      next: () => (n++ === 0 ? Promise.resolve({ value: part }) : new Promise(() => {})),
      return: () => {
        setImmediate(resolve);
        told.push("return");
        return end();
      },
    };
    const source = { [Symbol.asyncIterator]: () => iterator };
    const sender = new StreamSender(source, "ndjson", false, {
      started: (port: MessagePort) => isCancelled && port.postMessage("cancel"),
      failed: () => told.push("failed"),
      broken: () => told.push("broken"),
      cancelled: () => told.push("cancelled"),
      over: () => told.push("over"),
    });
    void sender.run();
  });
  clearInterval(alive);
  process.off("uncaughtException", stray);
  return told;
}

function refuse(): never {
  throw new Error("will not end");
}

test("one that throws when it is to end harms nobody", async () => {
  assert.equal(await told(1, refuse, true), ["cancelled", "over", "return"]);
});

test("one is told when its part cannot be written, and may throw then", async () => {
  assert.equal(await told(CYCLIC, refuse, false), ["return", "failed", "over"]);
});

test.run();
