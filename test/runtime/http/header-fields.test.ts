// Fields read from a header block, beyond the rules in the conformance cases.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { HeaderFields, readHeaderFields } from "../../../runtime/http/header-fields.js";
import { INVALID_KEY, INVALID_TARGET } from "../../../runtime/http/rejections.js";
import type { Accept } from "../../../runtime/plugin/contract/request-source.js";

const test = suite("header fields");

function read(...lines: string[]): HeaderFields {
  const fields = readHeaderFields(["Host: a", ...lines].map((line) => `${line}\r\n`).join(""));
  if (!(fields instanceof HeaderFields)) throw new Error(fields.message);
  return fields;
}

test("finds values by lower-case name, the last one wins", () => {
  const fields = read("X-One: 1", "x-two:\t two words \t", "X-ONE: again", "Empty:");
  assert.is(fields.get("x-one"), "again");
  assert.is(fields.get("x-two"), "two words");
  assert.is(fields.get("empty"), "");
  assert.is(fields.get("X-One"), undefined);
  assert.is(fields.count, 5);
});

test("keeps the block as received", () => {
  assert.is(read("x:  y ").block, "Host: a\r\nx:  y \r\n");
});

test("strips only blanks and tabs around a value", () => {
  assert.is(read("X: \xa0a\xa0 ").get("x"), "\xa0a\xa0");
});

test("compares media types by prefix, ignoring case", () => {
  const accepts: readonly (readonly [string, Accept])[] = [
    ["text/plain", "text"],
    ["Text/Plain; q=1, */*", "text"],
    ["application/json", "json"],
    ["application/x-svc-partial", "partial"],
    ["text/html", "json"],
    ["*/*, text/plain", "json"],
    ["", "json"],
  ];
  for (const [value, accept] of accepts) assert.is(read(`Accept: ${value}`).accept, accept, value);
});

test("reads the minimum queue leniently", () => {
  const queues: readonly (readonly [string, number])[] = [
    ["0", 0],
    ["2", 2],
    ["queue1", 1],
    ["Queue3", 3],
    ["99", 3],
    ["many", 0],
    ["-1", 0],
  ];
  for (const [value, queue] of queues) {
    assert.is(read(`X-SVC-Builtin-Min-Executor: ${value}`).minQueue, queue, value);
  }
});

test("reads one key, percent-encoded", () => {
  assert.is(read().key, null);
  const keys: [text: string, key: string][] = [
    ["Oslo", "Oslo"],
    ["Bogot%C3%A1", "Bogotá"],
    ["%20%25%0a", " %\n"],
    ["{a}:(b)", "{a}:(b)"],
    ["%F0%9f%98%80", "😀"],
    ["a".repeat(2048), "a".repeat(2048)],
  ];
  for (const [text, key] of keys) assert.is(read(`X-SVC-Key: ${text}`).key, key);
  const invalidValues = [
    "",
    "%",
    "%2",
    "%zz",
    "%C3",
    "%FF",
    "%ED%A0%80",
    "a b",
    "\xe9",
    "a".repeat(2049),
  ];
  for (const text of [...invalidValues, "a\r\nX-SVC-Key: a"]) {
    const block = `Host: x\r\nX-SVC-Key: ${text}\r\n`;
    assert.is(readHeaderFields(block), INVALID_KEY, text);
  }
});

test("reads a target partition as an integer of any length", () => {
  assert.is(read().partialTarget, null);
  for (const digits of ["0", "12", "9007199254740993", "18446744073709551615", "9".repeat(400)]) {
    assert.is(read(`X-SVC-Partial-Target: ${digits}`).partialTarget, BigInt(digits), digits);
  }
  for (const text of ["", "-3", "+1", "1.5", "1e3", "0x10", "1 2", "one"]) {
    assert.is(
      readHeaderFields(`Host: x\r\nX-SVC-Partial-Target: ${text}\r\n`),
      INVALID_TARGET,
      text,
    );
  }
});

test("reads the dispatchers that forwarded a request", () => {
  assert.is(read("X-SVC-Via: a,b").via, "a,b");
  assert.is(read().via, "");
});

test("requests an explanation with a number above 0", () => {
  assert.is(read("X-SVC-Explain: 1").isExplained, true);
  assert.is(read("X-SVC-Explain: 0").isExplained, false);
  assert.is(read("X-SVC-Explain: yes").isExplained, false);
  assert.is(read().isExplained, false);
});

test("requests the argspec with any value", () => {
  assert.is(read("X-SVC-Argspec: 0123").hasArgspec, true);
  assert.is(read("x-svc-argspec:").hasArgspec, true);
  assert.is(read("X-SVC-Argspecs: 1").hasArgspec, false);
  assert.is(read().hasArgspec, false);
});

test("treats only the token close as the end of a connection", () => {
  assert.ok(read("Connection: close").closes);
  assert.ok(read("Connection: Keep-Alive, CLOSE").closes);
  assert.not.ok(read("Connection: keep-alive").closes);
  assert.not.ok(read("Connection: closed").closes);
});

test("reads codings one by one, ignoring blanks", () => {
  assert.ok(read("Transfer-Encoding: \tChunked ").chunked);
  const rejectedHeads: readonly (readonly [string, number])[] = [
    ["chunked \t, chunked", 400],
    ["chunked ,", 400],
    ["gzip , chunked", 501],
  ];
  for (const [value, status] of rejectedHeads) {
    const fields = readHeaderFields(`Host: a\r\nTransfer-Encoding: ${value}\r\n`);
    assert.is(fields instanceof HeaderFields ? 200 : fields.status, status, value);
  }
});

test("reads long runs of blanks in a coding in linear time", () => {
  // A quadratic search would exceed the time limit of the test.
  const line = `Transfer-Encoding: chunked${" ".repeat(8000)}x\r\n`;
  const block = `Host: a\r\n${line.repeat(7)}`;
  for (let turn = 0; turn < 100; turn++) assert.not.instance(readHeaderFields(block), HeaderFields);
});

test.run();
