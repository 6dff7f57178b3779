// An idle connection keeps little of what it has received.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { HeaderFields } from "../../../../runtime/http/header-fields.js";
import { BodyBudget } from "../../../../runtime/http/net/body-store.js";
import { RequestReader, type RequestSink } from "../../../../runtime/http/net/request-reader.js";

const test = suite("request reader");
const BODY_BYTES = 60_000;
const READERS = 200;
/** Of each reader: the objects that it consists of. */
const MAX_BYTES = 10_000;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

function heapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

test("keeps no text of a request whose body arrived with it", () => {
  const memory = new BodyBudget(READERS * BODY_BYTES);
  let bytes = 0;
  const sink: Partial<RequestSink> = {
    ...{ maxBodyBytes: BODY_BYTES, isIdle: true },
    memoryFor: () => memory,
    mayRead: () => true,
    filterFields: (fields: HeaderFields) => fields,
    request: (_head, _t0Ms, body) => {
      bytes += (body as string).length;
    },
  };
  const head = `POST /svc/plugin/in HTTP/1.1\r\nHost: a\r\nContent-Length: ${BODY_BYTES}\r\n\r\n`;
  const chunk = Buffer.from(head.padEnd(head.length + BODY_BYTES));
  const before = heapBytes();
  const readers = Array.from({ length: READERS }, () => {
    const reader = new RequestReader(sink as RequestSink);
    assert.is(reader.read(chunk, 1), chunk.length);
    return reader;
  });
  const held = (heapBytes() - before) / readers.length;
  assert.is(bytes, READERS * BODY_BYTES);
  assert.ok(held < MAX_BYTES, `${held} bytes`);
});

test.run();
