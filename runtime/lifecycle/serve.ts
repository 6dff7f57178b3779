// `svc serve`: a built project behind both servers, until a signal ends it.

import { STOP_TIMEOUT_MS } from "../limits.js";
import type { PluginTable } from "../plugin/plugin-table.js";
import { HttpService } from "./http-service.js";
import { log } from "./log.js";
import type { ServerSettings } from "./settings.js";

/** Starts a built project. Rejects with SvcError SVC2201 or SVC2202. */
export function serveProject(settings: ServerSettings, table: PluginTable): Promise<HttpService> {
  const startedAtMs = performance.timeOrigin;
  return HttpService.startWithWorkers(settings, table, startedAtMs);
}

/** Stops the service in good order at the first SIGTERM or SIGINT and at once at the second. */
export function stopOnSignals(service: HttpService): void {
  let stopping = false;
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    if (stopping) process.exit(1);
    stopping = true;
    log(`${signal}: finishing running requests`);
    await service.stop(STOP_TIMEOUT_MS);
    process.exit(0);
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
}
