// Entry of the two threads for built-in plugins that query or change graphs, or take too long for
// the IO thread: the admin executor, and the long-query executor for queries that exceed a time
// slice. No other work depends on these threads, and they never run user code.

import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { MAIN_SLOTS, TRUSTED_QUERY_LIMITS, UNTRUSTED_QUERY_LIMITS } from "../base/limits.js";
import { log } from "../base/log.js";
import { lowerThreadPriority } from "../base/thread-priority.js";
import { executeCall, type RpcRequest } from "../base/wire/rpc-messages.js";
import { SharedState, SLOTS } from "../base/wire/shared-state.js";
import { plugins as graphPlugins } from "../builtin/.generated/graph/plugins.js";
import { plugins as quickPlugins } from "../builtin/.generated/plugins.js";
import { ArgspecForms } from "../builtin/argspec-forms.js";
import { withErrorStatus } from "../builtin/client-faults.js";
import { installBuiltinContext } from "../builtin/context.js";
import { Executor } from "../engine/executor.js";
import { bindGraphs } from "../graph/api/bind-graphs.js";
import {
  endTimeSlice,
  installTimeSlice,
  limitQueries,
  TimeSlice,
} from "../graph/api/entry-points.js";
import { installThreadGraphs } from "../graph/manager/installed-graphs.js";
import { PushedGraphSource } from "../graph/manager/pushed-graph-source.js";
import { RpcGraphSource } from "../graph/manager/rpc-graph-source.js";
import { ThreadGraphs } from "../graph/manager/thread-graphs.js";
import { createTransactionOpener } from "../interconnect/log/graph-transactions.js";
import type { SupervisedThreadData } from "../lifecycle/supervised-thread.js";
import type { AdminCommand, AdminServer, AdminThreadData } from "../lifecycle/thread-commands.js";
import { measureThread } from "../metrics/thread-gauges.js";
import type { PluginEntry } from "../plugin/contract/plugin-entry.js";
import { showStackTraces } from "../plugin/contract/stack-trace.js";
import { setGraphBinder } from "../plugin/run/graph-binding.js";

measureThread();
const { thread, port, signal, hasTimeSlices, root } = workerData as SupervisedThreadData &
  AdminThreadData;
const pushed = new PushedGraphSource(thread, receive, new RpcGraphSource(port, signal));
const graphs = new ThreadGraphs(thread, pushed, createTransactionOpener(root));
const forms = new ArgspecForms();
installThreadGraphs(graphs);
setGraphBinder(bindGraphs(graphs));
installBuiltinContext({
  argspecForms() {
    endTimeSlice();
    return forms;
  },
});

// A fault in one plugin or graph must not affect the others.
process.on("uncaughtException", (error) =>
  log(`internal error: ${error.stack ?? error.message}`, "error"),
);

/** Plugins by number, as requests refer to them. */
const plugins: readonly PluginEntry[] = [...graphPlugins, ...quickPlugins].map(withErrorStatus);

function serve({ port: requests, state: buffer, stackTraces }: AdminServer): void {
  showStackTraces(stackTraces);
  const state = new SharedState(buffer);
  const prepare = (isTrusted: boolean) =>
    limitQueries(isTrusted ? TRUSTED_QUERY_LIMITS : UNTRUSTED_QUERY_LIMITS);
  if (!hasTimeSlices) {
    lowerThreadPriority();
    new Executor(0, requests, state, () => plugins, {
      ...{ prepare, isSliceOver: () => false, slots: 1 },
    });
    return;
  }
  const slice = new TimeSlice(() => state.hasQueued(MAIN_SLOTS, SLOTS));
  installTimeSlice(slice);
  const sliced = plugins.map((entry) => withinSlice(entry, slice));
  const isSliceOver = () => slice.takeOver();
  new Executor(0, requests, state, () => sliced, { prepare, isSliceOver, slots: 1 });
}

/** Applies a time slice to queries; changes have none, because they cannot be repeated. */
function withinSlice(entry: PluginEntry, slice: TimeSlice): PluginEntry {
  if (!entry.readonly) return entry;
  const { invoke } = entry;
  return { ...entry, invoke: (request, source) => slice.run(() => invoke(request, source)) };
}

function act(command: AdminCommand): unknown {
  switch (command.op) {
    case "graph":
      return pushed.add(command.graph);
    case "serve":
      return serve(command.server);
    case "argspec":
      return forms.set(command.argspec);
  }
}

function onMessage(request: RpcRequest<AdminCommand>): void {
  void executeCall(parentPort!, request, act);
}

/** Receives pending messages: a request may arrive before the message that opens its graph. */
function receive(): void {
  for (;;) {
    const received = receiveMessageOnPort(parentPort!);
    if (received === undefined) return;
    onMessage(received.message as RpcRequest<AdminCommand>);
  }
}

parentPort!.on("message", onMessage);
