// Logs errors thrown by plugins: the error and its position in the sources.

import { isFailedCallCaptureEnabled } from "../../base/failed-calls.js";
import { isLogged, log } from "../../base/log.js";
import type { LogLevel } from "../../base/log-settings.js";
import { isInstance } from "../contract/describe-error.js";
import { requestId } from "../contract/request-id.js";
import type { RequestSource } from "../contract/request-source.js";
import { describeUncaught } from "../contract/traceback.js";
import { HttpError } from "../response/http-error.js";
import { reportFailedCall } from "./report-failed-call.js";

/** An HttpError is deliberate: logged at level debug only. */
function levelOf(thrown: unknown): LogLevel {
  return isInstance(thrown, HttpError) && thrown.status < 500 ? "debug" : "error";
}

/** Called after the response is sent, which must not wait for source maps. */
export function reportThrown(thrown: unknown, source: RequestSource): void {
  if (isLogged(levelOf(thrown))) setImmediate(report, thrown, source);
}

function report(thrown: unknown, source: RequestSource): void {
  const path = source.target.split("?", 1)[0]!;
  const request = requestId(source.headerBlock) ?? String(source.serial);
  const text = describeUncaught(thrown);
  log(`${path} threw ${text}`, levelOf(thrown), { request, path });
  const isFault = levelOf(thrown) === "error";
  if (isFault && isFailedCallCaptureEnabled()) reportFailedCall(thrown, text, source);
}
