// Writes V8's code of each module of dist/ for compiled-code.cjs, unless it is there.

"use strict";

const { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } = require("node:fs");
const { renameSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const { pathToFileURL } = require("node:url");
const { setFlagsFromString } = require("node:v8");
const { compileSourceTextModule } = require("internal/modules/esm/utils");
const { CODE, codeFile, DIST } = require("./compiled-code.cjs");

const modules = readdirSync(DIST, { recursive: true }).filter((path) => path.endsWith(".js"));
const files = new Map(modules.map((path) => [codeFile(join(DIST, path)), join(DIST, path)]));

mkdirSync(CODE, { recursive: true });
for (const name of readdirSync(CODE)) {
  if (!files.has(join(CODE, name))) rmSync(join(CODE, name), { force: true });
}
for (const [file, path] of files) if (!existsSync(file)) write(file, path);

function write(file, path) {
  const text = readFileSync(path, "utf8");
  // With the code of all functions. V8 accepts only code that was written under its own flags.
  setFlagsFromString("--no-lazy");
  const module = compileSourceTextModule(pathToFileURL(path).href, text);
  setFlagsFromString("--lazy");
  // Beside the folder, from which another run removes what it does not know.
  const part = `${CODE}-${process.pid}`;
  writeFileSync(part, module.createCachedData());
  renameSync(part, file);
}
