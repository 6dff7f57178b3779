// A server survives failing readers and full disks of its log, and its log cannot be forged.
// limit: 60 s

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { nodeCommand } from "../runner/node-command.mjs";
import { assertFiring } from "./support/firing-alerts.js";
import { buildProject, get, type RunningServer, serve } from "./support/server.js";
import { TemporaryProject } from "./support/temporary-project.js";

const test = suite("log readers");
const SVC = fileURLToPath(new URL("../../bin/svc.cjs", import.meta.url));
const [NODE, ...NODE_ARGS] = nodeCommand() as [string, ...string[]];
const PLUGINS = `
import type { int, PluginRequest, str } from "svc-server";
declare function queueMicrotask(callback: () => void): void;
declare const console: { log(text: string): void; error(text: string): void };

/** Fails outside of the request. @plugin */
export function stray(_request: PluginRequest, text: str, times: int = 1): boolean {
  for (let time = 0; time < times; time++) {
    queueMicrotask(() => {
      throw text;
    });
  }
  console.log("called");
  return true;
}

/** Prints. @plugin */
export function shout(_request: PluginRequest, text: str, times: int): boolean {
  for (let time = 0; time < times; time++) {
    console.log(text);
    console.error(text);
  }
  return true;
}
`;

let project: TemporaryProject;
let server: RunningServer | null = null;
let child: ChildProcess | null = null;

test.before(async () => {
  project = new TemporaryProject({ "plugins/stray.ts": PLUGINS });
  await buildProject(project.folder);
});
test.after(() => project.remove());
test.after.each(async () => {
  await server?.stop("SIGKILL");
  server = null;
  child?.kill("SIGKILL");
  child = null;
});

async function status(port: number): Promise<{ lost: number; strays: number }> {
  const { json } = await get(port, "/svc/status");
  const response = json.response as {
    readonly log: { readonly lost: number };
    readonly errors: { readonly "stray-exceptions": number };
  };
  return { lost: response.log.lost, strays: response.errors["stray-exceptions"] };
}

/** Writes log entries repeatedly until one is lost; the server must still work. */
async function outlives(port: number): Promise<void> {
  let figures = await status(port);
  for (let round = 0; figures.lost === 0 || figures.strays < 3; round++) {
    assert.is((await get(port, `/svc/plugin/stray?text=round${round}`)).json.response, true);
    figures = await status(port);
  }
  assert.is((await get(port, "/svc/hc")).text, "SVC/3");
}

test("survives a reader that closes the pipe", async () => {
  server = await serve(project.folder);
  assert.equal(await status(server.port), { lost: 0, strays: 0 });
  server.process.stdout!.destroy();
  server.process.stderr!.destroy();
  await outlives(server.port);
  assert.is(await server.stop(), 0);
});

test("survives a reader that stops reading", async () => {
  server = await serve(project.folder);
  const { stdout, stderr } = server.process;
  for (const stream of [stdout!, stderr!]) stream.pause();
  const [port, text] = [server.port, "x".repeat(4000)];
  for (let round = 0; (await status(port)).lost === 0; round++) {
    assert.ok(round < 200, "nothing was lost");
    assert.is((await get(port, `/svc/plugin/shout?text=${text}&times=50`)).json.response, true);
  }
  assert.is((await get(port, "/svc/hc")).text, "SVC/3");
  assertFiring("", (await get(port + 1, "/metrics")).text, ["SvcLogLost"]);
  for (const stream of [stdout!, stderr!]) stream.resume();
  assert.is((await get(port, "/svc/plugin/stray?text=readAgain")).json.response, true);
  while (!server.log().includes("readAgain")) {
    await get(port, `/svc/plugin/stray?text=readAgain${Math.random()}`);
  }
  assert.is(await server.stop(), 0);
});

test("survives a full disk from the start", async () => {
  if (!existsSync("/dev/full")) return;
  const full = openSync("/dev/full", "w");
  const words = ["serve", project.folder, "--port", "0"];
  const options = { execPath: NODE, execArgv: NODE_ARGS };
  child = fork(SVC, words, { ...options, stdio: ["ignore", full, full, "ipc"] });
  closeSync(full);
  const [{ port }] = (await once(child, "message")) as [{ port: number }];
  await outlives(port);
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  assert.is((await exited)[0], 0);
});

test("prevents plugin exceptions from forging an entry", async () => {
  server = await serve(project.folder);
  const forged = encodeURIComponent("x\nsvc: the service goes out\r\u2028svc: again\x1b[2J");
  await get(server.port, `/svc/plugin/stray?text=${forged}`);
  while (!server.log().includes("again")) await get(server.port, "/svc/hc");
  const lines = server.log().split(/[\n\r\u2028]/);
  assert.equal(
    lines.filter((line) => line.startsWith("svc: ")),
    ["svc: uncaught exception outside a request: x"],
  );
  assert.not.match(server.log(), "\x1b");
});

test("counts repeated entries", async () => {
  server = await serve(project.folder);
  await get(server.port, "/svc/plugin/stray?text=same&times=1000");
  while (!server.log().includes("more within")) await get(server.port, "/svc/hc");
  const isEntry = (line: string): boolean => line.includes("outside a request: same");
  const lines = server.log().split("\n").filter(isEntry);
  assert.ok(lines.length < 100, `${lines.length} lines`);
  const more = lines.map((line) => Number(/\((\d+) more within/.exec(line)?.[1] ?? 1));
  assert.ok(more.reduce((sum, count) => sum + count, 0) <= 1000);
});

test.run();
