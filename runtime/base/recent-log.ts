// The most recent log entries of all threads, for monitoring a running server.

import { LOG_LEVELS, type LogLevel } from "./log-settings.js";
import { SharedRing } from "./shared-ring.js";

const ring = new SharedRing("svc.log-ring", 1000, 2048);

export interface RecentLogEntry {
  /** Entries are counted from 1. */
  readonly number: number;
  readonly at: number;
  readonly thread: number;
  readonly level: LogLevel;
  readonly text: string;
}

export interface RecentLogEntries {
  /** Cursor: the `after` of the next call. */
  readonly next: number;
  /** Number of entries after `after` that were overwritten. */
  readonly missed: number;
  readonly lines: readonly RecentLogEntry[];
}

/** Enables recording. Called by the main thread before it starts others. */
export function enableRecentLog(): void {
  ring.open();
}

/** Records an entry, truncated to its slot. */
export function recordLogEntry(level: LogLevel, text: string): void {
  ring.keep(LOG_LEVELS.indexOf(level), text);
}

/** Returns entries numbered above `after`, oldest first; 0 for all. */
export function recentLogEntries(after: number): RecentLogEntries {
  const { next, missed, entries } = ring.after(after);
  const lines = entries.map(({ number, at, thread, tag, text }) => {
    return { number, at, thread, level: LOG_LEVELS[tag] ?? "info", text };
  });
  return { next, missed, lines };
}
