// Searches for new files that a start can do without.

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ResolvedConfig } from "../../../runtime/settings/config-rule.js";
import { mayFindNewFiles } from "../../../runtime/settings/new-plugin-files.js";
import { findPluginFiles } from "../../../runtime/settings/plugin-files.js";

const test = suite("new plugin files");
const KNOWN = ["plugins/a.ts", "plugins/deep/b.ts"];
const USUAL = ["plugins/**/*.{ts,mts}"];
let folder = "";

function write(name: string): void {
  mkdirSync(join(folder, dirname(name)), { recursive: true });
  writeFileSync(join(folder, name), "");
}

const mayFind = (patterns = USUAL): boolean => mayFindNewFiles(folder, patterns, KNOWN);

test.before.each(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-new-files-"));
  for (const name of [...KNOWN, "plugins/a.test.ts", "plugins/types.d.mts"]) write(name);
});

test.after.each(() => rmSync(folder, { recursive: true, force: true }));

test("are ignored if their names are known, or those of tests or declarations", () => {
  assert.is(mayFind(), false);
  write("lib/other.ts");
  assert.is(mayFind(), false);
});

test("exclude tests and declarations, as the search does", async () => {
  for (const end of ["ts", "mts", "cts", "tsx", "js", "mjs"]) write(`plugins/a.test.${end}`);
  for (const end of ["ts", "mts", "cts"]) write(`plugins/a.d.${end}`);
  const plugins = ["plugins/**/*"];
  assert.is(mayFind(plugins), false);
  const config = { plugins, declared: [] } as unknown as ResolvedConfig;
  assert.equal(await findPluginFiles(folder, config), KNOWN);
});

test("may be any other file of the folders, on all levels", () => {
  write("plugins/deep/er/c.ts");
  assert.is(mayFind(), true);
  assert.is(mayFind(["plugins/deep/er/*.ts", "plugins/*/b.ts"]), true);
});

test("may have hidden names with the extension of tests or declarations", () => {
  for (const name of ["plugins/.a.d.ts", "plugins/.deep/a.test.ts", ".own/a.d.ts"]) {
    write(name);
    assert.is(mayFind([".own/*.ts", "plugins/**/*.ts"]), true, name);
    rmSync(join(folder, name));
    assert.is(mayFind(["plugins/**/*.ts"]), false);
  }
});

test("may be in a folder that a link leads to", () => {
  write("lib/other.ts");
  symlinkSync(join(folder, "lib"), join(folder, "plugins/lib"));
  assert.is(mayFind(), true);
});

test("may be found by patterns without a folder, or without an existing one", () => {
  for (const pattern of ["**/*.ts", "!plugins/a.ts", "plugins/a.ts", "missing/*.ts"]) {
    assert.is(mayFind([pattern]), true, pattern);
  }
});

test.run();
