// Media types of responses without an envelope, as `content` of OpenAPI.

import type { JsonSchema } from "../argspec.js";
import { isJsonMediaType, isTextMediaType } from "../media-types.js";

const JSON_TYPE = "application/json";
const ANY_TYPE = "*/*";

/**
 * @param types declared media types; empty: any media type
 * @param value schema of the envelope, if the plugin also returns values; null: it does not
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
