// Plugins that throw, hang, block, exit or exhaust memory: their client gets a clear error, other
// requests succeed, and the executor is replaced, counted and logged.
// limit: 60 s
// takes 55 s

import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Answer, buildProject, fixture, get, type Served, serve } from "./support/server.js";
import { NODE_TYPES, TemporaryProject } from "./support/temporary-project.js";

const test = suite("crash");
let served: Served;
let common: Served | null = null;

test.before(async () => {
  await buildProject(fixture("engine"));
});

test.after.each(async () => {
  if (served !== common) await served.stop("SIGKILL");
});
test.after(async () => {
  await common?.stop("SIGKILL");
});

/** Serves with default options: one server for all tests that its crashes do not disturb. */
async function serveCommon(): Promise<void> {
  common ??= await serve(fixture("engine"));
  served = common;
}

/** Log of the server from now on. */
function newLog(): () => string {
  const { length } = served.log();
  return () => served.log().slice(length);
}

/**
 * Retries until a new executor is ready: requests wait no longer than the plugin timeout, and a
 * thread may start later on a loaded machine.
 */
async function add(): Promise<Answer> {
  for (;;) {
    const answer = await get(served.port, "/svc/plugin/add?a=1");
    if (answer.status !== 503 || !answer.text.includes("all executors are busy")) return answer;
  }
}

async function works(): Promise<void> {
  const answer = await add();
  assert.is(answer.json.response, 2, answer.text);
}

test("process.exit ends the executor, not the server", async () => {
  await serveCommon();
  const log = newLog();
  for (let round = 0; round < 3; round++) {
    const answer = await get(served.port, "/svc/plugin/exits");
    assert.is(answer.status, 500);
    assert.match(JSON.stringify(answer.json.message), /"system".*ExecutorError/);
    await works();
  }
  assert.match(log(), /executor \d+ died/);
});

test("the replacement serves requests queued behind a crash", async () => {
  await serveCommon();
  const paths = ["/svc/plugin/exits", ...Array.from({ length: 20 }, () => "/svc/plugin/add?a=1")];
  const answers = await Promise.all(paths.map((path) => get(served.port, path)));
  assert.is(answers[0]!.status, 500);
  for (const answer of answers.slice(1)) assert.is(answer.json.response, 2, answer.text);
});

test("results finished before a crash are sent", async () => {
  await serveCommon();
  const others = Array.from({ length: 20 }, () => "/svc/plugin/add?a=1");
  const paths = [...others, "/svc/plugin/long?n=9000", "/svc/plugin/exits"];
  for (let round = 0; round < 5; round++) {
    const answers = await Promise.all(paths.map((path) => get(served.port, path)));
    const wrong = answers.slice(0, -1).filter(({ status }) => status !== 200);
    assert.equal(
      wrong.map(({ text }) => text),
      [],
    );
    assert.is(answers.at(-1)!.status, 500);
  }
});

test("a plugin that never settles times out and frees its slot", async () => {
  served = await serve(fixture("engine"), "--plugin-timeout", "200");
  const answers = await Promise.all(
    Array.from({ length: 40 }, () => get(served.port, "/svc/plugin/never")),
  );
  for (const answer of answers) {
    assert.is(answer.status, 500);
    assert.match(JSON.stringify(answer.json.message), /"system".*TimeoutError/);
  }
  await works();
  assert.not.match(served.log(), /executor \d+ died/);
});

test("a plugin that blocks past its timeout ends only its executor", async () => {
  served = await serve(fixture("engine"), "--plugin-timeout", "300");
  const burning = get(served.port, "/svc/plugin/burns?ms=60000");
  await delay(50);
  const waiting = Array.from({ length: 5 }, add);
  assert.is((await get(served.port, "/svc/hc")).text, "SVC/3");
  const answer = await burning;
  assert.is(answer.status, 500);
  assert.match(JSON.stringify(answer.json.message), /TimeoutError/);
  for (const other of await Promise.all(waiting)) assert.is(other.json.response, 2, other.text);
  await works();
  assert.match(served.log(), /executor \d+ replaced: plugin "burns" timed out/);
  assert.not.match(served.log(), /died/);
});

