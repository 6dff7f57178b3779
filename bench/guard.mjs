// Finds regressions: runs the checkout and an earlier commit in turn, and compares the CPU time of
// graph operations, requests, a start and a build. Fails where the checkout needs over 10 % more.
//
//   node guard.mjs [--base <commit>] [--rounds 5] [--save]
//
// The default base is the commit of the last file in `releases/`. Such a file has the CPU time of
// each row, in units of the yardstick: inserting an arc into a Map of Maps in the same minutes.
// `--save` writes the file of the version in `package.json`.

import { execFileSync, fork } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { buildCommit, lastRelease } from "../scripts/build-commit.mjs";
import { median, printTable } from "./lib/figures.mjs";
import { PACKAGE } from "./lib/package-folder.mjs";
import { requireWrk } from "./lib/wrk.mjs";

const RELEASES = fileURLToPath(new URL("releases/", import.meta.url));
const ALLOWED = 1.1;
/** Runs are short, so that many alternate; the first round is a warm-up run. */
const OPERATIONS = ["--rounds", "3", "--ms", "40", "--vertices", "20000", "--arcs", "100000"];

const { values } = parseArgs({
  options: {
    base: { type: "string" },
    rounds: { type: "string", default: "5" },
    save: { type: "boolean", default: false },
  },
});
requireWrk();
const last = lastRelease();
const base = values.base ?? last?.commit;
if (base === undefined) fail("there is no release in bench/releases: name a commit with --base");
const earlier = buildCommit(base);
const costs = { earlier: new Map(), now: new Map() };
const yardsticks = [];
for (let round = 0; round < Number(values.rounds); round++) {
  // The order alternates, because a busy machine slows down neighbors in time alike.
  const turns = round % 2 === 0 ? ["earlier", "now"] : ["now", "earlier"];
  for (const turn of turns) await measure(turn === "now" ? PACKAGE : earlier, costs[turn]);
}
report();
if (values.save) save();

function fail(problem) {
  console.error(problem);
  process.exit(1);
}

/** Adds one measurement of each row. */
async function measure(folder, rows) {
  const { yardstick, costs: operations } = await run("reference.mjs", OPERATIONS, folder);
  yardsticks.push(yardstick);
  const server = await run("guard-server.mjs", [], folder);
  for (const [row, seconds] of Object.entries({ ...operations, ...server })) {
    rows.set(row, [...(rows.get(row) ?? []), seconds]);
  }
}

/** Runs a program of this folder with a package; resolves with the message that it sends. */
function run(program, args, folder) {
  const child = fork(fileURLToPath(new URL(program, import.meta.url)), args, {
    env: { ...process.env, SVC_PACKAGE: folder },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  return new Promise((resolve, reject) => {
    let rows = null;
    child.once("message", (message) => {
      rows = message;
    });
    child.once("close", (status) => {
      if (status === 0 && rows !== null) resolve(rows);
      else reject(new Error(`${program} ended with ${status} for ${folder}`));
    });
  });
}

function report() {
  const rows = [...costs.now].flatMap(([row, now]) => {
    const before = costs.earlier.get(row);
    if (before === undefined) return [[row, "", microseconds(now), "new", ""]];
    const ratio = median(now.map((cost, round) => cost / before[round]));
    if (ratio > ALLOWED) process.exitCode = 1;
    const verdict = ratio > ALLOWED ? "SLOWER" : "";
    return [[row, microseconds(before), microseconds(now), ratio.toFixed(2), verdict]];
  });
  printTable(["us of CPU time", base.slice(0, 8), "now", "now / before", ""], rows);
}

function microseconds(seconds) {
  return (median(seconds) * 1e6).toFixed(2);
}

function save() {
  const { version } = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8"));
  const commit = execFileSync("git", ["rev-parse", "HEAD"], { cwd: PACKAGE, encoding: "utf8" });
  const yardstick = median(yardsticks);
  const rows = Object.fromEntries(
    [...costs.now].map(([row, now]) => [row, Number((median(now) / yardstick).toPrecision(3))]),
  );
  const release = { release: version, commit: commit.trim(), rows };
  writeFileSync(join(RELEASES, `${version}.json`), `${JSON.stringify(release, null, 2)}\n`);
}
