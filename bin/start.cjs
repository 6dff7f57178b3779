// Second half of `svc`, for Nodes that know `import()`: loads the built command line.

"use strict";

const { existsSync, readdirSync, rmSync } = require("node:fs");
const nodeModule = require("node:module");
const { join } = require("node:path");
const { pathToFileURL } = require("node:url");

/** Files of compiled code that are kept, several times those of this package. */
const MOST_CODE = 1000;

const entry = join(__dirname, "..", "dist", "cli.js");

// The reader of a pipe may have closed it: `svc argspec | head`.
process.stdout.on("error", (error) => {
  // A server goes on without readers, for which it listens itself.
  if (process.stdout.listenerCount("error") > 1) return;
  if (error.code !== "EPIPE") throw error;
  process.exit(process.exitCode ?? 1);
});

if (existsSync(entry)) {
  keepCompiledCode();
  import(pathToFileURL(entry).href).then(({ reportUncaught, main }) => {
    if (main === undefined) return loadFailed(new SyntaxError(`${entry} is incomplete`));
    reportUncaught();
    return main(process.argv.slice(2));
  }, loadFailed);
} else {
  process.stderr.write(
    `svc: error SVC3011: ${entry} is missing. ` +
      `run \`npm run build\` in ${join(__dirname, "..")}\n`,
  );
  process.exitCode = 1;
}

/**
 * Keeps V8's code for the next start, with Node.js 22.1 or later: beside the modules, so only those
 * who can replace them can write it, and an update removes it. Threads follow the variable.
 */
function keepCompiledCode() {
  if (process.env.NODE_COMPILE_CACHE || nodeModule.enableCompileCache === undefined) return;
  const folder = join(__dirname, "..", "dist", ".code");
  emptyIfLarge(folder);
  if (nodeModule.enableCompileCache(folder).directory) process.env.NODE_COMPILE_CACHE = folder;
}

/** Each build of a project adds files, which no later start reads once there is another build. */
function emptyIfLarge(folder) {
  try {
    const files = readdirSync(folder, { recursive: true });
    if (files.length > MOST_CODE) rmSync(folder, { recursive: true, force: true });
  } catch {
    // There is none yet, or only others may write it.
  }
}

/** The module that reports errors could not be loaded either. */
function loadFailed(error) {
  const { code, message } = error;
  const isLimit = code === "EMFILE" || code === "ENFILE";
  const isCorrupt = code === "ERR_MODULE_NOT_FOUND" || error instanceof SyntaxError;
  if (!isLimit && !isCorrupt) throw error;
  process.stderr.write(
    isLimit
      ? `svc: error SVC3093: ${message}. ` +
          "raise the limit of this process, for example with `ulimit -n 65536`\n"
      : `svc: error SVC3094: ${message}. install svc again, for example with \`npm ci\`\n`,
  );
  process.exitCode = 1;
}