test("a plugin that blocks after an await ends only its executor", async () => {
  served = await serve(fixture("engine"), "--plugin-timeout", "200");
  const answer = await get(served.port, "/svc/plugin/burnsLater?ms=60000");
  assert.match(JSON.stringify(answer.json.message), /TimeoutError/);
  await works();
});

test("a second executor serves requests while a plugin blocks", async () => {
  served = await serve(fixture("engine"), "--executors", "2");
  let burning = true;
  const burn = get(served.port, "/svc/plugin/burns?ms=3000").then(() => {
    burning = false;
  });
  await delay(50);
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => get(served.port, "/svc/plugin/add?a=1")),
  );
  assert.ok(burning, "the others were answered while the plugin burned");
  for (const answer of answers) assert.is(answer.json.response, 2, answer.text);
  await burn;
});

test("an exhausted heap ends the executor, not the server", async () => {
  served = await serve(fixture("engine"), "--executor-heap-mib", "64");
  const answer = await get(served.port, "/svc/plugin/eatsHeap");
  assert.is(answer.status, 500);
  assert.match(JSON.stringify(answer.json.message), /ExecutorError/);
  await works();
});

test("exceptions outside of a request are logged and harmless", async () => {
  await serveCommon();
  assert.is((await get(served.port, "/svc/plugin/throwsLater")).json.response, "ok");
  // In either order.
  while (!/stray(?! rejection)/.test(served.log())) await delay(5);
  while (!served.log().includes("stray rejection")) await delay(5);
  await works();
});

async function countRestarts(): Promise<number> {
  const { json } = await get(served.port, "/svc/status");
  return (json.response as { errors: Record<string, number> }).errors["executor-restarts"]!;
}

test("crashes caused by requests do not lead to Service-OUT", async () => {
  await serveCommon();
  const before = await countRestarts();
  for (let round = 0; round < 12; round++) await get(served.port, "/svc/plugin/exits");
  await works();
  assert.is((await countRestarts()) - before, 12);
});

test("a crash loop of plugins leads to Service-OUT", async () => {
  await buildProject(fixture("dying"));
  served = await serve(fixture("dying"));
  while ((await get(served.port, "/svc/hc")).status === 200) await delay(50);
  const answer = await get(served.port, "/svc/plugin/idle");
  assert.is(answer.status, 503);
  assert.is(answer.json.message, "Service Unavailable");
  assert.match(served.log(), /out of service until/);
  assert.is((await get(served.port + 1, "/svc/status")).status, 200);
});

/** Serves one module of plugins; `flag` is the path of a missing file. */
async function withModule(
  module: (flag: string) => string,
  run: (project: TemporaryProject, flag: string) => Promise<void>,
): Promise<void> {
  const project = new TemporaryProject({});
  const flag = join(project.folder, "flag");
  project.write(
    "plugins/all.ts",
    `import { existsSync } from "node:fs";
import type { PluginRequest } from "svc-server";
${module(flag)}
`,
  );
  project.write("tsconfig.json", NODE_TYPES);
  try {
    await buildProject(project.folder);
    await run(project, flag);
  } finally {
    project.remove();
  }
}

const ANSWERS = '/** @plugin */\nexport function idle(_request: PluginRequest) { return "idle"; }';

test("the service is in again after a crash loop ends", async () => {
  const dies = (flag: string): string =>
    `const flag = ${JSON.stringify(flag)};
setInterval(() => existsSync(flag) && process.exit(1), 5);
${ANSWERS}`;
  await withModule(dies, async (project, flag) => {
    served = await serve(project.folder);
    project.write("flag", "");
    while ((await get(served.port, "/svc/hc")).status === 200) await delay(20);
    rmSync(flag);
    while ((await get(served.port, "/svc/hc")).status === 503) await delay(100);
    assert.is((await get(served.port, "/svc/plugin/idle")).json.response, "idle");
    assert.match(served.log(), /executor crash loop: out of service until one stays up/);
    while (!served.log().includes("back in service")) await delay(20);
  });
});

