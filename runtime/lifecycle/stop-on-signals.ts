// What ends `svc serve` and `svc dev`: a signal, or the end of a parent that holds a channel.

import { STOP_TIMEOUT_MS } from "../limits.js";
import type { GraphSystem } from "./graph-system.js";
import type { HttpService } from "./http-service.js";
import { log } from "./log.js";

/** Stops the service in good order at the first SIGTERM or SIGINT and at once at the second. */
export function stopOnSignals(service: HttpService, graphs: GraphSystem): void {
  let stopping = false;
  const stop = async (reason: string): Promise<void> => {
    if (stopping) process.exit(1);
    stopping = true;
    log(`${reason}: finishing running requests`);
    await service.stop(STOP_TIMEOUT_MS);
    await graphs.close({ isSaved: true });
    process.exit(0);
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  if (process.channel === undefined) return;
  process.once("disconnect", () => stop("parent gone"));
  process.channel.unref();
}
