// Format and level of the server log. Set once by the main thread before it starts others, which
// get them with their environment data.

import { getEnvironmentData, setEnvironmentData } from "node:worker_threads";

/** `auto`: text on a terminal, else JSON. */
export type LogFormat = "auto" | "json" | "text";

export const LOG_LEVELS = ["error", "warn", "info", "debug"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Receives an entry; the default level is `info`. */
export type LogLine = (text: string, level?: LogLevel) => void;

export interface LogSettings {
  readonly isJson: boolean;
  /** Minimum level. */
  readonly level: LogLevel;
}

const KEY = "svc.log";
let current: LogSettings | null = null;

/** Sets format and level. Called by the main thread. */
export function configureLog(format: LogFormat, level: LogLevel): LogSettings {
  current = { isJson: isJson(format), level };
  setEnvironmentData(KEY, current);
  return current;
}

/**
 * Returns the settings, or the defaults. Called before a thread is started, which inherits them.
 */
export function logSettings(): LogSettings {
  current ??= (getEnvironmentData(KEY) as LogSettings | undefined) ?? configureLog("auto", "info");
  return current;
}

/** The environment variable also applies to programs: the operator reads their log. */
function isJson(format: LogFormat): boolean {
  const wanted = format === "auto" ? process.env.SVC_LOG_FORMAT : format;
  if (wanted === "json" || wanted === "text") return wanted === "json";
  return process.stderr.isTTY !== true;
}
