// Entry of the admin thread: runs built-in plugins that query or change graphs, or take longer than
// the IO thread may. Untrusted queries may keep it busy, so nothing else depends on it. It never
// runs user code.

import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { TRUSTED_QUERY_LIMITS, UNTRUSTED_QUERY_LIMITS } from "../base/limits.js";
import { log } from "../base/log.js";
import { plugins as graphPlugins } from "../builtin/.generated/graph/plugins.js";
import { plugins as quickPlugins } from "../builtin/.generated/plugins.js";
import { ArgspecForms } from "../builtin/argspec-forms.js";
import { installBuiltinContext } from "../builtin/context.js";
import { Executor } from "../engine/executor.js";
import { bindGraphs } from "../graph/api/bind-graphs.js";
import { limitQueries } from "../graph/api/entry-points.js";
import { PushedGraphSource } from "../graph/manager/pushed-graph-source.js";
import { RpcGraphSource } from "../graph/manager/rpc-graph-source.js";
import { installThreadGraphs, ThreadGraphs } from "../graph/manager/thread-graphs.js";
import type { SupervisedThreadData } from "../lifecycle/supervised-thread.js";
import type { AdminCommand, AdminServer } from "../lifecycle/thread-commands.js";
import { showStackTraces } from "../plugin/contract/stack-trace.js";
import { setGraphBinder } from "../plugin/run/graph-binding.js";
import { answer, type RpcRequest } from "../wire/rpc-messages.js";
import { SharedState } from "../wire/shared-state.js";

const { thread, port, signal } = workerData as SupervisedThreadData;
const pushed = new PushedGraphSource(thread, receive, new RpcGraphSource(port, signal));
const graphs = new ThreadGraphs(thread, pushed);
const forms = new ArgspecForms();
installThreadGraphs(graphs);
setGraphBinder(bindGraphs(graphs));
installBuiltinContext({ argspecForms: forms });

// A fault in one plugin or graph must not affect the others.
process.on("uncaughtException", (error) =>
  log(`internal error: ${error.stack ?? error.message}`, "error"),
);

/** Requests refer to them by index. */
const plugins = [...graphPlugins, ...quickPlugins];

function serve({ port: requests, state, stackTraces }: AdminServer): void {
  showStackTraces(stackTraces);
  const bound = (isTrusted: boolean) =>
    limitQueries(isTrusted ? TRUSTED_QUERY_LIMITS : UNTRUSTED_QUERY_LIMITS);
  new Executor(0, requests, new SharedState(state), () => plugins, bound);
}

function act(ask: AdminCommand): unknown {
  switch (ask.op) {
    case "graph":
      return pushed.add(ask.graph);
    case "serve":
      return serve(ask.server);
    case "argspec":
      return forms.set(ask.argspec);
  }
}

function onMessage(asked: RpcRequest<AdminCommand>): void {
  void answer(parentPort!, asked, act);
}

/** A request may arrive before the message, sent earlier, that its graph is open. */
function receive(): void {
  for (;;) {
    const received = receiveMessageOnPort(parentPort!);
    if (received === undefined) return;
    onMessage(received.message as RpcRequest<AdminCommand>);
  }
}

parentPort!.on("message", onMessage);
