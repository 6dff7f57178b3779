// Logs errors thrown by plugins: the error and its position in the sources.

import { isFailedCallCaptureEnabled } from "../../base/failed-calls.js";
import { isLogged, log } from "../../base/log.js";
import type { LogLevel } from "../../base/log-settings.js";
import { requestId } from "../contract/request-id.js";
import type { RequestSource } from "../contract/request-source.js";
import { describeUncaught } from "../contract/stack-trace.js";
import { isHttpError } from "../response/http-error.js";
import { reportFailedCall } from "./report-failed-call.js";

/** An HttpError is deliberate: logged at level debug only. */
function levelOf(thrown: unknown, { isWarmUp }: RequestSource): LogLevel {
  // Examples may need contents of graphs that are not loaded yet.
  if (isWarmUp === true) return "debug";
  return isHttpError(thrown) && thrown.status < 500 ? "debug" : "error";
}

/** Called after the response is sent, which must not wait for source maps. */
export function reportThrown(thrown: unknown, source: RequestSource): void {
  if (isLogged(levelOf(thrown, source))) setImmediate(report, thrown, source);
}

function report(thrown: unknown, source: RequestSource): void {
  const path = source.target.split("?", 1)[0]!;
  const request = requestId(source.headerBlock) ?? String(source.serial);
  const text = describeUncaught(thrown);
  log(`${path} threw ${text}`, levelOf(thrown, source), { request, path });
  const isFault = levelOf(thrown, source) === "error";
  if (isFault && isFailedCallCaptureEnabled()) reportFailedCall(thrown, text, source);
}
