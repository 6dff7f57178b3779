// A received request as it is sent to the back-ends: the same line, fields and body, less what is
// valid for one connection only. Blocks of header lines repeat, so what becomes of each is kept.

import { MEDIA_TYPES } from "../plugin/contract/media-types.js";
import type { Accept } from "../plugin/contract/request-source.js";
import {
  DEADLINE_HEADER,
  headerValue,
  TARGET_HEADER,
  VIA_HEADER,
  withoutHopHeaders,
} from "../plugin/contract/request-text.js";
import { toLatin1 } from "../plugin/contract/wire-text.js";
import { withTraceParent } from "../tracing/trace-parent.js";

/** Which replicas a request may go to. */
export interface Preference {
  /** Only those of the primary row. */
  readonly isPrimary: boolean;
  /** Row to be used where it can be, -1 for none. */
  readonly affinity: number;
}

/** The bytes that every back-end gets, and which of them get it. */
export interface ForwardedRequest {
  readonly method: "GET" | "POST";
  /** Without query: what is known of a plugin is kept by it. */
  readonly path: string;
  /** Request line and header lines, latin1, with the empty line. */
  readonly head: string;
  readonly body: string | Uint8Array | null;
  readonly preference: Preference;
  /** The one partition that it is for, modulo their number; null for all of them. */
  readonly target: bigint | null;
  /** Any answer is passed on as it is. */
  readonly isRelayed: boolean;
}

/** What is forwarded of a request that was received. */
export interface ReceivedRequest {
  /** HEAD is forwarded as GET. */
  readonly method: string;
  /** Path and query, latin1, without prefix. */
  readonly target: string;
  readonly block: string;
  readonly accept: Accept;
  readonly partialTarget: bigint | null;
  /** Names of the dispatchers that have passed it on, this one the last. */
  readonly via: string;
  /** How long the back-ends' client waits, 0 for any time. */
  readonly deadlineMs: number;
  readonly body: string | Uint8Array | null;
  /** Header line `traceparent` in place of the client's; null keeps that. */
  readonly traceParent: string | null;
}

const ANY: Preference = { isPrimary: false, affinity: -1 };
/** Targeted requests go to the primary replica of their partition. */
export const PRIMARY: Preference = { isPrimary: true, affinity: -1 };
const MAX_KEPT_BLOCKS = 256;
const keptBlocks = new Map<string, string>();

/** @param isRelayed the back-end's answer is the client's, in the form that the client accepts */
export function forwardedRequest(received: ReceivedRequest, isRelayed: boolean): ForwardedRequest {
  const { body, partialTarget, via, deadlineMs } = received;
  const method = received.method === "POST" ? "POST" : "GET";
  const accept = isRelayed ? relayedAccept(received) : MEDIA_TYPES.partial;
  const isTargeted = partialTarget !== null;
  const target = isTargeted ? `${TARGET_HEADER}: ${partialTarget}\r\n` : "";
  const length = body === null ? "" : `Content-Length: ${body.length}\r\n`;
  const deadline = deadlineMs > 0 ? `${DEADLINE_HEADER}: ${deadlineMs}\r\n` : "";
  const own = `Accept: ${accept}\r\n${VIA_HEADER}: ${via}\r\n${deadline}${target}${length}`;
  const { traceParent } = received;
  const kept = forwardedBlock(received.block);
  const fields = (traceParent === null ? kept : withTraceParent(kept, traceParent)) + own;
  return {
    method,
    path: pathOf(received.target),
    head: `${method} ${received.target} HTTP/1.1\r\n${fields}\r\n`,
    body,
    preference: isTargeted ? PRIMARY : ANY,
    target: partialTarget,
    isRelayed,
  };
}

/** As the client wrote it, unless it may not ask for that. */
function relayedAccept({ accept, block }: ReceivedRequest): string {
  const text = headerValue(block, "accept");
  const asksForPartial = text?.toLowerCase().startsWith(MEDIA_TYPES.partial) ?? true;
  return asksForPartial ? MEDIA_TYPES[accept] : toLatin1(text!);
}

/** The path of a request whose text is there as bytes. */
export function pathOfRequest(request: Uint8Array): string {
  const bytes = Buffer.from(request.buffer, request.byteOffset, request.length);
  const start = bytes.indexOf(" ") + 1;
  return pathOf(bytes.toString("latin1", start, bytes.indexOf(" ", start)));
}

function pathOf(target: string): string {
  const mark = target.indexOf("?");
  return mark < 0 ? target : target.slice(0, mark);
}

/** The bytes of a whole request with more header lines; its body is copied once for all of them. */
export function withHeaders(request: Uint8Array, fields: readonly string[]): Buffer {
  const bytes = Buffer.from(request.buffer, request.byteOffset, request.length);
  const lineEnd = bytes.indexOf("\r\n", 0, "latin1") + 2;
  const added = Buffer.from(`${fields.join("\r\n")}\r\n`, "latin1");
  return Buffer.concat([bytes.subarray(0, lineEnd), added, bytes.subarray(lineEnd)]);
}

function forwardedBlock(block: string): string {
  let kept = keptBlocks.get(block);
  if (kept === undefined) {
    kept = withoutHopHeaders(block);
    if (keptBlocks.size >= MAX_KEPT_BLOCKS) keptBlocks.clear();
    keptBlocks.set(block, kept);
  }
  return kept;
}
