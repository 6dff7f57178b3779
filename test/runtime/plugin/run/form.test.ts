// Forms on disk: the content of files equals that of the same form in memory, wherever the chunks
// of the parser end. SEED=n repeats the random part.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { RequestSource } from "../../../../runtime/plugin/contract/request-source.js";
import type { UploadedFile } from "../../../../runtime/plugin/request/uploaded-file.js";
import { callWithForm, type FormSource } from "../../../../runtime/plugin/run/form.js";
import { Random, SEED } from "../../../property/support/random.js";
import { rounds } from "../../../support/rounds.js";

const CHUNK_BYTES = 256 * 1024;
const HEAD = "--xx\r\nContent-Disposition: form-data; name=";
const NAMES = ["a", "b", "c"];
/** Parts of the boundary are frequent. */
const BYTES = [13, 10, 45, 121, 0, 255];

const test = suite("forms on disk");
let folder: string;
test.before(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-form-"));
});
test.after(() => rmSync(folder, { recursive: true }));

function encodeForm(files: readonly Buffer[]): Buffer {
  const parts = files.flatMap((content, index) => [
    Buffer.from(`${HEAD}"${NAMES[index]}"; filename="f"\r\n\r\n`),
    content,
    Buffer.from("\r\n"),
  ]);
  return Buffer.concat([...parts, Buffer.from("--xx--\r\n")]);
}

/** Reads a form from disk, and releases it. */
async function readFromDisk(body: Buffer): Promise<Buffer[]> {
  const path = join(folder, "body");
  writeFileSync(path, body);
  const headerBlock = "Content-Type: multipart/form-data; boundary=xx\r\n";
  const upload = { path, size: body.length };
  const source = { query: "", headerBlock, body: null, upload } as unknown as RequestSource;
  const call = callWithForm(source, NAMES, ({ files }: FormSource) => [...files.values()]);
  await call.checked;
  const files = call.call() as UploadedFile[];
  const contents: Buffer[] = [];
  for (const file of files) {
    const content = Buffer.from(await file.bytes());
    assert.is(file.size, content.length);
    contents.push(content);
  }
  call.release!();
  return contents;
}

function randomBytes(random: Random, length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => BYTES[random.below(BYTES.length)]!));
}

async function check(files: readonly Buffer[]): Promise<void> {
  const form = await readFromDisk(encodeForm(files));
  assert.is(form.length, files.length);
  for (const [index, content] of files.entries()) {
    assert.ok(form[index]!.equals(content), `file ${index} of ${files.map((f) => f.length)}`);
  }
}

test("have the same content at each end of a chunk", async () => {
  const overhead = encodeForm([Buffer.alloc(0)]).length;
  for (let before = 0; before < 100; before += 3) {
    const first = Buffer.alloc(CHUNK_BYTES - overhead - before, "\r");
    await check([first, Buffer.from("-\r\n--x"), Buffer.alloc(300, "x")]);
  }
});

test("have the same content with random sizes", async () => {
  const random = new Random(SEED);
  const times = rounds(3);
  for (let round = 0; round < times; round++) {
    const sizes = NAMES.map(() => random.below(CHUNK_BYTES * 1.2));
    await check(sizes.map((size) => randomBytes(random, size)));
  }
});

test("reject reading a file after its request", async () => {
  const path = join(folder, "body");
  writeFileSync(path, encodeForm([Buffer.alloc(10)]));
  const headerBlock = "Content-Type: multipart/form-data; boundary=xx\r\n";
  const source = { query: "", headerBlock, body: null, upload: { path, size: 10 } };
  const call = callWithForm(source as unknown as RequestSource, NAMES, ({ files }) => files);
  await call.checked;
  call.release!();
  const { a } = Object.fromEntries(call.call() as Map<string, UploadedFile>);
  let failure: unknown = null;
  await a!.bytes().catch((error: unknown) => {
    failure = error;
  });
  assert.match(String(failure), /closed/);
});

test.run();
