// Graphs outlive the process: svc saves them on shutdown and periodically. Only one process uses a
// data folder at a time. Also tests the setting `graphs` of svc.config.ts.
// limit: 60 s
// takes 15 s

import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { assertFiring } from "./support/firing-alerts.js";
import { ServedProject } from "./support/served-project.js";
import { buildProject, get, serve, svc } from "./support/server.js";

const test = suite("stored graphs");
const PLUGINS = `
import { Graph, type int, type PluginRequest, type str } from "svc-server";

/** @plugin @graph notes */
export function put(_request: PluginRequest, graph: Graph, id: str, n: int): int {
  graph.createVertex(id, { type: "note", properties: { n } });
  return graph.connect("all", ["has", 5, n], id);
}

/** @plugin @graph notes */
export function take(_request: PluginRequest, graph: Graph, id: str): unknown[] {
  return [graph.size, graph.arcValue("all", "has", id), graph.getVertex(id).getProperty("n")];
}

/** Opens a graph that nothing else names. @plugin */
export function open(_request: PluginRequest, name: str, path: str | null = null): str | null {
  return new Graph(name, { path }).path;
}
`;
/** Source of a configuration. */
const config = (text: string) =>
  `import { defineConfig } from "svc-server/config";\nexport default defineConfig(${text});\n`;

let project: ServedProject;

test.before(async () => {
  project = await ServedProject.build({ "plugins/notes.ts": PLUGINS });
});
test.after(() => project.remove());
test.after.each(() => project.kill());

const start = (root: string, ...options: string[]) => project.start(root, ...options);
const call = (plugin: string) => project.call(plugin);
const stop = (signal: NodeJS.Signals) => project.stop(signal);
const callError = (plugin: string) => project.callError(plugin);

test("are saved by each kind of stop and loaded by a start", async () => {
  const folder = await start("stopped");
  await call("put?id=a&n=1");
  // Paths are inside of the data folder.
  assert.is(await call("open?name=deep&path=some/where"), join(folder, "some", "where"));
  assert.match(await callError("open?name=deep&path=else"), /DataError.*is stored in/);
  assert.match(await callError("open?name=out&path=../x"), /DataError.*bad path/);
  assert.match(await callError("open?name=out&path=/x"), /DataError.*relative/);
  assert.match(await callError("open?name=1st"), /DataError.*invalid graph name/);
  // Another process cannot use them, and is told which one does.
  await rejects(
    serve(project.folder, "--root", folder),
    new RegExp(`SVC2409[^]*${project.server.process.pid}[^]*svc\\.lock`),
  );
  assert.equal(await call("take?id=a"), [1, 1, 1]);
  assert.is(await stop("SIGTERM"), 0);
  assert.ok(existsSync(join(folder, "notes", "graph.snapshot")));
  assert.not.ok(readdirSync(folder).includes("svc.lock"), "the root is free again");

  await start("stopped");
  assert.is(await call("open?name=deep"), join(folder, "some", "where"));
  await call("put?id=a&n=2");
  assert.equal(await call("take?id=a"), [1, 2, 2]);
  assert.is(await stop("SIGINT"), 0);

  await start("stopped");
  assert.equal(await call("take?id=a"), [1, 2, 2]);
  await call("put?id=a&n=3");
  // Signals from a terminal and from npm.
  void project.server.stop("SIGTERM");
  assert.is(await stop("SIGINT"), 0);
  await start("stopped");
  assert.equal(await call("take?id=a"), [1, 3, 3]);
});

test("survive a killed process if they were saved", async () => {
  const folder = await start("killed", "--save-every", "1");
  await call("put?id=a&n=1");
  const file = join(folder, "notes", "graph.snapshot");
  while (!existsSync(file)) await delay(50);
  const first = statSync(file).mtimeMs;
  await call("put?id=b&n=2");
  while (statSync(file, { throwIfNoEntry: false })?.mtimeMs === first) await delay(50);
  await stop("SIGKILL");
  assert.ok(existsSync(join(folder, "svc.lock")), "nobody has cleaned up");
  await start("killed");
  assert.equal(await call("take?id=a"), [2, 1, 1]);
  assert.equal(await call("take?id=b"), [2, 2, 2]);
});

