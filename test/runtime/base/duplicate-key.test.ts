// Keys that occur twice in one object are found; equal texts elsewhere are not.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { findDuplicateKey } from "../../../runtime/base/duplicate-key.js";

const test = suite("duplicate keys");

test("finds a key that one object has twice", () => {
  for (const [json, key] of [
    ['{"a":1,"b":2,"a":3}', "a"],
    ['{"a":[{"b":{"c":1},"b" : 2}]}', "b"],
    ['{"a\\"":1, "a\\u0022"\n:2}', 'a"'],
    ['{"a":{"x":1},"b":{},"a":0}', "a"],
    ['{"":0,"":1}', ""],
  ] as const) {
    assert.is(findDuplicateKey(json), key, json);
  }
});

test("accepts equal keys of different objects, and equal values", () => {
  for (const json of [
    '{"a":{"a":1},"b":{"a":1}}',
    '[{"a":1},{"a":1}]',
    '{"a":"b","b":"a","c":["a","a"]}',
    '{"a":"{\\"a\\":1,","b":"\\\\"}',
    '"a"',
    "{}",
  ]) {
    assert.is(findDuplicateKey(json), null, json);
  }
});

test("accepts a key of millions of escapes, and millions of spaces after it", () => {
  const key = "\\n".repeat(4_000_000);
  const spaces = " ".repeat(4_000_000);
  assert.is(findDuplicateKey(`{"${key}"${spaces}:1}`), null);
  assert.is(findDuplicateKey(`{"${key}"${spaces}:1,"${key}":2}`)?.length, 4_000_000);
});

test.run();
