// Runs the test suites: `node test/run.mjs [part of a path]...`, see runner/options.mjs. Five
// processes take files, long ones first: one begins with files without a server, four with server
// suites (test/e2e, test/conformance). The examples and fixtures are built before, so that server
// suites, which build them again, do not replace each other's files. A crash does not affect the
// results of other files. Detects what uvu does not: endless tests, suites that never run, missing
// totals, open handles, processes that never exit or die. In continuous integration (`CI` is set) a
// file that fails runs once more alone, and that run decides; the file is reported as unstable at
// the end.

import { execFileSync, fork } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build, endBuilder } from "./runner/builder.mjs";
import { COMPILED_CODE, nodeCommand, plainNode } from "./runner/node-command.mjs";
import {
  isServerSuite,
  isSuite,
  isUnit,
  readOptions,
  readSeconds,
  USAGE,
} from "./runner/options.mjs";
import { transpileSources } from "./runner/transpile.mjs";
import { transpiledFile } from "./runner/transpiled.mjs";

// Tests read logs in the text format, except for tests of the JSON format.
process.env.SVC_LOG_FORMAT ??= "text";
const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(here);
const LOADING_LIMIT_MS = 120_000;
const GRACE_MS = 3_000;

let passed = 0;
let failed = 0;
/** Of all files that completed. */
let cpuSeconds = 0;
const startMs = performance.now();
/** Files for a second run; null during that run, or without one. */
let again = process.env.CI ? [] : null;

/** Processes that run tests. */
const children = new Set();
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, () => {
    for (const child of children) endGroup(child);
    process.exit(1);
  });
}

const options = optionsOrUsage();
const { parts, name, unit } = options;
// See support/rounds.ts.
if (options.simulate !== "") process.env.SIMULATE = options.simulate;
if (options.long) process.env.ROUNDS ??= "20";
const paths = readdirSync(here, { recursive: true })
  .map((path) => relative(root, join(here, path)).replaceAll("\\", "/"))
  .filter((path) => path.endsWith(".test.ts") && (isSuite(path) || parts.includes(path)));
const files = paths
  .filter((path) => parts.length === 0 || parts.some((part) => path.includes(part)))
  .filter((path) => !unit || isUnit(path, readFileSync(join(root, path), "utf8")))
  .sort();

const complete = files.filter((file) => {
  const forgotten = forgottenRuns(readFileSync(join(root, file), "utf8"));
  if (forgotten !== "") fail(file, forgotten);
  return forgotten === "";
});

await transpileSources();

