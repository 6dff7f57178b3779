// The time limit of a response that is read while it arrives.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { CallDeadline } from "../../../client/typescript/call-deadline.js";
import { readHttpResult } from "../../../client/typescript/http-response.js";
import type { FetchReader } from "../../../client/typescript/options.js";
import { readStreamItems } from "../../../client/typescript/stream-items.js";

const test = suite("stream items");
const HOUR_MS = 3_600_000;
const OPERATION = { path: "/p" };

function timers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
}

/** Returns a reader of texts that checks that the time limit runs while it waits. */
function createReader(texts: string[], before: number): FetchReader {
  return {
    read: async () => {
      assert.is(timers(), before + 1);
      const text = texts.shift();
      return { done: text === undefined, value: new TextEncoder().encode(text) };
    },
    cancel: async () => {},
  };
}

test("suspends the time limit while the caller uses an item", async () => {
  const before = timers();
  const limit = new CallDeadline("/p", HOUR_MS, undefined);
  const reader = createReader(["data: 1\n\ndata: 2\n\n", "data: 3\n\n"], before);
  const items: unknown[] = [];
  for await (const item of readStreamItems(reader, OPERATION, limit, { id: "" })) {
    items.push(item);
    assert.is(timers(), before);
  }
  assert.equal(items, [1, 2, 3]);
  limit.end();
});

test("suspends the time limit while the caller uses a chunk of a response", async () => {
  const before = timers();
  const limit = new CallDeadline("/p", HOUR_MS, undefined);
  const body = { getReader: () => createReader(["a", "b"], before) };
  const reply = { status: 200, headers: { get: () => "text/plain" }, body };
  const { response } = await readHttpResult(reply, { ...OPERATION, http: "response" }, limit);
  const chunks: string[] = [];
  for await (const chunk of response!.stream()) {
    chunks.push(new TextDecoder().decode(chunk));
    assert.is(timers(), before);
  }
  assert.equal(chunks, ["a", "b"]);
  assert.is(timers(), before);
});

test.run();
