// Entry of the interconnect thread: creates, loads and saves graphs, writes the transaction log,
// replicates, and executes expiry. It runs neither user code nor queries, which could delay that.

import { parentPort, workerData } from "node:worker_threads";
import { log } from "../base/log.js";
import { answer, type RpcRequest } from "../base/wire/rpc-messages.js";
import { CommitClock } from "../graph/manager/logging-entry-points.js";
import { Interconnect } from "../interconnect/interconnect.js";
import type { CrossThreadGraphs } from "../interconnect/replica-graphs.js";
import type { SupervisedThreadData } from "../lifecycle/supervised-thread.js";
import type {
  InterconnectCommand,
  InterconnectData,
  InterconnectNotification,
} from "../lifecycle/thread-commands.js";
import { measureThread } from "../metrics/thread-gauges.js";
import { TrafficCounters } from "../metrics/traffic.js";

measureThread();
const data = workerData as SupervisedThreadData & InterconnectData;
const { thread, settings, port, signal } = data;
const interconnect = new Interconnect(thread, settings, new CommitClock(data.clock), log);

// A fault in one graph must not affect the others.
process.on("uncaughtException", (error) =>
  log(`internal error: ${error.stack ?? error.message}`, "error"),
);

const board = new TrafficCounters(data.traffic);
/** By graph name: resolver of its pending removal. */
const removals = new Map<string, () => void>();

const everywhere: CrossThreadGraphs = {
  opened: (graph) => tellMain({ notice: "opened", graph }),
  remove: (name, isErased) =>
    new Promise((resolve) => {
      removals.set(name, resolve);
      tellMain({ notice: "remove", name, isErased });
    }),
};

function tellMain(notice: InterconnectNotification): void {
  parentPort!.postMessage(notice);
}

function act(ask: InterconnectCommand): unknown {
  switch (ask.op) {
    case "keep":
      return interconnect.keep(ask.request);
    case "recover":
      return interconnect.recover(ask.isStorable);
    case "adopt":
      return interconnect.adopt(ask.graphs);
    case "save":
      return interconnect.save(ask.timeoutMs);
    case "erase":
      return interconnect.erase(ask.identity);
    case "replicate":
      return interconnect.replicate(
        everywhere,
        board,
        (notReady) => tellMain({ notice: "readiness", notReady }),
        () => tellMain({ notice: "restart" }),
      );
    case "control":
      return interconnect.control(ask.control);
    case "removed":
      removals.get(ask.name)?.();
      removals.delete(ask.name);
      return;
    case "closeLog":
      return interconnect.closeLog();
  }
}

port.on(
  "message",
  (request: RpcRequest<InterconnectCommand>) => void answer(port, request, act, signal),
);
parentPort!.on(
  "message",
  (request: RpcRequest<InterconnectCommand>) => void answer(parentPort!, request, act),
);
