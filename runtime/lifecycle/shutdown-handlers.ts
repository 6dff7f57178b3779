// What ends `svc serve` and `svc dev`: a signal, or the end of a parent that holds a channel.

import { setTimeout as sleep } from "node:timers/promises";
import { log } from "../base/log.js";
import { installThreadContext } from "../base/thread-context.js";
import type { GraphSupervisor } from "./graph-supervisor.js";
import { onTerminationSignal } from "./termination-signals.js";

/** A start that goes on for so long after a signal has nothing to lose yet. */
const STARTING_MS = 3000;

/** What answers requests until it is stopped. */
interface Stoppable {
  stop(): Promise<void>;
}

/**
 * Stops the service in good order at the first signal, and at once at the second: what has changed
 * in graphs since they were saved is lost then. Graphs are saved first, because whoever sent the
 * signal may not wait as long as the requests that run, and once more when these have ended.
 * @param starting clients may be answered before the promise settles; where it fails, signals do
 *   again what they do by default
 */
export function installShutdownHandlers(
  starting: Promise<Stoppable>,
  graphs: GraphSupervisor,
): void {
  let stopping = false;
  const stop = async (reason: string): Promise<void> => {
    if (stopping) return;
    stopping = true;
    const started = starting.catch(() => null);
    const server = await Promise.race([started, sleep(STARTING_MS, null)]);
    if (server === null) {
      ignoreSignals();
      process.kill(process.pid, reason);
      return;
    }
    log(`${reason}: saving graphs, finishing running requests`);
    await Promise.all([graphs.save(), server.stop()]);
    installThreadContext({ graphs: null });
    const isSaved = await graphs.close({ isSaved: true });
    process.exit(isSaved ? 0 : 1);
  };
  const ignoreSignals = onTerminationSignal(stop, () => process.exit(1));
  starting.then(() => stopWithParent(stop), ignoreSignals);
}

function stopWithParent(stop: (reason: string) => Promise<void>): void {
  if (process.channel === undefined) return;
  process.once("disconnect", () => stop("parent gone"));
  process.channel.unref();
}
