// A broker that acknowledges before fsync loses acknowledged data on power loss. Its monitoring
// endpoint reports how it is configured.

import { SvcError } from "../../base/errors.js";

const TIMEOUT_MS = 5_000;
const HINT = "set `jetstream { sync_interval: always }`, which nats-server has as of 2.10";

/**
 * Verifies that the servers fsync before they acknowledge. An unreachable server acknowledges
 * nothing, so a minority may be unreachable; it is checked with the next connection.
 * @throws SvcError SVC3362 if a server does not, or too many are unreachable
 */
export async function requireDurableServers(
  monitors: readonly string[],
  replicas: number,
): Promise<void> {
  const failures = await Promise.all(monitors.map(checkServer));
  const silent = failures.filter((failure) => failure !== null);
  if (silent.length > Math.floor((replicas - 1) / 2)) throw silent[0]!;
}

/** Returns why a server cannot be checked, or null if it is durable. @throws SvcError SVC3362 */
async function checkServer(monitor: string): Promise<SvcError | null> {
  let isAlways: unknown;
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const answer = await fetch(`http://${monitor}/varz`, { signal });
    const varz = (await answer.json()) as { jetstream?: { config?: { sync_always?: unknown } } };
    isAlways = varz?.jetstream?.config?.sync_always;
  } catch (error) {
    const { message } = error as Error;
    const text = `durable: http://${monitor}/varz does not say what its server does: ${message}`;
    return new SvcError("SVC3362", text, { cause: error });
  }
  if (isAlways === true) return null;
  throw new SvcError("SVC3362", `durable: the server at ${monitor} flushes too late: ${HINT}`);
}
