// The tools that a client meets on its way into an app: its generator, two releases of TypeScript
// and esbuild. Each is a process of its own, as on a command line, save esbuild, whose time nobody
// asks for.

import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
// That of the package above, which brings TypeScript 7, too.
import { buildSync } from "esbuild";

const own = createRequire(import.meta.url);
const product = createRequire(new URL("../../package.json", import.meta.url));

/** TypeScript 5.9 is the last that every tool works with, 7 the first in machine code. */
export const COMPILERS = { 5: compilerOf(own), 7: compilerOf(product) };
/** Large enough for anything that a compiler prints about a broken project. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

function compilerOf(require) {
  return require.resolve("typescript/package.json").replace(/package\.json$/, "bin/tsc");
}

/**
 * Runs a program of Node.
 * @param {string[]} words its file and what it is told
 * @returns {{ seconds: number, stdout: string }}
 */
export function runNode(words, cwd) {
  const startedMs = performance.now();
  const done = spawnSync(process.execPath, words, {
    cwd,
    encoding: "utf8",
    maxBuffer: MAX_OUTPUT_BYTES,
  });
  const seconds = (performance.now() - startedMs) / 1000;
  if (done.status === 0) return { seconds, stdout: done.stdout };
  const said = `${done.stdout}${done.stderr}`.slice(0, 2000);
  throw new Error(`${words.join(" ")} in ${cwd} ended with ${done.status}: ${said}`);
}

/** Type-checks the app of a folder. */
export function checkTypes(compiler, folder) {
  const words = [compiler, "--noEmit", "--project", folder, "--extendedDiagnostics"];
  const { seconds, stdout } = runNode(words, folder);
  const figure = (name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(stdout)[1]);
  return {
    seconds,
    instantiations: figure("Instantiations"),
    mib: figure("Memory used") / 1024,
  };
}

/** Bytes of a bundle as a page would load it. */
export function bundle(file) {
  const { outputFiles } = buildSync({
    entryPoints: [file],
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    platform: "browser",
    target: "es2022",
    logLevel: "error",
  });
  const [{ contents }] = outputFiles;
  return { bytes: contents.length, gzipBytes: gzipSync(contents, { level: 9 }).length };
}

/** Bytes of the part that all clients of ours share. */
export function bundleRuntime() {
  const dist = fileURLToPath(new URL("../../dist/client", import.meta.url));
  return bundle(join(dist, "runtime.js"));
}
