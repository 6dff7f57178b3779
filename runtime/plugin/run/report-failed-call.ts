// Records a failed call for `svc dev`: the request, the error, and the source lines around the
// throwing position.

import { readFileSync } from "node:fs";
import { recordFailedCall, type SourceFrame } from "../../base/failed-calls.js";
import type { RequestSource } from "../contract/request-source.js";
import { innermostFrame } from "../contract/stack-trace.js";

/** These fit into an entry even if each character takes six bytes. */
const MAX_TEXT = 2000;
const MAX_TARGET = 1500;
const MAX_BODY = 500;
const MAX_LINE = 160;
/** Source lines before and after the position. */
const AROUND = 2;

/** @param text the error, with its stack frames */
export function reportFailedCall(thrown: unknown, text: string, source: RequestSource): void {
  const { method, target, body } = source;
  const start = typeof body === "string" ? body.slice(0, MAX_BODY) : "";
  recordFailedCall({
    method,
    target: utf8(target.slice(0, MAX_TARGET)),
    body: utf8(start),
    text: text.slice(0, MAX_TEXT),
    frame: frameOf(thrown),
  });
}

function frameOf(thrown: unknown): SourceFrame | null {
  const position = innermostFrame(thrown);
  if (position === null) return null;
  const { file, path, line, column } = position;
  try {
    const first = Math.max(1, line - AROUND);
    const allLines = readFileSync(path, "utf8").split("\n");
    const lines = allLines.slice(first - 1, line + AROUND).map((text) => text.slice(0, MAX_LINE));
    return { file, line, column, first, lines };
  } catch {
    // The file has been removed; the stack frames still name it.
    return null;
  }
}

function utf8(latin1: string): string {
  return Buffer.from(latin1, "latin1").toString("utf8");
}
