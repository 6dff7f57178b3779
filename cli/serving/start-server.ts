// Starts a server of built plugins with its graphs, connects both to signals, and reports the port
// to a parent process through its channel.

import { log } from "../../runtime/base/log.js";
import { configureLog, logSettings } from "../../runtime/base/log-settings.js";
import { recordLogEntry } from "../../runtime/base/recent-log.js";
import { installThreadGraphs } from "../../runtime/graph/manager/installed-graphs.js";
import { MAIN_THREAD } from "../../runtime/graph/manager/thread-numbers.js";
import { GraphSupervisor } from "../../runtime/lifecycle/graph-supervisor.js";
import { installShutdownHandlers } from "../../runtime/lifecycle/shutdown-handlers.js";
import { requireAddressSpace } from "../../runtime/lifecycle/start-thread.js";
import type { ServerSettings } from "../../runtime/settings/server-settings.js";
import { checkEnvironment } from "./check-environment.js";
import { type LoadBuild, ServedProject } from "./served-project.js";

/** Threads besides executors: sockets, interconnect, admin executor, long-query executor. */
const OTHER_THREADS = 4;
const STARTED = "server started";

/**
 * @param beforeExit called when a signal shuts the server down
 * @throws SvcError SVC2201 plugins failed to load, SVC2202 port cannot be bound, SVC2206 not enough
 *   address space, SVC2409 another process uses the data folder, SVC2500 the transaction log is
 *   corrupt, SVC3025 for invalid environment variables
 */
export async function startServer(
  settings: ServerSettings,
  load: LoadBuild,
  beforeExit: () => Promise<void> = async () => {},
): Promise<ServedProject> {
  configureLog(settings.logFormat, settings.logLevel);
  await checkEnvironment(settings);
  requireAddressSpace(OTHER_THREADS + settings.executors);
  await setChangesAside(settings);
  const graphs = new GraphSupervisor(settings);
  installThreadGraphs({ thread: MAIN_THREAD, source: graphs, openTransactions: null });
  try {
    await graphs.recovered;
    // Checked here, when the address space of stored graphs is reserved.
    requireAddressSpace(OTHER_THREADS - 1 + settings.executors);
    const starting = ServedProject.start(settings, load, graphs);
    installShutdownHandlers(starting, graphs, beforeExit);
    const served = await starting;
    const { port } = served.service;
    // Otherwise, the announcement on standard output contains it.
    if (logSettings().isJson) log(STARTED, "info", { port });
    else recordLogEntry("info", STARTED);
    process.send?.({ port });
    return served;
  } catch (error) {
    installThreadGraphs(null);
    await graphs.close({ isSaved: false });
    throw error;
  }
}

/** Removes changes that the leader lacks, before anything else uses the data folder. */
async function setChangesAside({ leadership, root }: ServerSettings): Promise<void> {
  if (leadership === null) return;
  // Most servers have no leadership.
  const { setAside } = await import("../../runtime/interconnect/leadership/set-aside.js");
  const aside = setAside(root);
  if (aside !== null) log(aside.line, "warn");
}
