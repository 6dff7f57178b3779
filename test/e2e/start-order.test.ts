// The IO thread starts before the build is read, and inherits what the configuration sets later.
// limit: 60 s

import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { packageRoot } from "../../runtime/base/package-info.js";
import { buildProject, get, started } from "./support/server.js";
import { TemporaryProject } from "./support/temporary-project.js";

const test = suite("order of a start");
const SVC = join(packageRoot(), "bin/svc.cjs");

const PLUGINS = `import type { PluginRequest, str } from "svc-server";

const { env } = (globalThis as any).process;

const seen = (): str => [env.TEST_COLOR, env.TEST_WANTED_COLOR].join("-");

/** @plugin @inline */
export const inside = (request: PluginRequest): str => seen();

/** @plugin */
export const outside = (request: PluginRequest): str => seen();

/** @plugin @inline */
export function stray(request: PluginRequest): str {
  (globalThis as any).setTimeout(() => { throw new Error("left behind"); }, 1);
  return "";
}
`;
const CONFIG = `const { env } = (globalThis as any).process;
env.TEST_COLOR = env.TEST_WANTED_COLOR;
delete env.TEST_WANTED_COLOR;
await (globalThis as any).firstDeath;
export default { logging: { format: "text" } };
`;
/** Notes what the main thread starts and reads; may end the first thread, which CONFIG awaits. */
const HOOK = `import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import threads from "node:worker_threads";

const { Worker } = threads;
const { readFileSync } = fs;
let isFirst = true;
const note = (what) => process.stderr.write("order: " + what + "\\n");
const { TEST_DEATH, TEST_LIMIT } = process.env;
if (threads.threadId === 1 && TEST_DEATH === "throw") throw new Error("no code");
const deathOf = (worker) => {
  if (TEST_DEATH === "terminate") void worker.terminate();
  // A thread that is not needed yet does not keep the process alive.
  const timer = setInterval(() => {}, 1000);
  return new Promise((resolve) => worker.once("exit", resolve)).then(() => clearInterval(timer));
};
if (threads.isMainThread) {
  threads.Worker = class extends Worker {
    constructor(entry, options) {
      super(entry, options);
      note(options.name);
      if (isFirst && TEST_DEATH) globalThis.firstDeath = deathOf(this);
      isFirst = false;
    }
  };
  fs.readFileSync = (path, ...others) => {
    if (String(path).endsWith("manifest.json")) note("build");
    // As under \`ulimit -v\`.
    if (path === "/proc/self/limits" && TEST_LIMIT) return "Max address space " + TEST_LIMIT;
    return readFileSync(path, ...others);
  };
  syncBuiltinESMExports();
}
`;

const project = new TemporaryProject({
  ...{ "plugins/p.ts": PLUGINS, "svc.config.ts": CONFIG, "hook.mjs": HOOK },
});

test.before(() => buildProject(project.folder));
test.after(() => project.remove());

/** Starts the server and returns it with what its main thread did, in order. */
async function start(variables: Readonly<Record<string, string>>) {
  const words = ["--import", join(project.folder, "hook.mjs"), SVC, "serve", project.folder];
  // The configuration decides.
  const { SVC_LOG_FORMAT: _, ...others } = process.env;
  const env = { ...others, TEST_WANTED_COLOR: "blue", ...variables };
  const server = await started([...words, "--port", "0", "--executors", "1"], env);
  const order = [...server.log().matchAll(/^order: (.*)$/gm)].map(([, event]) => event);
  return { server, order };
}

test("the IO thread starts before the build is read, and executors after", async () => {
  const { server, order } = await start({});
  try {
    assert.is(order[0], "svc-io");
    assert.is(order[1], "build");
    const started = order.filter((event) => event !== "build");
    assert.equal(started, ["svc-io", "svc-executor-1"]);
  } finally {
    await server.end();
  }
});

test("under a limit of address space, no thread starts before the build is read", async () => {
  if (process.platform !== "linux") return;
  const { server, order } = await start({ TEST_LIMIT: `${2 ** 37}` });
  assert.is(order[0], "build");
  await server.end();
});

test("both threads have the variables and the log that the configuration sets", async () => {
  const { server } = await start({});
  try {
    for (const name of ["inside", "outside"]) {
      const { json } = await get(server.port, `/svc/plugin/${name}`);
      assert.is(json.response, "blue-", name);
    }
    await get(server.port, "/svc/plugin/stray");
    // Not as JSON, the default here.
    const isTold = () => /^svc: .*left behind/m.test(server.log());
    for (let n = 0; n < 100 && !isTold(); n++) await get(server.port, "/svc/hc");
    assert.ok(isTold(), server.log());
  } finally {
    await server.end();
  }
});

for (const death of ["terminate", "throw"]) {
  test(`an IO thread that dies before it is needed is restarted: ${death}`, async () => {
    const { server, order } = await start({ TEST_DEATH: death });
    try {
      const started = order.filter((event) => event !== "build");
      assert.equal(started, ["svc-io", "svc-io", "svc-executor-1"]);
      assert.is((await get(server.port, "/svc/plugin/inside")).json.response, "blue-");
    } finally {
      await server.end();
    }
  });
}

test.run();
