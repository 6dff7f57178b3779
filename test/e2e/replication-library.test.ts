// A program that uses the library provides its graphs to another process, and becomes a replica of
// one, at run time.
// limit: 60 s

import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type * as Library from "svc-server";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { buildProject, get, serve } from "./support/server.js";
import { TemporaryProject } from "./support/temporary-project.js";

const test = suite("replication of a program");
const PLUGIN = `
import { Graph, type int, type PluginRequest, type str } from "svc-server";

/** @plugin */
export function one(_request: PluginRequest): int {
  return 1;
}

/** @plugin */
export function add(_request: PluginRequest, id: str): int {
  return new Graph("things").createVertex(id);
}

/** @plugin */
export function push(_request: PluginRequest): boolean {
  return new Graph("things").sync();
}
`;
const library = new URL("../../dist/index.js", import.meta.url).href;
const { Graph, system } = (await import(library)) as typeof Library;
let folder: string;

test.before(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-program-"));
  const options = { root: join(folder, "own"), durability: "async", saveEvery: 0 } as const;
  await system.initialize("program", options);
});

test.after(async () => {
  await system.unload();
  rmSync(folder, { recursive: true });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function rejectionCode(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => "none",
    (error: { code?: string }) => error.code,
  );
}

test("a program subscribes, is promoted, and provides", async () => {
  const port = await freePort();
  assert.is(await system.bound(), 0);
  await system.bind(port);
  assert.is(await system.bound(), port);
  await system.suspendTxInput();
  await system.resumeTxInput();
  assert.throws(() => new Graph("things").createVertex("a"), /readonly/);
  await system.promote();
  new Graph("things").createVertex("a");
  await system.unbind();

  const project = new TemporaryProject({ "plugins/one.ts": PLUGIN });
  await buildProject(project.folder);
  const root = join(folder, "other");
  const successor = await serve(project.folder, "--root", root, "--tx-port", `${port}`);
  try {
    const uri = `svc://127.0.0.1:${port}`;
    await system.attach(uri);
    assert.is(await rejectionCode(system.attach(uri)), "SVC2536");
    assert.equal(await system.attached(), [uri]);
    await system.suspend();
    new Graph("things").createVertex("b");
    assert.is(await rejectionCode(system.fence(200)), "SVC2537");
    assert.is(await rejectionCode(system.suspend(200)), "SVC2537");
    await system.resume();
    assert.is((await system.throttle(1e6, "operations")).operations, 1e6);
    assert.is((await system.throttle(null, "operations")).operations, null);
    await system.fence();
    for (let order = 0; order !== 2; await delay(20)) {
      const { response } = (await get(successor.port, "/svc/objcnt")).json;
      order = (response as { order: number }).order;
    }
    assert.is(await system.sync(), true);
    assert.is(new Graph("things").sync(true), true);
    assert.is(await system.cancelSync(), 0);
    assert.equal(await system.checkDigests(), []);
    while ((await get(successor.port, "/svc/hc")).status !== 200) await delay(20);
    // It has no subscriber: no change is pending.
    const pushed = await get(successor.port, "/svc/plugin/push");
    assert.is(pushed.json.response, true, pushed.text);
    assert.is(await system.detach(uri), 1);
    assert.equal(await system.attached(), []);
  } finally {
    await successor.stop("SIGKILL");
    project.remove();
  }
});

test("a program starts as a replica, and continues as one after a restart", async () => {
  await system.unload();
  const port = await freePort();
  const start = { root: join(folder, "replica"), durability: "async", txPort: port } as const;
  await system.initialize("replica", start);
  const project = new TemporaryProject({ "plugins/one.ts": PLUGIN });
  await buildProject(project.folder);
  const root = join(folder, "provider");
  const provider = await serve(project.folder, "--root", root, "--attach", `127.0.0.1:${port}`);
  const add = (id: string) => get(provider.port, `/svc/plugin/add?id=${id}`);
  const reach = async (order: number): Promise<void> => {
    while (system.registry().things?.[0] !== order) await delay(20);
  };
  try {
    await add("a");
    await reach(1);
    assert.throws(() => system.getGraph("things").createVertex("x"), /readonly/);
    await system.unload();
    await add("b");
    await system.initialize("replica", start);
    await reach(2);
    await add("c");
    await reach(3);
    assert.equal(system.getGraph("things").vertices().sort(), ["a", "b", "c"]);
  } finally {
    await provider.stop("SIGKILL");
    project.remove();
  }
});

test("a program cannot start with an invalid replication port", async () => {
  await system.unload();
  const start = { root: join(folder, "none"), txPort: 0 };
  assert.is(await rejectionCode(system.initialize("replica", start)), "SVC2205");
});

test.run();
