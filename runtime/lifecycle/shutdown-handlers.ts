// Shutdown triggers of `svc serve` and `svc dev`: a signal, or the exit of a parent with an IPC
// channel.

import { setTimeout as sleep } from "node:timers/promises";
import { log } from "../base/log.js";
import { installThreadGraphs } from "../graph/manager/installed-graphs.js";
import type { GraphSupervisor } from "./graph-supervisor.js";
import { onTerminationSignal } from "./termination-signals.js";

/** A start that is still running this long after a signal is aborted: it has no unsaved data. */
const START_GRACE_MS = 3000;

/** A server that can be stopped. */
interface Stoppable {
  stop(): Promise<void>;
}

/**
 * Shuts down cleanly at the first signal. Exits immediately at the second one, and loses unsaved
 * changes. Saves the graphs at once, because the sender of the signal may not wait for running
 * requests, and again after these have completed.
 * @param starting clients may be served before it settles; after a failure signals have their
 *   default effect
 * @param beforeExit stops everything else in this process
 */
export function installShutdownHandlers(
  starting: Promise<Stoppable>,
  graphs: GraphSupervisor,
  beforeExit: () => Promise<void>,
): void {
  let stopping = false;
  const stop = async (reason: string): Promise<void> => {
    if (stopping) return;
    stopping = true;
    const started = starting.catch(() => null);
    const server = await Promise.race([started, sleep(START_GRACE_MS, null)]);
    if (server === null) {
      ignoreSignals();
      process.kill(process.pid, reason);
      return;
    }
    log(`${reason}: shutting down: saving graphs, draining requests`);
    await Promise.all([graphs.save(), server.stop(), beforeExit()]);
    installThreadGraphs(null);
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
