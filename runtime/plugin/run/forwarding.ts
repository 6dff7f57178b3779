// Data that crosses threads when a request is dispatched: the request to forward, and the state
// that a pre-processor passes to the post-processor, which may run in another executor.

import { deserialize, serialize } from "node:v8";
import { RequestError } from "../../base/errors.js";
import { errorText } from "../contract/describe-error.js";
import type { RequestSource } from "../contract/request-source.js";
import {
  getRouting,
  getSignature,
  type PluginRequest,
  type Routing,
  requestFrom,
} from "../request/plugin-request.js";
import type { PluginResponse } from "../response/plugin-response.js";
import { bindOrigin } from "../response/response-origin.js";

export interface Forwarding extends Routing {
  readonly method: "GET" | "POST";
  /** The whole HTTP request. */
  readonly bytes: Uint8Array;
  /** For `bindMerged`; opaque to other code. */
  readonly processorState: Uint8Array;
}

/** Details of the dispatch that produced a merged response. */
export interface Merging {
  /** Seconds until the last back-end had responded. */
  readonly texec: number;
  readonly resubmits: number;
  /** State of the pre-processor; null without one. */
  readonly processorState: Uint8Array | null;
}

/** State that a pre-processor passes to the post-processor. */
interface ProcessorState {
  /** `flag`, `local` and `signature` of its request. */
  readonly attributes: object;
  /** The forwarded request, for resubmission: request line and header lines, latin1. */
  readonly head: string;
  readonly isPrimary: boolean;
  readonly affinity: number;
}

/**
 * @throws RequestError for parameters that cannot be encoded, and for a `local` that cannot be
 *   serialized
 */
export function encodeForwarding(request: PluginRequest): Uint8Array<ArrayBuffer> {
  const routing = getRouting(request);
  const bytes = request.serialize();
  const processorState = serializeProcessorState(request, bytes, routing);
  const forwarding: Forwarding = { ...routing, method: request.method, bytes, processorState };
  return Uint8Array.from(serialize(forwarding));
}

export function decodeForwarding(bytes: Uint8Array): Forwarding {
  return deserialize(bytes) as Forwarding;
}

/** Binds a merged response to its request, with the state of the pre-processor. */
export function bindMerged(
  response: PluginResponse,
  source: RequestSource,
  merging: Merging,
): void {
  const { processorState, texec, resubmits } = merging;
  const request = requestFrom(source, {});
  if (processorState === null)
    return bindOrigin(response, { request, sent: request, texec, resubmits });
  const { attributes, ...forwarded } = deserialize(processorState) as ProcessorState;
  Object.assign(request, attributes);
  bindOrigin(response, { request, sent: sentRequest(source, forwarded), texec, resubmits });
}

function sentRequest(
  source: RequestSource,
  { head, isPrimary, affinity }: Omit<ProcessorState, "attributes">,
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

function serializeProcessorState(
  request: PluginRequest,
  bytes: Uint8Array,
  { isPrimary, affinity }: Routing,
): Uint8Array {
  const { flag, local } = request;
  const signature = getSignature(request);
  const attributes = { flag, local, ...(signature !== null && { signature }) };
  const sent = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const head = sent.toString("latin1", 0, sent.indexOf("\r\n\r\n") + 2);
  try {
    return serialize({ attributes, head, isPrimary, affinity } satisfies ProcessorState);
  } catch (error) {
    throw new RequestError(`request.local cannot be kept: ${errorText(error as Error)}`);
  }
}
