// Whether the code of an installation is complete.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { codeId, isInstallationCorrupt } from "../../../runtime/base/installation.js";

const test = suite("installation");
const root = mkdtempSync(join(tmpdir(), "svc-installation-"));
const dist = join(root, "dist");

test.before.each(() => {
  mkdirSync(join(dist, "threads"), { recursive: true });
  writeFileSync(join(dist, "cli.js"), "1;");
  writeFileSync(join(dist, "threads/io.js"), "2;");
  writeFileSync(join(dist, "build-id"), `${codeId(dist)}\n`);
});

test.after.each(() => rmSync(dist, { recursive: true }));
test.after(() => rmSync(root, { recursive: true }));

test("complete code is not corrupt, whatever lies beside it", () => {
  writeFileSync(join(dist, "cli.js.map"), "{}");
  assert.is(isInstallationCorrupt(root), false);
});

test("notices incomplete and missing files", () => {
  writeFileSync(join(dist, "threads/io.js"), "2");
  assert.is(isInstallationCorrupt(root), true);
  rmSync(join(dist, "threads/io.js"));
  assert.is(isInstallationCorrupt(root), true);
});

test("notices that the id is missing", () => {
  rmSync(join(dist, "build-id"));
  assert.is(isInstallationCorrupt(root), true);
});

test("does not judge code that it cannot read", () => {
  rmSync(join(dist, "threads/io.js"));
  mkdirSync(join(dist, "threads/io.js"));
  assert.is(isInstallationCorrupt(root), false);
});

test("does not judge folders with other code", () => {
  rmSync(join(dist, "cli.js"));
  assert.is(isInstallationCorrupt(root), false);
});

test.run();
