// Runs a system of two releases: the last one in bench/releases, built from its commit, and this
// one. `node test/releases/run.mjs`, after `npm run build`, prints `N passed, N failed`, or
// `releases: skipped (reason)`.

import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildCommit, hasCommit, lastRelease } from "../../scripts/build-commit.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(dirname(here));

const problem = findProblem();
if (problem !== "") {
  console.log(`releases: skipped (${problem})`);
  process.exit(0);
}
const env = { ...process.env, EARLIER_PACKAGE: buildCommit(lastRelease().commit) };
const words = [join(root, "test/run.mjs"), "test/releases/mixed.test.ts"];
const { status } = spawnSync(process.execPath, words, { env, stdio: "inherit" });
process.exitCode = status ?? 1;

/** The reason why there is nothing to run; empty if there is. */
function findProblem() {
  const { error } = spawnSync("nats-server", ["--version"]);
  if (error !== undefined) return "nats-server is not installed";
  const { commit, release } = lastRelease();
  return hasCommit(commit) ? "" : `this clone lacks the commit of ${release}`;
}
