// Bodies split at every byte, and exact accounting of their memory.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { INLINE_BODY_BYTES } from "../../../../runtime/base/limits.js";
import {
  type BodyReader,
  ChunkedBody,
  SizedBody,
} from "../../../../runtime/http/net/body-reader.js";
import { BodyBudget, BodyStore } from "../../../../runtime/http/net/body-store.js";

const CHUNKED = "4\r\nWiki\r\n6;a=b\r\npedia \r\n00e\r\nin \r\n\r\nchunks.\r\n0\r\nT: 1\r\n\r\n";
const CONTENT = "Wikipedia in \r\n\r\nchunks.";

const test = suite("request bodies");

function store(maxBytes = 1e6, budget = new BodyBudget(1e6)): BodyStore {
  return new BodyStore(budget, maxBytes);
}

/** Feeds chunks one by one; returns the rest of the last one. */
function feed(reader: BodyReader, ...pieces: string[]): string {
  let left = "";
  for (const piece of pieces) {
    const bytes = Buffer.from(piece, "latin1");
    left = bytes.toString("latin1", reader.feed(bytes, 0));
  }
  return left;
}

test("reads a chunked body split anywhere", () => {
  for (let first = 0; first <= CHUNKED.length; first++) {
    for (let second = first; second <= CHUNKED.length; second += 7) {
      const reader = new ChunkedBody(store());
      const pieces = [CHUNKED.slice(0, first), CHUNKED.slice(first, second), CHUNKED.slice(second)];
      feed(reader, ...pieces);
      assert.ok(reader.done && !reader.broken, `cut at ${first} and ${second}`);
      assert.is(reader.store.finish(), CONTENT);
    }
  }
});

test("consumes no byte after the body", () => {
  const chunked = new ChunkedBody(store());
  assert.is(feed(chunked, `${CHUNKED}GET /`), "GET /");
  const sized = new SizedBody(store(), 3);
  assert.is(feed(sized, "ab", "cGET /"), "GET /");
  assert.ok(sized.done);
  assert.is(sized.store.finish(), "abc");
});

test("is incomplete until the body ends", () => {
  const reader = new ChunkedBody(store());
  feed(reader, CHUNKED.slice(0, -1));
  assert.not.ok(reader.done);
  assert.not.ok(reader.broken);
});

test("returns small bodies as strings, larger ones as shared bytes", () => {
  for (const [size, isText] of [
    [INLINE_BODY_BYTES, true],
    [INLINE_BODY_BYTES + 1, false],
  ] as const) {
    const reader = new SizedBody(store(), size);
    const half = "\xff".repeat(size / 2);
    feed(reader, half, "\xff".repeat(size - half.length));
    const body = reader.store.finish();
    if (isText) assert.is(body, "\xff".repeat(size));
    else {
      assert.ok(body instanceof Uint8Array && body.buffer instanceof SharedArrayBuffer);
      assert.is(body.length, size);
      assert.ok(body.every((byte) => byte === 255));
    }
  }
});

test("allocates by received bytes, not by the declared length", () => {
  const budget = new BodyBudget(1e12);
  const reader = new SizedBody(store(1e12, budget), 1e11);
  feed(reader, "a");
  assert.ok(budget.used <= INLINE_BODY_BYTES, `${budget.used} bytes for one`);
  reader.store.release();
  assert.is(budget.used, 0);
});

/** Calls a function while buffers are made by another class. */
function withBuffers(substitute: unknown, act: () => void): void {
  const { SharedArrayBuffer: original } = globalThis;
  globalThis.SharedArrayBuffer = substitute as typeof SharedArrayBuffer;
  try {
    act();
  } finally {
    globalThis.SharedArrayBuffer = original;
  }
}

test("grows in place: no request waits while megabytes are copied", () => {
  let buffers = 0;
  class Counted extends SharedArrayBuffer {
    constructor(bytes: number, options?: { maxByteLength?: number }) {
      super(bytes, options);
      buffers++;
    }
  }
  const size = 9 * 2 ** 20;
  const pieces = Array.from({ length: size / 2 ** 16 }, (_, index) =>
    String.fromCharCode(index % 251).repeat(2 ** 16),
  );
  withBuffers(Counted, () => {
    const budget = new BodyBudget(1e8);
    const reader = new SizedBody(store(1e8, budget), size);
    for (const piece of pieces) {
      feed(reader, piece);
      assert.ok(budget.used <= Math.max(2 ** 17, 2 * reader.store.size), "by received bytes");
    }
    const body = reader.store.finish() as Uint8Array;
    assert.is(body.length, size);
    assert.ok(pieces.every((piece, index) => body[index * 2 ** 16 + 9] === piece.charCodeAt(9)));
  });
  assert.is(buffers, 1);
});

test("grows beyond the addresses that it reserved for a chunked body", () => {
  const reader = new ChunkedBody(store(1e8, new BodyBudget(1e8)));
  const piece = "x".repeat(2 ** 16);
  for (let index = 0; index < 64; index++) feed(reader, `10000\r\n${piece}\r\n`);
  feed(reader, "3\r\nend\r\n0\r\n\r\n");
  const body = reader.store.finish() as Uint8Array;
  assert.is(body.length, 2 ** 22 + 3);
  assert.is(Buffer.from(body.subarray(-5)).toString(), "xxend");
});

test("rejects a body when the process is out of address space", () => {
  class Failing {
    constructor() {
      throw new RangeError("Array buffer allocation failed");
    }
  }
  withBuffers(Failing, () => {
    const budget = new BodyBudget(1e8);
    const reader = new SizedBody(store(1e8, budget), 2 ** 20);
    feed(reader, "x".repeat(2 ** 20));
    assert.is(reader.store.refusal?.status, 503);
    assert.is(budget.used, 0);
  });
});

test("releases its memory beyond the limit and counts the dropped bytes", () => {
  const budget = new BodyBudget(1e6);
  const reader = new SizedBody(store(10, budget), 20);
  feed(reader, "12345678");
  assert.is(reader.store.refusal, null);
  feed(reader, "9012");
  assert.is(reader.store.refusal?.status, 413);
  assert.is(budget.used, 0);
  assert.is(reader.store.dropped, 4);
  feed(reader, "34567890");
  assert.ok(reader.done);
  assert.is(reader.store.dropped, 12);
});

test("rejects only the next body when the budget is exhausted", () => {
  const budget = new BodyBudget(100);
  const first = new SizedBody(store(1e6, budget), 80);
  feed(first, "x".repeat(80));
  const second = new SizedBody(store(1e6, budget), 30);
  feed(second, "x".repeat(30));
  assert.is(second.store.refusal?.status, 503);
  assert.is(first.store.refusal, null);
  assert.is(budget.used, first.store.reserved);
});

test.run();
