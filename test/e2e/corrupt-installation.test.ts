// A missing or incomplete file of an installation is not reported as a bug.
// limit: 60 s
// takes 10 s
// starts processes

import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isInstallationCorrupt } from "../../runtime/base/installation.js";
import { packageRoot } from "../../runtime/base/package-info.js";
import { plainNode } from "../runner/node-command.mjs";
import { buildProject, fixture } from "./support/server.js";

const test = suite("corrupt installation");
const root = mkdtempSync(join(tmpdir(), "svc-corrupt-"));
const dist = join(root, "dist");
const REMEDY = "install svc again, for example with `npm ci`";

test.before(async () => {
  await buildProject(fixture("engine"));
  for (const name of ["bin", "package.json", "dist"]) {
    const filter = (path: string): boolean => !path.endsWith(".map");
    cpSync(join(packageRoot(), name), join(root, name), { recursive: true, filter });
  }
});

test.after(() => rmSync(root, { recursive: true }));

/** Returns what a start prints with another content of a file, null: without the file. */
function start(name: string, change: (code: string) => string | null): string {
  const path = join(dist, name);
  const code = readFileSync(path, "utf8");
  const changed = change(code);
  if (changed === null) rmSync(path);
  else writeFileSync(path, changed);
  const words = [join(root, "bin/svc.cjs"), "serve", fixture("engine"), "--port", "0"];
  const { stdout, stderr, status } = spawnSync(plainNode(), words, {
    encoding: "utf8",
    timeout: 30_000,
  });
  writeFileSync(path, code);
  assert.is(status, 1);
  return stdout + stderr;
}

const missing = (): null => null;
const incomplete = (code: string): string => code.slice(0, code.length / 2);
const empty = (): string => "";

test("accepts a complete installation", () => {
  assert.is(isInstallationCorrupt(), false);
  assert.is(isInstallationCorrupt(root), false);
});

test("reports a command whose code is missing or incomplete", () => {
  const name = readdirSync(dist).find((file) => /^serve-build-\w+\.js$/.test(file))!;
  for (const change of [missing, incomplete, empty]) {
    const output = start(name, change);
    assert.match(output, /^svc: error SVC3094: .+/);
    assert.ok(output.endsWith(`${REMEDY}\n`), output);
  }
});

test("reports missing code of any command", () => {
  for (const change of [incomplete, empty]) {
    const output = start("cli.js", change);
    assert.match(output, /^svc: error SVC3094: .+/);
    assert.ok(output.endsWith(`${REMEDY}\n`), output);
  }
});

test("reports missing code of a thread", () => {
  for (const name of ["threads/executor.js", "threads/io.js"]) {
    const output = start(name, missing);
    assert.match(output, "SVC3094: ");
    assert.match(output, REMEDY);
    assert.not.match(output, "SVC2201");
  }
});

test.run();
