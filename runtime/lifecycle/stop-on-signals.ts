// What ends `svc serve` and `svc dev`: a signal, or the end of a parent that holds a channel.

import { log } from "../base/log.js";
import { equipThread } from "../base/thread-context.js";
import { onEndSignals } from "./end-signals.js";
import type { GraphSupervisor } from "./graph-supervisor.js";

/** What answers requests until it is stopped. */
interface Stoppable {
  stop(): Promise<void>;
}

/**
 * Stops the service in good order at the first signal, and at once at the second: what has changed
 * in graphs since they were saved is lost then. Graphs are saved first, because whoever sent the
 * signal may not wait as long as the requests that run, and once more when these have ended.
 */
export function stopOnSignals(server: Stoppable, graphs: GraphSupervisor): void {
  let stopping = false;
  const stop = async (reason: string): Promise<void> => {
    if (stopping) return;
    stopping = true;
    log(`${reason}: saving graphs, finishing running requests`);
    await Promise.all([graphs.save(), server.stop()]);
    equipThread({ graphs: null });
    const isSaved = await graphs.close({ isSaved: true });
    process.exit(isSaved ? 0 : 1);
  };
  onEndSignals(stop, () => process.exit(1));
  if (process.channel === undefined) return;
  process.once("disconnect", () => stop("parent gone"));
  process.channel.unref();
}
