// uWebSockets reads its limit for request heads from the environment once, when it loads. A
// worker's `process.env` is a copy invisible to native code, so the main thread sets the variable
// before it starts the thread that loads uWebSockets.

import { MAX_HEAD_BYTES } from "../../base/limits.js";

const VARIABLE = "UWS_HTTP_MAX_HEADERS_SIZE";

/** Raises the limit of uWebSockets to that of the server. */
export function prepareUws(): void {
  process.env[VARIABLE] ??= String(MAX_HEAD_BYTES);
}
