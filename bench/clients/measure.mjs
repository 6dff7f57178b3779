// The tools that process a client for an app: its generator, two releases of TypeScript, and
// esbuild. All but esbuild, whose time is not measured, run as separate processes, as on a command
// line.

import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
// From the package above, which also has TypeScript 7.
import { buildSync } from "esbuild";

const requireHere = createRequire(import.meta.url);
const product = createRequire(new URL("../../package.json", import.meta.url));

/** TypeScript 5.9 is the last release that every tool supports, 7 the first native one. */
export const COMPILERS = { 5: compilerOf(requireHere), 7: compilerOf(product) };
/** Large enough for all errors of a broken project. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

function compilerOf(require) {
  return require.resolve("typescript/package.json").replace(/package\.json$/, "bin/tsc");
}

/**
 * Runs a Node program.
 * @param {string[]} words its file and arguments
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

/** Returns the size of a bundle as a page would load it, in bytes. */
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

/** Returns the size of the runtime shared by all our clients, in bytes. */
export function bundleRuntime() {
  const dist = fileURLToPath(new URL("../../dist/client", import.meta.url));
  return bundle(join(dist, "runtime.js"));
}
