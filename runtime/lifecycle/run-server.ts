// `runServer`: keeps a library-mode process serving until a signal, with a watchdog and a log file.

import { SvcError } from "../base/errors.js";
import { SIGNAL_DEBOUNCE_MS } from "../base/limits.js";
import { log, logToDirectory } from "../base/log.js";
import { onTerminationSignal } from "./termination-signals.js";

const MIN_INTERVAL_MS = 1000;
const DEFAULT_INTERVAL_MS = 5000;

/** Options of `runServer`. */
export interface RunOptions {
  /** Service name from now on. */
  readonly name?: string;
  /** Called every `interval`; exceptions are logged. */
  readonly watchdog?: () => void;
  /** Milliseconds, at least 1000. Default 5000. */
  readonly interval?: number;
  /** Folder of hourly log files; files older than 30 days are deleted. */
  readonly logpath?: string;
}

/** Resolves at the first termination signal. */
export async function runUntilSignal(options: RunOptions): Promise<void> {
  const { watchdog, interval = DEFAULT_INTERVAL_MS, logpath } = options;
  if (!Number.isFinite(interval)) throw new SvcError("SVC2205", "interval must be a number of ms");
  const endLog = logpath === undefined ? undefined : logToDirectory(logpath);
  const timer = setInterval(() => watch(watchdog), Math.max(interval, MIN_INTERVAL_MS));
  try {
    await waitForSignal();
  } finally {
    clearInterval(timer);
    endLog?.();
  }
}

function watch(watchdog: RunOptions["watchdog"]): void {
  try {
    watchdog?.();
  } catch (error) {
    log(`the watchdog failed: ${error instanceof Error ? error.stack : String(error)}`, "error");
  }
}

function waitForSignal(): Promise<void> {
  return new Promise((resolve) => {
    const ignoreAll = onTerminationSignal(
      () => {
        resolve();
        // Afterwards, signals have their default effect.
        setTimeout(ignoreAll, SIGNAL_DEBOUNCE_MS).unref();
      },
      () => {},
    );
  });
}
