// A received request as sent to back-ends: same line, fields and body, without hop-by-hop fields.
// Header blocks repeat, so their filtered forms are cached.

import { withTraceParent } from "../base/tracing/trace-parent.js";
import { MEDIA_TYPES } from "../plugin/contract/media-types.js";
import { REQUEST_ID_HEADER } from "../plugin/contract/request-id.js";
import type { Accept } from "../plugin/contract/request-source.js";
import {
  DEADLINE_HEADER,
  headerValue,
  KEY_HEADER,
  percentEncode,
  TARGET_HEADER,
  VIA_HEADER,
  withoutHopHeaders,
} from "../plugin/contract/request-text.js";
import { toLatin1 } from "../plugin/contract/wire-text.js";

/** Replica selection constraints of a request. */
export interface Preference {
  /** Primary row only. */
  readonly isPrimary: boolean;
  /** Preferred row; -1: none. */
  readonly affinity: number;
}

/** Request bytes for all back-ends, and which of them receive it. */
export interface ForwardedRequest {
  readonly method: "GET" | "POST";
  /** Without query; key of per-plugin statistics. */
  readonly path: string;
  /** Request line and header lines, latin1, with the empty line. */
  readonly head: string;
  readonly body: string | Uint8Array | null;
  readonly preference: Preference;
  /** The addressed partition, modulo their number; null: all. */
  readonly target: bigint | null;
  /** Selects the partition that owns it, unless there is a target; null: no key. */
  readonly key: string | null;
  /** It changes graphs once, however often its leader receives it. */
  readonly isKeyed?: boolean;
  /** The response is passed through unchanged. */
  readonly isRelayed: boolean;
  /** Returns a header line for one attempt to send it; undefined: none is needed. */
  readonly sign?: () => string;
}

/** Parts of a received request that are forwarded. */
export interface ReceivedRequest {
  /** HEAD is forwarded as GET. */
  readonly method: string;
  /** Path and query, latin1, without prefix. */
  readonly target: string;
  readonly block: string;
  readonly accept: Accept;
  readonly partialTarget: bigint | null;
  readonly key: string | null;
  /** Names of the dispatchers it has passed through, this one last. */
  readonly via: string;
  /** Remaining time of the client; 0: unlimited. */
  readonly deadlineMs: number;
  readonly body: string | Uint8Array | null;
  /** `traceparent` field that replaces the client's; null: keep that. */
  readonly traceParent: string | null;
  /** Request id that this dispatcher has made; null: that of the client, if any. */
  readonly requestId: string | null;
}

const ANY: Preference = { isPrimary: false, affinity: -1 };
/** Targeted requests go to the primary replica of their partition. */
export const PRIMARY: Preference = { isPrimary: true, affinity: -1 };
const KEYED = /(?:^|\n)idempotency-key:/i;
const MAX_CACHED_BLOCKS = 256;
const blockCache = new Map<string, string>();

/** @param isRelayed the back-end's response is the client's, in a format that the client accepts */
export function forwardedRequest(received: ReceivedRequest, isRelayed: boolean): ForwardedRequest {
  const { body, partialTarget, key, via, deadlineMs, requestId } = received;
  const method = received.method === "POST" ? "POST" : "GET";
  const accept = isRelayed ? relayedAccept(received) : MEDIA_TYPES.partial;
  const isTargeted = partialTarget !== null;
  const target = isTargeted ? `${TARGET_HEADER}: ${partialTarget}\r\n` : "";
  const owner = key === null ? "" : `${KEY_HEADER}: ${percentEncode(key)}\r\n`;
  const length = body === null ? "" : `Content-Length: ${body.length}\r\n`;
  const deadline = deadlineMs > 0 ? `${DEADLINE_HEADER}: ${deadlineMs}\r\n` : "";
  const id = requestId === null ? "" : `${REQUEST_ID_HEADER}: ${requestId}\r\n`;
  const route = `${VIA_HEADER}: ${via}\r\n${id}${deadline}${target}${owner}`;
  const own = `Accept: ${accept}\r\n${route}${length}`;
  const { traceParent } = received;
  const cached = forwardedBlock(received.block);
  const fields = (traceParent === null ? cached : withTraceParent(cached, traceParent)) + own;
  return {
    method,
    path: parsePath(received.target),
    head: `${method} ${received.target} HTTP/1.1\r\n${fields}\r\n`,
    body,
    preference: isTargeted ? PRIMARY : ANY,
    target: partialTarget,
    key,
    isKeyed: method === "POST" && KEYED.test(received.block),
    isRelayed,
  };
}

