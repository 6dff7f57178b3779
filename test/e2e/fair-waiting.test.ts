// Fair queueing of requests that wait for executors, however many one client sends.
// limit: 60 s

import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { buildProject, get, type RunningServer, serve } from "./support/server.js";
import { NODE_TYPES, TemporaryProject } from "./support/temporary-project.js";

const PLUGINS = `import type { PluginRequest, str } from "svc-server";
import { access } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

import { existsSync } from "node:fs";

let started = 0;

/** Blocks its executor until the file exists; returns the position of the call. @plugin */
export function block(_request: PluginRequest, file: str): number {
  const position = ++started;
  const rest = new Int32Array(new SharedArrayBuffer(4));
  while (!existsSync(file)) Atomics.wait(rest, 0, 0, 10);
  return position;
}

/** Number of started calls. @plugin */
export function count(_request: PluginRequest): number {
  return started;
}

/** Waits until the file exists; returns the position of the call. @plugin */
export async function hold(_request: PluginRequest, file: str): Promise<number> {
  const position = ++started;
  while (!(await access(file).then(() => true, () => false))) await sleep(20);
  return position;
}
`;

const SLOTS = 32;
const test = suite("fair queueing");
const project = new TemporaryProject({ "plugins/p.ts": PLUGINS, "tsconfig.json": NODE_TYPES });
let server: RunningServer;

test.before(async () => {
  await buildProject(project.folder);
  server = await serve(project.folder, "--executors", "1", "--max-running-per-client", "0");
});
test.after(async () => {
  await server?.end();
  project.remove();
});

/** First line of a connection of a dispatcher with one partition. */
const IDENT = "XSVCIDENT 1 1 127 0 0 0 1\r\n";

/**
 * Sends requests from an address of its own; the response is the text up to its end.
 * @param ident identity line of a dispatcher
 */
function request(localAddress: string, path: string, ident = ""): Promise<string> {
  const socket = connect({ port: server.port, host: "127.0.0.1", localAddress });
  socket.write(ident);
  socket.write(`GET /svc/plugin/${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
  return new Promise((resolve, reject) => {
    let text = "";
    socket.on("error", reject);
    socket.on("data", (bytes) => {
      text += bytes;
      if (!text.endsWith("}")) return;
      socket.destroy();
      resolve(text);
    });
  });
}

async function until(figure: string, count: number): Promise<void> {
  for (;;) {
    const { text } = await get(server.port + 1, "/metrics");
    if (Number(new RegExp(`^${figure}\\{port="main"\\} (\\d+)`, "m").exec(text)?.[1]) === count)
      return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const untilWaiting = (count: number) => until("svc_queue_waiting", count);
const untilRunning = (count: number) => until("svc_queue_running", count);

test("alternates between clients instead of serving one first", async () => {
  const gate = join(project.folder, "gate");
  const path = `hold?file=${encodeURIComponent(gate)}`;
  const many = Array.from({ length: SLOTS + 100 }, () => request("127.0.0.2", path));
  await untilWaiting(100);
  const otherClient = request("127.0.0.3", path);
  await untilWaiting(101);
  writeFileSync(gate, "");
  const position = Number(/"response": (\d+)/.exec(await otherClient)?.[1]);
  assert.ok(position <= SLOTS + 2, `started as number ${position}`);
  await Promise.all(many);
});

for (const [label, address, ident] of [
  ["another client", "127.0.0.3", ""],
  ["a client on the host of a dispatcher", "127.0.0.2", IDENT],
] as const) {
  test(`preempts requests that an executor has not claimed for ${label}`, async () => {
    const gate = join(project.folder, ident === "" ? "door" : "window");
    const path = `block?file=${encodeURIComponent(gate)}`;
    const before = Number(/"response": (\d+)/.exec(await request("127.0.0.3", "count"))?.[1]);
    const many = Array.from({ length: SLOTS }, () => request("127.0.0.2", path, ident));
    await untilRunning(SLOTS);
    const otherClient = request(address, path);
    // All except the claimed one are back in the queue.
    await untilWaiting(SLOTS);
    writeFileSync(gate, "");
    const position = Number(/"response": (\d+)/.exec(await otherClient)?.[1]) - before;
    assert.ok(position <= 3, `started as number ${position}`);
    for (const text of await Promise.all(many)) assert.match(text, /^HTTP\/1.1 200 /);
  });
}

test.run();
