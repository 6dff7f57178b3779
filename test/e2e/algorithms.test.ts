// Algorithms over whole graphs in a thread of their own: requests meanwhile, progress, limits,
// cancellation, and the death of the thread.
// limit: 120 s
// takes 6 s

import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { MessageChannel, Worker } from "node:worker_threads";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { operate } from "../../cli/admin/remote.js";
import type { AlgorithmReport } from "../../runtime/base/algorithm-report.js";
import type { BackgroundCall } from "../../runtime/graph/api/algorithm-entry-points.js";
import { RemoteAlgorithms } from "../../runtime/graph/manager/remote-algorithms.js";
import { CommitClock } from "../../runtime/graph/memory/commit-clock.js";
import { DataError, QueryError, SearchError } from "../../runtime/graph/model/errors.js";
import { GraphStore } from "../../runtime/graph/store/graph-store.js";
import { AlgorithmSupervisor } from "../../runtime/lifecycle/algorithm-supervisor.js";
import { openStore, TEST_THREAD } from "../runtime/graph/support/make-graph.js";
import { buildProject, get, type RunningServer, serve } from "./support/server.js";
import { NODE_TYPES, TemporaryProject } from "./support/temporary-project.js";

const PLUGINS = `import type { float, Graph, int, PluginRequest, str } from "svc-server";

/** Creates the graph. @plugin @graph web */
export function fill(_request: PluginRequest, graph: Graph, vertices: int): int {
  graph.batch(() => {
    for (let at = 0; at < vertices; at++) {
      graph.connect("v" + at, "to", "v" + (at * 7919) % vertices);
    }
    for (let at = 0; at < 5; at++) graph.createVertex("v" + at);
  });
  return graph.order;
}

/** Ranks with many rounds. @plugin @graph web */
export async function rank(
  _request: PluginRequest, graph: Graph, rounds: int = 20, timeout: int = -1, write: str = "",
): Promise<int> {
  const limits = timeout < 0 ? {} : { timeout, limexec: true };
  const written = write === "" ? {} : { write };
  return (await graph.pageRankAsync({ rounds, hits: 7, ...limits, ...written })).length;
}

/** Aborts or throws at the first report of progress. @plugin @graph web */
export async function abort(
  _request: PluginRequest, graph: Graph, error: str = "",
): Promise<str> {
  const controller = new AbortController();
  const onProgress = () => {
    if (error !== "") throw new Error(error);
    controller.abort(new Error("enough"));
  };
  try {
    await graph.pageRankAsync({ rounds: 10_000, onProgress, signal: controller.signal });
    return "completed";
  } catch (error) {
    return (error as Error).message;
  }
}

/** Asks for something impossible. @plugin @graph web */
export async function wrong(_request: PluginRequest, graph: Graph): Promise<str> {
  try {
    await graph.pageRankAsync({ arc: ["to", 99] as never });
    return "completed";
  } catch (error) {
    return (error as Error).name + ": " + (error as Error).message;
  }
}

/** Reads. @plugin @graph web */
export function read(_request: PluginRequest, graph: Graph): float {
  return Number(graph.getVertex("v0").getProperty("rank", -1));
}

/** Writes. @plugin @graph web */
export function touch(_request: PluginRequest, graph: Graph, n: int): int {
  const vertex = graph.openVertex("v1");
  vertex.setProperty("n", n);
  vertex.close();
  return n;
}
`;

const test = suite("algorithms in a thread of their own");
let project: TemporaryProject;
let server: RunningServer;
const VERTICES = 30_000;

test.before(async () => {
  project = new TemporaryProject({
    "plugins/p.ts": PLUGINS,
    "tsconfig.json": NODE_TYPES,
    "svc.config.ts": "export default { graphs: { web: {} } };\n",
  });
  await buildProject(project.folder);
  server = await serve(project.folder, "--executors", "1", "--plugin-timeout", "100000");
  assert.is(await result(`fill?vertices=${VERTICES}`), VERTICES);
});

test.after(async () => {
  await server.end();
  project.remove();
});

async function result(call: string): Promise<unknown> {
  const { json, text } = await get(server.port, `/svc/plugin/${call}`);
  assert.is(json.status, "OK", text);
  return json.response;
}

async function report(): Promise<AlgorithmReport> {
  return (await get(server.port, "/svc/builtin/algorithms")).json.response as AlgorithmReport;
}

async function whileRunning(): Promise<AlgorithmReport["running"][number]> {
  for (;;) {
    const [first] = (await report()).running;
    if (first !== undefined && first.progress > 0) return first;
    await delay(20);
  }
}

test("let the server respond to other requests, and can be cancelled by an operator", async () => {
  const ranked = get(server.port, "/svc/plugin/rank?rounds=10000");
  const { id, algorithm, graph, progress } = await whileRunning();
  assert.equal([algorithm, graph, progress <= 1], ["pageRank", "web", true]);
  let responseCount = 0;
  for (let n = 1; n <= 20; n++) {
    assert.is(await result(`touch?n=${n}`), n);
    assert.is(await result("read"), -1);
    responseCount += 2;
  }
  assert.is((await report()).running[0]?.id, id, `runs after ${responseCount} answers`);
  const { text: metrics } = await get(server.port + 1, "/metrics");
  assert.match(metrics, /^svc_algorithms_running 1$/m);
  const address = { host: "127.0.0.1", port: server.port + 1 };
  const cancelled = await operate(address as never, "CancelAlgorithm", { id: String(id) });
  assert.is((cancelled as { readonly status: string }).status, "cancelled");
  assert.match((await ranked).text, /SearchError.*pageRank was cancelled by an operator/);
  const { running, counts } = await report();
  assert.equal([running, counts.cancelled], [[], 1]);
  const failed = await operate(address as never, "CancelAlgorithm", { id: "99" }).catch(String);
  assert.match(String(failed), /no algorithm with the id 99 runs/);
});

