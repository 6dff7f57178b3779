// Error messages of the engine itself (http-interface, "Error body"), in both formats of a
// response, as latin1 text. Errors of plugins come from the executors.

import type { ErrorCodeName } from "../base/error-codes.js";
import { toLatin1 } from "../plugin/contract/wire-text.js";
import type { Failure } from "./scheduler.js";

export interface ErrorMessage {
  /** JSON text of the envelope's `message`. */
  readonly json: string;
  /** Body under `Accept: text/plain`. */
  readonly text: string;
}

/** Returns the message of a failure of the server itself: plain text. */
export function plainMessage(text: string): ErrorMessage {
  return { json: toLatin1(JSON.stringify(text)), text: toLatin1(text) };
}

/** Returns the object form: `kind` names the layer of the failure. */
export function exceptionMessage(
  kind: "svc" | "system",
  exception: string,
  value: string,
): ErrorMessage {
  const json = JSON.stringify({ [kind]: { exception: `<class '${exception}'>`, value } });
  return { json: toLatin1(json), text: toLatin1(`ERROR: ${value}`) };
}

/** 404 for an unknown plugin. */
export function unknownPlugin(name: string): ErrorMessage {
  return exceptionMessage("svc", "LookupError", `undefined plugin: ${name}`);
}

/** Error code, so that users can look it up. */
const NOT_DURABLE: ErrorCodeName = "SVC2502";

/** 500 for a request without a response from its executor. */
export function failureMessage(failure: Failure, plugin: string): ErrorMessage {
  if (failure === "not-durable") {
    const text = `not durable: changes made by ${plugin} may be lost (${NOT_DURABLE})`;
    return exceptionMessage("system", "DurabilityError", text);
  }
  return failure === "timeout"
    ? exceptionMessage("system", "TimeoutError", `plugin ${plugin} timed out`)
    : exceptionMessage("system", "ExecutorError", `executor died while running ${plugin}`);
}

const FAILURE_LINES: Record<Failure, string> = {
  timeout: "timed out",
  "executor-died": "was lost with its executor",
  "not-durable": "made changes that may be lost: the transaction log has failed",
};

/** Returns the log line of a failure. */
export function failureLine(failure: Failure, plugin: string): string {
  return `plugin ${plugin} ${FAILURE_LINES[failure]}`;
}
