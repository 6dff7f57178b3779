// Termination signals. One request often arrives twice: a terminal signals the whole process group,
// and npm or a supervisor forwards the signal. Only a later one counts as a second request.

import { SIGNAL_DEBOUNCE_MS } from "../base/limits.js";

/** SIGHUP: the terminal is gone; SIGUSR2: sent by file watchers before a restart. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR2"] as const;

/**
 * Listens until the returned function is called.
 * @param first called once, at the first signal
 * @param again called at each later signal that is not an echo of the first
 */
export function onTerminationSignal(
  first: (signal: string) => void,
  again: () => void,
): () => void {
  let firstMs: number | null = null;
  const listener = (signal: string): void => {
    if (firstMs === null) {
      firstMs = performance.now();
      first(signal);
    } else if (performance.now() - firstMs > SIGNAL_DEBOUNCE_MS) again();
  };
  for (const signal of SIGNALS) process.on(signal, listener);
  return () => {
    for (const signal of SIGNALS) process.off(signal, listener);
  };
}
