// How the log of this process is written. Said once by the main thread, before it starts others;
// those find it in the data that Node hands to each thread.

import { getEnvironmentData, setEnvironmentData } from "node:worker_threads";

/** `auto`: text on a terminal, else JSON. */
export type LogFormat = "auto" | "json" | "text";

export const LOG_LEVELS = ["error", "warn", "info", "debug"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Takes an entry; of level `info` unless it says otherwise. */
export type LogLine = (text: string, level?: LogLevel) => void;

export interface LogSettings {
  readonly isJson: boolean;
  /** Entries below it are left out. */
  readonly level: LogLevel;
}

const KEY = "svc.log";
let current: LogSettings | null = null;

/** For the main thread. */
export function configureLog(format: LogFormat, level: LogLevel): LogSettings {
  current = { isJson: isJson(format), level };
  setEnvironmentData(KEY, current);
  return current;
}

/** What was said, or the default. To be called before a thread is started, which then has it. */
export function logSettings(): LogSettings {
  current ??= (getEnvironmentData(KEY) as LogSettings | undefined) ?? configureLog("auto", "info");
  return current;
}

/** The variable of the option counts in programs, too: whoever runs them reads their log. */
function isJson(format: LogFormat): boolean {
  const wanted = format === "auto" ? process.env.SVC_LOG_FORMAT : format;
  if (wanted === "json" || wanted === "text") return wanted === "json";
  return process.stderr.isTTY !== true;
}
