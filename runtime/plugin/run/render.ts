// Renders the result of a plugin as text or bytes, in the format that the client accepts. Every
// result is rendered exactly once.

import buffer from "node:buffer";
import { inspect } from "node:util";
import {
  RESULT_FORWARD,
  RESULT_HTTP,
  RESULT_PARTIAL,
  RESULT_TEXT,
  RESULT_VALUE,
} from "../../base/wire/batch.js";
import { errorText, typeName } from "../contract/describe-error.js";
import { jsonText, nanFault, plainJson } from "../contract/json-text.js";
import type { Accept, RequestSource } from "../contract/request-source.js";
import { toLatin1 } from "../contract/wire-text.js";
import { isResubmission, PluginRequest } from "../request/plugin-request.js";
import { isHttpResponse } from "../response/http-response.js";
import { bindPage, Page } from "../response/page.js";
import { PluginResponse } from "../response/plugin-response.js";
import { setLevels } from "../response/response-origin.js";
import { encodeForwarding } from "./forwarding.js";
import { type Done, sendError, sendMessage, sendThrown } from "./plugin-errors.js";

const OTHER_COPY = " of another svc-server; find its copies with `npm ls svc-server`";

export const NO_STREAM_TO_DISPATCHER =
  "400 Bad Request: a dispatcher cannot stream; call a back-end directly";
const NO_MATRIX =
  "Preprocessor plugin only allowed in dispatcher context (PluginRequest was returned)";
const NOT_RESUBMITTABLE =
  "Postprocessor plugin can only return a PluginRequest of response.resubmittable()";
const INSPECT_WHOLE = {
  depth: null,
  maxArrayLength: null,
  maxStringLength: null,
  breakLength: Number.POSITIVE_INFINITY,
  compact: true,
} as const;

/** Like `renderResult`, for a result whose type requires finite numbers. */
export function renderExact(
  value: unknown,
  accept: Accept,
  done: Done,
  source?: RequestSource,
): void {
  // A single pass finds NaN and values that JSON.stringify cannot serialize.
  const json = accept === "json" ? plainJson(value) : null;
  if (json !== null) return done(200, RESULT_VALUE, toLatin1(json));
  const fault = nanFault(value);
  if (fault === null) return renderResult(value, accept, done, source);
  sendError(done, accept, 500, "svc", "ValueError", fault);
}

/** Answers with the result of an engine function. */
export function renderResult(
  value: unknown,
  accept: Accept,
  done: Done,
  source?: RequestSource,
): void {
  let payload: string | Uint8Array<ArrayBuffer>;
  try {
    if (value instanceof Page) bindPage(value, pluginName(source?.target ?? ""));
    if (value instanceof PluginRequest) return sendMessage(done, accept, 500, NO_MATRIX);
    if (isHttpResponse(value) && accept !== "partial") {
      return done(value.status, RESULT_HTTP, value.serialize());
    }
    if (accept === "json") {
      payload = toLatin1(jsonText(value));
    } else if (accept === "text") {
      payload = toLatin1(plainText(value));
    } else if (value instanceof PluginResponse) {
      payload = value.serialize();
    } else {
      const type = typeName(value);
      const remedy = type === "PluginResponse" ? OTHER_COPY : "";
      const message = `plugin must return PluginResponse, not ${type}${remedy}`;
      return sendError(done, accept, 500, "svc", "TypeError", message);
    }
  } catch (error) {
    return sendThrown(done, accept, 500, "svc", error);
  }
  done(200, RESULT_KINDS[accept], payload);
}

/** Returns the last segment of a path, decoded. */
function pluginName(target: string): string {
  const [path = ""] = target.split("?", 1);
  return decodeURIComponent(path.slice(path.lastIndexOf("/") + 1));
}

/** Answers with the result of a pre-processor: a request goes to the back-ends. */
export function renderPre(value: unknown, accept: Accept, done: Done, source: RequestSource): void {
  if (value instanceof PluginRequest && source.hasMatrix) forward(value, accept, done);
  else renderResult(value, accept, done, source);
}

/** Answers with the result of a post-processor; `merged` is its argument. */
export function renderPost(
  value: unknown,
  merged: PluginResponse,
  accept: Accept,
  done: Done,
): void {
  if (value instanceof PluginRequest) {
    if (isResubmission(value)) return forward(value, accept, done);
    return sendMessage(done, accept, 500, NOT_RESUBMITTABLE);
  }
  if (value instanceof PluginResponse && value !== merged) {
    setLevels(value, merged.level, merged.levelparts);
    value.partials = merged.partials;
  }
  renderResult(value, accept, done);
}

function forward(request: PluginRequest, accept: Accept, done: Done): void {
  let payload: Uint8Array<ArrayBuffer>;
  try {
    payload = encodeForwarding(request);
  } catch (error) {
    return sendThrown(done, accept, 500, "svc", error);
  }
  done(200, RESULT_FORWARD, payload);
}

const RESULT_KINDS = { json: RESULT_VALUE, text: RESULT_TEXT, partial: RESULT_PARTIAL } as const;

/** Returns the response for clients that accept plain text. */
export function plainText(value: unknown): string {
  if (typeof value === "string") return value;
  return value instanceof Error ? errorText(value) : inspectWhole(value);
}

function inspectWhole(value: unknown): string {
  const { INSPECT_MAX_BYTES } = buffer;
  // `util.inspect` has no option for this limit.
  buffer.INSPECT_MAX_BYTES = Number.POSITIVE_INFINITY;
  try {
    return inspect(value, INSPECT_WHOLE);
  } finally {
    buffer.INSPECT_MAX_BYTES = INSPECT_MAX_BYTES;
  }
}
