// The content of responses without an envelope, by media type.

import type { JsonSchema } from "../argspec.js";
import { isJsonMediaType, isTextMediaType } from "../media-types.js";

const JSON_TYPE = "application/json";
const ANY_TYPE = "*/*";

/**
 * @param types none for any
 * @param value schema of the envelope in which other values come, null without any
 */
export function mediaContent(types: readonly string[], value: JsonSchema | null): object {
  const listed = types.length === 0 ? [ANY_TYPE] : types;
  const content = listed.map((type) => [type, { schema: bodySchema(type) }] as const);
  const isAmbiguous = listed.includes(JSON_TYPE);
  const enveloped = value !== null && !isAmbiguous ? { [JSON_TYPE]: { schema: value } } : {};
  return { ...Object.fromEntries(content), ...enveloped };
}

function bodySchema(type: string): JsonSchema {
  if (isJsonMediaType(type)) return {};
  // Raw bytes have no place in JSON Schema; generators take this format for them.
  return isTextMediaType(type) ? { type: "string" } : { type: "string", format: "binary" };
}
