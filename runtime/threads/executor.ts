// Entry of an executor thread: loads the built plugins and runs requests until terminated.

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { BUILD_FOLDER } from "../base/build-folder.js";
import { limitOutputBuffer, log, onDroppedWrites } from "../base/log.js";
import { SharedState } from "../base/wire/shared-state.js";
import { Executor } from "../engine/executor.js";
import { startLifecycle } from "../engine/executor-lifecycle.js";
import type {
  ControlledExecutor,
  ExecutorNotification,
  ExecutorThreadData,
} from "../engine/io-control.js";
import { installBackgroundRunner } from "../graph/api/algorithm-entry-points.js";
import { installThreadGraphs } from "../graph/manager/installed-graphs.js";
import { RemoteAlgorithms } from "../graph/manager/remote-algorithms.js";
import { RpcGraphSource } from "../graph/manager/rpc-graph-source.js";
import { executorThread } from "../graph/manager/thread-numbers.js";
import { createTransactionOpener } from "../interconnect/log/graph-transactions.js";
import { Metrics } from "../metrics/metrics.js";
import { measureThread } from "../metrics/thread-gauges.js";
import type { Lifecycle } from "../plugin/contract/lifecycle.js";
import type { PluginEntry } from "../plugin/contract/plugin-entry.js";
import {
  describeUncaught,
  loadFailure,
  raiseStackTraceLimit,
  showStackTraces,
} from "../plugin/contract/stack-trace.js";
import { setCursorKeySource } from "../plugin/response/cursor-key.js";
import { setGraphBinder } from "../plugin/run/graph-binding.js";
import { takeWorkerData } from "./own-data.js";

measureThread();
const { control, hooks, ...data } = takeWorkerData<ExecutorThreadData & ControlledExecutor>();
const metrics = new Metrics(data.metrics);
raiseStackTraceLimit();
onDroppedWrites(() => metrics.countLostLogWrite());
limitOutputBuffer();

// Background work of one plugin must not affect other plugins.
function onStray(error: unknown): void {
  metrics.countStrayException();
  log(`uncaught exception outside a request: ${describeUncaught(error)}`, "error");
}
process.on("uncaughtException", onStray);
process.on("unhandledRejection", onStray);

/** Returns the plugins indexed by route number; unrouted ones are omitted. */
function indexByNumber(plugins: readonly PluginEntry[]): (PluginEntry | undefined)[] {
  const numbered: (PluginEntry | undefined)[] = [];
  for (const entry of plugins) {
    const number = data.routes[entry.description.path]?.[entry.role];
    if (number !== undefined) numbered[number] = entry;
  }
  return numbered;
}

/** Loads the graph engine with queries, unless no plugin has a graph. */
async function bindPlugins(plugins: readonly PluginEntry[]): Promise<void> {
  if (plugins.every(({ graph }) => graph === null)) return;
  const [{ bindGraphs }, { threadGraphs }] = await Promise.all([
    import("../graph/api/bind-graphs.js"),
    import("../graph/manager/thread-graphs.js"),
  ]);
  setGraphBinder(bindGraphs(threadGraphs()));
}

function notify(notice: ExecutorNotification): void {
  control.postMessage(notice);
}

installThreadGraphs({
  thread: executorThread(data.id),
  source: new RpcGraphSource(control, data.signal),
  openTransactions: createTransactionOpener(data.cursorKey.root),
});
installBackgroundRunner(new RemoteAlgorithms(data.algorithms));
showStackTraces(data.stackTraces);
setCursorKeySource(data.cursorKey);

const { exit } = process;
process.exit = (status) => {
  throw new Error(`process.exit(${status ?? ""}) was called while the plugins were loaded`);
};
try {
  const bundle = pathToFileURL(join(data.projectDir, BUILD_FOLDER, "plugins.js"));
  const { plugins, lifecycle = {} } = (await import(bundle.href)) as {
    readonly plugins: readonly PluginEntry[];
    readonly lifecycle?: Lifecycle;
  };
  await bindPlugins(plugins);
  if (hooks !== null) await startLifecycle(data.id, lifecycle, hooks);
  const numbered = indexByNumber(plugins);
  new Executor(data.id, data.port, new SharedState(data.state), () => numbered);
  // Keeps the thread alive: only the main thread ends an executor, even if the request port closes.
  control.ref();
  notify({ ready: true });
} catch (error) {
  notify({ failure: loadFailure(error) });
} finally {
  process.exit = exit;
}
