// `svc dev`: edits are served, and errors are shown while the last valid version stays in service.
// limit: 180 s
// takes 45 s

import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Argspec } from "../../argspec/argspec.js";
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
  const answer = await fetch(url, { headers: { connection: "close" } });
  const { response } = (await answer.json()) as { response: Argspec };
  return response.plugins.map(({ name }) => name);
}

test("serves edits, new files and new folders", () =>
  withDev(undefined, async (dev, project) => {
    const [, port] = await dev.until(/127\.0\.0\.1:(\d+) /);
    assert.match((await dev.until(/\(admin [^\n]*/))[0], /^\(admin http:\S+\)$/, "loopback alone");
    assert.is(await call(port!, "double?n=2"), 4);
    assert.equal(await toldPlugins(port!), ["double"]);
    project.write("plugins/double.ts", TRIPLE);
    await dev.until(/svc: reloaded plugins\/double\.ts in \d+ ms: 1 plugin/);
    assert.is(await call(port!, "double?n=2"), 6);
    project.write("plugins/more/twice.ts", GOOD_PLUGIN.replace("double", "twice"));
    await dev.until(/twice\.ts in \d+ ms: 2 plugins/);
    assert.equal(await toldPlugins(port!), ["double", "twice"]);
    assert.is(await call(port!, "twice?n=5"), 10);
  }));

test("shows an error with its line and keeps serving until it is fixed", () =>
  withDev(undefined, async (dev, project) => {
    const [, port] = await dev.until(/127\.0\.0\.1:(\d+) /);
    project.write("plugins/double.ts", GOOD_PLUGIN.replace("n: int", "n: WeakSet<object>"));
    await dev.until(/plugins\/double\.ts:4:\d+ - error SVC1\d{3}/);
    await dev.until(/still serving the last good build/);
    assert.is(await call(port!, "double?n=2"), 4);
    project.write("plugins/double.ts", TRIPLE);
    await dev.until(/reloaded .+ in \d+ ms/);
    assert.is(await call(port!, "double?n=2"), 6);
  }));

test("does not serve type errors, and leaves no build for other commands", () =>
  withDev(undefined, async (dev, project) => {
    const [, port] = await dev.until(/127\.0\.0\.1:(\d+) /);
    project.write("plugins/double.ts", BAD_PLUGIN);
    await dev.until(/plugins\/double\.ts:5:3 - error TS2322/);
    await dev.until(/still serving the last good build/);
    assert.is(await call(port!, "double?n=2"), 4);
    const built = await svc("build", project.folder).catch((error) => error);
    assert.match(built.stderr, /TS2322/);
    project.write("plugins/double.ts", TRIPLE);
    await dev.until(/reloaded .+ in \d+ ms/);
    assert.is(await call(port!, "double?n=2"), 6);
  }));

test("--skip-type-check serves at once what parses, and reports type errors later", async () => {
  const project = new TemporaryProject();
  const dev = new Dev(project.folder, "--skip-type-check");
  try {
    const [, port] = await dev.until(/127\.0\.0\.1:(\d+) /);
    project.write("plugins/double.ts", BAD_PLUGIN);
    await dev.until(/reloaded .+ in \d+ ms/);
    assert.is(await call(port!, "double?n=2"), "no number");
    await dev.until(/plugins\/double\.ts:5:3 - error TS2322/);
    assert.is(await dev.stop(), 0);
    const built = await svc("build", project.folder).catch((error) => error);
    assert.match(built.stderr, /TS2322/);
    const served = await serve(project.folder);
    assert.match(served.log(), /serving a build with unchecked or invalid types/);
    await served.stop();
  } finally {
    dev.process.kill("SIGKILL");
    project.remove();
  }
});

test("--skip-type-check reports type errors after a swap that takes longer", async () => {
  const project = new TemporaryProject();
  const dev = new Dev(project.folder, "--skip-type-check");
  try {
    await dev.until(/127\.0\.0\.1:(\d+) /);
    project.write(
      "plugins/double.ts",
      `${BAD_PLUGIN}\nawait new Promise((resolve) => setTimeout(resolve, 4000));\n`,
    );
    await dev.until(/reloaded .+ in \d+ ms/);
    await dev.until(/plugins\/double\.ts:5:3 - error TS2322/);
    assert.is(await dev.stop(), 0);
  } finally {
    dev.process.kill("SIGKILL");
    project.remove();
  }
});

test("ignores an empty file that an editor writes first", () =>
  withDev(undefined, async (dev, project) => {
    const [, port] = await dev.until(/127\.0\.0\.1:(\d+) /);
    project.write("plugins/double.ts", "");
    await delay(60);
    project.write("plugins/double.ts", TRIPLE);
    const [line] = await dev.until(/reloaded [^\n]*/);
    assert.match(line!, ": 1 plugin in");
    assert.is(await call(port!, "double?n=2"), 6);
    project.write("plugins/double.ts", "");
    await dev.until(/reloaded \S+ in \d+ ms: 0 plugins/);
  }));

test("serves changes of workspace packages outside of the folder", async () => {
  const project = new TemporaryProject({
    "packages/rates/package.json": '{ "name": "rates", "type": "module", "exports": "./rate.ts" }',
    "packages/rates/rate.ts": "export const rate: number = 2;\n",
    "app/package.json": '{ "name": "app", "type": "module" }',
    "app/plugins/double.ts": GOOD_PLUGIN.replace("n * 2", "n * rate").replace(
      "\n\n",
      '\nimport { rate } from "../../packages/rates/rate.js";\n\n',
    ),
  });
  const dev = new Dev(join(project.folder, "app"));
  try {
    const [, port] = await dev.until(/127\.0\.0\.1:(\d+) /);
    assert.is(await call(port!, "double?n=2"), 4);
    project.write("packages/rates/rate.ts", "export const rate: number = 5;\n");
    await dev.until(/svc: reloaded \.\.\/packages\/rates\/rate\.ts in/);
    assert.is(await call(port!, "double?n=2"), 10);
    assert.is(await dev.stop(), 0);
  } finally {
    dev.process.kill("SIGKILL");
    project.remove();
  }
});

test("starts serving once the first error is fixed", () =>
  withDev({ "plugins/double.ts": "export function {" }, async (dev, project) => {
    await dev.until(/fix this to start serving/);
    project.write("plugins/double.ts", GOOD_PLUGIN);
    const [, port] = await dev.until(/127\.0\.0\.1:(\d+) /);
    assert.is(await call(port!, "double"), 42);
  }));

test("keeps graphs across a reload", () =>
  withDev({ "plugins/visits.ts": VISITS }, async (dev, project) => {
    const [, port] = await dev.until(/127\.0\.0\.1:(\d+) /);
    assert.is(await call(port!, "visit"), 1);
    assert.is(await call(port!, "visit"), 2);
    for (let round = 1; round < 4; round++) {
      project.write("plugins/visits.ts", VISITS.replace("by = 1", `by = ${10 ** round}`));
      await dev.until(/reloaded .+ in \d+ ms/);
      assert.is(await call(port!, "visit"), Math.floor(10 ** (round + 1) / 9) + 1);
    }
  }));

test("asks for a restart when the configuration changes", () =>
  withDev(undefined, async (dev, project) => {
    await dev.until(/127\.0\.0\.1:(\d+) /);
    project.write("svc.config.ts", "export default { http: { cors: '*' } };\n");
    await dev.until(/configuration changed/);
  }));

test("fails when the server cannot be started", async () => {
  const project = new TemporaryProject();
  const dev = new Dev(project.folder, "--root", join(project.folder, "nowhere", "deeper"));
  const exited = new Promise((resolve) => dev.process.once("exit", resolve));
  await dev.until(/svc: error SVC3008: /);
  assert.is(await exited, 1);
  project.remove();
});

test("names a plugin file that exits while it is loaded", () =>
  withDev(undefined, async (dev, project) => {
    await dev.until(/127\.0\.0\.1:(\d+) /);
    project.write("tsconfig.json", NODE_TYPES);
    project.write("plugins/double.ts", `${GOOD_PLUGIN}\nprocess.exit(3);\n`);
    await dev.until(/process\.exit\(3\) was called while .*\n.*plugins\/double\.ts:\d+:9/);
    project.write("plugins/double.ts", TRIPLE);
    await dev.until(/reloaded .+ in \d+ ms/);
  }));

test("stops quietly while it builds", async () => {
  const project = new TemporaryProject();
  const dev = new Dev(project.folder);
  await dev.until(/127\.0\.0\.1:(\d+) /);
  const exited = new Promise((resolve) => dev.process.once("exit", resolve));
  project.write("plugins/double.ts", TRIPLE);
  await delay(250);
  dev.process.kill("SIGTERM");
  assert.is(await exited, 0);
  assert.not.match(dev.output, /goroutine|error/);
  project.remove();
});

test("stops quietly when a terminal signals it with its helper processes", async () => {
  const project = new TemporaryProject();
  for (const [signal, afterMs] of [
    ["SIGINT", 50],
    ["SIGTERM", 150],
    ["SIGINT", 250],
  ] as const) {
    const dev = new Dev(project.folder);
    await dev.until(/127\.0\.0\.1:(\d+) /);
    const exited = new Promise((resolve) => dev.process.once("exit", resolve));
    project.write("plugins/double.ts", `${TRIPLE}// ${afterMs}\n`);
    await delay(afterMs);
    process.kill(-dev.process.pid!, signal);
    assert.is(await exited, 0);
    assert.not.match(dev.output, /goroutine|error|bug|stopped|good build/, dev.output);
  }
  project.remove();
});

test("stops quietly during the first build", async () => {
  const config = `process.stderr.write("configured\\n");
await new Promise((resolve) => setTimeout(resolve, 1000));
export default {};
`;
  const project = new TemporaryProject({ "plugins/double.ts": GOOD_PLUGIN });
  project.write("svc.config.ts", config);
  const dev = new Dev(project.folder);
  await dev.until(/configured/);
  const exited = new Promise((resolve) => {
    dev.process.once("exit", (code, signal) => resolve(code ?? signal));
  });
  dev.process.kill("SIGTERM");
  assert.is(await exited, 0);
  assert.not.match(dev.output, /goroutine|error|127\.0\.0\.1/);
  project.remove();
});

test.run();
