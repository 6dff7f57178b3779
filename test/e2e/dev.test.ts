// `svc dev`: edits are served, and errors are shown while the last valid version stays in service.
// limit: 120 s
// takes 25 s

import { utimesSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Argspec } from "../../argspec/argspec.js";
import { rounds } from "../support/rounds.js";
import { call, Dev, withDev } from "./support/dev.js";
import { serve, svc } from "./support/server.js";
import {
  BAD_PLUGIN,
  GOOD_PLUGIN,
  NODE_TYPES,
  TemporaryProject,
} from "./support/temporary-project.js";

const test = suite("svc dev");
const TRIPLE = GOOD_PLUGIN.replace("n * 2", "n * 3");

const VISITS = `import type { Graph, int, PluginRequest } from "svc-server";

const by = 1;

/** Counts itself, in a graph. @plugin @graph visits */
export function visit(_request: PluginRequest, graph: Graph): int {
  return graph.newVertex("all").incProperty("visits", by);
}
`;

/** Names of the plugins in the server's argspec. */
async function toldPlugins(port: string): Promise<readonly string[]> {
  const url = `http://127.0.0.1:${port}/svc/builtin/argspec?format=schema`;
  const reply = await fetch(url, { headers: { connection: "close" } });
  const { response } = (await reply.json()) as { response: Argspec };
  return response.plugins.map(({ name }) => name);
}

/** One process and project for most tests; each leaves valid plugins, and the output consumed. */
let dev: Dev;
let project: TemporaryProject;
let port: string;

async function started(started: Dev): Promise<string> {
  return (await started.until(/127\.0\.0\.1:(\d+) /))[1]!;
}

/** Writes a plugin file and waits for its new version. */
async function edit(name: string, text: string, of = dev, within = project): Promise<void> {
  within.write(name, text);
  await of.until(/reloaded .+ in \d+ ms/);
}

test.before(async () => {
  project = new TemporaryProject({ "plugins/double.ts": GOOD_PLUGIN, "plugins/visits.ts": VISITS });
  dev = new Dev(project.folder, "--check-first");
  port = await started(dev);
});
test.after(() => {
  dev.process.kill("SIGKILL");
  project.remove();
});

