// SIGTERM: new requests get 503, running ones finish, the process exits with 0.
// limit: 60 s
// takes 10 s

import { execFile } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import * as nodeModule from "node:module";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { nodeCommand } from "../runner/node-command.mjs";
import { buildProject, fixture, get, pipeline, serve } from "./support/server.js";
import { NODE_TYPES, TemporaryProject } from "./support/temporary-project.js";

const SVC = fileURLToPath(new URL("../../bin/svc.cjs", import.meta.url));

const test = suite("stop");

test.before(async () => {
  await buildProject(fixture("engine"));
});

test("an idle server exits at once with 0", async () => {
  const server = await serve(fixture("engine"));
  assert.is(await server.stop(), 0);
});

test("a start keeps compiled code for the next one, where Node.js can", async () => {
  if (!("enableCompileCache" in nodeModule)) return;
  await (await serve(fixture("engine"))).stop();
  const codeFolder = fileURLToPath(new URL("../../dist/.code", import.meta.url));
  assert.ok(readdirSync(codeFolder).length > 0);
});

test("a start removes compiled code of previous builds", async () => {
  if (!("enableCompileCache" in nodeModule)) return;
  const folder = mkdtempSync(join(tmpdir(), "svc-code-"));
  const path = (name: string) => join(folder, name);
  for (const name of ["bin", "dist/.code/old"]) mkdirSync(path(name), { recursive: true });
  copyFileSync(fileURLToPath(new URL("../../bin/start.cjs", import.meta.url)), path("bin/run.cjs"));
  writeFileSync(path("package.json"), '{ "type": "module" }');
  const code = "export function main() {}\nexport { main as reportUncaught };\n";
  writeFileSync(path("dist/cli.js"), code);
  const { NODE_COMPILE_CACHE: _, ...env } = process.env;
  const start = () => promisify(execFile)(process.execPath, [path("bin/run.cjs")], { env });
  const add = (count: number): void => {
    for (let index = 0; index < count; index++)
      writeFileSync(path(`dist/.code/old/${count} ${index}`), "");
  };
  try {
    add(500);
    await start();
    assert.ok(existsSync(path("dist/.code/old")));
    add(501);
    await start();
    assert.is(existsSync(path("dist/.code/old")), false);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a signal at the end of the start stops the server cleanly", async () => {
  const plugins = `import type { PluginRequest } from "svc-server";
(globalThis as any).process.kill((globalThis as any).process.pid, "SIGTERM");
/** @plugin */
export const one = (_request: PluginRequest) => 1;
`;
  const project = new TemporaryProject({ "plugins/p.ts": plugins });
  await buildProject(project.folder);
  const [node, ...args] = nodeCommand();
  // Rejects if a signal has killed it.
  const { stderr } = await promisify(execFile)(node!, [
    ...args,
    SVC,
    "serve",
    project.folder,
    "--port",
    "0",
  ]);
  assert.match(stderr, "SIGTERM: shutting down: saving graphs");
  project.remove();
});

/** Plugins of a project in this folder. */
const pluginsIn = (folder: string): string => `import { existsSync, writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { PluginRequest } from "svc-server";

const path = (name: string) => ${JSON.stringify(folder)} + "/" + name;

/** @plugin */
export async function holds(_request: PluginRequest) {
  writeFileSync(path("holding"), "");
  while (!existsSync(path("released"))) await delay(5);
  return "done";
}

/** @plugin */
export const one = (_request: PluginRequest) => 1;
`;

test("running requests finish, new ones are rejected", async () => {
  const project = new TemporaryProject({ "tsconfig.json": NODE_TYPES });
  project.write("plugins/p.ts", pluginsIn(project.folder));
  await buildProject(project.folder);
  const server = await serve(project.folder);
  const runningResponse = get(server.port, "/svc/plugin/holds");
  while (!existsSync(join(project.folder, "holding"))) await delay(5);
  const exit = server.stop();
  let newcomer = await get(server.port, "/svc/plugin/one");
  // The signal may arrive later, and connections are refused after a while.
  while (newcomer.status === 200) newcomer = await get(server.port, "/svc/plugin/one");
  assert.is(newcomer.status, 503);
  assert.is(newcomer.json.message, "Service Out");
  project.write("released", "");
  assert.is((await runningResponse).json.response, "done");
  assert.is(await exit, 0);
  project.remove();
});

/** Sends requests on one connection until a response closes it. */
async function askUntilClosed(port: number): Promise<string[]> {
  const statuses: string[] = [];
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  let received = "";
  const next = (): void => {
    received = "";
    socket.write("GET /svc/plugin/add?a=1 HTTP/1.1\r\nHost: a\r\n\r\n");
  };
  socket.on("data", (chunk) => {
    received += chunk.toString("latin1");
    if (!received.endsWith("}")) return;
    const isLast = received.includes("\r\nConnection: close\r\n");
    statuses.push(`${received.slice(9, 12)}${isLast ? " last" : ""}`);
    if (!isLast) next();
  });
  socket.on("error", (error) => statuses.push(error.message));
  next();
  await once(socket, "close");
  return statuses;
}

test("no request sent before the connection closes is lost", async () => {
  // Long enough for two requests on a loaded machine.
  const server = await serve(fixture("engine"), "--drain", "3");
  const { port } = server;
  const clients = Array.from({ length: 16 }, () => askUntilClosed(port));
  await delay(200);
  const exit = server.stop();
  let isIll = false;
  while (!isIll) {
    await delay(10);
    isIll = (await get(port + 1, "/svc/hc")).status === 503;
  }
  assert.is((await get(port, "/svc/hc")).status, 503, "the health check comes first");
  assert.is((await get(port, "/svc/plugin/add?a=1")).status, 200, "all else goes on");
  for (const statuses of await Promise.all(clients)) {
    assert.is(statuses.at(-1), "200 last");
    assert.ok(
      statuses.slice(0, -1).every((status) => status === "200"),
      statuses.slice(-3).join(),
    );
  }
  assert.is(await exit, 0);
});

test("a response in progress is sent completely", async () => {
  const server = await serve(fixture("engine"));
  const socket = pipeline(server.port, "/svc/plugin/long?n=10000000");
  const [first] = (await once(socket, "data")) as [string];
  socket.pause();
  const exit = server.stop();
  await delay(400);
  let response = first;
  for await (const piece of socket) response += piece;
  const [head, body] = response.split("\r\n\r\n") as [string, string];
  assert.is(body.length, Number(/Content-Length: (\d+)/.exec(head)![1]));
  assert.is(await exit, 0);
});

test("Service-OUT affects plugins and the health check, not the other services", async () => {
  const server = await serve(fixture("engine"), "--service-out");
  const { port } = server;
  for (const path of [
    "/svc/plugin/add?a=1",
    "/svc/builtin/ping",
    "/svc/hc",
    "/svc/plugin/a%64d?a=1",
  ]) {
    const response = await get(port, path);
    assert.is(response.status, 503, path);
    assert.is(response.json.message, "Service Unavailable");
  }
  assert.is((await get(port, "/svc/status")).status, 200);
  assert.is((await get(port + 1, "/svc/hc")).status, 503);
  assert.is((await get(port + 1, "/svc/builtin/ping")).json.response, true);
  const headers = { "X-SVC-Bypass-SOUT": "1" };
  assert.is((await get(port, "/svc/plugin/add?a=1", { headers })).json.response, 2);
  assert.is((await get(port, "/svc/hc", { headers })).text, "SVC/3");
  assert.is((await get(port, "/svc/hc", { headers: { "X-SVC-Bypass-SOUT": "0" } })).status, 503);
  const page = { ...headers, "Sec-Fetch-Site": "cross-site" };
  assert.is((await get(port, "/svc/hc", { headers: page })).status, 503, "not by a page");
  assert.is(await server.stop(), 0);
});

test.run();