const unitFiles = longFirst(complete.filter((file) => !isServerSuite(file)));
const servers = longFirst(complete.filter(isServerSuite));
if (servers.some((file) => /examples|fixture\(/.test(readFileSync(join(root, file), "utf8")))) {
  for (const folder of [join(root, "examples"), join(here, "fixtures")]) await buildAll(folder);
}
if (servers.length > 0 && COMPILED_CODE.length > 0) {
  // V8 takes only code that was written under the same flags.
  const words = [...COMPILED_CODE, join(here, "runner/compile-build.cjs")];
  execFileSync(plainNode(), words, { stdio: "inherit" });
}
if (options.serial || availableParallelism() === 1) {
  await runAll(unitFiles);
  await runAll(servers);
} else if (servers.length === 0) {
  // Some wait: four processes take from one list.
  await Promise.all([1, 2, 3, 4].map(() => runAll(unitFiles)));
} else {
  // Server suites mostly wait: five at once keep two cores busy.
  const turns = [[unitFiles, servers], ...Array.from({ length: 4 }, () => [servers, unitFiles])];
  await Promise.all(turns.map(runInTurn));
}

await runAgain();
const buildSeconds = await endBuilder();
cpuSeconds += buildSeconds;
const isUnknown = (part) => !paths.some((path) => path.includes(part));
for (const part of files.length === 0 ? [parts.join(" ")] : parts.filter(isUnknown)) {
  fail(part, "no test file has such a path");
}
if (name !== "" && passed + failed === 0) fail(name, "no test has such a title");
process.exitCode = failed === 0 ? 0 : 1;
const seconds = Math.round((performance.now() - startMs) / 1000);
if (buildSeconds > 0) console.log(`${buildSeconds.toFixed(1)} s of CPU for builds of projects`);
console.log(`${Math.round(cpuSeconds)} s of CPU in ${seconds} s`);
console.log(`${passed} passed, ${failed} failed`);

function optionsOrUsage() {
  try {
    return readOptions(process.argv.slice(2));
  } catch (error) {
    console.error(`${error.message}\n\n${USAGE}`);
    process.exit(2);
  }
}

/** Server suites that build these projects again find them current. */
async function buildAll(folder) {
  for (const name of readdirSync(folder)) {
    if (!existsSync(join(folder, name, "plugins"))) continue;
    const error = await build(join(folder, name));
    if (error !== "") throw new Error(`${name}: ${error}`);
  }
}

/** No process is left with a long file at the end. */
function longFirst(list) {
  const seconds = new Map(
    list.map((file) => [file, readSeconds(readFileSync(join(root, file), "utf8"))]),
  );
  return list.sort((a, b) => seconds.get(b) - seconds.get(a));
}

async function runInTurn(lists) {
  for (const list of lists) await runAll(list);
}

/** Runs the rest of a list, in a new process after every file that ended its process. */
async function runAll(list) {
  while (list.length > 0) await runInChild(list);
}

/** Runs failed files alone, one after the other; reports the ones that pass now. */
async function runAgain() {
  if (again === null || again.length === 0) return;
  const list = again;
  again = null;
  const unstable = [];
  for (const file of list) {
    console.log(`again ${file}`);
    const before = failed;
    await runAll([file]);
    if (failed === before) unstable.push(file);
  }
  for (const file of unstable) console.log(`UNSTABLE  ${file}: failed once, passed alone`);
}

/** Takes files from the list and runs them in one child until it ends. */
function runInChild(list) {
  const [execPath, ...loaderArgs] = nodeCommand();
  const child = fork(join(here, "runner/child.mjs"), [name], {
    cwd: root,
    execPath,
    execArgv: [...loaderArgs, "--enable-source-maps"],
    env: { ...process.env, NO_COLOR: "1", FORCE_COLOR: "0" },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    // A process group of its own: everything its tests start ends with it.
    detached: true,
  });
  children.add(child);
  /** The running file; null once none is left. */
  let file = null;
  let doing = "did not load";
  let output = "";
  let reason = "";
  let timer;
  const collect = (chunk) => {
    output += chunk;
  };
  child.stdout.setEncoding("utf8").on("data", collect);
  child.stderr.setEncoding("utf8").on("data", collect);

  function watch(ms) {
    return setTimeout(() => {
      reason = `${doing} and blocked its process`;
      endGroup(child);
    }, ms);
  }

  function next() {
    file = list.shift() ?? null;
    doing = "did not load";
    timer = watch(LOADING_LIMIT_MS);
    child.send({ file, output: file && transpiledFile(file) });
  }

  child.on("message", (message) => {
    if (message.kind === "build") {
      // The process may be gone by then.
      void build(message.folder).then((error) => child.send({ ...message, error }, () => {}));
      return;
    }
    clearTimeout(timer);
    if (message.kind === "test") {
      doing = `"${message.title}" did not end`;
      timer = watch(message.limitMs + GRACE_MS);
    } else {
      report(file, message, output);
      output = "";
      next();
    }
  });

  next();
  return new Promise((resolve) => {
    child.on("exit", () => endGroup(child));
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      children.delete(child);
      if (file !== null) {
        failRun(file, reason || `${doing}: process ended with ${signal ?? code}`, output);
      }
      resolve();
    });
  });
}

/** Kills the test process and the processes that its tests have left running. */
function endGroup(child) {
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // None is left; without process groups only this one is known.
    child.kill("SIGKILL");
  }
}

/** Counts the result of one file and prints it, with details only for a failure. */
function report(file, result, output) {
  // Most of many files have no test of the requested title.
  if (name !== "" && result.passed + result.failed === 0) return;
  cpuSeconds += result.cpuSeconds;
  const isDecided = result.failed === 0 || again === null;
  if (isDecided) {
    passed += result.passed;
    failed += result.failed;
  } else again.push(file);
  if (result.failed === 0) {
    const skipped = result.skipped > 0 ? `, ${result.skipped} skipped` : "";
    const times = `${result.elapsedMs} ms, ${result.cpuSeconds.toFixed(1)} s of CPU`;
    console.log(`ok    ${file} (${result.passed}${skipped}, ${times})`);
    // Measurements of long runs.
    if (process.env.ROUNDS || process.env.SIMULATE) process.stdout.write(output);
  } else {
    console.log(`FAIL  ${file} (${result.failed} of ${result.passed + result.failed})`);
    console.log(`${output}${result.output}`);
  }
}

/** A run of a file did not complete. */
function failRun(file, why, output) {
  if (again === null) fail(file, why, output);
  else {
    again.push(file);
    console.log(`FAIL  ${file}: ${why}\n${output}`);
  }
}

function fail(file, why, output = "") {
  failed++;
  console.log(`FAIL  ${file}: ${why}`);
  if (output !== "") console.log(output);
}

/** The suite of a test file that is never run; empty when all are. */
function forgottenRuns(source) {
  const suites = [...source.matchAll(/(?:const|let) (\w+) = suite\b/g)].map((match) => match[1]);
  if (suites.length === 0) return "has no `const test = suite(...)`";
  const forgotten = suites.filter((name) => !source.includes(`${name}.run()`));
  return forgotten.map((name) => `never calls \`${name}.run()\``).join(", ");
}
