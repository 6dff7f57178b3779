// Cost of a change feed: CPU time of the server for one follower that reads server-sent events,
// while a plugin changes a graph 100,000 times per second, each time in a transaction of its own.
// Rounds with and without the follower alternate; the difference is the cost of the follower.
//
//   node feed.mjs [--rounds 5] [--changes 200000]

import { request } from "node:http";
import { median, printTargets } from "./lib/figures.mjs";
import { readOptions } from "./lib/options.mjs";
import { cpuUs } from "./lib/process-figures.mjs";
import { build, makeProject, NODE_TYPES } from "./lib/project.mjs";
import { startSvc } from "./lib/server.mjs";

const RATE = 100_000;
const { rounds, changes } = readOptions({ rounds: 5, changes: 200_000 });

const PLUGIN = `import type { Graph, int, PluginRequest } from "svc-server";

/** Executes n changes at a rate per second, in slices of 10 ms. @plugin @graph shop */
export async function change(
  _request: PluginRequest, graph: Graph, count: int, rate: int,
): Promise<int> {
  const slice = rate / 100;
  let due = performance.now();
  for (let n = 0; n < count; n += slice) {
    for (let at = n; at < n + slice; at++) {
      graph.createVertex("v" + at % 1000, { properties: { n: at } });
    }
    due += 10;
    await new Promise((resolve) => setTimeout(resolve, due - performance.now()));
  }
  return graph.order;
}
`;

/** Reads the changes of the graph until it is closed. */
class Follower {
  received = 0;
  #request;

  async start(port) {
    const path = "/svc/builtin/changes?graph=shop";
    const headers = { accept: "text/event-stream" };
    const started = new Promise((resolve, reject) => {
      this.#request = request({ host: "127.0.0.1", port, path, headers }, resolve);
      this.#request.on("error", reject);
    });
    this.#request.end();
    const response = await started;
    response.on("error", () => {});
    response.on("data", (chunk) => {
      for (let at = chunk.indexOf("data:"); at >= 0; at = chunk.indexOf("data:", at + 5)) {
        this.received++;
      }
    });
  }

  /** Waits for most of the events: a few are not counted, because chunks may split their text. */
  async until(count) {
    while (this.received < count * 0.99) await new Promise((resolve) => setTimeout(resolve, 10));
  }

  close() {
    this.#request.destroy();
  }
}

async function change(port) {
  const path = `/svc/plugin/change?count=${changes}&rate=${RATE}`;
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  if (response.status !== 200) throw new Error(await response.text());
}

/** Returns the CPU time of the server for a change, in microseconds. */
async function costOfChange({ port, pid }, isFollowed) {
  const follower = new Follower();
  if (isFollowed) await follower.start(port);
  const before = cpuUs(pid);
  await change(port);
  if (isFollowed) await follower.until(changes);
  const spent = cpuUs(pid) - before;
  if (isFollowed) follower.close();
  return spent / changes;
}

const project = makeProject({
  "plugins/change.ts": PLUGIN,
  "tsconfig.json": NODE_TYPES,
  "svc.config.ts": 'export default { graphs: { shop: {} }, durability: "async" };\n',
});
build(project);
const server = await startSvc(project, { options: ["--root", `${project}/data`] });
try {
  const costs = [];
  await costOfChange(server, true);
  for (let round = 0; round < rounds; round++) {
    const alone = await costOfChange(server, false);
    costs.push((await costOfChange(server, true)) - alone);
  }
  const cores = (median(costs) * RATE) / 1e6;
  printTargets([
    { label: "one follower of 100,000 changes/s", value: cores, unit: "cores", atMost: 0.2 },
  ]);
} finally {
  await server.stop();
}
