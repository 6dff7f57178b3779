// Format and level of the server log. Set by the main thread before it starts others, which inherit
// them as environment data. The level is in shared memory, because it can change at run time.

import { getEnvironmentData, setEnvironmentData } from "node:worker_threads";

/** `auto`: text on a terminal, else JSON. */
export type LogFormat = "auto" | "json" | "text";

export const LOG_LEVELS = ["error", "warn", "info", "debug"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Receives an entry; the default level is `info`. */
export type LogLine = (text: string, level?: LogLevel) => void;

export interface LogSettings {
  readonly isJson: boolean;
  /** Index of the minimum level in `LOG_LEVELS`, shared by all threads. */
  readonly level: Int32Array;
}

/** Key of the settings in the environment data. */
export const LOG_KEY = "svc.log";
let current: LogSettings | null = null;

/** Sets format and level. Called by the main thread. */
export function configureLog(format: LogFormat, level: LogLevel): LogSettings {
  current = { isJson: isJson(format), level: new Int32Array(new SharedArrayBuffer(4)) };
  current.level[0] = LOG_LEVELS.indexOf(level);
  setEnvironmentData(LOG_KEY, current);
  return current;
}

/** Changes the minimum level of all threads and returns the previous one. */
export function setLogLevel(level: LogLevel): LogLevel {
  return LOG_LEVELS[Atomics.exchange(logSettings().level, 0, LOG_LEVELS.indexOf(level))]!;
}

/**
 * Returns the settings, or the defaults. Called before a thread is started, which inherits them.
 */
export function logSettings(): LogSettings {
  current ??=
    (getEnvironmentData(LOG_KEY) as LogSettings | undefined) ?? configureLog("auto", "info");
  return current;
}

/** The environment variable also applies to programs: the operator reads their log. */
function isJson(format: LogFormat): boolean {
  const effectiveFormat = format === "auto" ? process.env.SVC_LOG_FORMAT : format;
  if (effectiveFormat === "json" || effectiveFormat === "text") return effectiveFormat === "json";
  return process.stderr.isTTY !== true;
}
