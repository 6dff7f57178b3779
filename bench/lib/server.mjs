// Servers under test, each in its own process that prints the port it listens on.

import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { atExit } from "../../scripts/at-exit.mjs";
import { PACKAGE } from "./package-folder.mjs";

export const SVC = join(PACKAGE, "bin/svc.cjs");
const PEERS = fileURLToPath(new URL("../peers/", import.meta.url));
const NODE = [process.execPath];

/**
 * Starts `svc serve` or another command on a free pair of ports.
 * @param {string} project folder of a built project
 * @param {{ command?: string, options?: string[], node?: string[], port?: number, ip?: string }}
 * how `node`: the command that starts Node.js
 */
export function startSvc(
  project,
  { command = "serve", options = [], node = NODE, port = 0, ip = "127.0.0.1" } = {},
) {
  return start([...node, SVC, command, project, "--port", String(port), "--ip", ip, ...options]);
}

/**
 * Starts a server of `peers/`.
 * @param {string[]} args command-line arguments
 */
export function startPeer(name, node = NODE, args = []) {
  return start([...node, `${PEERS}${name}.mjs`, ...args]);
}

/**
 * Resolves when the process has printed its port.
 * @returns {Promise<{ port: number, pid: number, stop(): Promise<void> }>}
 */
function start([program, ...args]) {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const forget = atExit(() => child.kill("SIGKILL"));
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
    forget();
  };
  return new Promise((resolve, reject) => {
    let output = "";
    child.once("error", reject);
    child.once("exit", () => reject(new Error(`${args.join(" ")} ended:\n${output}`)));
    const read = (text) => {
      output += text;
      const port = /http:\/\/[^\s/]+:(\d+)/.exec(output)?.[1];
      if (port !== undefined) resolve({ port: Number(port), pid: child.pid, stop });
    };
    child.stdout.setEncoding("utf8").on("data", read);
    child.stderr.setEncoding("utf8").on("data", read);
  });
}
