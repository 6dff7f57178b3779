// The last entries of the log of all threads, for those who look at a running server: a ring in
// memory that all threads share. A writer takes the next number and fills its place; a reader
// copies a place, and believes it if its number is the same before and after. Nobody waits.
//
//   next u32 │ place 0 │ place 1 │ … │ place 999
//   place:  number u32 │ thread u16 │ level u16 │ at f64 (ms since 1970) │ length u32 │ text

import { getEnvironmentData, setEnvironmentData, threadId } from "node:worker_threads";
import { LOG_LEVELS, type LogLevel } from "./log-settings.js";

const KEY = "svc.log-ring";
const PLACES = 1000;
const PLACE_BYTES = 2048;
const HEAD_BYTES = 24;
const MAX_TEXT_BYTES = PLACE_BYTES - HEAD_BYTES;
/** One that is not whole behind so many others never will be: its thread has died. */
const MAX_WRITERS = 32;
/** Keeps places at multiples of eight bytes. */
const FIRST = 8;

export interface KeptEntry {
  /** Entries are counted from 1. */
  readonly number: number;
  readonly at: number;
  readonly thread: number;
  readonly level: LogLevel;
  readonly text: string;
}

export interface KeptEntries {
  /** To be given as `after` the next time. */
  readonly next: number;
  /** Entries after `after` that are not kept any more. */
  readonly missed: number;
  readonly lines: readonly KeptEntry[];
}

interface Views {
  readonly words: Int32Array;
  readonly bytes: Buffer;
}

let views: Views | null | undefined;

/** For the main thread, before it starts others: from now on entries are kept. */
export function keepLog(): void {
  if (ring() !== null) return;
  const shared = new SharedArrayBuffer(FIRST + PLACES * PLACE_BYTES);
  setEnvironmentData(KEY, shared);
  views = viewsOf(shared);
}

function ring(): Views | null {
  if (views !== undefined && views !== null) return views;
  const shared = getEnvironmentData(KEY) as SharedArrayBuffer | undefined;
  views = shared === undefined ? null : viewsOf(shared);
  return views;
}

function viewsOf(shared: SharedArrayBuffer): Views {
  return { words: new Int32Array(shared), bytes: Buffer.from(shared) };
}

function placeOf(number: number): number {
  return FIRST + ((number >>> 0) % PLACES) * PLACE_BYTES;
}

/** Keeps an entry; what is too long for its place is clipped. */
export function keepEntry(level: LogLevel, text: string): void {
  const shared = ring();
  if (shared === null) return;
  const { words, bytes } = shared;
  const number = (Atomics.add(words, 0, 1) + 1) >>> 0;
  const place = placeOf(number);
  // Nobody believes it while it is written.
  Atomics.store(words, place / 4, 0);
  bytes.writeUInt16LE(threadId & 0xffff, place + 4);
  bytes.writeUInt16LE(LOG_LEVELS.indexOf(level), place + 6);
  bytes.writeDoubleLE(Date.now(), place + 8);
  const length = bytes.write(text, place + HEAD_BYTES, MAX_TEXT_BYTES, "utf8");
  bytes.writeUInt32LE(length, place + 16);
  Atomics.store(words, place / 4, number | 0);
}

/** Entries whose number is greater than `after`, the oldest first; 0 for all that are kept. */
export function keptEntries(after: number): KeptEntries {
  const shared = ring();
  if (shared === null) return { next: 0, missed: 0, lines: [] };
  const next = Atomics.load(shared.words, 0) >>> 0;
  // A number from before the server was started anew may be any.
  const from = after > next ? 0 : after;
  const first = Math.max(from, next - PLACES);
  const lines: KeptEntry[] = [];
  for (let number = first + 1; number <= next; number++) {
    const entry = entryAt(shared, number);
    if (entry !== null) lines.push(entry);
    // One that is being written is told the next time.
    else if (number > next - MAX_WRITERS) return { next: number - 1, missed: first - from, lines };
  }
  return { next, missed: first - from, lines };
}

/** Null while it is being written, and when a later one has its place. */
function entryAt({ words, bytes }: Views, number: number): KeptEntry | null {
  const place = placeOf(number);
  if (Atomics.load(words, place / 4) >>> 0 !== number) return null;
  const thread = bytes.readUInt16LE(place + 4);
  const level = LOG_LEVELS[bytes.readUInt16LE(place + 6)] ?? "info";
  const at = bytes.readDoubleLE(place + 8);
  const length = Math.min(bytes.readUInt32LE(place + 16), MAX_TEXT_BYTES);
  const text = bytes.toString("utf8", place + HEAD_BYTES, place + HEAD_BYTES + length);
  if (Atomics.load(words, place / 4) >>> 0 !== number) return null;
  return { number, at, thread, level, text };
}
