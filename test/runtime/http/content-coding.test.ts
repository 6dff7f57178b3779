// Choice of a content coding, and media types that are worth compressing.

import * as zlib from "node:zlib";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { compress, isCompressible, negotiateCoding } from "../../../runtime/http/content-coding.js";

const test = suite("content coding");
/** Older releases of Node lack it. */
const BEST = "zstdCompress" in zlib ? "zstd" : "br";

for (const [field, coding] of [
  [undefined, null],
  ["", null],
  ["gzip", "gzip"],
  ["GZip", "gzip"],
  ["gzip, deflate, br", "br"],
  ["gzip, deflate, br, zstd", BEST],
  ["*", BEST],
  ["*;q=0", null],
  ["gzip;q=0", null],
  ["gzip;q=0.000", null],
  ["gzip;q=1, br;q=0.5", "gzip"],
  ["br;q=0.5, gzip;q=0.500", "br"],
  ["*;q=0.5, br;q=0, zstd;q=0", "gzip"],
  ["identity, gzip;q=0.5", null],
  ["identity;q=0.5, gzip", "gzip"],
  ["identity", null],
  ["deflate, compress", null],
  ["gzip;q=2", null],
  ["gzip;q=x", null],
  ["gzip;q=0.1234", null],
  [" gzip ; q=1 ;x", "gzip"],
  ["__proto__, constructor;q=1", null],
  [`${"a,".repeat(40)}gzip`, null],
  [`gzip${" ".repeat(2000)}`, null],
] as const) {
  test(`chooses ${coding} for ${String(field).slice(0, 40)}`, () => {
    assert.is(negotiateCoding(field), coding);
  });
}

test("compresses texts, but not images and archives", () => {
  for (const type of [
    "text/plain",
    "text/html; charset=UTF-8",
    "TEXT/CSS",
    "application/json",
    "application/problem+json",
    "application/javascript",
    "application/xml",
    "image/svg+xml",
  ]) {
    assert.ok(isCompressible(type), type);
  }
  for (const type of [
    "",
    "image/png",
    "application/octet-stream",
    "application/zip",
    "application/pdf",
    "video/mp4",
    "text/event-stream",
    "application/x-svc-partial",
    "font/woff2",
  ]) {
    assert.not.ok(isCompressible(type), type);
  }
});

test("produces output that standard decoders read", async () => {
  const bytes = Buffer.from("svc ".repeat(1000));
  assert.equal(zlib.gunzipSync((await compress("gzip", bytes))!), bytes);
  assert.equal(zlib.brotliDecompressSync((await compress("br", bytes))!), bytes);
  const { zstdDecompressSync } = zlib as { zstdDecompressSync?: (bytes: Uint8Array) => Buffer };
  if (zstdDecompressSync === undefined) return;
  assert.equal(zstdDecompressSync((await compress("zstd", bytes))!), bytes);
});

test.run();
