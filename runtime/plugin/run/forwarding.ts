// What passes between the threads when a request is dispatched: the request that a pre-processor
// wants forwarded, and what it leaves for the post-processor, which may run in another executor.

import { deserialize, serialize } from "node:v8";
import { RequestError } from "../../base/errors.js";
import { errorText } from "../contract/describe-error.js";
import type { RequestSource } from "../contract/request-source.js";
import {
  type PluginRequest,
  type Routing,
  requestFrom,
  routingOf,
  signatureOf,
} from "../request/plugin-request.js";
import type { PluginResponse } from "../response/plugin-response.js";
import { bindOrigin } from "../response/response-origin.js";

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

/** What a pre-processor leaves for the post-processor. */
interface Kept {
  /** Of its request: `flag`, `local`, `signature`. */
  readonly attributes: object;
  /** What it had forwarded, to be sent again: request line and header lines, latin1. */
  readonly head: string;
  readonly isPrimary: boolean;
  readonly affinity: number;
}

/**
 * @throws RequestError for parameters that cannot be sent, and for a `local` that cannot be kept
 */
export function encodeForwarding(request: PluginRequest): Uint8Array<ArrayBuffer> {
  const routing = routingOf(request);
  const bytes = request.serialize();
  const kept = serializeKept(request, bytes, routing);
  const forwarding: Forwarding = { ...routing, method: request.method, bytes, kept };
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
  const { kept, texec, resubmits } = merging;
  const request = requestFrom(source, {});
  if (kept === null) return bindOrigin(response, { request, sent: request, texec, resubmits });
  const { attributes, ...forwarded } = deserialize(kept) as Kept;
  Object.assign(request, attributes);
  bindOrigin(response, { request, sent: sentRequest(source, forwarded), texec, resubmits });
}

function sentRequest(
  source: RequestSource,
  { head, isPrimary, affinity }: Omit<Kept, "attributes">,
): PluginRequest {
  const lineEnd = head.indexOf("\r\n");
  const [method, target] = head.slice(0, lineEnd).split(" ") as ["GET" | "POST", string];
  const mark = target.indexOf("?");
  const query = mark < 0 ? "" : target.slice(mark + 1);
  const headerBlock = head.slice(lineEnd + 2);
  const request = requestFrom({ ...source, method, target, query, headerBlock, body: null }, {});
  if (isPrimary) request.primary = 1;
  if (affinity >= 0) request.affinity = affinity;
  return request;
}

function serializeKept(
  request: PluginRequest,
  bytes: Uint8Array,
  { isPrimary, affinity }: Routing,
): Uint8Array {
  const { flag, local } = request;
  const signature = signatureOf(request);
  const attributes = { flag, local, ...(signature !== null && { signature }) };
  const sent = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const head = sent.toString("latin1", 0, sent.indexOf("\r\n\r\n") + 2);
  try {
    return serialize({ attributes, head, isPrimary, affinity } satisfies Kept);
  } catch (error) {
    throw new RequestError(`request.local cannot be kept: ${errorText(error as Error)}`);
  }
}
