// Reads a recording line by line, because it may be larger than memory.

import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { SvcError } from "../../runtime/base/errors.js";
import { RECORD_VERSION, type RecordedRequest } from "../../runtime/http/recorded-request.js";

export interface Recorded {
  readonly request: RecordedRequest;
  /** First request of a recording session: the pause before it does not count. */
  readonly isFirst: boolean;
}

/**
 * Yields the requests of a file in the order of their responses, and null for an invalid line.
 * @throws SvcError SVC3320 if the file cannot be read or is no recording
 */
export async function* readRecorded(path: string): AsyncGenerator<Recorded | null> {
  const source = createReadStream(path, "utf8");
  let number = 0;
  let isFirst = true;
  try {
    for await (const line of createInterface({ input: source })) {
      number++;
      const entry = parse(line);
      if (number === 1 && !isHead(entry)) throw wrong(path, number, "not a recorded request");
      if (isHead(entry)) {
        isFirst = true;
      } else if (isRequest(entry)) {
        yield { request: entry, isFirst };
        isFirst = false;
      } else if (line !== "") {
        // A killed process leaves an incomplete line.
        yield null;
      }
    }
  } catch (error) {
    if (error instanceof SvcError) throw error;
    const text = `${path} cannot be read: ${(error as Error).message}`;
    throw new SvcError("SVC3320", text, { cause: error });
  } finally {
    source.destroy();
  }
  if (number === 0) throw wrong(path, 1, "the file is empty");
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

function isHead(entry: unknown): boolean {
  return (entry as { record?: unknown } | null)?.record === RECORD_VERSION;
}

function isRequest(entry: unknown): entry is RecordedRequest {
  if (typeof entry !== "object" || entry === null) return false;
  const { at, method, target, status, ms, fields } = entry as Partial<RecordedRequest>;
  const isCounted = Number.isFinite(at) && Number.isFinite(status) && Number.isFinite(ms);
  const isValidTarget = typeof method === "string" && typeof target === "string";
  return isCounted && isValidTarget && target.startsWith("/") && typeof fields === "object";
}

function wrong(path: string, line: number, reason: string): SvcError {
  return new SvcError("SVC3320", `${path}:${line}: invalid recorded request: ${reason}`);
}
