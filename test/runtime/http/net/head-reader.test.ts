// Requests that repeat the line of the one before.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { MAX_REQUEST_LINE_BYTES } from "../../../../runtime/base/limits.js";
import { HeadReader } from "../../../../runtime/http/net/head-reader.js";
import { URI_TOO_LONG } from "../../../../runtime/http/rejections.js";

const test = suite("head reader");
const SECTION = "\r\nHost: a\r\n\r\n";

/** Reads heads and returns their methods and targets. */
function read(reader: HeadReader, ...lines: string[]): string[] {
  const text = lines.map((line) => line + SECTION).join("");
  const heads: string[] = [];
  for (let offset = 0; offset < text.length; offset = reader.end) {
    assert.is(reader.read(text, offset), "request");
    heads.push(`${reader.method} ${reader.target}`);
  }
  return heads;
}

test("reuses the previous request line only if it is equal", () => {
  const reader = new HeadReader((fields) => fields);
  const targets = ["GET /a", "GET /a", "GET /b", "GET /a", "PUT /a", "GET /ab", "GET /a"];
  const lines = targets.map((target) => `${target} HTTP/1.1`);
  assert.equal(read(reader, ...lines), targets);
});

test("keeps the previous request line", () => {
  const reader = new HeadReader((fields) => fields);
  const line = "GET /svc/plugin/hello?name=somebody HTTP/1.1";
  read(reader, line);
  const { target } = reader;
  reader.target = "";
  read(reader, line);
  assert.is(reader.target, "", "not parsed again");
  read(reader, "GET /other HTTP/1.1", line);
  assert.is(reader.target, target);
});

test("rejects a malformed line after a valid one, and one that is too long each time", () => {
  const reader = new HeadReader((fields) => fields);
  const long = `GET /${"x".repeat(MAX_REQUEST_LINE_BYTES - "GET / HTTP/1.1".length + 1)} HTTP/1.1`;
  for (let count = 0; count < 2; count++) {
    read(reader, long);
    assert.is(reader.refusal, URI_TOO_LONG);
  }
  // It is as long as allowed below a dispatcher, which adds to it.
  reader.isForwarded = true;
  read(reader, long);
  assert.is(reader.refusal, null);
  assert.is.not(reader.read(`GET  /${SECTION}`, 0), "request");
  assert.is.not(reader.read(`${long}2${SECTION}`, 0), "request");
});

test.run();
