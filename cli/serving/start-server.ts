// Starts a server of built plugins with its graphs, lets signals end both, and tells a parent that
// holds a channel where the server is.

import { log } from "../../runtime/base/log.js";
import { configureLog, logSettings } from "../../runtime/base/log-settings.js";
import { GraphSupervisor } from "../../runtime/lifecycle/graph-supervisor.js";
import { HttpService } from "../../runtime/lifecycle/http-service.js";
import { stopOnSignals } from "../../runtime/lifecycle/stop-on-signals.js";
import type { PluginTable } from "../../runtime/plugin/contract/plugin-table.js";
import type { ServerSettings } from "../../runtime/settings/server-settings.js";

/**
 * @throws SvcError SVC2201 plugins cannot be loaded, SVC2202 port cannot be bound, SVC2409 another
 *   process uses the root, SVC2500 the log is damaged
 */
export async function startServer(
  settings: ServerSettings,
  table: PluginTable,
): Promise<HttpService> {
  configureLog(settings.logFormat, settings.logLevel);
  const graphs = new GraphSupervisor(settings);
  try {
    await graphs.recovered;
    const service = await HttpService.startWithWorkers(settings, table, graphs);
    stopOnSignals(service, graphs);
    // On a terminal, people read it on the standard output.
    if (logSettings().isJson) log("the server has started", "info", { port: service.port });
    process.send?.({ port: service.port });
    return service;
  } catch (error) {
    await graphs.close({ isSaved: false });
    throw error;
  }
}
