// Entry of the thread that runs algorithms over whole graphs. They work in slices, so that several
// of them, progress and cancellation take turns; other threads keep reading and writing the graphs.

import { parentPort, workerData } from "node:worker_threads";
import { log } from "../base/log.js";
import { lowerThreadPriority } from "../base/thread-priority.js";
import { executeCall, type RpcRequest } from "../base/wire/rpc-messages.js";
import { runWholeGraph } from "../graph/api/entry-points.js";
import type { AlgorithmCommand, AlgorithmProgress } from "../graph/manager/algorithm-messages.js";
import { CommitClock, countPublished, flushSince } from "../graph/manager/logging-entry-points.js";
import { RpcGraphSource } from "../graph/manager/rpc-graph-source.js";
import { ThreadGraphs } from "../graph/manager/thread-graphs.js";
import { KeyError, SearchError, StorageError } from "../graph/model/errors.js";
import type { SupervisedThreadData } from "../lifecycle/supervised-thread.js";
import type { AlgorithmThreadData } from "../lifecycle/thread-commands.js";
import { measureThread } from "../metrics/thread-gauges.js";

measureThread();
lowerThreadPriority();
const data = workerData as SupervisedThreadData & AlgorithmThreadData;
const graphs = new ThreadGraphs(data.thread, new RpcGraphSource(data.port, data.signal));
const clock = new CommitClock(data.clock);
const running = new Map<number, AbortController>();

/** Time between two reports of progress. */
const REPORT_MS = 50;

process.on("uncaughtException", (error) =>
  log(`internal error: ${error.stack ?? error.message}`, "error"),
);

function act(command: AlgorithmCommand): unknown {
  if (command.op === "run") return run(command);
  const { id, reason } = command;
  running.get(id)?.abort(new SearchError(reason));
}

async function run({ id, call }: AlgorithmCommand & { readonly op: "run" }): Promise<unknown> {
  if (graphs.find(call.graph) === null) throw new KeyError(`unknown graph: '${call.graph}'`);
  const controller = new AbortController();
  running.set(id, controller);
  const published = countPublished();
  try {
    const steps = { onProgress: reportProgress(id), signal: controller.signal };
    const result = await runWholeGraph(graphs.createForRequest(call.graph), call, steps);
    // Awaited here: the calling thread cannot wait for flushes of this thread.
    const flush = flushSince(published);
    if (flush !== 0 && !(await clock.waitConfirmed(flush))) {
      throw new StorageError("Graph is readonly: the transaction log has failed");
    }
    return result;
  } finally {
    running.delete(id);
  }
}

function reportProgress(id: number): (share: number) => void {
  let nextAt = 0;
  return (share) => {
    const now = performance.now();
    if (now < nextAt) return;
    nextAt = now + REPORT_MS;
    parentPort!.postMessage({ notice: "progress", id, share } satisfies AlgorithmProgress);
  };
}

parentPort!.on("message", (request: RpcRequest<AlgorithmCommand>) => {
  void executeCall(parentPort!, request, act);
});
