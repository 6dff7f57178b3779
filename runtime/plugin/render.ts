// From what a plugin returned to the text or bytes that answer the request, in the form that the
// client accepts. Every result is rendered exactly once.

import { inspect } from "node:util";
import { RESULT_PARTIAL, RESULT_TEXT, RESULT_VALUE } from "../engine/batch.js";
import { jsonText } from "./json-text.js";
import { type Done, sendError, sendMessage, sendThrown } from "./plugin-errors.js";
import { PluginRequest } from "./plugin-request.js";
import { PluginResponse } from "./plugin-response.js";
import type { Accept } from "./request-source.js";
import { errorText, typeName } from "./thrown.js";
import { toLatin1 } from "./wire-text.js";

const NO_MATRIX =
  "Preprocessor plugin only allowed in dispatcher context (PluginRequest was returned)";
const INSPECT_WHOLE = {
  depth: null,
  maxArrayLength: null,
  maxStringLength: null,
  breakLength: Number.POSITIVE_INFINITY,
  compact: true,
} as const;

/** Answers with the result of an engine function. */
export function renderResult(value: unknown, accept: Accept, done: Done): void {
  let payload: string | Uint8Array<ArrayBuffer>;
  try {
    if (value instanceof PluginRequest) return sendMessage(done, accept, 500, NO_MATRIX);
    if (accept === "json") {
      payload = toLatin1(jsonText(value));
    } else if (accept === "text") {
      payload = toLatin1(plainText(value));
    } else if (value instanceof PluginResponse) {
      payload = value.serialize();
    } else {
      const message = `plugin must return PluginResponse, not ${typeName(value)}`;
      return sendError(done, accept, 500, "svc", "TypeError", message);
    }
  } catch (error) {
    return sendThrown(done, accept, 500, "svc", error);
  }
  done(200, RESULT_KINDS[accept], payload);
}

const RESULT_KINDS = { json: RESULT_VALUE, text: RESULT_TEXT, partial: RESULT_PARTIAL } as const;

function plainText(value: unknown): string {
  if (typeof value === "string") return value;
  return value instanceof Error ? errorText(value) : inspect(value, INSPECT_WHOLE);
}