test("end at the time limit, and with the reason of a signal", async () => {
  const { text } = await get(server.port, "/svc/plugin/rank?rounds=10000&timeout=50");
  assert.match(text, /SearchError.*after 50 ms/);
  assert.is(await result("abort"), "enough");
  assert.is(await result("abort?error=thrown"), "thrown");
  const { running, counts } = await report();
  assert.equal([running, counts.failed, counts.cancelled], [[], 1, 3]);
});

test("fail with the class of the error", async () => {
  assert.match(String(await result("wrong")), /^QueryError: /);
});

test("write their results for all threads", async () => {
  assert.is(await result("rank?write=rank"), 7);
  assert.ok(((await result("read")) as number) > 0);
});

interface Thread {
  readonly supervisor: AlgorithmSupervisor;
  readonly workers: Worker[];
  readonly deaths: number[];
  close(): Promise<void>;
}

/** A supervisor whose thread finds one graph. */
function startSupervisor(store: GraphStore): Thread {
  const workers: Worker[] = [];
  const deaths: number[] = [];
  const shared = { share: store.share, path: null, logPath: "web", isLocal: false };
  const events = {
    onDeath: (thread: number) => void deaths.push(thread),
    execute: async () => shared,
    onChange: () => undefined,
  };
  const clock = new CommitClock().buffer;
  const supervisor = new AlgorithmSupervisor({ clock }, events, (_entry, options) => {
    const entry = new URL("../../dist/threads/algorithms.js", import.meta.url);
    const worker = new Worker(entry, options);
    workers.push(worker);
    return worker;
  });
  return { supervisor, workers, deaths, close: () => supervisor.close() };
}

function makeWeb(): GraphStore {
  const store = GraphStore.create("web", TEST_THREAD);
  const graph = openStore(store);
  for (let index = 0; index < 3000; index++)
    graph.connect(`v${index}`, "to", `v${(index * 7919) % 3000}`);
  return store;
}

const LONG: BackgroundCall = { graph: "web", algorithm: "pageRank", options: { rounds: 10_000 } };
const SHORT: BackgroundCall = { graph: "web", algorithm: "pageRank", options: { hits: 3 } };

async function rejected(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => null,
    (error: unknown) => error,
  );
}

test("restart once if their thread dies", async () => {
  const { supervisor, workers, deaths, close } = startSupervisor(makeWeb());
  const kill = async (step: number): Promise<void> => {
    while (workers[step] === undefined) await delay(5);
    while (!(supervisor.report().running[0]!.progress > 0)) await delay(5);
    await workers[step].terminate();
  };
  const once = supervisor.run({ ...LONG, options: { rounds: 2000, hits: 3 } }, {});
  await kill(0);
  assert.is(((await once) as readonly unknown[]).length, 3);
  const twice = rejected(supervisor.run(LONG, {}));
  await kill(1);
  while (workers[2] === undefined) await delay(5);
  await workers[2].terminate();
  assert.instance(await twice, DataError);
  assert.is(deaths.length, 3);
  assert.is(((await supervisor.run(SHORT, {})) as readonly unknown[]).length, 3);
  const { counts, restarts } = supervisor.report();
  assert.equal([counts, restarts], [{ completed: 2, failed: 1, cancelled: 0 }, 3]);
  await close();
});

test("stop when the calling thread ends", async () => {
  const { supervisor, close } = startSupervisor(makeWeb());
  const { port1, port2 } = new MessageChannel();
  supervisor.serve(port1);
  const remote = new RemoteAlgorithms(port2);
  const shares: number[] = [];
  assert.is(((await remote.run(SHORT, {})) as readonly unknown[]).length, 3);
  const invalidJob = { ...SHORT, options: { arc: ["to", 99] } };
  assert.instance(await rejected(remote.run(invalidJob, {})), QueryError);
  const controller = new AbortController();
  const onProgress = (share: number): void => {
    shares.push(share);
    controller.abort(new Error("enough"));
  };
  const aborted = remote.run(LONG, { onProgress, signal: controller.signal });
  assert.match(String(await rejected(aborted)), /enough/);
  assert.ok(shares.length >= 1);
  void rejected(remote.run(LONG, {}));
  while (supervisor.report().running.length === 0) await delay(5);
  const closed = once(port1, "close");
  port2.close();
  await closed;
  while (supervisor.report().running.length > 0) await delay(5);
  assert.is(supervisor.report().counts.cancelled, 2);
  const late = rejected(supervisor.run(LONG, {}));
  while (supervisor.report().running.length === 0) await delay(5);
  supervisor.cancel(supervisor.report().running[0]!.id);
  assert.instance(await late, SearchError);
  await close();
});

test.run();
