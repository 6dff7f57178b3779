// A file system that becomes full under a server: reads continue, changes are refused until there
// is space again. It is a small tmpfs, which only root can mount.
// limit: 60 s
// takes 15 s

import { execFileSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { buildProject, get, type Served, serve } from "./support/server.js";
import { TemporaryProject } from "./support/temporary-project.js";

const PLUGINS = `
import type { Graph, PluginRequest, str } from "svc-server";

/** @plugin @graph notes */
export function put(_request: PluginRequest, graph: Graph, id: str): boolean {
  graph.createVertex(id, { properties: { text: "x".repeat(1000) } });
  return true;
}

/** @plugin @readonly @graph notes */
export function has(_request: PluginRequest, graph: Graph, id: str): boolean {
  return graph.hasVertex(id);
}
`;

const test = suite("full disk");
const project = new TemporaryProject({ "plugins/p.ts": PLUGINS });
const folder = join(project.folder, "small");
const isMounted = mount();
let server: Served;

function mount(): boolean {
  mkdirSync(folder);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64m", "tmpfs", folder], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

async function start(): Promise<void> {
  server = await serve(project.folder, "--root", folder, "--durability", "full");
}

test.before(async () => {
  await buildProject(project.folder);
  if (isMounted) await start();
});

test.after(async () => {
  await server?.stop();
  if (isMounted) execFileSync("umount", [folder]);
  project.remove();
});

const call = (path: string) => get(server.port, `/svc/plugin/${path}`);
const filler = join(folder, "filler");

function fillDisk(): void {
  const file = openSync(filler, "w");
  const chunk = Buffer.alloc(4096);
  try {
    for (;;) writeSync(file, chunk);
  } catch (error) {
    assert.is((error as NodeJS.ErrnoException).code, "ENOSPC");
  } finally {
    closeSync(file);
  }
}

const testWhenMounted = isMounted ? test : test.skip;

testWhenMounted("serves reads and refuses changes, which resume by themselves", async () => {
  assert.is((await call("put?id=before")).status, 200);
  fillDisk();
  let accepted = 0;
  let refused = await call("put?id=full0");
  for (; refused.status === 200; refused = await call(`put?id=full${++accepted}`)) await delay(20);
  assert.is(refused.status, 507, refused.text);
  assert.match(refused.text, /StorageError.*disk of the transaction log is full/);
  for (let turn = 0; turn < 20; turn++) {
    const { status, json } = await call("has?id=before");
    assert.equal([status, json.response], [200, true]);
  }
  const health = await fetch(`http://127.0.0.1:${server.port}/svc/hc`);
  assert.equal([health.status, health.headers.get("x-svc-readonly")], [200, "full"]);
  const { json: node } = await get(server.port + 1, "/svc/nodestat");
  assert.is((node.response as Record<string, unknown>)["log-state"], "full");
  rmSync(filler);
  while ((await call("put?id=after")).status === 507) await delay(50);
  const again = await fetch(`http://127.0.0.1:${server.port}/svc/hc`);
  assert.equal([again.status, again.headers.get("x-svc-readonly")], [200, null]);
  // Whatever was accepted meanwhile is durable.
  await server.stop("SIGKILL");
  await start();
  for (const id of ["before", "after", ...Array.from({ length: accepted }, (_, n) => `full${n}`)]) {
    assert.is((await call(`has?id=${id}`)).json.response, true, id);
  }
});

test.run();
