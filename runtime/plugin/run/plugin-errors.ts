// Reports failures of a plugin call to the client (http-interface, "Error body"): an object under
// `svc`, `plugin` or `system`, or a plain string; `ERROR: <text>` for plain text.

import { RESULT_ERROR, RESULT_ERROR_FIELDS, RESULT_TEXT } from "../../base/wire/batch.js";
import { errorName, getErrorMessage } from "../contract/describe-error.js";
import { jsonText } from "../contract/json-text.js";
import type { Accept } from "../contract/request-source.js";
import { causesForClients, pluginFrames } from "../contract/stack-trace.js";
import { toLatin1 } from "../contract/wire-text.js";
import { headerLines } from "../response/header-lines.js";
import { type HttpError, isHttpError } from "../response/http-error.js";

/**
 * Receives the one result of a plugin call.
 * @param kind one of `RESULT_*`
 * @param payload latin1 text, or bytes in a buffer of their own
 */
export type Done = (
  status: number,
  kind: number,
  payload: string | Uint8Array<ArrayBuffer>,
) => void;

/** Parameter and rendering errors, errors of plugin code, internal errors. */
export type ErrorKind = "svc" | "plugin" | "system";

/** An error in the envelope. */
interface ErrorDetail {
  readonly exception: string;
  readonly value: string;
  readonly traceback?: readonly string[] | undefined;
  readonly cause?: ErrorDetail | undefined;
}

/** Answers with `message.<kind>`. */
export function sendError(
  done: Done,
  accept: Accept,
  status: number,
  kind: ErrorKind,
  exception: string,
  message: string,
  traceback?: readonly string[],
  cause?: ErrorDetail,
): void {
  const value = withoutQuotes(message);
  if (accept === "text") {
    done(status, RESULT_TEXT, toLatin1(`ERROR: ${exception}: ${value}`));
    return;
  }
  const detail: ErrorDetail = { exception: `<class '${exception}'>`, value, traceback, cause };
  done(status, RESULT_ERROR, toLatin1(JSON.stringify({ [kind]: detail })));
}

/** Answers with a thrown error; errors of plugin code include their stack frames. */
export function sendThrown(
  done: Done,
  accept: Accept,
  status: number,
  kind: ErrorKind,
  thrown: unknown,
): void {
  if (kind === "plugin" && isHttpError(thrown)) {
    return sendHttpError(done, accept, thrown);
  }
  const isPlugin = kind === "plugin";
  const traceback = isPlugin ? pluginFrames(thrown) : undefined;
  const cause = isPlugin ? describeCause(thrown) : undefined;
  const message = getErrorMessage(thrown);
  sendError(done, accept, status, kind, errorName(thrown), message, traceback, cause);
}

/** Returns the cause of an error with its own cause; undefined for none. */
function describeCause(thrown: unknown): ErrorDetail | undefined {
  let detail: ErrorDetail | undefined;
  for (const cause of causesForClients(thrown).reverse()) {
    const exception = `<class '${errorName(cause)}'>`;
    const value = withoutQuotes(getErrorMessage(cause));
    detail = { exception, value, traceback: pluginFrames(cause), cause: detail };
  }
  return detail;
}

/** Answers with an HttpError, which is deliberate: with its details, without stack and cause. */
function sendHttpError(done: Done, accept: Accept, error: HttpError): void {
  const { status, details, headers } = error;
  const message = getErrorMessage(error);
  const exception = errorName(error);
  let fields = "";
  try {
    fields = headerLines(headers ?? {});
  } catch (fault) {
    return sendThrown(done, accept, 500, "svc", fault);
  }
  const send = (kind: number, text: string): void => {
    if (fields === "") return done(status, kind, toLatin1(text));
    done(status, RESULT_ERROR_FIELDS, `${fields}\r\n${toLatin1(text)}`);
  };
  if (accept === "text") return send(RESULT_TEXT, `ERROR: ${exception}: ${message}`);
  const head = JSON.stringify({
    exception: `<class '${exception}'>`,
    value: message,
    traceback: [],
  });
  let detailsMember = "";
  try {
    if (details !== undefined) detailsMember = `,"details":${jsonText(details)}`;
  } catch (fault) {
    return sendThrown(done, accept, 500, "svc", fault);
  }
  send(RESULT_ERROR, `{"plugin":${head.slice(0, -1)}${detailsMember}}}`);
}

/** Answers with a plain string as `message`. */
export function sendMessage(done: Done, accept: Accept, status: number, text: string): void {
  if (accept === "text") done(status, RESULT_TEXT, toLatin1(`ERROR: ${text}`));
  else done(status, RESULT_ERROR, toLatin1(JSON.stringify(text)));
}

function withoutQuotes(text: string): string {
  const quote = text[0];
  const quoted = (quote === "'" || quote === '"') && text.length > 1 && text.endsWith(quote);
  return quoted ? text.slice(1, -1) : text;
}
