// uWebSockets reads its limit for the head of a request from the environment, once, when it loads.
// A worker's `process.env` is a copy that native code does not see, so the main thread sets it
// before it starts the thread that loads uWebSockets.

import { MAX_HEAD_BYTES } from "../../base/limits.js";

const VARIABLE = "UWS_HTTP_MAX_HEADERS_SIZE";

/** Lets heads through that are as long as the limits of the server allow. */
export function prepareUws(): void {
  process.env[VARIABLE] ??= String(MAX_HEAD_BYTES);
}
