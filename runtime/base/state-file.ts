// Small JSON files with the state of a data folder. Each contains the version of its format, so
// that a release rejects files of later releases. A file that changes often has a line per state,
// and the last complete line counts.

import {
  closeSync,
  constants,
  existsSync,
  fdatasyncSync,
  openSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { replaceFileSync } from "./durable-files.js";
import { SvcError } from "./errors.js";
import { explainLaterFormat } from "./later-release.js";

const STATE_FORMAT = 1;
/** Size at which a file with several states is replaced by one with the last state. */
const MAX_APPENDED_BYTES = 2 ** 18;
/** A new file would need a flush of its folder. */
const APPEND_EXISTING = constants.O_WRONLY | constants.O_APPEND;

type State = Readonly<Record<string, unknown>>;

/**
 * Returns the properties in a file; undefined: no file. Files of the first release have no
 * version.
 * @throws SvcError SVC2506 for a file of a later release
 * @throws Error if the file cannot be read
 */
export function readState(file: string): State | undefined {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  const { format, ...content } = Object(parseLast(text)) as State;
  const reason = explainLaterFormat(format, STATE_FORMAT);
  if (reason !== null) throw new SvcError("SVC2506", `${file}: ${reason}`);
  return content;
}

/** Returns the last state in a text. A line that a crash has interrupted was not acknowledged. */
function parseLast(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // After a power loss, a file may end with zeros.
    const lines = text.split("\n").slice(0, -1);
    return JSON.parse(lines.findLast((line) => !line.includes("\0")) ?? "");
  }
}

/** Like `readState`, but returns null for an unreadable or corrupt file. */
export function readStateOrNull(file: string): State | undefined | null {
  try {
    return readState(file);
  } catch (error) {
    if (error instanceof SvcError) throw error;
    return null;
  }
}

/** Replaces a file atomically, and flushes it. */
export function writeState(file: string, content: object): void {
  replaceFileSync(file, encodeState(content));
}

/** A file of state that changes often: an appended line is flushed faster than a new file. */
export class AppendedState {
  readonly #file: string;
  /** Bytes of the lines that this process has written; null: the file has to be replaced. */
  #bytes: number | null = null;

  constructor(file: string) {
    this.#file = file;
  }

  /** Stores a state durably. */
  write(content: object): void {
    const text = encodeState(content);
    const total = (this.#bytes ?? MAX_APPENDED_BYTES) + Buffer.byteLength(text);
    // A failed write may leave a part of a line, to which nothing must be appended.
    this.#bytes = null;
    this.#bytes = total <= MAX_APPENDED_BYTES && this.#append(text) ? total : this.#replace(text);
  }

  /** Replaces several lines by the last state: earlier releases read files of one state. */
  compact(last: object): void {
    // Also those of an earlier process, which was killed.
    const content = existsSync(this.#file) ? readFileSync(this.#file, "utf8") : "\n";
    const hasSeveral = content.indexOf("\n") < content.length - 1;
    if (hasSeveral) this.#bytes = this.#replace(encodeState(last));
  }

  #append(text: string): boolean {
    try {
      const descriptor = openSync(this.#file, APPEND_EXISTING);
      try {
        writeFileSync(descriptor, text);
        fdatasyncSync(descriptor);
      } finally {
        closeSync(descriptor);
      }
      return true;
    } catch {
      return false;
    }
  }

  #replace(text: string): number {
    replaceFileSync(this.#file, text);
    return Buffer.byteLength(text);
  }
}

export function encodeState(content: object): string {
  return `${JSON.stringify({ format: STATE_FORMAT, ...content })}\n`;
}
