// Runs the test suites: `node test/run.mjs [part of a path]...`, see runner/options.mjs. Four
// processes take files, those that take long first: one what needs no server, one what builds
// examples in their place, which is for one at a time, two the other server suites (test/e2e,
// test/conformance); who is through helps the others. A crash hides no result of other files.
// Closes what
// uvu leaves open: tests that never end, suites that never run, totals that never come, handles
// that stay open, processes that never exit or die. Under continuous integration (`CI` is set) a
// file that fails runs once more when nothing runs beside it, and that decides: a change is judged
// by what it does, and the file is named as unstable in the end, for people to mend.

import { fork } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { nodeCommand } from "./runner/node-command.mjs";
import {
  buildsExamples,
  isServerSuite,
  isSuite,
  isUnit,
  readOptions,
  secondsOf,
  USAGE,
} from "./runner/options.mjs";

// What tests read of logs is the form for people, but for tests of the other one.
process.env.SVC_LOG_FORMAT ??= "text";
const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(here);
const LOADING_LIMIT_MS = 60_000;
const GRACE_MS = 3_000;

let passed = 0;
let failed = 0;
/** Files that get a second run; null once that is going on, or where there is none. */
let again = process.env.CI ? [] : null;

/** Processes that tests run in. */
const children = new Set();
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, () => {
    for (const child of children) endGroup(child);
    process.exit(1);
  });
}

const options = optionsOrUsage();
const { parts, name, unit } = options;
const files = readdirSync(here, { recursive: true })
  .map((path) => relative(root, join(here, path)).replaceAll("\\", "/"))
  .filter((path) => path.endsWith(".test.ts") && (isSuite(path) || parts.includes(path)))
  .filter((path) => parts.length === 0 || parts.some((part) => path.includes(part)))
  .filter((path) => !unit || isUnit(path, readFileSync(join(root, path), "utf8")))
  .sort();

const complete = files.filter((file) => {
  const forgotten = forgottenRuns(readFileSync(join(root, file), "utf8"));
  if (forgotten !== "") fail(file, forgotten);
  return forgotten === "";
});

const plain = longFirst(complete.filter((file) => !isServerSuite(file)));
const servers = longFirst(complete.filter(isServerSuite));
if (options.serial || availableParallelism() === 1) {
  await runAll(plain);
  await runAll(servers);
} else if (servers.length === 0) {
  // Some wait: three processes take from one list.
  await Promise.all([runAll(plain), runAll(plain), runAll(plain)]);
} else {
  const exclusive = servers.filter((file) =>
    buildsExamples(readFileSync(join(root, file), "utf8")),
  );
  const shared = servers.filter((file) => !exclusive.includes(file));
  // Server suites wait more than they work: four at once keep two cores busy.
  const turns = [
    [plain, shared],
    [exclusive, shared, plain],
    [shared, plain],
    [shared, plain],
  ];
  await Promise.all(turns.map(runInTurn));
}

await runAgain();
if (files.length === 0) fail(parts.join(" "), "no test file has such a path");
if (name !== "" && passed + failed === 0) fail(name, "no test has such a title");
process.exitCode = failed === 0 ? 0 : 1;
console.log(`${passed} passed, ${failed} failed`);

function optionsOrUsage() {
  try {
    return readOptions(process.argv.slice(2));
  } catch (error) {
    console.error(`${error.message}\n\n${USAGE}`);
    process.exit(2);
  }
}

/** No process is left alone with a long file in the end. */
function longFirst(list) {
  const seconds = new Map(
    list.map((file) => [file, secondsOf(readFileSync(join(root, file), "utf8"))]),
  );
  return list.sort((a, b) => seconds.get(b) - seconds.get(a));
}

async function runInTurn(lists) {
  for (const list of lists) await runAll(list);
}

/** Runs what is left of a list, in a new process after every file that took its process down. */
async function runAll(list) {
  while (list.length > 0) await runInChild(list);
}

/** Runs what failed alone, one after the other; what passes now is named. */
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
    // A group of its own: whatever its tests have started ends with it.
    detached: true,
  });
  children.add(child);
  /** The file that runs; null once there is none left. */
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
    child.send({ file });
  }

  child.on("message", (message) => {
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

/** Ends the process of tests and those that they have started, where some are left. */
function endGroup(child) {
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // Nothing is left; where there are no groups, this one alone is known.
    child.kill("SIGKILL");
  }
}

/** Counts the result of one file and prints it; details only when something failed. */
function report(file, result, output) {
  // Of many files most have no test of the title that was asked for.
  if (name !== "" && result.passed + result.failed === 0) return;
  const isDecided = result.failed === 0 || again === null;
  if (isDecided) {
    passed += result.passed;
    failed += result.failed;
  } else again.push(file);
  if (result.failed === 0) {
    const skipped = result.skipped > 0 ? `, ${result.skipped} skipped` : "";
    console.log(`ok    ${file} (${result.passed}${skipped}, ${result.elapsedMs} ms)`);
  } else {
    console.log(`FAIL  ${file} (${result.failed} of ${result.passed + result.failed})`);
    console.log(`${output}${result.output}`);
  }
}

/** A run of a file did not reach its end. */
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

/** Says which suite of a test file is never run; empty when all are. */
function forgottenRuns(source) {
  const suites = [...source.matchAll(/(?:const|let) (\w+) = suite\b/g)].map((match) => match[1]);
  if (suites.length === 0) return "has no `const test = suite(...)`";
  const forgotten = suites.filter((name) => !source.includes(`${name}.run()`));
  return forgotten.map((name) => `never calls \`${name}.run()\``).join(", ");
}
