// A build is skipped only if dist/ was built from the present sources.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { FOLDERS, hashSources, isCurrent, recordBuild } from "../../scripts/current-build.mjs";

const test = suite<{ root: string }>("current build");

test.before.each((context) => {
  context.root = mkdtempSync(join(tmpdir(), "svc-build-"));
  for (const folder of FOLDERS) mkdirSync(join(context.root, folder));
  write(context.root, "runtime/base/a.ts", "1");
  write(context.root, "package.json", "{}");
  write(context.root, "dist/build-id", "d1\n");
});
test.after.each(({ root }) => rmSync(root, { recursive: true }));

function write(root: string, file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}

function current(root: string): boolean {
  return isCurrent(root, hashSources(root));
}

test("is current once it is recorded with its outputs", ({ root }) => {
  assert.not(current(root));
  const sources = hashSources(root);
  write(root, "runtime/builtin/.generated/a.ts", "2");
  recordBuild(root, sources);
  assert.ok(current(root));
});

test("is not current after a change of its input or its results", ({ root }) => {
  for (const [file, text] of [
    ["runtime/base/a.ts", "2"],
    ["runtime/base/b.ts", ""],
    ["node_modules/.package-lock.json", "{}"],
    ["dist/build-id", "d2\n"],
    ["runtime/builtin/.generated/a.ts", "3"],
  ] as const) {
    recordBuild(root, hashSources(root));
    write(root, file, text);
    assert.not(current(root), file);
  }
  recordBuild(root, hashSources(root));
  rmSync(join(root, "dist"), { recursive: true });
  assert.not(current(root));
});

test.run();
