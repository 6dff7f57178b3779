// Preloaded by the servers of tests under Node.js 20: modules of the build begin with V8's code,
// which compile-build.cjs has written, as Node.js 22 does without help. A server with a graph
// starts with three quarters of the CPU. Without usable code, a module is compiled as usual.

"use strict";

const { readFileSync, statSync } = require("node:fs");
const { isAbsolute, join, relative, sep } = require("node:path");
const { fileURLToPath, pathToFileURL } = require("node:url");
const { cachedDataVersionTag } = require("node:v8");
const { getOrInitializeCascadedLoader } = require("internal/modules/esm/loader");
const { translators } = require("internal/modules/esm/translators");
const { compileSourceTextModule, registerModule } = require("internal/modules/esm/utils");

const ROOT = join(__dirname, "../..");
const DIST = join(ROOT, "dist");
const DIST_URL = `${pathToFileURL(DIST).href}/`;
const CODE = join(ROOT, ".generated/code");
const ModuleWrap = compileSourceTextModule("file:///none", "").constructor;
const compile = translators.get("module");
/** Modules of this thread that began with V8's code. */
let used = 0;

module.exports = { CODE, DIST, codeFile, used: () => used };

/** V8 accepts only code of its own version, flags and processor features. */
const TAG = cachedDataVersionTag();
/** File of V8's code for a module. V8 itself compares only the length of the text. */
function codeFile(path) {
  const { mtimeMs, size } = statSync(path);
  return join(CODE, `${relative(DIST, path).replaceAll(sep, "-")}-${size}-${mtimeMs}-${TAG}`);
}

translators.set("module", function translate(url, source, isMain) {
  const isBuilt = url.startsWith(DIST_URL) && !process.sourceMapsEnabled;
  return (isBuilt && withCode(this, url, source)) || compile.call(this, url, source, isMain);
});

/** The module; null without code that V8 accepts. */
function withCode(loader, url, source) {
  let module;
  try {
    const code = readFileSync(codeFile(fileURLToPath(url)));
    const text = typeof source === "string" ? source : Buffer.from(source).toString();
    module = new ModuleWrap(url, undefined, text, 0, 0, code);
  } catch {
    return null;
  }
  registerModule(module, {
    initializeImportMeta: (meta) => loader.importMetaInitialize(meta, { url }),
  });
  used++;
  return module;
}

// V8 forgets the module of an `import()` in such code, which the usual callback requires.
setImportCallback((_symbol, specifier, attributes, from) => {
  const url = isAbsolute(from ?? "") ? pathToFileURL(from).href : from;
  return getOrInitializeCascadedLoader().import(specifier, url, attributes);
});

function setImportCallback(callback) {
  const { emitWarning } = process;
  // The module warns of itself.
  process.emitWarning = () => {};
  const { internalBinding } = require("internal/test/binding");
  process.emitWarning = emitWarning;
  internalBinding("module_wrap").setImportModuleDynamicallyCallback(callback);
}