test("executors that exit before all have loaded abort the start", async () => {
  const dies = (flag: string): string =>
    `import { mkdirSync } from "node:fs";
const [claimed, gone] = [${JSON.stringify(`${flag}.claimed`)}, ${JSON.stringify(`${flag}.gone`)}];
if (existsSync(claimed)) {
  while (!existsSync(gone)) await new Promise((resolve) => setTimeout(resolve, 10));
  await new Promise((resolve) => setTimeout(resolve, 500));
} else {
  mkdirSync(claimed);
  process.on("exit", () => mkdirSync(gone));
  setTimeout(() => process.exit(1), 5);
}
${ANSWERS}`;
  await withModule(dies, async (project) => {
    const failed = await serve(project.folder, "--executors", "2").catch((error: Error) => error);
    assert.instance(failed, Error);
    const text = (failed as Error).message;
    assert.match(text, /SVC2201: executor exited right after loading its plugins/);
    assert.not.match(text, /a bug in svc/);
    served = await serve(project.folder, "--executors", "2");
    assert.is((await get(served.port, "/svc/plugin/idle")).json.response, "idle");
  });
});

test("a module that loops while loading is named and aborts the start", async () => {
  const loops = (flag: string): string =>
    `let turns = 0;\nwhile (!existsSync(${JSON.stringify(flag)})) {\n  turns++;\n}\n${ANSWERS}`;
  await withModule(loops, async (project, flag) => {
    const options = ["--plugin-load-timeout", "4000"];
    const failed = await serve(project.folder, ...options).catch((error: Error) => error);
    assert.instance(failed, Error);
    const text = (failed as Error).message;
    assert.match(text, /SVC2120: plugins did not load within 4000 ms: plugins\/all\.ts:[45]:/);
    project.write("flag", "");
    served = await serve(project.folder);
    rmSync(flag);
    assert.is((await get(served.port, "/svc/plugin/idle")).json.response, "idle");
  });
});

test("buffers count against the memory limit of an executor", async () => {
  const eats = (): string =>
    `/** @plugin */
export function eats(_request: PluginRequest) {
  const all: Uint8Array[] = [];
  const untilMs = Date.now() + 20_000;
  while (Date.now() < untilMs) if (all.length < 400) all.push(new Uint8Array(1 << 20).fill(1));
  return all.length;
}
${ANSWERS}`;
  await withModule(eats, async (project) => {
    served = await serve(project.folder, "--executor-heap-mib", "64");
    const answer = await get(served.port, "/svc/plugin/eats");
    assert.is(answer.status, 500);
    assert.match(JSON.stringify(answer.json.message), /ExecutorError/);
    assert.is((await get(served.port, "/svc/plugin/idle")).json.response, "idle");
    while (!/heap and buffers use \d+ MiB, executorHeapMiB is 64/.test(served.log())) {
      await delay(20);
    }
  });
});

test("a replacement calls the requested plugin after a newer build renumbered it", async () => {
  const plugin = (name: string, body: string): string =>
    `/** @plugin */\nexport function ${name}(_request: PluginRequest) {\n  ${body}\n}\n`;
  const head =
    'import type { PluginRequest } from "svc-server";\n' +
    "declare const process: { exit(code: number): never };\n";
  const old = plugin("beta", 'return "beta";') + plugin("exits", "process.exit(3);");
  const project = new TemporaryProject({ "plugins/all.ts": head + old });
  try {
    await buildProject(project.folder);
    served = await serve(project.folder);
    project.write("plugins/all.ts", head + plugin("alpha", 'return "alpha";') + old);
    await buildProject(project.folder);
    assert.is((await get(served.port, "/svc/plugin/exits")).status, 500);
    assert.is((await get(served.port, "/svc/plugin/beta")).json.response, "beta");
    assert.is((await get(served.port, "/svc/plugin/alpha")).status, 404);
  } finally {
    project.remove();
  }
});

test.run();
