// Load generator: runs wrk against a server and measures the server's CPU time.

import { execFile, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { cpuUs, machineCpuUs, ownCpuUs } from "./process-figures.mjs";

const SCRIPT = fileURLToPath(new URL("../wrk/report.lua", import.meta.url));

/** Exits if wrk is not installed. */
export function requireWrk() {
  if (spawnSync("wrk", ["--version"]).error === undefined) return;
  console.error("The benchmarks need wrk as load generator: `apt-get install wrk` on Debian.");
  process.exit(1);
}

/**
 * Loads one path of a server.
 * @param {{ port: number, pid: number }} server
 * @param {{ path: string, connections: number, seconds: number, depth?: number, token?: string }}
 * load `depth`: pipelined requests per connection
 * @returns {Promise<{ requests: number, perSecond: number, p50Us: number, p99Us: number, cpuUs:
 * number, otherCores: number }>} `cpuUs`: CPU time of the server per request, all threads;
 * `otherCores`: cores used by other work on the machine
 */
export async function load({ port, pid }, { path, connections, seconds, depth = 1, token }) {
  const url = `http://127.0.0.1:${port}${path}`;
  const options = [`-t1`, `-c${connections}`, `-d${seconds}s`, "-s", SCRIPT];
  if (token !== undefined) options.push("-H", `Authorization: Bearer ${token}`);
  const before = spent(pid);
  const { stdout } = await promisify(execFile)("wrk", [...options, url, "--", String(depth)]);
  const after = spent(pid);
  const figures = JSON.parse(stdout.trim().split("\n").at(-1));
  const { requests, durationUs, p50Us, p99Us, failed } = figures;
  if (failed > 0) throw new Error(`${failed} of ${requests} requests of ${url} failed`);
  const perSecond = (requests / durationUs) * 1e6;
  const serverUs = after.serverUs - before.serverUs;
  const otherCores = (after.otherUs - before.otherUs) / (after.atUs - before.atUs);
  return { requests, perSecond, p50Us, p99Us, cpuUs: serverUs / requests, otherCores };
}

function spent(pid) {
  const serverUs = cpuUs(pid);
  const otherUs = machineCpuUs() - ownCpuUs() - serverUs;
  return { serverUs, otherUs, atUs: performance.now() * 1000 };
}
