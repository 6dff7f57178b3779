// Runs the test suites: `node test/run.mjs [part of a path]...`. Suites that need no sockets run in
// one process, server suites (test/e2e, test/conformance) in another, so that a crash of one hides
// no result of the others. Closes what uvu leaves open: tests that never end, suites that never
// run, totals that never come, handles that stay open, processes that never exit or die.

import { fork } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { nodeCommand } from "./runner/node-command.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(here);
const LOADING_LIMIT_MS = 60_000;
const GRACE_MS = 3_000;
const SERVER_SUITE = /^test\/(e2e|conformance)\//;
const NO_SUITES = /^test\/(fixtures|golden|openapi|uws|runner)\/|\/node_modules\//;

let passed = 0;
let failed = 0;

const filters = process.argv.slice(2);
const files = readdirSync(here, { recursive: true })
  .map((name) => relative(root, join(here, name)).replaceAll("\\", "/"))
  .filter((name) => name.endsWith(".test.ts"))
  .filter((name) => !NO_SUITES.test(name) || filters.includes(name))
  .filter((name) => filters.length === 0 || filters.some((part) => name.includes(part)))
  .sort();

const complete = files.filter((file) => {
  const forgotten = forgottenRuns(readFileSync(join(root, file), "utf8"));
  if (forgotten !== "") fail(file, forgotten);
  return forgotten === "";
});

await runAll(complete.filter((file) => !SERVER_SUITE.test(file)));
await runAll(complete.filter((file) => SERVER_SUITE.test(file)));

if (files.length === 0) fail(filters.join(" "), "no test file has such a path");
process.exitCode = failed === 0 ? 0 : 1;
console.log(`${passed} passed, ${failed} failed`);

/** Runs `list`, in a new process after every file that took its process down. */
async function runAll(list) {
  for (let rest = list; rest.length > 0; ) rest = rest.slice(await runInChild(rest));
}

/** Runs files in one child until it ends; resolves to how many of them are settled. */
function runInChild(list) {
  const [execPath, ...loaderArgs] = nodeCommand();
  const child = fork(join(here, "runner/child.mjs"), list, {
    cwd: root,
    execPath,
    execArgv: [
      ...loaderArgs,
      "--import",
      "tsx",
      "--import",
      "./test/runner/register.mjs",
      "--enable-source-maps",
    ],
    env: { ...process.env, NO_COLOR: "1", FORCE_COLOR: "0" },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  let settled = 0;
  let doing = "did not load";
  let output = "";
  let reason = "";
  let timer = watch(LOADING_LIMIT_MS);
  const collect = (chunk) => {
    output += chunk;
  };
  child.stdout.setEncoding("utf8").on("data", collect);
  child.stderr.setEncoding("utf8").on("data", collect);

  function watch(ms) {
    return setTimeout(() => {
      reason = `${doing} and blocked its process`;
      child.kill("SIGKILL");
    }, ms);
  }

  child.on("message", (message) => {
    clearTimeout(timer);
    if (message.kind === "test") {
      doing = `"${message.title}" did not end`;
      timer = watch(message.limitMs + GRACE_MS);
    } else {
      report(list[settled], message, output);
      output = "";
      settled++;
      doing = "did not load";
      timer = watch(LOADING_LIMIT_MS);
    }
  });

  return new Promise((resolve) => {
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      if (settled < list.length) {
        fail(list[settled], reason || `${doing}: process ended with ${signal ?? code}`, output);
        settled++;
      }
      resolve(settled);
    });
  });
}

/** Counts the result of one file and prints it; details only when something failed. */
function report(file, result, output) {
  passed += result.passed;
  failed += result.failed;
  if (result.failed === 0) {
    const skipped = result.skipped > 0 ? `, ${result.skipped} skipped` : "";
    console.log(`ok    ${file} (${result.passed}${skipped}, ${result.elapsedMs} ms)`);
  } else {
    console.log(`FAIL  ${file} (${result.failed} of ${result.passed + result.failed})`);
    console.log(`${output}${result.output}`);
  }
}

function fail(file, why, output = "") {
  failed++;
  console.log(`FAIL  ${file}: ${why}`);
  if (output !== "") console.log(output);
}

/** Says which suite of a test file is never run; empty when all are. */
function forgottenRuns(source) {
  const suites = [...source.matchAll(/(?:const|let) (\w+) = suite\b/g)].map((match) => match[1]);
  if (suites.length === 0) return "has no `const test = suite(...)`";
  const forgotten = suites.filter((name) => !source.includes(`${name}.run()`));
  return forgotten.map((name) => `never calls \`${name}.run()\``).join(", ");
}