test("fail alone, and the health check with them, until they can be loaded", async () => {
  const folder = await start("watched");
  await call("put?id=a&n=1");
  await stop("SIGTERM");
  const file = join(folder, "notes", "graph.snapshot");
  const whole = readFileSync(file);
  writeFileSync(file, "no snapshot");
  await start("watched");
  const health = (offset: 0 | 1) => get(project.server.port + offset, "/svc/hc");
  const status = async (query: string): Promise<Record<string, string> | undefined> => {
    const { json } = await get(project.server.port + 1, `/svc/builtin/status${query}`);
    return (json.response as { unloadable?: Record<string, string> }).unloadable;
  };
  while ((await health(1)).status === 200) await delay(50);
  assert.equal([(await health(1)).status, (await health(0)).status], [503, 200]);
  assert.match((await health(1)).text, /Graphs that failed to load: notes/);
  for (const query of ["", "?simple=1"]) {
    assert.equal(Object.keys((await status(query)) ?? {}), ["notes"]);
    assert.match((await status(query))!.notes!, /graph\.snapshot: truncated file/);
    assert.match((await status(query))!.notes!, /the file was not modified: .* restore it/);
  }
  const { json } = await get(project.server.port + 1, "/svc/status");
  assert.equal((json.response as { graphs: object }).graphs, {
    unsaved: [],
    unloadable: ["notes"],
  });
  const { text } = await get(project.server.port + 1, "/metrics");
  assertFiring(text, text, ["SvcGraphUnloadable"]);
  assert.match(await callError("put?id=a&n=2"), /DataError.*graph\.snapshot/);
  assert.match(project.server.log(), /notes.*graph\.snapshot/);
  assert.match(String(await call("open?name=other")), /other$/);
  assert.match(await callError("open?name=1st"), /DataError/);
  assert.equal(Object.keys((await status(""))!), ["notes"], "a bad request changes nothing");
  writeFileSync(file, whole);
  assert.equal(await call("take?id=a"), [1, 1, 1]);
  assert.is((await health(1)).status, 200);
  assert.is(await status(""), undefined);
  await call("put?id=b&n=1");
  const later = (await get(project.server.port + 1, "/metrics")).text;
  assertFiring(later, later, []);
  // After days without another snapshot.
  assertFiring(later, later, ["SvcSnapshotOld"], { laterS: 2 * 86_400 });
});

test("are opened at start if configured, and reject changes if readonly", async () => {
  await start("configured");
  await call("put?id=a&n=1");
  await stop("SIGTERM");
  project.write("svc.config.ts", config("{ graphs: { notes: { readonly: true }, empty: {} } }"));
  await buildProject(project.folder);
  const folder = await start("configured");
  assert.equal(await call("take?id=a"), [1, 1, 1]);
  assert.match(await callError("put?id=a&n=2"), /AccessError.*Graph is readonly/);
  await stop("SIGTERM");
  assert.ok(existsSync(join(folder, "empty", "graph.snapshot")));
  const indexes = `[{ text: { keys: ["title"] } }, { property: "n" }]`;
  project.write("svc.config.ts", config(`{ graphs: { notes: { indexes: ${indexes} } } }`));
  await buildProject(project.folder);
  await start("configured");
  assert.is(await call("put?id=a&n=2"), 0);
  const result = await get(project.server.port, "/svc/builtin/search?graph=notes&text=a");
  assert.equal(result.json.response, []);
});

test("report all errors in their configuration with the file", async () => {
  const invalidConfig = `{ graphs: {
    "1st": {}, notes: { readonl: true }, other: { path: "../x" }, third: { local: 1 },
  } }`;
  project.write("svc.config.ts", config(invalidConfig));
  const failure = await svc("build", project.folder).catch((error: { stderr: string }) => error);
  for (const part of [
    ...["svc.config.ts", "graphs.1st: expected a graph name", "did you mean `readonly`"],
    ...["graphs.other.path: expected a path inside", "graphs.third.local: expected true or"],
  ]) {
    assert.ok(failure.stderr.includes(part), `${part} in:\n${failure.stderr}`);
  }
});

async function rejects(promise: Promise<unknown>, pattern: RegExp): Promise<void> {
  const error = await promise.then(
    () => null,
    (reason: Error) => reason,
  );
  assert.match(String(error?.message), pattern);
}

test.run();
