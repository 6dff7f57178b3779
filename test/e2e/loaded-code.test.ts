// Code that the built package loads for graphs: threads read only files with code that they run.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { packageRoot } from "../../runtime/base/package-info.js";

const test = suite("loaded code");
const DIST = join(packageRoot(), "dist");
/** Small files need not be files of their own. */
const FEW = 2;
const STATIC_IMPORT = /^(?:import|export)\b[^;"]*"(\.[^"]+)";$/gm;

/** Returns the sources of the files that the import of a file loads. */
function loadedSources(entry: string): string[] {
  const files = new Set([join(DIST, entry)]);
  const sources: string[] = [];
  for (const file of files) {
    for (const [, path] of readFileSync(file, "utf8").matchAll(STATIC_IMPORT)) {
      files.add(resolve(dirname(file), path!));
    }
    const map = JSON.parse(readFileSync(`${file}.map`, "utf8")) as { sources: string[] };
    for (const source of map.sources) sources.push(resolve(dirname(file), source));
  }
  return sources;
}

/** Returns how many sources of a folder are loaded. */
function count(entry: string, folder: string): number {
  const prefix = join(packageRoot(), folder, "/");
  return loadedSources(entry).filter((source) => source.startsWith(prefix)).length;
}

test("threads without queries load none", () => {
  const engine = readdirSync(DIST).find((name) => /^engine-parts-\w+\.js$/.test(name))!;
  for (const entry of ["threads/interconnect.js", "threads/io.js", "threads/executor.js", engine]) {
    assert.ok(count(entry, "runtime/graph/query/calls") <= FEW, entry);
    assert.ok(count(entry, "runtime/graph/evaluate") <= FEW, entry);
  }
  assert.ok(count("threads/admin.js", "runtime/graph/query/calls") > 10);
  assert.ok(count("threads/admin.js", "runtime/graph/evaluate") > 10);
});

test("only the interconnect loads what writes and replicates the log", () => {
  assert.ok(count("threads/interconnect.js", "runtime/interconnect/log") > 10);
  assert.ok(count("threads/admin.js", "runtime/interconnect/archive") <= FEW);
});

test.run();