/** Returns the client's Accept, unless it may not request partials. */
function relayedAccept({ accept, block }: ReceivedRequest): string {
  const text = headerValue(block, "accept");
  const asksForPartial = text?.toLowerCase().startsWith(MEDIA_TYPES.partial) ?? true;
  return asksForPartial ? MEDIA_TYPES[accept] : toLatin1(text!);
}

/** Returns the path of an encoded request. */
export function pathOfRequest(request: Uint8Array): string {
  const bytes = Buffer.from(request.buffer, request.byteOffset, request.length);
  const start = bytes.indexOf(" ") + 1;
  return parsePath(bytes.toString("latin1", start, bytes.indexOf(" ", start)));
}

function parsePath(target: string): string {
  const mark = target.indexOf("?");
  return mark < 0 ? target : target.slice(0, mark);
}

/** Returns a request with another parameter, `name=value`, after the present ones. */
export function withParameter(request: ForwardedRequest, parameter: string): ForwardedRequest {
  const end = request.head.indexOf(" HTTP/1.1\r\n");
  const target = request.head.slice(0, end);
  const mark = target.includes("?") ? "&" : "?";
  return { ...request, head: `${target}${mark}${parameter}${request.head.slice(end)}` };
}

/** Parts of a request that a signature covers. */
export interface RequestContent {
  readonly method: string;
  readonly target: string;
  readonly body: string | Uint8Array | null;
}

export function requestContent({ head, body }: ForwardedRequest): RequestContent {
  if (head !== "") return { ...requestLine(head), body };
  const { buffer, byteOffset, length } = body as Uint8Array;
  const bytes = Buffer.from(buffer, byteOffset, length);
  const end = bytes.indexOf("\r\n\r\n");
  return { ...requestLine(bytes.toString("latin1", 0, end)), body: bytes.subarray(end + 4) };
}

function requestLine(head: string): Omit<RequestContent, "body"> {
  const [method, target] = head.split(" ", 2) as [string, string];
  return { method, target };
}

/** Returns the bytes to send for one attempt. */
export function signedRequest({
  head,
  body,
  sign,
}: ForwardedRequest): Pick<ForwardedRequest, "head" | "body"> {
  if (sign === undefined) return { head, body };
  const line = sign();
  if (head !== "") return { head: `${head.slice(0, -2)}${line}\r\n\r\n`, body };
  // A processor made the whole request.
  return { head, body: withHeaders(body as Uint8Array, [line]) };
}

/** Returns an encoded request with more header lines; copies the body only once. */
export function withHeaders(request: Uint8Array, fields: readonly string[]): Buffer {
  const bytes = Buffer.from(request.buffer, request.byteOffset, request.length);
  const lineEnd = bytes.indexOf("\r\n", 0, "latin1") + 2;
  const added = Buffer.from(`${fields.join("\r\n")}\r\n`, "latin1");
  return Buffer.concat([bytes.subarray(0, lineEnd), added, bytes.subarray(lineEnd)]);
}

function forwardedBlock(block: string): string {
  let cached = blockCache.get(block);
  if (cached === undefined) {
    cached = withoutHopHeaders(block);
    if (blockCache.size >= MAX_CACHED_BLOCKS) blockCache.clear();
    blockCache.set(block, cached);
  }
  return cached;
}
