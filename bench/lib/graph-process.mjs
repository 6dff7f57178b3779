// Graph stores under test, each in its own process that runs steps on request.

import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { cpuUs, machineCpuUs, ownCpuUs } from "./process-figures.mjs";

const SERVE = fileURLToPath(new URL("../peers/graph/serve.mjs", import.meta.url));

/**
 * Starts the process of a store; prints the reason and returns null if its library is not installed
 * or does not load.
 * @param {string} name of a file in `peers/graph`
 * @param {string} file with the arcs
 */
export async function startStore(name, file) {
  const child = fork(SERVE, [name, file], {
    execArgv: ["--expose-gc", "--max-old-space-size=16384"],
    stdio: ["ignore", "inherit", "pipe", "ipc"],
  });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    errors += text;
  });
  const answer = () =>
    new Promise((resolve, reject) => {
      const fail = () => reject(new Error(/^\w*Error.*/m.exec(errors)?.[0] ?? "it ended"));
      child.once("close", fail);
      child.once("message", (message) => {
        child.off("close", fail);
        resolve(message);
      });
    });
  try {
    await answer();
  } catch (error) {
    console.log(`${name}: skipped (${error.message})\n`);
    return null;
  }
  return {
    /**
     * Runs a step for some milliseconds, or once if it cannot be repeated.
     * @returns {Promise<{ perSecond: number, otherCores: number, check: number, bytes: number }>}
     * `check`: a number all stores must agree on; `bytes` of memory per arc, for connecting only
     */
    async ask(step, ms) {
      const before = spent(child.pid);
      child.send({ step, ms });
      const { amount, seconds, check, bytes = 0 } = await answer();
      const after = spent(child.pid);
      const otherCores = (after.otherUs - before.otherUs) / (after.atUs - before.atUs);
      return { perSecond: amount / seconds, otherCores, check, bytes };
    },
    stop() {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.disconnect();
      return ended;
    },
  };
}

function spent(pid) {
  return { otherUs: machineCpuUs() - ownCpuUs() - cpuUs(pid), atUs: performance.now() * 1000 };
}
