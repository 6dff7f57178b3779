// Texts of errors that arose below a dispatcher (http-interface, "Error body"): one part for each
// level, the outermost first, then what the innermost instance said. Always bounded, never with a
// double quote, and always such that a client can take them apart again:
//
//    <partial: 1 width: 3> | 500 | <partial: 0 width: 2> | 404 | {'svc': {'exception':
//    '<class \'LookupError\'>', 'value': 'undefined plugin: find'}}
//
// Strings of objects stand in single quotes, with the escapes \\ and \' and \n.

/** Of more levels the outer ones are left out, but for the outermost. */
const MAX_LEVELS = 16;
const LEVEL = /^<partial: \d+ width: \d+> \| \d{3} \| /;
/** Nothing that is made here is as long: only foreign texts are cut. */
const MAX_TEXT_LENGTH = 32 * 1024;
/** Larger bodies are not worth the time of parsing them. */
const MAX_BODY_BYTES = 256 * 1024;
const MAX_EXCEPTION_LENGTH = 200;
const MAX_VALUE_LENGTH = 4000;
const MAX_TRACEBACK_LINES = 20;
const MAX_LINE_LENGTH = 300;
const KINDS = ["svc", "plugin", "system"] as const;
const NO_TEXT = "?";

/**
 * The message of an answer that failed because a partition's did.
 * @param partition that of the lowest number
 * @param width of the matrix
 * @param status that of the partition's answer
 * @param text `text` of `backEndError`, or what happened to the connection
 */
export function partialError(
  partition: number,
  width: number,
  status: number,
  text: string,
): string {
  const below = clip(withoutOuterLevels(text), MAX_TEXT_LENGTH).replaceAll('"', " ");
  return `<partial: ${partition} width: ${width}> | ${status} | ${below}`;
}

/** Leaves room for one level more. */
function withoutOuterLevels(text: string): string {
  const starts: number[] = [];
  for (let at = 0; ; ) {
    const level = LEVEL.exec(text.slice(at, at + MAX_LINE_LENGTH));
    if (level === null) break;
    starts.push(at);
    at += level[0].length;
  }
  return starts.length < MAX_LEVELS ? text : text.slice(starts[starts.length - MAX_LEVELS + 1]);
}

/** What a back-end says in the body of an error. */
export interface BackEndError {
  /** `?` when the body is not an error envelope. */
  readonly text: string;
  /** Levels of dispatchers below, the back-end included; 0 of an engine. */
  readonly level: number;
  /** Instances below the back-end that contributed. */
  readonly deep: number;
}

const NO_ERROR: BackEndError = { text: NO_TEXT, level: 0, deep: 0 };

export function backEndError(body: Uint8Array): BackEndError {
  if (body.length > MAX_BODY_BYTES) return NO_ERROR;
  let envelope: unknown;
  try {
    envelope = JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.length).toString("utf8"));
  } catch {
    return NO_ERROR;
  }
  return {
    text: messageText(memberOf(envelope, "message")),
    level: countOf(memberOf(envelope, "level")),
    deep: countOf(memberOf(memberOf(envelope, "partitions"), "2")),
  };
}

function countOf(value: unknown): number {
  return Number.isInteger(value) && (value as number) > 0 ? Math.min(value as number, 2 ** 31) : 0;
}

function messageText(message: unknown): string {
  if (typeof message === "string") return message;
  const kind = KINDS.find((name) => memberOf(message, name) !== undefined);
  return kind === undefined ? NO_TEXT : `{'${kind}': ${detailText(memberOf(message, kind))}}`;
}

function detailText(detail: unknown): string {
  const members = [
    `'exception': ${quoted(memberOf(detail, "exception"), MAX_EXCEPTION_LENGTH)}`,
    `'value': ${quoted(memberOf(detail, "value"), MAX_VALUE_LENGTH)}`,
  ];
  const traceback = memberOf(detail, "traceback");
  if (Array.isArray(traceback)) {
    const lines = traceback.slice(0, MAX_TRACEBACK_LINES);
    const texts = lines.map((line) => quoted(line, MAX_LINE_LENGTH));
    members.push(`'traceback': [${texts.join(", ")}]`);
  }
  return `{${members.join(", ")}}`;
}

function quoted(value: unknown, maxLength: number): string {
  const text = typeof value === "string" ? clip(value, maxLength) : NO_TEXT;
  const escaped = text.replace(/[\\']/g, "\\$&").replaceAll("\n", "\\n");
  return `'${escaped.replace(/[\p{Cc}"]/gu, " ")}'`;
}

function clip(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}
