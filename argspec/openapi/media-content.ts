// The content of responses without an envelope, by media type.

import type { JsonSchema } from "../argspec.js";
import { isJsonMediaType, isTextMediaType } from "../media-types.js";

const JSON_TYPE = "application/json";
const ANY_TYPE = "*/*";

/**
 * @param types empty: any media type
 * @param value schema of the envelope for other results; null: there are none
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
  // JSON Schema cannot describe raw bytes; generators accept this format instead.
  return isTextMediaType(type) ? { type: "string" } : { type: "string", format: "binary" };
}
