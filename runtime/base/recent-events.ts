// State changes of this server as data, for the console: changes of Service-IN, failures and
// restarts of threads and back-ends, and states of other instances. The server log contains the
// same events as text.

import { log } from "./log.js";
import type { LogFields } from "./log-entry.js";
import { LOG_LEVELS, type LogLevel } from "./log-settings.js";
import { SharedRing } from "./shared-ring.js";

export type EventKind = "back-end" | "build" | "instance" | "replication" | "service" | "thread";

export interface StateEvent {
  /** Events are counted from 1. */
  readonly number: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly level: LogLevel;
  readonly kind: EventKind;
  /** Subject, such as an instance or a back-end; empty: this server. */
  readonly subject: string;
  readonly text: string;
}

export interface StateEvents {
  /** Cursor: the `after` of the next call. */
  readonly next: number;
  readonly events: readonly StateEvent[];
}

const MAX_TEXT = 200;
const MAX_SUBJECT = 80;
/** Sufficient for JSON, in which a character takes up to six bytes. */
const ENTRY_BYTES = 2048;
const ring = new SharedRing("svc.event-ring", 200, ENTRY_BYTES);

/** Enables recording. Called by the main thread before it starts others. */
export function enableRecentEvents(): void {
  ring.open();
}

/** Records a state change. */
export function recordEvent(
  kind: EventKind,
  text: string,
  level: LogLevel = "info",
  subject = "",
): void {
  const short = [kind, subject.slice(0, MAX_SUBJECT), text.split("\n", 1)[0]!.slice(0, MAX_TEXT)];
  ring.keep(LOG_LEVELS.indexOf(level), JSON.stringify(short));
}

/** Records a state change and logs it. */
export function logEvent(kind: EventKind, text: string, level: LogLevel, fields?: LogFields): void {
  recordEvent(kind, text, level);
  log(text, level, fields);
}

/** Returns events numbered above `after`, oldest first; 0 for all. */
export function recentEvents(after: number): StateEvents {
  const { next, entries } = ring.after(after);
  const events = entries.map(({ number, at, tag, text }) => {
    const [kind, subject, message] = JSON.parse(text) as [EventKind, string, string];
    return { number, at, level: LOG_LEVELS[tag] ?? "info", kind, subject, text: message };
  });
  return { next, events };
}
