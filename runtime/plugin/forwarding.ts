// What passes between the threads when a request is dispatched: the request that a pre-processor
// wants forwarded, and what it leaves for the post-processor, which may run in another executor.

import { deserialize, serialize } from "node:v8";
import { RequestError } from "../errors.js";
import {
  type PluginRequest,
  type Routing,
  requestFrom,
  routingOf,
  signatureOf,
} from "./plugin-request.js";
import type { PluginResponse } from "./plugin-response.js";
import type { RequestSource } from "./request-source.js";
import { bindOrigin } from "./response-origin.js";
import { errorText } from "./thrown.js";

export interface Forwarding extends Routing {
  readonly method: "GET" | "POST";
  /** The whole HTTP request. */
  readonly bytes: Uint8Array;
  /** For `bindMerged`; opaque to all others. */
  readonly kept: Uint8Array;
}

/** How a merged response came about. */
export interface Merging {
  /** Seconds until every back-end had answered. */
  readonly texec: number;
  readonly resubmits: number;
  /** What the pre-processor left; null without one. */
  readonly kept: Uint8Array | null;
}

/**
 * @throws RequestError for parameters that cannot be sent, and for a `local` that cannot be kept
 */
export function encodeForwarding(request: PluginRequest): Uint8Array<ArrayBuffer> {
  const forwarding: Forwarding = {
    ...routingOf(request),
    method: request.method,
    bytes: request.serialize(),
    kept: keptAttributes(request),
  };
  return Uint8Array.from(serialize(forwarding));
}

export function decodeForwarding(bytes: Uint8Array): Forwarding {
  return deserialize(bytes) as Forwarding;
}

/** Gives a merged response the request that it answers, with what the pre-processor left there. */
export function bindMerged(
  response: PluginResponse,
  source: RequestSource,
  merging: Merging,
): void {
  const request = requestFrom(source, {});
  if (merging.kept !== null) Object.assign(request, deserialize(merging.kept));
  bindOrigin(response, { request, texec: merging.texec, resubmits: merging.resubmits });
}

function keptAttributes(request: PluginRequest): Uint8Array {
  const { flag, local } = request;
  const signature = signatureOf(request);
  try {
    return serialize({ flag, local, ...(signature !== null && { signature }) });
  } catch (error) {
    throw new RequestError(`request.local cannot be kept: ${errorText(error as Error)}`);
  }
}
