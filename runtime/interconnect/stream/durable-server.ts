// A server that acknowledges before it has flushed loses with the power what it has acknowledged:
// it says of itself, to whoever asks where it is monitored, whether it does.

import { SvcError } from "../../base/errors.js";

const TIMEOUT_MS = 5_000;
const HINT = "set `jetstream { sync_interval: always }`, which nats-server has as of 2.10";

/** @throws SvcError SVC3362 it does not, or does not say so */
export async function checkDurableServer(monitor: string): Promise<void> {
  let isAlways: unknown;
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const answer = await fetch(`http://${monitor}/varz`, { signal });
    const varz = (await answer.json()) as { jetstream?: { config?: { sync_always?: unknown } } };
    isAlways = varz?.jetstream?.config?.sync_always;
  } catch (error) {
    const { message } = error as Error;
    const text = `durable: http://${monitor}/varz does not say what its server does: ${message}`;
    throw new SvcError("SVC3362", text, { cause: error });
  }
  if (isAlways === true) return;
  throw new SvcError("SVC3362", `durable: the server at ${monitor} flushes too late: ${HINT}`);
}
