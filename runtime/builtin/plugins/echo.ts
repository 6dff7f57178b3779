// Returns the request as the server received it.

import type { PluginRequest } from "../../plugin/request/plugin-request.js";

/**
 * Server echo.
 * @plugin echo
 * @readonly
 */
export function echo(
  request: PluginRequest,
  headers: Record<string, string>,
  method: string,
  content: Uint8Array,
) {
  // Invalid UTF-8 is shown with replacement characters.
  const text = new TextDecoder().decode(content);
  return { HTTP: { method, request: request.params, headers, content: text } };
}
