// Loads the TypeScript of ts-morph, 9 MB of text, without ts-morph itself. The compiled code of V8
// is cached in `node_modules/.cache`, which saves 100 ms in the next build. Node.js itself has such
// a cache only as of version 22.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Script } from "node:vm";
import type { ts as TypeScript } from "ts-morph";
import { CodeCache } from "./code-cache.js";

/** Wrapper function of a CommonJS module, as in Node.js. */
type ModuleFunction = (
  exports: object,
  require: NodeJS.Require,
  module: { exports: object },
  filename: string,
  folder: string,
) => void;

const HEAD = "(function (exports, require, module, __filename, __dirname) {";

function loadTypeScript(): typeof TypeScript {
  const tsMorph = createRequire(import.meta.url).resolve("ts-morph");
  const common = createRequire(tsMorph).resolve("@ts-morph/common");
  const file = join(dirname(common), "typescript.js");
  const cache = new CodeCache(file);
  const text = readFileSync(file, "utf8");
  const script = new Script(`${HEAD}${text}\n})`, { filename: file, cachedData: cache.read() });
  const run = script.runInThisContext() as ModuleFunction;
  const module = { exports: {} };
  run(module.exports, createRequire(file), module, file, dirname(file));
  if (script.cachedDataRejected !== false) {
    // Write the cache on exit, so that it contains all functions that were compiled.
    process.once("exit", () => cache.write(script.createCachedData()));
  }
  return module.exports as typeof TypeScript;
}

export const ts = loadTypeScript();
