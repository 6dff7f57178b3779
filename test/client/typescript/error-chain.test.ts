// Error messages below dispatchers that no dispatcher wrote: any text is parsed or returned
// unchanged. Messages of dispatchers are in test/runtime/dispatch/error-chain.test.ts.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { parseErrorChain } from "../../../client/typescript/error-chain.js";

const test = suite("client error chain");
const LEVEL = "<partial: 1 width: 2> | 500 | ";

test("treats text without a level as the cause", () => {
  const texts = [
    ...["", "Partition(s) down", "a <partial: 0 width: 1> | 500 | b", " <partial: 0 width: 1>"],
    ...["<partial: x width: 1> | 500 | b", "<partial: -1 width: 1> | 500 | b"],
    ...["<partial: 0 width: 1> | 50 | b", "<partial: 0 width: 1>|500|b", "<partial: 0 width: 1>"],
    "<partial: 1234567890 width: 1> | 500 | b",
  ];
  for (const text of texts) {
    assert.equal(parseErrorChain(text), { levels: [], innermost: text });
  }
});

test("stops parsing levels where the grammar ends", () => {
  const levels = [{ partition: 1, width: 2, status: 500 }];
  for (const rest of ["", "<partial: 0", "timeout | 503 | ", "two\nlines"]) {
    assert.equal(parseErrorChain(LEVEL + rest), { levels, innermost: rest });
  }
});

test("returns malformed objects as text", () => {
  const texts = [
    ...["{'", "{'plugin': ", "{'plugin': 'x'", "{'plugin': 'x\\'}", "{'plugin': 'x\\", "{'a' 'b'}"],
    ...["{'plugin': {'value': 'x'}} and more", "{'a': undefined}", "{'a': alert(1)}", "{''"],
  ];
  for (const text of texts) assert.is(parseErrorChain(text).innermost, text);
});

test("decodes escapes in every string", () => {
  const text = String.raw`{'a\'b': ['\\', '\\n', '\n', '\\\'', 'é"\u0041', '']}`;
  assert.equal(parseErrorChain(text).innermost, {
    "a'b": ["\\", "\\n", "\n", "\\'", 'é"u0041', ""],
  });
});

test("treats names of Object.prototype as plain names", () => {
  const { innermost } = parseErrorChain("{'__proto__': {'plugin': 'x'}, 'constructor': 'y'}");
  assert.equal(Object.keys(innermost as object), ["__proto__", "constructor"]);
  assert.is((innermost as { plugin?: unknown }).plugin, undefined);
});

test("parses hostile texts of 1 MB in linear time", () => {
  // Rescanning from each quote would take minutes.
  const size = 500_000;
  for (const text of [
    `{'${"\\'".repeat(size)}`,
    `{'${"'\\".repeat(size)}`,
    `{${"'".repeat(size)}`,
  ]) {
    assert.is(parseErrorChain(text).innermost, text);
  }
  assert.is(parseErrorChain(LEVEL.repeat(size / 20)).levels.length, size / 20);
});

test("returns texts longer than any server writes unchanged", () => {
  // More than the stack of regular expressions holds.
  const text = `{'${"x".repeat(10_000_000)}'}`;
  assert.is(parseErrorChain(LEVEL + text).innermost, text);
});

test.run();
