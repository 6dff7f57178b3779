// Stored content of slots is read as it was, or refused.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { SvcError } from "../../../runtime/base/errors.js";
import { readStage, removeStage, writeStage } from "../../../runtime/lifecycle/stage-file.js";

const test = suite<{ root: string }>("stored content of slots");
const CONTENTS = new Map([
  ["things 3", { bytes: Uint8Array.of(1, 2, 3, 10), names: [[1, 2, "né\n"]] as const }],
  ["things 4", { bytes: new Uint8Array(), names: [] }],
  ["others 3", { bytes: Uint8Array.of(255), names: [] }],
]);

test.before.each((context) => {
  context.root = mkdtempSync(join(tmpdir(), "svc-stage-"));
});
test.after.each(({ root }) => rmSync(root, { recursive: true }));

function codeOf(root: string, id: string): string {
  try {
    readStage(root, id);
  } catch (error) {
    return (error as SvcError).code;
  }
  return "";
}

test("is read as it was", ({ root }) => {
  writeStage(root, "a", CONTENTS);
  assert.equal(readStage(root, "a"), CONTENTS);
  writeStage(root, "b", new Map());
  assert.is(readStage(root, "b").size, 0);
});

test("is refused if it is of another move, corrupt, or not there", ({ root }) => {
  assert.is(codeOf(root, "a"), "SVC3413");
  writeStage(root, "a", CONTENTS);
  assert.is(codeOf(root, "b"), "SVC3413");
  const file = join(root, "_staged.bin");
  const bytes = readFileSync(file);
  for (const length of [0, 5, bytes.length - 1]) {
    writeFileSync(file, bytes.subarray(0, length));
    assert.is(codeOf(root, "a"), "SVC3413");
  }
  bytes[bytes.length - 1]! ^= 1;
  writeFileSync(file, bytes);
  assert.is(codeOf(root, "a"), "SVC3413");
  removeStage(root);
  removeStage(root);
  assert.is(codeOf(root, "a"), "SVC3413");
});

test("is never read with a bit that differs", ({ root }) => {
  writeStage(root, "a", CONTENTS);
  const file = join(root, "_staged.bin");
  const bytes = readFileSync(file);
  for (let at = 0; at < bytes.length; at++) {
    const damaged = Buffer.from(bytes);
    damaged[at]! ^= 1;
    writeFileSync(file, damaged);
    const code = codeOf(root, "a");
    if (code === "") assert.equal(readStage(root, "a"), CONTENTS, `byte ${at}`);
    else assert.ok(["SVC3413", "SVC2506"].includes(code), `byte ${at}: ${code}`);
  }
});

test("leaves nothing of a file that could not be written", ({ root }) => {
  mkdirSync(join(root, "_staged.bin"));
  assert.throws(() => writeStage(root, "a", CONTENTS), /EISDIR|ENOTEMPTY|EEXIST/);
  assert.equal(readdirSync(root), ["_staged.bin"]);
});

test("of a later release is refused", ({ root }) => {
  writeStage(root, "a", CONTENTS);
  const file = join(root, "_staged.bin");
  const text = readFileSync(file, "latin1");
  writeFileSync(file, text.replace('"format":1', '"format":2'), "latin1");
  assert.is(codeOf(root, "a"), "SVC2506");
});

test.run();
