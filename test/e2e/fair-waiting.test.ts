// Requests that wait for executors: clients take turns, however many requests one of them sends.
// limit: 60 s

import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { get, type Served, serve, svc } from "./support/server.js";
import { NODE_TYPES, TemporaryProject } from "./support/temporary-project.js";

const PLUGINS = `import type { PluginRequest, str } from "svc-server";
import { access } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

let begun = 0;

/** Tells as the how manyth it was begun, once there is a file. @plugin */
export async function hold(_request: PluginRequest, file: str): Promise<number> {
  const place = ++begun;
  while (!(await access(file).then(() => true, () => false))) await sleep(20);
  return place;
}
`;

const SLOTS = 32;
const test = suite("turns of clients that wait");
const project = new TemporaryProject({ "plugins/p.ts": PLUGINS, "tsconfig.json": NODE_TYPES });
let server: Served;

test.before(async () => {
  await svc("build", project.folder);
  server = await serve(project.folder);
});
test.after(async () => {
  await server?.stop();
  project.remove();
});

/** Asks from an address of its own; the answer is the text up to its end. */
function ask(localAddress: string, path: string): Promise<string> {
  const socket = connect({ port: server.port, host: "127.0.0.1", localAddress });
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

async function untilWaiting(count: number): Promise<void> {
  for (;;) {
    const { text } = await get(server.port + 1, "/metrics");
    if (Number(/^svc_queue_waiting\{port="main"\} (\d+)/m.exec(text)?.[1]) === count) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test("one request of another client waits for one of each, not for all", async () => {
  const gate = join(project.folder, "gate");
  const path = `hold?file=${encodeURIComponent(gate)}`;
  const many = Array.from({ length: SLOTS + 100 }, () => ask("127.0.0.2", path));
  await untilWaiting(100);
  const other = ask("127.0.0.3", path);
  await untilWaiting(101);
  writeFileSync(gate, "");
  const place = Number(/"response": (\d+)/.exec(await other)?.[1]);
  assert.ok(place <= SLOTS + 2, `begun as number ${place}`);
  await Promise.all(many);
});

test.run();
