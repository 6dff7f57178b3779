// Entry of the interconnect thread: creates, loads and saves graphs, writes the transaction log,
// replicates, and expires vertices and arcs. It runs no user code and no queries, which would delay
// this.

import { parentPort, workerData } from "node:worker_threads";
import { log } from "../base/log.js";
import { executeCall, type RpcRequest } from "../base/wire/rpc-messages.js";
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

function act(command: InterconnectCommand): unknown {
  switch (command.op) {
    case "keep":
      return interconnect.keep(command.request);
    case "recover":
      return interconnect.recover(command.isStorable);
    case "adopt":
      return interconnect.adopt(command.graphs);
    case "save":
      return interconnect.save(command.timeoutMs);
    case "erase":
      return interconnect.erase(command.identity);
    case "replicate":
      return interconnect.replicate(
        everywhere,
        board,
        (notReady) => tellMain({ notice: "readiness", notReady }),
        () => tellMain({ notice: "restart" }),
      );
    case "control":
      return interconnect.control(command.control);
    case "removed":
      removals.get(command.name)?.();
      removals.delete(command.name);
      return;
    case "closeLog":
      return interconnect.closeLog();
  }
}

port.on(
  "message",
  (request: RpcRequest<InterconnectCommand>) => void executeCall(port, request, act, signal),
);
parentPort!.on(
  "message",
  (request: RpcRequest<InterconnectCommand>) => void executeCall(parentPort!, request, act),
);
