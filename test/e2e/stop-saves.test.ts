// Acknowledged writes survive a stop, whatever still runs: graphs are saved on the signal, and
// again when requests have finished or timed out. A failed save is reported.
// limit: 60 s
// takes 25 s

import { existsSync, mkdirSync, rmdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { rounds } from "../support/rounds.js";
import { assertFiring } from "./support/firing-alerts.js";
import { ServedProject } from "./support/served-project.js";
import { get } from "./support/server.js";

const test = suite("save on stop");
const PLUGINS = `
import type { Graph, int, PluginRequest, str } from "svc-server";

declare function setTimeout(done: (value: unknown) => void, ms: number): void;

/** @plugin @graph notes */
export function put(_request: PluginRequest, graph: Graph, id: str): int {
  return graph.createVertex(id, { type: "note" });
}

/** @plugin @graph notes */
export async function putLater(
  _request: PluginRequest, graph: Graph, id: str, ms: int,
): Promise<int> {
  await new Promise((resume) => setTimeout(resume, ms));
  return graph.createVertex(id, { type: "note" });
}

/** @plugin @graph notes */
export function has(_request: PluginRequest, graph: Graph, id: str): boolean {
  return graph.hasVertex(id);
}

/** Never ends, and lets its executor do nothing else. @plugin */
export function burn(_request: PluginRequest): void {
  for (;;);
}

/** Never ends. @plugin */
export function hang(_request: PluginRequest): Promise<void> {
  return new Promise(() => {});
}
`;
const NO_BOUND = ["--plugin-timeout", "0", "--executors", "2"];

let project: ServedProject;

test.before(async () => {
  project = await ServedProject.build({ "plugins/notes.ts": PLUGINS });
});
test.after(() => project.remove());
test.after.each(() => project.kill());

const start = (root: string, ...options: string[]) => project.start(root, ...options);
const call = (plugin: string) => project.call(plugin);

/** Sends a request that may never be answered. */
function begin(plugin: string): { readonly isDone: boolean } {
  const state = { isDone: false };
  const done = (): void => {
    state.isDone = true;
  };
  void get(project.server.port, `/svc/plugin/${plugin}`).then(done, done);
  return state;
}

for (const stuck of ["hang", "burn"]) {
  test(`saves graphs while a request still runs: ${stuck}`, async () => {
    const folder = await start(`killed-${stuck}`, ...NO_BOUND);
    await call("put?id=a");
    const request = begin(stuck);
    await delay(200);
    const exit = project.server.stop("SIGTERM");
    while (!existsSync(join(folder, "notes", "graph.snapshot"))) await delay(20);
    assert.not.ok(request.isDone, "the request still runs");
    assert.is(project.server.process.exitCode, null);
    project.server.process.kill("SIGKILL");
    await exit;
    await start(`killed-${stuck}`);
    assert.is(await call("has?id=a"), true);
  });
}

test("saves writes of running requests, and limits the wait for others", async () => {
  await start("late", ...NO_BOUND);
  await call("put?id=a");
  begin("hang");
  const laterResponse = get(project.server.port, "/svc/plugin/putLater?id=b&ms=1500");
  await delay(200);
  const exit = project.server.stop("SIGTERM");
  assert.is((await laterResponse).json.response, 1);
  assert.is(await exit, 0);
  await start("late");
  assert.equal([await call("has?id=a"), await call("has?id=b")], [true, true]);
});

for (const signal of ["SIGHUP", "SIGQUIT", "SIGUSR2"] as const) {
  test(`treats ${signal} like SIGTERM`, async () => {
    const folder = await start(signal);
    await call("put?id=a");
    assert.is(await project.server.stop(signal), 0);
    assert.ok(existsSync(join(folder, "notes", "graph.snapshot")));
  });
}

test("reports a failed save to operators until one succeeds", async () => {
  const backup = join(project.folder, "backup");
  writeFileSync(backup, "no folder");
  const folder = await start("failing", "--save-every", "1", "--archive", backup);
  const obstacle = join(folder, "notes", "graph.snapshot.tmp");
  mkdirSync(obstacle, { recursive: true });
  await call("put?id=a");
  const { port } = project.server;
  let health = await get(port + 1, "/svc/hc");
  while (health.status === 200) {
    await delay(50);
    health = await get(port + 1, "/svc/hc");
  }
  assert.is(health.status, 503);
  assert.is(health.json.message, "Graphs that failed to save: notes");
  assert.is((await get(port, "/svc/hc")).status, 200, "clients are served on");
  assert.equal(await unsaved(port), ["notes"]);
  assert.match(project.server.log(), 'graph "notes" could not be saved');
  const { text } = await get(port + 1, "/metrics");
  assertFiring(text, text, ["SvcGraphUnsaved"]);
  // The backup cannot be written either.
  assertFiring(text, text, ["SvcBackupOld", "SvcBackupUnverified", "SvcGraphUnsaved"], {
    laterS: 11 * 86_400,
  });
  rmdirSync(obstacle);
  await call("put?id=b");
  while ((await get(port + 1, "/svc/hc")).status !== 200) await delay(50);
  assert.equal(await unsaved(port), []);
  assert.ok(statSync(join(folder, "notes", "graph.snapshot")).isFile());
});

/** Its threads may still process the start: one stop in 25 exited by itself, with 0. */
const STOPS = rounds(5);

for (let round = 1; round <= STOPS; round++) {
  test(`exits with an error code when saving fails, ${round}`, async () => {
    const folder = await start(`lost${round}`, "--log-level", "error");
    mkdirSync(join(folder, "notes", "graph.snapshot.tmp"), { recursive: true });
    await call("put?id=a");
    assert.is(await project.server.stop("SIGTERM"), 1);
    assert.match(project.server.log(), 'graph "notes" could not be saved');
  });
}

async function unsaved(port: number): Promise<unknown> {
  const { json } = await get(port, "/svc/status");
  return (json.response as { readonly graphs: { readonly unsaved: unknown } }).graphs.unsaved;
}

test.run();
