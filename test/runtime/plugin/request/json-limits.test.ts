// Limits of JSON texts: depth, and keys of one object.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { MAX_JSON_DEPTH, MAX_JSON_KEYS } from "../../../../runtime/base/limits.js";
import { exceededJsonLimit } from "../../../../runtime/plugin/request/json-limits.js";
import { decodeJson, parseJson } from "../../../../runtime/plugin/request/parse-json.js";

const test = suite("JSON limits");

function nested(depth: number, open = "[", close = "]"): string {
  return open.repeat(depth) + close.repeat(depth);
}

function objectWith(keys: number, key = (index: number) => `k${index}`): string {
  return `{${Array.from({ length: keys }, (_, index) => `"${key(index)}":1`).join(",")}}`;
}

test("limits the depth", () => {
  assert.is(exceededJsonLimit(nested(MAX_JSON_DEPTH)), null);
  for (const text of [
    nested(MAX_JSON_DEPTH + 1),
    "[".repeat(2_000_000),
    nested(MAX_JSON_DEPTH + 1, '{"a":', "}"),
    `["]",${nested(MAX_JSON_DEPTH)}]`,
    `["\\\\",${nested(MAX_JSON_DEPTH)},"\\""]`,
  ]) {
    assert.is(exceededJsonLimit(text), `nested deeper than ${MAX_JSON_DEPTH} levels`);
    assert.throws(() => parseJson(text, "content"), /content \(nested deeper than 500 levels\)/);
    const bytes = Buffer.from(text);
    assert.throws(() => decodeJson(bytes, "content"), /content \(nested deeper than 500 levels\)/);
  }
});

test("limits the keys of one object", () => {
  assert.is(exceededJsonLimit(objectWith(MAX_JSON_KEYS)), null);
  const text = objectWith(MAX_JSON_KEYS + 1, (index) => String(index * 71_999));
  assert.is(exceededJsonLimit(text), `more than ${MAX_JSON_KEYS} keys in one object`);
  const many = `[${Array.from({ length: 60 }, () => objectWith(1000)).join(",")}]`;
  assert.is(exceededJsonLimit(many), null, "keys of several objects");
});

test("does not count what strings contain", () => {
  const text = JSON.stringify([
    "[".repeat(1000),
    '"[\\'.repeat(1000),
    "\\".repeat(1001),
    ":".repeat(9),
  ]);
  assert.is(exceededJsonLimit(text), null);
  assert.equal(parseJson(text, "x"), JSON.parse(text));
  assert.is(exceededJsonLimit(`"${"[".repeat(1000)}`), null, "an endless string");
  assert.is(exceededJsonLimit("]".repeat(1000) + nested(MAX_JSON_DEPTH)), null);
});

test("finds the end of strings of any length, with escapes and other languages", () => {
  const deep = nested(MAX_JSON_DEPTH + 1);
  for (let length = 55; length < 75; length++) {
    for (const end of ["", "\\\\", '\\"', '\\\\\\"', "ä€", "\u{1f600}"]) {
      const string = `"${"x".repeat(length)}${end}"`;
      const inside = `"${"x".repeat(length)}${end}${"[".repeat(600)}"`;
      assert.is(exceededJsonLimit(`[${string},${deep}]`)?.slice(0, 6), "nested", string);
      assert.is(exceededJsonLimit(`[${inside},${inside}]`), null, inside);
    }
  }
});

test("checks bytes before it decodes them", () => {
  const bytes = Buffer.concat([Buffer.from("[".repeat(600)), Buffer.from([0xff])]);
  assert.throws(() => decodeJson(bytes, "content"), "content (nested deeper than 500 levels)");
  assert.throws(() => decodeJson(bytes.subarray(599), "content"), "content (invalid UTF-8)");
});

test.run();
