// Converts an unsuccessful response to the error that the client throws. The response is untrusted:
// members of unexpected types are dropped.

import { parseErrorChain } from "./error-chain.js";
import type { Operation } from "./operation.js";
import { type ErrorKind, SvcError, type SvcErrorDetails } from "./svc-error.js";

/** The single member of `message`. */
const SOURCES = ["svc", "plugin", "system"] as const;

/** @param envelope the decoded body, or its text */
export function responseError(operation: Operation, status: number, envelope: unknown) {
  const isUnknown = status === 200 && readMember(envelope, "status") !== "ERROR";
  const message = isUnknown ? "response is not an svc envelope" : readMember(envelope, "message");
  const { levels, innermost } = parseErrorChain(textOf(message) ?? "");
  const last = levels.at(-1);
  if (last === undefined) return levelError(operation, status, message, { envelope });
  const cause = levelError(operation, last.status, innermost, {});
  const { exception, traceback } = cause;
  const details = { status, exception, traceback, chain: levels, envelope, cause };
  return new SvcError<string>("backend", cause.message, details);
}

/** @param body text, or an object with the one member `svc`, `plugin` or `system` */
function levelError(
  { path, errors = [] }: Operation,
  status: number,
  body: unknown,
  others: SvcErrorDetails,
) {
  const key = SOURCES.find((name) => readMember(body, name) !== undefined);
  const detail = key ? readMember(body, key) : body;
  const exception = className(textOf(readMember(detail, "exception")));
  const text = textOf(detail) ?? textOf(readMember(detail, "value")) ?? `HTTP status ${status}`;
  const lines = readMember(detail, "traceback");
  const traceback = Array.isArray(lines) ? lines.filter((line) => textOf(line) !== null) : null;
  const isKind = errors.some(
    ([name, statuses]) => key === "plugin" && name === exception && statuses.includes(status),
  );
  const kind = isKind ? exception! : kindOf(key, status);
  const details = readMember(detail, "details") ?? null;
  const all = { ...others, status, details, exception, traceback };
  return new SvcError<string>(kind, `${path}: ${text}`, all);
}

/** Returns the kind of an error. Errors of `svc` with a 4xx status are rejected parameters. */
function kindOf(source: (typeof SOURCES)[number] | undefined, status: number): ErrorKind {
  if (source !== "svc") return source ?? "http";
  return status >= 400 && status < 500 ? "parameter" : "result";
}

/** Returns the name in a text such as `<class 'NotFound'>`. */
function className(text: string | null): string | null {
  return text?.replace(/^<class '(.*)'>$/, "$1") ?? null;
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

export function readMember(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}
