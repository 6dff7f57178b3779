// The test runner: any misbehavior of a test file counts as a failure, the remaining files still
// run, and the runner ends.
// limit: 60 s
// takes 30 s

import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { buildProject } from "./support/server.js";
import { BAD_PLUGIN, GOOD_PLUGIN, TemporaryProject } from "./support/temporary-project.js";

const test = suite("test runner");

function run(...names: string[]) {
  return runWith([], names);
}

function runWith(
  options: readonly string[],
  names: readonly string[],
  more: Readonly<Record<string, string>> = {},
) {
  const files = names.map((name) => `test/fixtures/runner/${name}.test.ts`);
  const words = ["test/run.mjs", ...options, ...files];
  const { status, stdout } = spawnSync("node", words, {
    encoding: "utf8",
    env: { ...process.env, ...more },
  });
  return { status, stdout, last: stdout.trimEnd().split("\n").at(-1) };
}

test("counts passing tests", () => {
  const { status, last } = run("passes");
  assert.is(last, "1 passed, 0 failed");
  assert.is(status, 0);
});

test("reports failures, endless tests, open handles and failing hooks", () => {
  const { status, stdout, last } = run("mixed");
  assert.is(last, "2 passed, 4 failed");
  assert.is(status, 1);
  assert.match(stdout, '"never ends" ran past its limit of 1 s');
  assert.match(stdout, "handles are still open after the last test: TCPServerWrap");
  assert.match(stdout, "before: Error: not prepared");
});

test("stops after the first failed test with STOP_AT_FAILURE", () => {
  const { stdout } = runWith([], ["mixed"], { STOP_AT_FAILURE: "1" });
  assert.match(stdout, 'mixed  "fails"');
  assert.not.match(stdout, "ran past its limit");
});

test("continues after files that block, die or exit", () => {
  const { status, stdout, last } = run("blocks", "dies-later", "exits", "passes");
  assert.is(last, "1 passed, 3 failed");
  assert.is(status, 1);
  assert.match(stdout, '"spins" did not end and blocked its process');
  assert.match(stdout, "too late");
});

test("rejects suites that do not run or have no tests, and filters that match nothing", () => {
  const { stdout, last } = run("empty", "forgets-run");
  assert.is(last, "0 passed, 2 failed");
  assert.match(stdout, "never calls `test.run()`");
  assert.is(run("no-such-file").last, "0 passed, 1 failed");
  assert.is(run("no-such-file", "passes").last, "1 passed, 1 failed");
});

test("runs tests selected by title, and reports an empty selection", () => {
  const files = ["passes", "mixed"];
  const { status, stdout, last } = runWith(["--name", "passes"], files);
  assert.is(last, "2 passed, 0 failed", stdout);
  assert.is(status, 0);
  const unmatchedRun = runWith(["--name", "no such title"], files);
  assert.is(unmatchedRun.last, "0 passed, 1 failed");
  assert.match(unmatchedRun.stdout, "no test has such a title");
});

test("skips files that start processes with --unit", () => {
  const files = ["passes", "starts-processes"];
  assert.is(run(...files).last, "2 passed, 0 failed");
  const { stdout, last } = runWith(["--unit"], files);
  assert.is(last, "1 passed, 0 failed");
  assert.not.match(stdout, "starts-processes");
  assert.is(runWith(["--bogus"], files).status, 2);
});

test("starts long files first, and skips them with --unit", () => {
  const files = ["passes", "takes-long"];
  const outcome = runWith(["--serial"], files);
  assert.is(outcome.last, "2 passed, 0 failed");
  assert.match(outcome.stdout, /takes-long[\s\S]*passes/);
  assert.not.match(runWith(["--unit"], files).stdout, "takes-long");
});

test("runs one simulation with --simulate and a part of its path", () => {
  const runSeeds = (part: string) =>
    spawnSync("node", ["test/run.mjs", "--simulate", "1", part], { encoding: "utf8" });
  const { status, stdout } = runSeeds("leadership");
  assert.is(status, 0, stdout);
  assert.match(stdout, "leadership-simulation");
  assert.not.match(stdout, "interconnect-simulation");
  assert.is(runSeeds("no-such-simulation").status, 2);
});

test("builds projects for tests, and reports their errors", async () => {
  const project = new TemporaryProject({ "plugins/bad.ts": BAD_PLUGIN });
  try {
    const error = await buildProject(project.folder).catch((reason: Error) => reason);
    assert.match(String(error), '"severity": "error"');
    project.write("plugins/bad.ts", GOOD_PLUGIN);
    await buildProject(project.folder);
    assert.ok(existsSync(join(project.folder, ".svc/manifest.json")));
  } finally {
    project.remove();
  }
});

test("kills endless tests when it is terminated", async () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-runner-"));
  const PID_FILE = join(folder, "pid");
  const words = ["test/run.mjs", "test/fixtures/runner/blocks.test.ts"];
  const runner = spawn("node", words, { stdio: "ignore", env: { ...process.env, PID_FILE } });
  while (!existsSync(PID_FILE)) await sleep(5);
  runner.kill("SIGTERM");
  const pid = Number(readFileSync(PID_FILE, "utf8"));
  while (isRunning(pid)) await sleep(50);
  rmSync(folder, { recursive: true });
});

test("kills processes that a test leaves behind", async () => {
  const { stdout, last } = run("leaves-processes", "passes");
  assert.is(last, "1 passed, 2 failed", stdout);
  const pid = Number(/started (\d+)/.exec(stdout)![1]);
  while (isRunning(pid)) await sleep(50);
});

/** A killed process may remain as a zombie until its exit code is read. */
function isRunning(pid: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
  return /^[^Z\s]/.test(stdout.trim());
}

test.run();
