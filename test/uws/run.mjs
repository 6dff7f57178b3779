// Runs the tests of the `uws` transport: `node test/uws/run.mjs`, after `npm run build`. Installs
// hyper-express beside this file, starts node with a newer C library if the uWebSockets binary
// requires one, and prints `N passed, N failed`, or `uws: skipped (reason)` if that is not
// available.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { newerLibcCommand } from "./newer-libc.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(dirname(here));
const SUITES = [
  ...["authentication", "conformance", "forwarding", "serve", "transport"].map(
    (name) => `test/uws/${name}.test.ts`,
  ),
  // The same requests, stops and crashes as with the other transport, against `dist/`.
  ...[
    ...["argspec-server", "builtins", "crash", "engine", "http-responses", "library", "stop"],
    "streams",
  ].map((name) => `test/e2e/${name}.test.ts`),
];

let command;
try {
  install();
  command = loadingCommand();
} catch (error) {
  console.log(`uws: skipped (${error.message})`);
  process.exit(0);
}
const env = {
  ...process.env,
  SVC_NODE_COMMAND: JSON.stringify(command),
  // Projects of the tests are in other folders; this lets them resolve hyper-express.
  NODE_PATH: join(here, "node_modules"),
  // Of servers that do not name one.
  SVC_TRANSPORT: "uws",
};
const runner = join(root, "test/run.mjs");
const chosen = process.argv.length > 2 ? process.argv.slice(2) : SUITES;
const { status } = spawnSync(process.execPath, [runner, ...chosen], { env, stdio: "inherit" });
process.exitCode = status ?? 1;

function install() {
  if (existsSync(join(here, "node_modules/hyper-express"))) return;
  const options = { cwd: here, encoding: "utf8", shell: process.platform === "win32" };
  const { status, stderr, error } = spawnSync("npm", ["ci", "--no-audit", "--no-fund"], options);
  if (error) throw error;
  const reason = stderr.split("\n").find((line) => line.startsWith("npm error"));
  if (status !== 0) throw new Error(`npm ci: ${reason ?? `ended with ${status}`}`);
}

/** The command that starts a node in which hyper-express loads. */
function loadingCommand() {
  const plainArguments = [process.execPath];
  if (loadProblem(plainArguments) === "") return plainArguments;
  const newer = newerLibcCommand(join(here, ".libc"));
  const problem = loadProblem(newer);
  if (problem !== "") throw new Error(problem);
  return newer;
}

function loadProblem([program, ...args]) {
  const script = "require('hyper-express')";
  const { status, stderr } = spawnSync(program, [...args, "--eval", script], {
    cwd: here,
    encoding: "utf8",
  });
  const cause = stderr.split("\n").find((line) => line.includes("GLIBC")) ?? lastLine(stderr);
  return status === 0 ? "" : cause.trim();
}

function lastLine(text = "") {
  return text.trim().split("\n").at(-1);
}
