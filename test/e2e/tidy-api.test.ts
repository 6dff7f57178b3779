// The public API is stable: test/golden/public-api.txt holds one line for each name and member that
// the last release offered, including computed ones (`Omit<…>`). Additions pass; removals and
// changes fail. `UPDATE_GOLDEN=1 node test/run.mjs tidy-api` adopts the current API, after a build;
// removed lines then need an entry in CHANGELOG.md.
// limit: 60 s

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { PublicApi } from "../support/public-api.js";
import { ROOT } from "../support/source-files.js";

const test = suite("public API");
const GOLDEN = join(ROOT, "test/golden/public-api.txt");

test("no used name is removed or changed", () => {
  assert.ok(existsSync(join(ROOT, "dist/types")), "`npm run build` writes the declarations");
  const lines = new PublicApi(ROOT).lines();
  assert.ok(lines.length > 500, "the entries are read");
  if (process.env.UPDATE_GOLDEN === "1") writeFileSync(GOLDEN, `${lines.join("\n")}\n`);
  const offered = new Set(lines);
  const previousLines = readFileSync(GOLDEN, "utf8").trimEnd().split("\n");
  const lost = previousLines.filter((line) => !offered.has(line));
  const hint = "adopt it with UPDATE_GOLDEN=1 node test/run.mjs tidy-api, if that is meant:";
  assert.is(lost.length === 0 ? "" : `${hint}\n${lost.join("\n")}`, "");
});

test("classes have the same names in messages and in programs", async () => {
  const entry = await import(pathToFileURL(join(ROOT, "dist/index.js")).href);
  const classes = Object.entries<unknown>(entry).filter(([, value]) => isClass(value));
  assert.ok(classes.length > 20, "the classes are found");
  for (const [name, value] of classes) {
    assert.throws(() => (value as () => void)(), new RegExp(`Class constructor ${name} `));
  }
});

test("threads that start with every server find their code in few files", () => {
  for (const entry of ["cli.js", "threads/io.js", "threads/executor.js"]) {
    const files = new Set([join(ROOT, "dist", entry)]);
    for (const file of files) {
      const imports = readFileSync(file, "utf8").matchAll(/^(?:im|ex)port\b[^;"]*"(\.[^"]+)";$/gm);
      for (const [, path] of imports) files.add(join(dirname(file), path!));
    }
    // Of separate chunks the smallest entry has 29, without joining small ones the largest 18.
    assert.ok(files.size > 2 && files.size < 12, `${entry}: ${files.size} files`);
  }
});

function isClass(value: unknown): boolean {
  return typeof value === "function" && /^class\b/.test(String(value));
}

test.run();
