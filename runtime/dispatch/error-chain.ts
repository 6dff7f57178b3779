// Messages of errors from below a dispatcher (http-interface, "Error body"): one prefix per level,
// outermost first, then the message of the innermost instance. Bounded, without double quotes, and
// parseable by clients:
//
//    <partial: 1 width: 3> | 500 | <partial: 0 width: 2> | 404 | {'svc': {'exception':
//    '<class \'LookupError\'>', 'value': 'undefined plugin: find'}}
//
// Strings in objects are single-quoted, with the escapes \\ and \' and \n.

import { ResponseError } from "../base/errors.js";
import { PartialView } from "../base/partial/partial-view.js";
import type { BackEndResponse } from "./response-parser.js";

/** Of deeper chains, the outermost and the innermost levels are kept. */
const MAX_LEVELS = 16;
const LEVEL = /^<partial: \d+ width: \d+> \| \d{3} \| /;
/** Exceeds all generated messages: only messages of other software are truncated. */
const MAX_TEXT_LENGTH = 32 * 1024;
/** Larger bodies are not parsed. */
const MAX_BODY_BYTES = 256 * 1024;
const MAX_EXCEPTION_LENGTH = 200;
const MAX_VALUE_LENGTH = 4000;
const MAX_TRACEBACK_LINES = 20;
const MAX_LINE_LENGTH = 300;
const MAX_CAUSES = 4;
const KINDS = ["svc", "plugin", "system"] as const;
const NO_TEXT = "?";

/**
 * Returns the message of a response that failed with a partition.
 * @param partition lowest failed one
 * @param width of the matrix
 * @param status of the partition's response
 * @param text `text` of `backEndError`, or a connection fault
 */
export function partialError(
  partition: number,
  width: number,
  status: number,
  text: string,
): string {
  const below = clip(dropOuterLevels(text), MAX_TEXT_LENGTH).replaceAll('"', " ");
  return `<partial: ${partition} width: ${width}> | ${status} | ${below}`;
}

/** Leaves room for one more level. */
function dropOuterLevels(text: string): string {
  const starts: number[] = [];
  for (let at = 0; ; ) {
    const level = LEVEL.exec(text.slice(at, at + MAX_LINE_LENGTH));
    if (level === null) break;
    starts.push(at);
    at += level[0].length;
  }
  return starts.length < MAX_LEVELS ? text : text.slice(starts[starts.length - MAX_LEVELS + 1]);
}

/** Error body of a back-end. */
export interface BackEndError {
  /** `?` if the body is not an error envelope. */
  readonly text: string;
  /** Dispatcher levels below, the back-end included; 0 for an engine. */
  readonly level: number;
  /** Instances below the back-end that contributed. */
  readonly deep: number;
}

const NO_ERROR: BackEndError = { text: NO_TEXT, level: 0, deep: 0 };

/** Returns the message of a response with 503; a proxy may have sent it, without an envelope. */
export function describeRefusal(body: Uint8Array): string {
  const { text } = backEndError(body);
  return text === NO_TEXT ? "503 without a message of svc" : text;
}

export function backEndError(body: Uint8Array): BackEndError {
  if (body.length > MAX_BODY_BYTES) return NO_ERROR;
  let envelope: unknown;
  try {
    envelope = JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.length).toString("utf8"));
  } catch {
    return NO_ERROR;
  }
  return {
    text: messageText(readMember(envelope, "message")),
    level: readCount(readMember(envelope, "level")),
    deep: readCount(readMember(readMember(envelope, "partitions"), "2")),
  };
}

function readCount(value: unknown): number {
  return Number.isInteger(value) && (value as number) > 0 ? Math.min(value as number, 2 ** 31) : 0;
}

function messageText(message: unknown): string {
  if (typeof message === "string") return message;
  const kind = KINDS.find((name) => readMember(message, name) !== undefined);
  return kind === undefined ? NO_TEXT : `{'${kind}': ${detailText(readMember(message, kind))}}`;
}

function detailText(detail: unknown, causes = 0): string {
  const members = [
    `'exception': ${quote(readMember(detail, "exception"), MAX_EXCEPTION_LENGTH)}`,
    `'value': ${quote(readMember(detail, "value"), MAX_VALUE_LENGTH)}`,
  ];
  const traceback = readMember(detail, "traceback");
  if (Array.isArray(traceback)) {
    const lines = traceback.slice(0, MAX_TRACEBACK_LINES);
    const texts = lines.map((line) => quote(line, MAX_LINE_LENGTH));
    members.push(`'traceback': [${texts.join(", ")}]`);
  }
  const cause = readMember(detail, "cause");
  if (cause !== undefined && causes < MAX_CAUSES) {
    members.push(`'cause': ${detailText(cause, causes + 1)}`);
  }
  return `{${members.join(", ")}}`;
}

function quote(value: unknown, maxLength: number): string {
  const text = typeof value === "string" ? clip(value, maxLength) : NO_TEXT;
  const escaped = text.replace(/[\\']/g, "\\$&").replaceAll("\n", "\\n");
  return `'${escaped.replace(/[\p{Cc}"]/gu, " ")}'`;
}

function clip(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}

function readMember(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

/**
 * Location of an error in the hierarchy of dispatchers, for the response envelope (http-interface,
 * "Response envelope").
 */
export interface ErrorHierarchy {
  /** Dispatcher levels below, this one included. */
  readonly level: number;
  /** `[parts, incomplete, deep]` */
  readonly partitions: readonly [number, number, number];
}

/**
 * @param responses by partition; null if none is usable
 * @param failures errors that back-ends responded with, which count as responses
 */
export function errorHierarchy(
  responses: readonly (BackEndResponse | null)[],
  failures: readonly Pick<BackEndError, "level" | "deep">[],
): ErrorHierarchy {
  let level = 0;
  let deep = 0;
  let arrived = failures.length;
  for (const failure of failures) {
    level = Math.max(level, failure.level);
    deep += failure.deep;
  }
  for (const response of responses) {
    const view = response === null ? null : parseView(response);
    if (view === null) continue;
    arrived++;
    level = Math.max(level, view.level);
    deep += view.partials;
  }
  return { level: level + 1, partitions: [responses.length, responses.length - arrived, deep] };
}

function parseView({ body }: BackEndResponse): PartialView | null {
  try {
    return new PartialView(body, "partial");
  } catch (error) {
    if (!(error instanceof ResponseError)) throw error;
    return null;
  }
}

/** Error text of a connection fault. */
export function connectionError(text: string): BackEndError {
  return { text, level: 0, deep: 0 };
}
