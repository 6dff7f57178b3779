// Start and stop functions: once for the instance and for each executor, in order; failures and
// deadlines.
// limit: 60 s
// takes 4 s

import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { buildProject, get, type RunningServer, serve } from "./support/server.js";
import { NODE_TYPES, TemporaryProject } from "./support/temporary-project.js";

const APP = `import type { StartContext } from "svc-server";
import { appendFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

export interface Stock { take(): number; }
declare global {
  interface SvcApp { readonly stock: Stock; readonly executor: number }
}

const note = (text: string) => appendFileSync(process.env.NOTES!, text + "\\n");
export let opened = 0;

export async function migrate(): Promise<void> {
  await delay(50);
  note("migrated");
}

export async function open(start: StartContext): Promise<SvcApp> {
  if (process.env.FAIL === "start") throw new RangeError("no database");
  if (process.env.FAIL === "hang") await new Promise((resolve) => setTimeout(resolve, 60_000));
  opened++;
  note("opened");
  let left = 10;
  return { stock: { take: () => --left }, executor: start.executor };
}

export async function close(app: SvcApp): Promise<void> {
  note("closed with " + app.stock.take());
  if (process.env.FAIL === "stop") throw new TypeError("not closed");
}

export function farewell(): void { note("left"); }
`;
const PLUGIN = `import type { int, PluginRequest } from "svc-server";
import { setTimeout as delay } from "node:timers/promises";
import { opened } from "../src/app.js";

/** @plugin */
export async function take(request: PluginRequest, ms: int = 0): Promise<int[]> {
  await delay(ms);
  return [request.app.stock.take(), opened];
}
`;
const both = (name: string, executor: string, instance: string) =>
  `${name}: { executor: "src/app.ts#${executor}", instance: "src/app.ts#${instance}" }`;
const CONFIG = `export default {
  executors: 2,
  ${both("onStart", "open", "migrate")},
  ${both("onStop", "close", "farewell")},
};
`;

const test = suite("start and stop functions");
const project = new TemporaryProject({
  "src/app.ts": APP,
  "plugins/p.ts": PLUGIN,
  "tsconfig.json": NODE_TYPES,
  "svc.config.ts": CONFIG,
});
const notes = join(project.folder, "notes.txt");

test.before(async () => {
  process.env.NOTES = notes;
  await buildProject(project.folder);
});
test.after(() => {
  delete process.env.NOTES;
  project.remove();
});
test.before.each(() => rmSync(notes, { force: true }));

const readNotes = () => (existsSync(notes) ? readFileSync(notes, "utf8").trim().split("\n") : []);

async function served(
  fail: string,
  run: (server: RunningServer) => Promise<void>,
): Promise<string> {
  process.env.FAIL = fail;
  try {
    const limit = fail === "hang" ? ["--plugin-load-timeout", "3000"] : [];
    const server = await serve(project.folder, ...limit);
    await run(server);
    await server.stop();
    return server.log();
  } finally {
    delete process.env.FAIL;
  }
}

test("run in order, once for the instance and for each executor", async () => {
  await served("", async ({ port }) => {
    assert.equal(readNotes(), ["migrated", "opened", "opened"]);
    const { json } = await get(port, "/svc/plugin/take");
    // Plugins share the modules of the start function.
    assert.equal(json.response, [9, 1]);
  });
  const [closed, ...others] = readNotes().slice(3).sort();
  assert.match(closed!, /^closed with [89]$/);
  assert.match(others[0]!, /^closed with 9$/);
  assert.is(readNotes().at(-1), "left");
});

test("of executors wait for the last request", async () => {
  await served("", async (server) => {
    const pending = get(server.port, "/svc/plugin/take?ms=300");
    await new Promise((resolve) => setTimeout(resolve, 100));
    const stopped = server.stop();
    assert.is((await pending).status, 200);
    await stopped;
  });
  assert.is(readNotes().length, 6);
});

test("that fail or hang end the start", async () => {
  const start = (fail: string) => served(fail, async () => {}).then(String, String);
  const failed = await start("start");
  assert.match(failed, "onStart failed: RangeError: no database");
  assert.match(failed, "src/app.ts:");
  assert.match(failed, "SVC2201");
  assert.match(await start("hang"), "SVC2120");
});

test("that fail at the stop are logged and keep nothing running", async () => {
  const log = await served("stop", async () => {});
  assert.match(log, /executor \d+: onStop failed: TypeError\('not closed'\)/);
  assert.is(readNotes().at(-1), "left");
});

test.run();
