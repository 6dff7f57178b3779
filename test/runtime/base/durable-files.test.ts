// Atomic replacement of files, and durable creation of folders.

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mkdirDurable, replaceFileSync } from "../../../runtime/base/durable-files.js";

const test = suite("durable files");
let folder: string;
test.before.each(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-durable-"));
});
test.after.each(() => rmSync(folder, { recursive: true }));

test("writes a complete private file and leaves no temporary file", () => {
  const file = join(folder, "state.json");
  for (const text of ["first", "second"]) replaceFileSync(file, text);
  assert.is(readFileSync(file, "utf8"), "second");
  assert.is(statSync(file).mode & 0o777, 0o600);
  assert.equal(readdirSync(folder), ["state.json"]);
});

test("keeps the previous content when a write fails", () => {
  const file = join(folder, "state.json");
  replaceFileSync(file, "first");
  mkdirSync(`${file}.tmp`);
  assert.throws(() => replaceFileSync(file, "second"), /EISDIR/);
  assert.is(readFileSync(file, "utf8"), "first");
});

test("creates parent folders and leaves an existing one unchanged", () => {
  const deep = join(folder, "a", "b", "c");
  mkdirDurable(deep, 0o700);
  mkdirDurable(deep, 0o755);
  assert.ok(existsSync(deep));
  for (const made of [join(folder, "a"), join(folder, "a", "b"), deep]) {
    assert.is(statSync(made).mode & 0o777, 0o700);
  }
});

test("creates folders by relative paths, also short ones", () => {
  const before = process.cwd();
  process.chdir(folder);
  try {
    for (const path of ["a", "b/c"]) mkdirDurable(path);
  } finally {
    process.chdir(before);
  }
  assert.equal(readdirSync(folder), ["a", "b"]);
});

test.run();
