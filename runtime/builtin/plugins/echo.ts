// Shows a caller what the server received of its request.

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
  // A body that is not UTF-8 is shown as well as it can be.
  const text = new TextDecoder().decode(content);
  return { HTTP: { method, request: request.params, headers, content: text } };
}
