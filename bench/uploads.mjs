// Uploads of 100 MB: CPU time and memory of svc, next to Fastify with @fastify/multipart. Both
// store the file on disk and remove it after the response. Uploads to both alternate.
//
//   node uploads.mjs [--rounds 7] [--megabytes 100]

import { readFileSync } from "node:fs";
import { request } from "node:http";
import { median, printTargets } from "./lib/figures.mjs";
import { readOptions } from "./lib/options.mjs";
import { cpuUs } from "./lib/process-figures.mjs";
import { build, makeProject } from "./lib/project.mjs";
import { startPeer, startSvc } from "./lib/server.mjs";

const { rounds, megabytes } = readOptions({ rounds: 7, megabytes: 100 });
const SIZE = megabytes * 1_000_000;
const PATH = "/svc/plugin/upload";
const HEAD = `--xx\r\nContent-Disposition: form-data; name="picture"; filename="p"\r\n\r\n`;
const TAIL = "\r\n--xx--\r\n";
const CHUNK = Buffer.from(Array.from({ length: 65_536 }, (_, at) => (at * 7919) & 255));

const PLUGIN = `import type { int, PluginRequest, UploadedFile } from "svc-server";

/** Takes a file. @plugin */
export function upload(_request: PluginRequest, picture: UploadedFile): int {
  return picture.size;
}
`;

function* pieces() {
  yield HEAD;
  for (let left = SIZE; left > 0; left -= CHUNK.length) yield CHUNK.subarray(0, left);
  yield TAIL;
}

async function upload({ port }) {
  const headers = {
    "content-type": "multipart/form-data; boundary=xx",
    "content-length": HEAD.length + SIZE + TAIL.length,
  };
  const options = { host: "127.0.0.1", port, path: PATH, method: "POST", headers };
  let settle;
  const answered = new Promise((resolve, reject) => {
    settle = { resolve, reject };
  });
  const sent = request(options, settle.resolve).on("error", settle.reject);
  for (const piece of pieces()) {
    if (!sent.write(piece)) await new Promise((drained) => sent.once("drain", drained));
  }
  sent.end();
  const response = await answered;
  response.resume();
  if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}`);
  await new Promise((ended) => response.once("end", ended));
}

/** Returns the largest resident memory so far, in MiB. */
function peakMiB({ pid }) {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024;
}

const project = makeProject({
  "plugins/upload.ts": PLUGIN,
  "svc.config.ts": `export default { http: { maxBodyBytes: ${2 * SIZE} } };\n`,
});
build(project);
const options = ["--executors", "1", "--root", `${project}/data`];
const servers = {
  svc: await startSvc(project, { options }),
  fastify: await startPeer("fastify-multipart"),
};
const costs = { svc: [], fastify: [] };
const before = peakMiB(servers.svc);
try {
  for (let round = 0; round <= rounds; round++) {
    for (const [name, server] of Object.entries(servers)) {
      const usedBefore = cpuUs(server.pid);
      await upload(server);
      if (round > 0) costs[name].push(cpuUs(server.pid) - usedBefore);
    }
  }
  const ratio = median(costs.fastify) / median(costs.svc);
  printTargets([
    { label: "uploads per CPU time, next to Fastify", value: ratio, unit: "x", atLeast: 1 },
    {
      label: "memory of svc for uploads",
      value: peakMiB(servers.svc) - before,
      unit: "MiB",
      atMost: 64,
    },
  ]);
} finally {
  for (const server of Object.values(servers)) await server.stop();
}
