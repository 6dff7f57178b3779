// Hand-written sources of streams that fail where generators cannot.

import type { MessagePort } from "node:worker_threads";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { StreamSender } from "../../../../runtime/plugin/run/stream-sender.js";

const test = suite("stream sender");

const CYCLIC: { self?: object } = {};
CYCLIC.self = CYCLIC;

/** Sends one item and waits for ever; resolves with all notifications once `end` was called. */
async function send(part: unknown, end: () => never, isCancelled: boolean): Promise<string[]> {
  const events: string[] = [];
  const stray = (error: Error): number => events.push(`stray ${error.message}`);
  process.on("uncaughtException", stray);
  // The port alone does not keep the process alive.
  const alive = setInterval(() => {}, 1000);
  await new Promise<void>((resolve) => {
    let n = 0;
    const iterator: AsyncIterator<unknown> = {
      next: () => (n++ === 0 ? Promise.resolve({ value: part }) : new Promise(() => {})),
      return: () => {
        setImmediate(resolve);
        events.push("return");
        return end();
      },
    };
    const source = { [Symbol.asyncIterator]: () => iterator };
    const sender = new StreamSender(source, "ndjson", () => null, {
      onStart: (port: MessagePort) => isCancelled && port.postMessage("cancel"),
      onFailedStart: () => events.push("failed"),
      onFailure: () => events.push("broken"),
      onCancel: () => events.push("cancelled"),
      onEnd: () => events.push("over"),
    });
    void sender.run();
  });
  clearInterval(alive);
  process.off("uncaughtException", stray);
  return events;
}

function refuse(): never {
  throw new Error("will not end");
}

test("survives a source that throws on cancellation", async () => {
  assert.equal(await send(1, refuse, true), ["cancelled", "over", "return"]);
});

test("notifies a source whose item cannot be rendered, and survives its exception", async () => {
  assert.equal(await send(CYCLIC, refuse, false), ["return", "failed", "over"]);
});

test.run();
