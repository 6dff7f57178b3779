// Built plugins that cannot be loaded: messages of a start, and the behavior of `svc dev`.
// limit: 180 s
// takes 30 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { call, Dev, withDev } from "./support/dev.js";
import { buildProject, svc } from "./support/server.js";
import { GOOD_PLUGIN, TemporaryProject } from "./support/temporary-project.js";

const test = suite("load errors");
const PORT = /127\.0\.0\.1:(\d+) /;

const BOOM = `${GOOD_PLUGIN}
function connect(): void {
  throw new Error("no database");
}
connect();
`;

/** Runs for ever. */
const WAITING = `declare function setInterval(work: () => void, ms: number): void;
setInterval(() => {}, 1000);
await new Promise(() => {});
`;

/** Error of a start with these files; none of them ends by itself. */
async function failedStart(files: Readonly<Record<string, string>>): Promise<string> {
  const project = new TemporaryProject(files);
  try {
    await buildProject(project.folder);
    const failed = await svc("serve", project.folder, "--port", "0").catch((error) => error);
    return failed.stderr;
  } finally {
    project.remove();
  }
}

test("reports exceptions of modules with their position in the sources", async () => {
  const output = await failedStart({ "plugins/double.ts": BOOM });
  assert.match(output, "SVC2201: Error: no database\n");
  assert.match(output, "    at connect (plugins/double.ts:9:9)\n    at plugins/double.ts:11:1");
  assert.not.match(output, "modules.js");
});

test("reports a missing export of an installed module with its position", async () => {
  const output = await failedStart({
    "node_modules/lib/package.json": '{ "name": "lib", "type": "module", "main": "i.js" }',
    "node_modules/lib/i.js": "export const other = 1;",
    "node_modules/lib/i.d.ts": "export declare const wanted: number;",
    "plugins/double.ts": `import { wanted } from "lib";\n${GOOD_PLUGIN.replace("2;", "wanted;")}`,
  });
  assert.match(output, /SVC2201: plugins\/double\.ts:1:\d+: SyntaxError: .*'wanted'/);
});

test("names a top-level await that never settles", async () => {
  const output = await failedStart({
    "plugins/double.ts": `import "../lib/never.js";\n${GOOD_PLUGIN}`,
    "lib/never.ts": "export const name = 1;\nawait new Promise(() => {});\n",
  });
  assert.match(output, "SVC2201: lib/never.ts:2:1: top-level await does not settle");
});

test("names the cause of a slow start", async () => {
  const project = new TemporaryProject({ "plugins/double.ts": `${GOOD_PLUGIN}${WAITING}` });
  const dev = new Dev(project.folder);
  try {
    await dev.until(/plugins still loading after 10 s: plugins\/double\.ts:9:1: top-level await/);
  } finally {
    dev.process.kill("SIGKILL");
    project.remove();
  }
});

test("svc dev serves the last version until the next one loads", () =>
  withDev({ "plugins/double.ts": BOOM }, async (dev, project) => {
    await dev.until(/SVC2201: Error: no database/);
    await dev.until(/fix this to start serving/);
    project.write("plugins/double.ts", GOOD_PLUGIN);
    const [, port] = await dev.until(PORT);
    assert.is(await call(port!, "double?n=2"), 4);
    project.write("plugins/double.ts", BOOM);
    await dev.until(/SVC2201: Error: no database/);
    await dev.until(/still serving the last good build/);
    assert.is(await call(port!, "double?n=2"), 4);
    const triple = GOOD_PLUGIN.replace("n * 2", "n * 3");
    project.write("plugins/double.ts", triple);
    await dev.until(/reloaded .+ in \d+ ms/);
    assert.is(await call(port!, "double?n=2"), 6);
    project.write("plugins/double.ts", `${triple}}`);
    await dev.until(/still serving the last good build/);
    project.write("plugins/double.ts", triple);
    await dev.until(/svc: fixed: the server is up to date/);
    assert.is(await call(port!, "double?n=2"), 6);
  }));

test.run();