test("serves edits, new files and new folders", async () => {
  assert.match((await dev.until(/\(admin [^\n]*/))[0], /^\(admin http:\S+\)$/, "loopback alone");
  assert.is(await call(port, "double?n=2"), 4);
  assert.equal(await toldPlugins(port), ["double", "visit"]);
  project.write("plugins/double.ts", TRIPLE);
  await dev.until(/svc: reloaded plugins\/double\.ts in \d+ ms: 2 plugins/);
  assert.is(await call(port, "double?n=2"), 6);
  project.write("plugins/more/twice.ts", GOOD_PLUGIN.replace("double", "twice"));
  await dev.until(/twice\.ts in \d+ ms: 3 plugins/);
  assert.equal(await toldPlugins(port), ["double", "twice", "visit"]);
  assert.is(await call(port, "twice?n=5"), 10);
});

test("keeps graphs across a reload", async () => {
  assert.is(await call(port, "visit"), 1);
  assert.is(await call(port, "visit"), 2);
  for (let round = 1; round < 3; round++) {
    await edit("plugins/visits.ts", VISITS.replace("by = 1", `by = ${10 ** round}`));
    assert.is(await call(port, "visit"), Math.floor(10 ** (round + 1) / 9) + 1);
  }
});

test("shows an error with its line and keeps serving until it is fixed", async () => {
  project.write("plugins/double.ts", GOOD_PLUGIN.replace("n: int", "n: WeakSet<object>"));
  await dev.until(/plugins\/double\.ts:4:\d+ - error SVC1\d{3}/);
  await dev.until(/still serving the last good build/);
  assert.is(await call(port, "double?n=2"), 6);
  await edit("plugins/double.ts", GOOD_PLUGIN);
  assert.is(await call(port, "double?n=2"), 4);
});

test("with --check-first serves no type errors, and leaves no build of them", async () => {
  project.write("plugins/double.ts", BAD_PLUGIN);
  await dev.until(/plugins\/double\.ts:5:3 - error TS2322/);
  await dev.until(/still serving the last good build/);
  assert.is(await call(port, "double?n=2"), 4);
  const built = await svc("build", project.folder).catch((error) => error);
  assert.match(built.stderr, /TS2322/);
  await edit("plugins/double.ts", TRIPLE);
  assert.is(await call(port, "double?n=2"), 6);
});

test("shows errors of files with times of a clock that runs ahead", async () => {
  const file = join(project.folder, "plugins/double.ts");
  const times = [
    [3_600_000, GOOD_PLUGIN],
    [60, TRIPLE],
  ] as const;
  for (const [aheadMs, corrected] of times) {
    project.write("plugins/double.ts", GOOD_PLUGIN.replace("n: int", "n: WeakSet<object>"));
    const seconds = (Date.now() + aheadMs) / 1000;
    utimesSync(file, seconds, seconds);
    await dev.until(/plugins\/double\.ts:4:\d+ - error SVC1\d{3}/);
    await edit("plugins/double.ts", corrected);
  }
});

test("ignores an empty file that an editor writes before its contents", async () => {
  project.write("plugins/double.ts", "");
  await delay(60);
  project.write("plugins/double.ts", GOOD_PLUGIN);
  const [line] = await dev.until(/reloaded [^\n]*/);
  assert.match(line!, ": 3 plugins in");
  assert.is(await call(port, "double?n=2"), 4);
  project.write("plugins/double.ts", "");
  await dev.until(/reloaded \S+ in \d+ ms: 2 plugins/);
});

test("names a plugin file that exits while it is loaded", async () => {
  project.write("tsconfig.json", NODE_TYPES);
  project.write("plugins/double.ts", `${GOOD_PLUGIN}\nprocess.exit(3);\n`);
  await dev.until(/process\.exit\(3\) was called while .*\n.*plugins\/double\.ts:\d+:9/);
  await edit("plugins/double.ts", GOOD_PLUGIN);
});

test("asks for a restart when the configuration changes", async () => {
  project.write("svc.config.ts", "export default { http: { cors: '*' } };\n");
  await dev.until(/configuration changed/);
});

test("stops quietly while it builds", async () => {
  dev.output = "";
  project.write("plugins/double.ts", TRIPLE);
  await delay(250);
  assert.is(await dev.stop(), 0);
  assert.not.match(dev.output, /goroutine|error/);
});

test("serves code that parses at once, and reports type errors later", () =>
  withDev({ "plugins/double.ts": GOOD_PLUGIN }, async (otherDev, project) => {
    const port = await started(otherDev);
    project.write("plugins/double.ts", BAD_PLUGIN);
    await otherDev.until(/reloaded .+ in \d+ ms/);
    assert.is(await call(port, "double?n=2"), "no number");
    await otherDev.until(/plugins\/double\.ts:5:3 - error TS2322/);
    // After a swap that takes longer than the check.
    const slow = "await new Promise((resolve) => setTimeout(resolve, 4000));";
    project.write("plugins/double.ts", `${BAD_PLUGIN}\n${slow}\n`);
    await otherDev.until(/reloaded .+ in \d+ ms/);
    await otherDev.until(/plugins\/double\.ts:5:3 - error TS2322/);
    // A file that is written in two steps can be checked twice, but is reloaded once.
    await edit("plugins/double.ts", BAD_PLUGIN, otherDev, project);
    await otherDev.until(/plugins\/double\.ts:5:3 - error TS2322/);
    assert.is(await otherDev.stop(), 0);
    const built = await svc("build", project.folder).catch((error) => error);
    assert.match(built.stderr, /TS2322/);
    const server = await serve(project.folder);
    assert.match(server.log(), /serving a build with unchecked or invalid types/);
    await server.stop();
  }));

test("serves changes of workspace packages outside of the folder", async () => {
  const workspace = new TemporaryProject({
    "packages/rates/package.json": '{ "name": "rates", "type": "module", "exports": "./rate.ts" }',
    "packages/rates/rate.ts": "export const rate: number = 2;\n",
    "app/package.json": '{ "name": "app", "type": "module" }',
    "app/plugins/double.ts": GOOD_PLUGIN.replace("n * 2", "n * rate").replace(
      "\n\n",
      '\nimport { rate } from "../../packages/rates/rate.js";\n\n',
    ),
  });
  const appDev = new Dev(join(workspace.folder, "app"));
  try {
    const port = await started(appDev);
    assert.is(await call(port, "double?n=2"), 4);
    workspace.write("packages/rates/rate.ts", "export const rate: number = 5;\n");
    await appDev.until(/svc: reloaded \.\.\/packages\/rates\/rate\.ts in/);
    assert.is(await call(port, "double?n=2"), 10);
    assert.is(await appDev.stop(), 0);
  } finally {
    appDev.process.kill("SIGKILL");
    workspace.remove();
  }
});

test("fails when the server cannot be started", async () => {
  const otherProject = new TemporaryProject();
  const failingDev = new Dev(
    otherProject.folder,
    "--root",
    join(otherProject.folder, "nowhere", "deeper"),
  );
  await failingDev.until(/svc: error SVC3008: /);
  assert.is(await failingDev.exited, 1);
  otherProject.remove();
});

test("starts once the first error is fixed, and stops quietly with its helpers", async () => {
  for (let round = 0; round < rounds(1); round++) {
    await withDev({ "plugins/double.ts": "export function {" }, async (failingDev, project) => {
      await failingDev.until(/fix this to start serving/);
      project.write("plugins/double.ts", GOOD_PLUGIN);
      assert.is(await call(await started(failingDev), "double"), 42);
      failingDev.output = "";
      project.write("plugins/double.ts", TRIPLE);
      // A terminal signals the whole process group.
      const afterMs = 50 + Math.random() * 200;
      await delay(afterMs);
      process.kill(-failingDev.process.pid!, round % 2 === 0 ? "SIGINT" : "SIGTERM");
      assert.is(await failingDev.exited, 0);
      const noise = /goroutine|error|bug|stopped|good build/;
      assert.not.match(failingDev.output, noise, `after ${afterMs} ms: ${failingDev.output}`);
    });
  }
});

test("stops quietly during the first build", () => {
  const config = `process.stderr.write("configured\\n");
await new Promise((resolve) => setTimeout(resolve, 1000));
export default {};
`;
  const files = { "plugins/double.ts": GOOD_PLUGIN, "svc.config.ts": config };
  return withDev(files, async (devServer) => {
    await devServer.until(/configured/);
    assert.is(await devServer.stop(), 0);
    assert.not.match(devServer.output, /goroutine|error|127\.0\.0\.1/);
  });
});

test.run();
