// A server that acknowledges before it has flushed loses with the power what it has acknowledged:
// it says of itself, to whoever asks where it is monitored, whether it does.

import { SvcError } from "../../base/errors.js";

const TIMEOUT_MS = 5_000;
const HINT = "set `jetstream { sync_interval: always }`, which nats-server has as of 2.10";

/**
 * Servers that cannot be asked are down, and acknowledge nothing: as many may be as the copies
 * allow. When they are back they are asked with the next connection.
 * @throws SvcError SVC3362 one does not, or too many do not say
 */
export async function requireDurableServers(
  monitors: readonly string[],
  replicas: number,
): Promise<void> {
  const failures = await Promise.all(monitors.map(failureOf));
  const silent = failures.filter((failure) => failure !== null);
  if (silent.length > Math.floor((replicas - 1) / 2)) throw silent[0]!;
}

/** Why a server does not say what it does; null: it does. @throws SvcError SVC3362 */
async function failureOf(monitor: string): Promise<SvcError | null> {
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
