// What a merged response is sent as.

import { ResponseError } from "../errors.js";
import type { Merged } from "./merge-partials.js";

/** The partial for the dispatcher above, or for `PluginResponse.deserialize`. */
export function encodeMerged(merged: Merged): Uint8Array<ArrayBuffer> {
  throw new ResponseError(`not written yet ${merged.level}`);
}

/** The bytes that `PluginResponse.toJSON` gives for the same data. */
export function mergedJson(merged: Merged): Uint8Array<ArrayBuffer> {
  throw new ResponseError(`not written yet ${merged.level}`);
}
