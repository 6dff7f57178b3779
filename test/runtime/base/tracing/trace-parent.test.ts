// The header field `traceparent`: validation and replacement.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  readTraceParent,
  unsampled,
  withTraceParent,
} from "../../../../runtime/base/tracing/trace-parent.js";

const test = suite("traceparent");
const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN = "00f067aa0ba902b7";

test("parses trace id, span id and sampling flag", () => {
  const parent = { traceId: TRACE, spanId: SPAN };
  assert.equal(readTraceParent(`00-${TRACE}-${SPAN}-01`), { ...parent, isSampled: true });
  assert.equal(readTraceParent(`00-${TRACE}-${SPAN}-00`), { ...parent, isSampled: false });
  assert.equal(readTraceParent(`cc-${TRACE}-${SPAN}-03-later`), { ...parent, isSampled: true });
});

test("clears the sampling flag", () => {
  const parent = readTraceParent(`cc-${TRACE}-${SPAN}-03-later`)!;
  assert.is(unsampled(parent), `00-${TRACE}-${SPAN}-00`);
});

test("rejects anything else", () => {
  const invalidParents = [
    undefined,
    "",
    `ff-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01-more`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${"0".repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${"0".repeat(16)}-01`,
    `00-${TRACE}-${SPAN}-1`,
    ` 00-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01\n`,
    "0".repeat(8000),
  ];
  for (const text of invalidParents) assert.is(readTraceParent(text), null, text);
});

test("replaces all fields of that name and no others", () => {
  const block = "a: traceparent: 1\r\nTRACEPARENT:2\r\ntraceparents: 3\r\ntraceparent: 4\r\n";
  assert.is(
    withTraceParent(block, "5"),
    "a: traceparent: 1\r\ntraceparents: 3\r\ntraceparent: 5\r\n",
  );
});

test.run();
