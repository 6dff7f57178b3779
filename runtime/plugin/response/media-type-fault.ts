// The check of responses whose media types a plugin declares: clients and documents rely on them.

import { isHttpResponse } from "./http-response.js";

/** Responses with this status or a higher one are errors, and may have any media type. */
const FIRST_ERROR = 400;

/**
 * Returns the error for a result, or null. Errors and responses without a body have no media
 * type to check.
 * @param declared media types in lower case; `image/*` stands for all images
 */
export function mediaTypeFault(result: unknown, declared: readonly string[]): string | null {
  if (!isHttpResponse(result) || result.status >= FIRST_ERROR) return null;
  if (result.body.length === 0) return null;
  const type = result.type.split(";", 1)[0]!.trim().toLowerCase();
  const range = `${type.slice(0, type.indexOf("/"))}/*`;
  if (declared.includes(type) || declared.includes(range)) return null;
  return `media type of the response: ${type}, declared: ${declared.join(", ")}`;
}
