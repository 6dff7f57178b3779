// Entry of the admin thread: keeps graphs, and runs the built-in plugins that query or change them,
// or take longer than the IO thread may. It never runs user code.

import { parentPort, workerData } from "node:worker_threads";
import { log } from "../base/log.js";
import { plugins as graphPlugins } from "../builtin/.generated/graph/plugins.js";
import { plugins as quickPlugins } from "../builtin/.generated/plugins.js";
import { setArgspecForms } from "../builtin/argspec-context.js";
import { ArgspecForms } from "../builtin/argspec-forms.js";
import { setFindGraph } from "../builtin/graph-context.js";
import { Executor } from "../engine/executor.js";
import { bindGraphs } from "../graph/api/bind-graphs.js";
import type { Graph } from "../graph/api/graph.js";
import { GraphKeeper } from "../graph/keeper/graph-keeper.js";
import { setThreadGraphs, ThreadGraphs } from "../graph/keeper/thread-graphs.js";
import type { AdminAsk, AdminServer, AdminThreadData } from "../lifecycle/admin-control.js";
import { showTraceback } from "../plugin/contract/traceback.js";
import { graphOf, setGraphBinder } from "../plugin/run/graph-binding.js";
import { SharedState } from "../wire/shared-state.js";
import { type Asked, answerOf, raise } from "../wire/sync-port.js";

const { thread, settings, port, signal } = workerData as AdminThreadData;
const keeper = new GraphKeeper(thread, settings, log);
const graphs = new ThreadGraphs(thread, keeper);
setThreadGraphs(graphs);
setGraphBinder(bindGraphs(graphs));
const forms = new ArgspecForms();
setArgspecForms(forms);
setFindGraph((name) => (graphs.find(name) === null ? null : (graphOf(name) as Graph)));

// A fault in one plugin or graph must not take the others with it.
process.on("uncaughtException", (error) => log(`internal error: ${error.stack ?? error.message}`));

/** Requests name them by their places in this order. */
const plugins = [...graphPlugins, ...quickPlugins];

function serve({ port: requests, state, traceback }: AdminServer): void {
  showTraceback(traceback);
  new Executor(0, requests, new SharedState(state), () => plugins);
}

function act(ask: AdminAsk): unknown {
  switch (ask.op) {
    case "keep":
      return keeper.keep(ask.request);
    case "adopt":
      for (const graph of ask.graphs) keeper.adopt(graph);
      return null;
    case "serve":
      return serve(ask.server);
    case "argspec":
      return forms.set(ask.argspec);
  }
}

port.on("message", ({ number, ask }: Asked<AdminAsk>) => {
  port.postMessage(answerOf(number, () => act(ask)));
  raise(signal);
});
parentPort!.on("message", ({ number, ask }: Asked<AdminAsk>) => {
  parentPort!.postMessage(answerOf(number, () => act(ask)));
});
