// Small JSON files with the state of a data folder. Each contains the version of its format, so
// that a release rejects files of later releases.

import { readFileSync } from "node:fs";
import { replaceFileSync } from "./durable-files.js";
import { SvcError } from "./errors.js";
import { explainLaterFormat } from "./later-release.js";

const STATE_FORMAT = 1;

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
  const { format, ...content } = Object(JSON.parse(text)) as State;
  const reason = explainLaterFormat(format, STATE_FORMAT);
  if (reason !== null) throw new SvcError("SVC2506", `${file}: ${reason}`);
  return content;
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

export function encodeState(content: object): string {
  return `${JSON.stringify({ format: STATE_FORMAT, ...content })}\n`;
}
