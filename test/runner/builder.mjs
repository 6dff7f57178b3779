// Builds the projects of all tests in one process: a compiler that has built before takes a fifth
// of the CPU, and keeps much memory. The runner starts it with the first project.

import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { plainNode } from "./node-command.mjs";

const PROGRAM = fileURLToPath(new URL("building.mjs", import.meta.url));

let builder = null;
let lastId = 0;
/** Builds that have not ended, by their number. */
const pending = new Map();

/** Resolves with the error of the build of a project; empty without one. */
export function build(folder) {
  builder ??= start();
  const id = ++lastId;
  builder.send({ id, folder });
  return new Promise((resolve) => pending.set(id, resolve));
}

/** Resolves with the CPU time of all builds, in seconds. */
export function endBuilder() {
  if (builder === null) return 0;
  builder.send({ id: 0 });
  return new Promise((resolve) => {
    builder.once("message", ({ cpuSeconds }) => resolve(cpuSeconds));
    builder.once("exit", () => resolve(0));
  });
}

function start() {
  const child = fork(PROGRAM, { execPath: plainNode(), execArgv: [] });
  child.on("message", ({ id, error }) => {
    pending.get(id)?.(error);
    pending.delete(id);
  });
  child.on("exit", () => {
    builder = null;
    for (const resolve of pending.values()) resolve("the process of the builds has ended");
    pending.clear();
  });
  return child;
}
