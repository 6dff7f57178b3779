// Hostile actions of plugins against their thread and process, in an executor and in the IO thread:
// none ends the service or changes stored data.
// limit: 60 s
// takes 5 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ServedProject } from "./support/served-project.js";
import { get } from "./support/server.js";

const TRICK = (name: string, tag: string): string => `
/** @plugin ${name}
 * ${tag}
 */
export function ${name}(request: PluginRequest, how: str): unknown {
  return tricks[how]!();
}
`;
const PLUGINS = `import type { Graph, int, PluginRequest, str } from "svc-server";

// Types of Node are not installed in this folder.
const { process, setTimeout } = globalThis as any;
const { parentPort, workerData, Worker } = process.getBuiltinModule("node:worker_threads");
const stop = { number: 99, ask: { op: "stop", timeoutMs: 0 } };

const tricks: Record<string, () => unknown> = {
  data: () => Object.keys(workerData),
  post: () => parentPort.postMessage({ number: 1 }),
  postNothing: () => parentPort.postMessage(null),
  emit: () => void parentPort.emit("message", stop),
  emitNothing: () => void parentPort.emit("message", null),
  deaf: () => void parentPort.removeAllListeners(),
  close: () => parentPort.close(),
  thread: () => String(new Worker("process.exit(5)", { eval: true })),
  failingThread: () => String(new Worker("throw new Error()", { eval: true })),
  outputs: () => void [process.stdout.destroy(), process.stderr.destroy()],
  listeners: () => void process.removeAllListeners(),
  signal: () => void process.emit("SIGTERM"),
  capture: () => {
    process.setUncaughtExceptionCaptureCallback(null);
    setTimeout(() => { throw new Error("stray"); }, 1);
  },
  handles: () => {
    for (const handle of process._getActiveHandles()) handle.close?.();
  },
  abort: () => process.abort(),
  chdir: () => process.chdir("/"),
  umask: () => process.umask(0o777),
  setuid: () => process.setuid(65534),
};
${TRICK("inside", "@inline")}${TRICK("outside", "@readonly")}
/** @plugin @graph notes */
export function put(_request: PluginRequest, graph: Graph, id: str): int {
  return graph.createVertex(id, { type: "note" });
}

/** @plugin @graph notes @readonly */
export const has = (_request: PluginRequest, graph: Graph, id: str): boolean => graph.hasVertex(id);
`;
/** Functions that Node forbids in all threads except the main one. */
const REFUSED = ["abort", "chdir", "umask", "setuid"];
const TRIED = [
  ...["post", "postNothing", "emit", "emitNothing", "deaf", "close", "thread", "failingThread"],
  ...["outputs", "listeners", "signal", "capture", "handles"],
];

const test = suite("hostile plugins");
let project: ServedProject;

test.before(async () => {
  project = await ServedProject.build({ "plugins/tricks.ts": PLUGINS });
});
test.after.each(() => project.kill());
test.after(() => project.remove());

for (const name of ["inside", "outside"]) {
  test(`do not end the service: ${name}`, async () => {
    await project.start(name, "--executors", "2");
    const { port } = project.server;
    await project.call("put?id=before");
    assert.equal(await project.call(`${name}?how=data`), []);
    for (const trick of REFUSED) {
      assert.match(
        await project.callError(`${name}?how=${trick}`),
        "not supported in workers",
        trick,
      );
    }
    for (const trick of TRIED) {
      const { status } = await get(port, `/svc/plugin/${name}?how=${trick}`);
      assert.ok([200, 500].includes(status), `${trick}: ${status}`);
      // Whether the other executor or the IO thread was affected.
      for (let n = 0; n < 3; n++) assert.is(await project.call("has?id=before"), true, trick);
      await project.call(`put?id=${trick}`);
      assert.is((await get(port + 1, "/svc/hc")).status, 200, trick);
    }
    assert.is(await project.stop("SIGTERM"), 0);
    await project.start(name);
    for (const trick of TRIED) assert.is(await project.call(`has?id=${trick}`), true, trick);
  });
}

test.run();
