// Cache of compressed files: stored files, incompressible ones, and retries.

import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { CompressedFiles } from "../../../runtime/http/compressed-files.js";
import { Compressor, type SkipReason } from "../../../runtime/http/compressor.js";
import type { ContentCoding } from "../../../runtime/http/content-coding.js";

const test = suite("compressed files");
const folder = mkdtempSync(join(tmpdir(), "svc-compressed-"));
test.after(() => rmSync(folder, { recursive: true }));

/** Counts its calls, and rejects while `busy` is set. */
class CountingCompressor extends Compressor {
  count = 0;
  isBusy = false;

  override compress(coding: ContentCoding, bytes: Uint8Array): Promise<Uint8Array | SkipReason> {
    this.count++;
    return this.isBusy ? Promise.resolve("busy") : super.compress(coding, bytes);
  }
}

function setUp() {
  const compressor = new CountingCompressor({
    withCredentials: true,
    hasClientCertificates: false,
  });
  const files = new CompressedFiles(compressor);
  const find = (name: string, content: Uint8Array, tag = "1") => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return files.find(path, tag, content.length, "gzip");
  };
  return { compressor, find };
}

const TEXT = Buffer.from("all of this is the same ".repeat(1000));
const NOISE = randomBytes(20_000);

test("compresses a file once, and again after a change", async () => {
  const { compressor, find } = setUp();
  const content = await find("a", TEXT);
  assert.ok(content!.length < TEXT.length);
  assert.is(await find("a", TEXT), content);
  assert.is(compressor.count, 1);
  await find("a", TEXT, "2");
  assert.is(compressor.count, 2);
});

test("does not retry an incompressible file until it changes", async () => {
  const { compressor, find } = setUp();
  for (let time = 0; time < 3; time++) assert.is(await find("b", NOISE), null);
  assert.is(compressor.count, 1);
  assert.is(await find("b", NOISE, "2"), null);
  assert.is(compressor.count, 2);
});

test("retries a file whose compression was skipped", async () => {
  const { compressor, find } = setUp();
  compressor.isBusy = true;
  assert.is(await find("c", TEXT), null);
  compressor.isBusy = false;
  assert.ok((await find("c", TEXT)) !== null);
});

test("remembers a limited number of incompressible files", async () => {
  const { compressor, find } = setUp();
  const small = randomBytes(10);
  for (let n = 0; n <= 1000; n++) await find("d", small, `n${n}`);
  assert.is(compressor.count, 1001);
  await find("d", small, "n1000");
  assert.is(compressor.count, 1001);
  await find("d", small, "n0");
  assert.is(compressor.count, 1002);
});

test.run();
