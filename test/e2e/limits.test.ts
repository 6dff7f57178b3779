// A server with a limit of its address space (`ulimit -v`) or open files (`ulimit -n`): it reports
// the limit and the fix instead of a silent end of V8; stored graphs stay intact.
// limit: 60 s
// takes 10 s

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { RawClient } from "../conformance/raw-client.js";
import { plainNode } from "../runner/node-command.mjs";
import { assertFiring } from "./support/firing-alerts.js";
import { ServedProject } from "./support/served-project.js";
import { get } from "./support/server.js";

const SVC = fileURLToPath(new URL("../../bin/svc.cjs", import.meta.url));
const KIB_A_GIB = 2 ** 20;
const PLUGINS = `
import type { Graph, int, PluginRequest, str } from "svc-server";

/** @plugin @graph notes */
export function put(_request: PluginRequest, graph: Graph, id: str): int {
  return graph.createVertex(id, { type: "note" });
}

/** @plugin @graph notes @readonly */
export const has = (_request: PluginRequest, graph: Graph, id: str): boolean => graph.hasVertex(id);

/** @plugin */
export const one = (_request: PluginRequest): int => 1;
`;

const test = suite("process limits");
let project: ServedProject;

test.before(async () => {
  project = await ServedProject.build({ "plugins/notes.ts": PLUGINS });
  await project.start("stored");
  await project.call("put?id=a");
  assert.is(await project.stop("SIGTERM"), 0);
});
test.after.each(() => project.kill());
test.after(() => project.remove());

/** Shell arguments to serve with n GiB of address space. */
function under(gib: number, root: string, ...options: string[]): string[] {
  const limit = `ulimit -v ${Math.round(gib * KIB_A_GIB)}; exec "$@"`;
  const command = [plainNode(), SVC, "serve", project.folder, "--port", "0", "--root"];
  const folder = join(project.folder, root);
  mkdirSync(folder, { recursive: true });
  return ["-c", limit, "svc", ...command, folder, ...options];
}

const isBound = process.platform === "linux";

test("a start with too little address space for its threads fails with a code", () => {
  if (!isBound) return;
  for (const [gib, root, executors] of [
    [2, "empty", "1"],
    [4, "stored", "12"],
  ] as const) {
    const words = under(gib, root, "--executors", executors);
    const { status, stderr } = spawnSync("bash", words, { encoding: "utf8", timeout: 30_000 });
    assert.is(status, 1, stderr);
    assert.match(stderr, /^svc: error SVC2206: \d+ threads need [\d.]+ GiB of address space, /m);
    assert.match(stderr, "ulimit -v unlimited");
  }
});

test("a start with too few files for its threads fails with a code", () => {
  for (const files of [66, 80]) {
    const [, , ...words] = under(1, "empty", "--executors", "16");
    const shell = ["-c", `ulimit -n ${files}; exec "$@"`, ...words];
    const { status, stderr } = spawnSync("bash", shell, { encoding: "utf8", timeout: 30_000 });
    assert.is(status, 1, stderr);
    assert.match(stderr, /SVC3093: .*(EMFILE|too many open files)/);
    assert.match(stderr, /`ulimit -n/);
    assert.not.match(stderr, /^ {4}at /m);
  }
});

/** A server under a limit, its log, and a function that stops it. */
async function startUnder(words: readonly string[]) {
  const child = spawn("bash", words);
  let [output, log] = ["", ""];
  child.stdout.on("data", (text) => {
    output += text;
  });
  child.stderr.on("data", (text) => {
    log += text;
  });
  const ended = once(child, "close");
  const address = /on http:\/\/[^\s/]+:(\d+)/;
  while (!address.test(output)) await Promise.race([once(child.stdout, "data"), ended]);
  const port = Number(address.exec(output)![1]);
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    assert.equal(await ended, [0, null], log);
  };
  return { port, log: () => log, stop };
}

test("a graph without enough address space stays unchanged, others are served", async () => {
  if (!isBound) return;
  const { port, log, stop } = await startUnder(under(6, "stored", "--executors", "1"));
  try {
    assert.is((await get(port, "/svc/plugin/one")).json.response, 1);
    const { status, text } = await get(port, "/svc/plugin/has?id=a");
    assert.is(status, 500);
    assert.match(text, /reserves [\d.]+ GiB of address space .* may reserve only [\d.]+ GiB more/);
    assert.not.match(log(), "restore it from a backup");
    assert.is((await get(port + 1, "/svc/hc")).status, 503);
  } finally {
    await stop();
  }
  await project.start("stored");
  assert.is(await project.call("has?id=a"), true);
});

test("too many connections leave file descriptors for graphs", async () => {
  if (!isBound) return;
  const [, , ...words] = under(1, "crowd", "--executors", "1", "--save-every", "1");
  const { port, log, stop } = await startUnder(["-c", 'ulimit -n 300; exec "$@"', ...words]);
  const sockets: Socket[] = [];
  try {
    const existingClient = await RawClient.open(port);
    for (let n = 0; n < 800; n++) {
      sockets.push(connect({ port: port + (n % 2), host: "127.0.0.1" }).on("error", () => {}));
    }
    await Promise.all(sockets.map((socket) => once(socket, "connect").catch(() => {})));
    const saved = join(project.folder, "crowd", "notes", "graph.snapshot");
    existingClient.send("GET /svc/plugin/put?id=b HTTP/1.1\r\nHost: a\r\n\r\n");
    assert.is((await existingClient.responses(1))[0]!.status, 200);
    while (!existsSync(saved)) await new Promise((resume) => setTimeout(resume, 20));
    assert.not.match(log(), "EMFILE");
    for (const socket of sockets) socket.destroy();
    let text = "";
    while (text === "") {
      text = await get(port + 1, "/metrics").then(
        // Refused while the connections end.
        ({ status, text: metrics }) => (status === 200 ? metrics : ""),
        () => "",
      );
    }
    assertFiring("", text, ["SvcRejections"]);
  } finally {
    for (const socket of sockets) socket.destroy();
    RawClient.closeAll();
    await stop();
  }
});

test.run();
