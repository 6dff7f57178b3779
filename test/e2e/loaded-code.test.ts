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
const NAMED_IMPORT = /^import \{([^}]*)\} from "\.[^"]+";$/gm;
/** Constants of a file that are those of another one. */
const COPIES = /^(?:const ([\w$]+)=\1\$IN;)+/;

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

/** Returns the file that loads a module later, by the name of the module. */
function findLoaded(module: string): string {
  return readdirSync(DIST).find((name) => name.startsWith(`${module}-`) && name.endsWith(".js"))!;
}

test("threads without queries load no query code", () => {
  const engine = findLoaded("engine-parts");
  for (const entry of ["threads/interconnect.js", "threads/io.js", "threads/executor.js", engine]) {
    assert.ok(count(entry, "runtime/graph/query/calls") <= FEW, entry);
    assert.ok(count(entry, "runtime/graph/evaluate") <= FEW, entry);
  }
  assert.ok(count("threads/admin.js", "runtime/graph/query/calls") > 10);
  assert.ok(count("threads/admin.js", "runtime/graph/evaluate") > 10);
});

test("queries load no code of the admin executor", () => {
  const queries = findLoaded("bind-graphs");
  assert.ok(count(queries, "runtime/graph/query/calls") > 10);
  for (const folder of ["runtime/plugin/request", "runtime/system"]) {
    assert.ok(count("threads/admin.js", folder) > FEW, folder);
    assert.ok(count(queries, folder) <= FEW, folder);
  }
});

test("only the interconnect loads the code that writes and replicates the log", () => {
  assert.ok(count("threads/interconnect.js", "runtime/interconnect/log") > 10);
  assert.ok(count("threads/admin.js", "runtime/interconnect/archive") <= FEW);
});

/** Returns whether the import of a file loads a source. */
function loads(entry: string, source: string): boolean {
  return loadedSources(entry).includes(join(packageRoot(), source));
}

test("the IO thread starts before the code of the server is read", () => {
  const worker = findLoaded("io-worker");
  assert.ok(loads(worker, "runtime/lifecycle/start-thread.ts"));
  assert.not.ok(loads(worker, "runtime/lifecycle/http-service.ts"));
});

test("a server loads no code of rarely used features", () => {
  const server = findLoaded("serve-build");
  assert.ok(loads(server, "runtime/lifecycle/http-service.ts"));
  assert.not.ok(loads(server, "runtime/system/read-topology.ts"));
  assert.not.ok(loads(server, "runtime/interconnect/leadership/rewind.ts"));
  assert.ok(loads("threads/io.js", "runtime/engine/response-writer.ts"));
  assert.not.ok(loads("threads/io.js", "runtime/dispatch/matrix.ts"));
  for (const thread of ["io", "executor", "admin", "interconnect"]) {
    assert.not.ok(loads(`threads/${thread}.js`, "runtime/base/error-codes.ts"), thread);
  }
});

test("files import only the names that they use", () => {
  const names = readdirSync(DIST, { recursive: true }) as string[];
  const unused = names
    .filter((name) => name.endsWith(".js"))
    .flatMap((name) => {
      const code = readFileSync(join(DIST, name), "utf8");
      const lists = [...code.matchAll(NAMED_IMPORT)].flatMap(([, list]) => list!.split(","));
      const ownCode = code
        .replace(COPIES, "")
        .replace(NAMED_IMPORT, "")
        .match(/[\w$]+/g);
      const used = new Set(ownCode);
      const imported = lists.map((text) => text.trim().split(" as ").at(-1)!.replace("$IN", ""));
      return imported.filter((text) => text !== "" && !used.has(text)).map((text) => [name, text]);
    });
  assert.equal(unused, []);
});

test.run();
