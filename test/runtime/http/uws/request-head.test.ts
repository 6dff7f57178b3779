// Request heads from uWebSockets, validated and converted back to bytes.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { HttpRejection } from "../../../../runtime/http/rejections.js";
import { RequestHeadReader } from "../../../../runtime/http/uws/request-head.js";
import type { UwsRequest } from "../../../../runtime/http/uws/uws-api.js";

const test = suite("uws request head");
const HOST: [string, string] = ["host", "a"];

function request(
  method: string,
  path: string,
  query?: string,
  fields: readonly [string, string][] = [HOST],
): UwsRequest {
  return {
    getCaseSensitiveMethod: () => method,
    getUrl: () => path,
    getQuery: () => query,
    forEach: (visit) => {
      for (const [name, value] of fields) visit(name, value);
    },
  };
}

function headStatus(head: UwsRequest): number {
  const refusal = new RequestHeadReader().read(head);
  return refusal instanceof HttpRejection ? refusal.status : 200;
}

test("splits path and query, with and without a question mark", () => {
  const reader = new RequestHeadReader();
  for (const [query, target] of [
    [undefined, "/a"],
    ["", "/a?"],
    ["b=%20", "/a?b=%20"],
    ["é", "/a?\xc3\xa9"],
  ] as const) {
    assert.is(reader.read(request("POST", "/a", query)), null);
    assert.is(reader.target, target);
    assert.is(reader.method, "POST");
  }
});

test("keeps fields as bytes, and parses the same section once", () => {
  const reader = new RequestHeadReader();
  const fields: [string, string][] = [HOST, ["x-name", "é"]];
  assert.is(reader.read(request("GET", "/", undefined, fields)), null);
  const first = reader.fields;
  assert.is(first?.block, "host: a\r\nx-name: \xc3\xa9\r\n");
  assert.is(reader.byteLength, "GET / HTTP/1.1\r\n".length + first!.block.length + 2);
  assert.is(reader.read(request("GET", "/b", undefined, fields)), null);
  assert.is(reader.fields, first);
  assert.is(reader.read(request("GET", "/b")), null);
  assert.is(reader.fields?.block, "host: a\r\n");
});

test("keeps no fields of an earlier request after a rejection", () => {
  const reader = new RequestHeadReader();
  assert.is(reader.read(request("GET", "/")), null);
  const lengths: [string, string][] = [HOST, ["content-length", "1"], ["content-length", "2"]];
  assert.is(reader.read(request("POST", "/", undefined, lengths))?.status, 400);
  assert.is(reader.fields, null);
});

test("reads the fields of a request whose line is too long", () => {
  const reader = new RequestHeadReader();
  const length: [string, string] = ["content-length", "3"];
  const long = request("POST", `/${"x".repeat(8192)}`, undefined, [HOST, length]);
  assert.is(reader.read(long)?.status, 414);
  assert.is(reader.fields?.contentLength, 3);
  assert.is(reader.read(request("GET", "/")), null);
});

test("validates methods and the length of the request line", () => {
  assert.is(headStatus(request("DELETE", "/a")), 200);
  assert.is(headStatus(request("G@T", "/a")), 400);
  assert.is(headStatus(request("get", "/a")), 400);
  assert.is(headStatus(request("GET", "/\x7f")), 400);
  const path = (length: number): string => `/${"x".repeat(length - "GET / HTTP/1.1".length)}`;
  assert.is(headStatus(request("GET", path(8191))), 200);
  assert.is(headStatus(request("GET", path(8192))), 414);
  // Bytes count, not characters.
  assert.is(headStatus(request("GET", `/é${"x".repeat(8191 - "GET /ee HTTP/1.1".length)}`)), 200);
  assert.is(headStatus(request("GET", `/é${"x".repeat(8192 - "GET /ee HTTP/1.1".length)}`)), 414);
});

test.run();
