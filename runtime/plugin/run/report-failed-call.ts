// What `svc dev` keeps of a call that has failed: what was asked, what was thrown, and the lines of
// the source around the place that threw.

import { readFileSync } from "node:fs";
import { recordFailedCall, type SourceFrame } from "../../base/failed-calls.js";
import type { RequestSource } from "../contract/request-source.js";
import { innermostFrame } from "../contract/traceback.js";

/** Together they fit their place, even if each character is written with six bytes. */
const MAX_TEXT = 2000;
const MAX_TARGET = 1500;
const MAX_BODY = 500;
const MAX_LINE = 160;
/** Before and after the place. */
const AROUND = 2;

/** @param text what was thrown, with its traceback */
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
  const place = innermostFrame(thrown);
  if (place === null) return null;
  const { file, path, line, column } = place;
  try {
    const first = Math.max(1, line - AROUND);
    const all = readFileSync(path, "utf8").split("\n");
    const lines = all.slice(first - 1, line + AROUND).map((text) => text.slice(0, MAX_LINE));
    return { file, line, column, first, lines };
  } catch {
    // It is gone meanwhile: the traceback names it all the same.
    return null;
  }
}

function utf8(latin1: string): string {
  return Buffer.from(latin1, "latin1").toString("utf8");
}
