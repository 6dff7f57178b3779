// The last entries of the log of all threads, for those who look at a running server.

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
  /** To be given as `after` the next time. */
  readonly next: number;
  /** Entries after `after` that are not kept any more. */
  readonly missed: number;
  readonly lines: readonly RecentLogEntry[];
}

/** For the main thread, before it starts others: from now on entries are kept. */
export function enableRecentLog(): void {
  ring.open();
}

/** Keeps an entry; what is too long for its place is clipped. */
export function recordLogEntry(level: LogLevel, text: string): void {
  ring.keep(LOG_LEVELS.indexOf(level), text);
}

/** Entries whose number is greater than `after`, the oldest first; 0 for all that are kept. */
export function recentLogEntries(after: number): RecentLogEntries {
  const { next, missed, entries } = ring.after(after);
  const lines = entries.map(({ number, at, thread, tag, text }) => {
    return { number, at, thread, level: LOG_LEVELS[tag] ?? "info", text };
  });
  return { next, missed, lines };
}
