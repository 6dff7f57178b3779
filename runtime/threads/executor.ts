// Entry of an executor thread: loads the built plugins and answers requests until it is ended.

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { BUILD_FOLDER } from "../base/build-folder.js";
import { boundOutput, log, onLostWrites } from "../base/log.js";
import { equipThread } from "../base/thread-context.js";
import { Executor } from "../engine/executor.js";
import type { Controlled, ExecutorNotice, ExecutorThreadData } from "../engine/io-control.js";
import { bindGraphs } from "../graph/api/bind-graphs.js";
import { AskedGraphs } from "../graph/keeper/asked-graphs.js";
import { ThreadGraphs } from "../graph/keeper/thread-graphs.js";
import { executorThread } from "../graph/keeper/thread-numbers.js";
import { Metrics } from "../metrics/metrics.js";
import type { PluginEntry } from "../plugin/contract/plugin-entry.js";
import { keepLongStacks, loadFailure, strayText } from "../plugin/contract/traceback.js";
import { SharedState } from "../wire/shared-state.js";
import { takeWorkerData } from "./own-data.js";

const { control, ...data } = takeWorkerData<ExecutorThreadData & Controlled>();
const metrics = new Metrics(data.metrics);
keepLongStacks();
onLostWrites(() => metrics.logWriteLost());
boundOutput();

// What plugin code leaves behind outside of a request must not take the others down with it.
function onStray(error: unknown): void {
  metrics.strayException();
  log(`exception outside of a request: ${strayText(error)}`, "error");
}
process.on("uncaughtException", onStray);
process.on("unhandledRejection", onStray);

/** The plugins under the numbers of the routes; those that the routes do not know are left out. */
function byNumber(plugins: readonly PluginEntry[]): (PluginEntry | undefined)[] {
  const numbered: (PluginEntry | undefined)[] = [];
  for (const entry of plugins) {
    const number = data.routes[entry.description.path]?.[entry.role];
    if (number !== undefined) numbered[number] = entry;
  }
  return numbered;
}

function tell(notice: ExecutorNotice): void {
  control.postMessage(notice);
}

const graphs = new ThreadGraphs(executorThread(data.id), new AskedGraphs(control, data.signal));
equipThread({ graphs, bindGraph: bindGraphs(graphs), showsTraceback: data.traceback });

try {
  const bundle = pathToFileURL(join(data.projectDir, BUILD_FOLDER, "plugins.js"));
  const { plugins } = (await import(bundle.href)) as { plugins: readonly PluginEntry[] };
  const numbered = byNumber(plugins);
  new Executor(data.id, data.port, new SharedState(data.state), () => numbered);
  // Only the main thread ends an executor; the port of requests may close before.
  control.ref();
  tell({ ready: true });
} catch (error) {
  tell({ failure: loadFailure(error) });
}
