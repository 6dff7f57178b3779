// The connections of the requested port, in four levels of detail; each level adds to the previous
// one. Never resolves names of clients, which could take seconds.

import { nowMs } from "../../base/clock.js";
import { ParameterError } from "../../base/errors.js";
import { MAIN_SLOTS, MAX_INSPECT_LEVEL, MAX_INSPECTED_CHARS } from "../../base/limits.js";
import type { ChannelInUse } from "../../dispatch/dispatch-call.js";
import type { Connection, IncomingRequest } from "../../http/transport.js";
import { MEDIA_TYPES } from "../../plugin/contract/media-types.js";
import { createParamReader, hasValue, parseParams } from "../../plugin/convert.js";
import { decimals } from "../format.js";
import type { OpenConnection, PendingRequest, ServerView } from "../server-view.js";
import { ForbiddenError, type Service, type ServiceRequest } from "../service.js";

/** Shown header fields; all others may contain credentials. */
const SHOWN_FIELD = new RegExp(
  "^(host|user-agent|accept(-\\w+)?|content-(type|length|encoding)|connection|expect|" +
    "x-svc-(?!admin-key$|signed$)[\\w-]+)$",
  "i",
);
const FORBIDDEN = "403 Forbidden: levels above 1 require loopback or http.trustedNetworks";
const readLevel = createParamReader("level", "int");
/** A `level` without a value means the lowest one, like a missing parameter. */
const READERS = {
  main: createParamReader("main", "int"),
  level: (query: string, at: number) => (hasValue(query, at) ? readLevel(query, at) : 0),
};
const NO_SIGNATURE = "0".repeat(32);

export const inspect: Service = {
  mediaType: "application/json",
  countsInMetrics: true,
  handle(view, request) {
    const level = requestedLevel(request);
    if (level > 1 && !request.isTrusted) throw new ForbiddenError(FORBIDDEN);
    const portOffset = asksForMain(request) ? 0 : request.portOffset;
    return pieces(view, { ...request, portOffset }, level, view.connections(portOffset));
  },
};

function* pieces(
  view: ServerView,
  { portOffset, isTrusted }: ServiceRequest,
  level: number,
  connections: readonly OpenConnection[],
): Generator<string> {
  yield `{"n-connections":${connections.length},"connections":[`;
  for (const [index, open] of connections.entries()) {
    const details = inspected(view, portOffset, open, level, isTrusted);
    yield `${index === 0 ? "" : ","}${JSON.stringify(details)}`;
  }
  yield "]}";
}

/** Returns whether the console requests the connections of the main port. */
function asksForMain({ query }: ServiceRequest): boolean {
  const { main = 0 } = parseParams(query, READERS);
  return main !== 0 && main !== null;
}

function requestedLevel({ query }: ServiceRequest): number {
  const level = parseParams(query, READERS).level ?? 0;
  if (typeof level === "number" && level >= 0 && level <= MAX_INSPECT_LEVEL) return level;
  throw new ParameterError("ValueError", `level=${level} (0 to ${MAX_INSPECT_LEVEL} is required)`);
}

function inspected(
  view: ServerView,
  portOffset: 0 | 1,
  open: OpenConnection,
  level: number,
  isTrusted: boolean,
) {
  const { connection, pending } = open;
  const now = nowMs();
  const shown = pending?.exchange ?? connection.arriving;
  const parts: Record<string, unknown> = {
    client: clientPart(connection, pending, level, now),
    request: requestPart(shown, pending?.serial ?? 0, level, now, isTrusted),
  };
  if (level >= 2) {
    parts.partial = { ident: identPart(connection) };
    parts.executor = executorPart(view, portOffset, pending);
    parts.headers = headersPart(shown, pending?.exchange.body?.length ?? 0, level);
  }
  if (level >= 1) parts.matrix = matrixPart(pending, level);
  return parts;
}

function clientPart(
  connection: Connection,
  pending: PendingRequest | null,
  level: number,
  now: number,
) {
  const idle = connection.arriving === null ? "READY" : "EXPECT_CONTENT";
  const base = { id: connection.id, state: pending?.state ?? idle };
  if (level < 2) return base;
  const detail = {
    ...base,
    host: connection.remoteAddress,
    "host-ip": connection.remoteAddress,
    port: connection.remotePort,
    "age-ms": decimals(now - connection.openedAtMs, 3),
  };
  // File descriptors are private to the transports.
  return level < 3 ? detail : { ...detail, "socket-in": -1 };
}

function requestPart(
  shown: IncomingRequest | null,
  serial: number,
  level: number,
  now: number,
  isTrusted: boolean,
) {
  const startedMs = shown?.t0Ms ?? now;
  const base = { "exec-ms": decimals(now - startedMs, 3) };
  if (level < 1) return base;
  const detail = {
    ...base,
    method: shown?.method ?? null,
    path: shown === null ? null : shownTarget(shown.target, isTrusted),
  };
  if (level < 3) return detail;
  return {
    ...detail,
    "t0-ns": nanoseconds(startedMs),
    "t1-ns": nanoseconds(now),
    sn: serial,
    signature: NO_SIGNATURE,
  };
}

/** Details of other clients' requests are for trusted clients only. */
function shownTarget(target: string, isTrusted: boolean): string {
  return utf8(shortened(isTrusted ? target : target.split("?", 1)[0]!));
}

function shortened(latin1: string): string {
  if (latin1.length <= MAX_INSPECTED_CHARS) return latin1;
  return `${latin1.slice(0, MAX_INSPECTED_CHARS)}... (${latin1.length} bytes)`;
}

function identPart({ ident }: Connection) {
  if (ident === null) return null;
  const [width, height, depth, partition, replica, channel, primary] = ident;
  return {
    matrix: `${width}.${height}.${depth}`,
    position: `${partition}.${replica}.${channel}`,
    primary,
  };
}

function executorPart(view: ServerView, portOffset: 0 | 1, pending: PendingRequest | null) {
  const id = pending?.executor ?? null;
  if (id === null) return { id: -1, status: null, "job-count": 0 };
  const slot = portOffset === 0 ? id : MAIN_SLOTS + id;
  return { id, status: "assigned", "job-count": view.metrics.slot(slot).jobs };
}

function headersPart(shown: IncomingRequest | null, bodyBytes: number, level: number) {
  const base = {
    "content-type": utf8(
      shortened(shown?.headers.get("content-type") ?? "text/plain; charset=UTF-8"),
    ),
    "accept-type": `${MEDIA_TYPES[shown?.headers.accept ?? "json"]}; charset=UTF-8`,
    "content-length": bodyBytes,
    "n-headers": shown?.headers.count ?? 0,
  };
  return level < 3 ? base : { ...base, fields: fields(shown?.headers.block ?? "") };
}

/** Returns the shown fields by name, in their original case. */
function fields(block: string): Record<string, string> {
  const fields: Record<string, string> = Object.create(null);
  for (const line of block.split("\r\n")) {
    const colon = line.indexOf(":");
    if (colon <= 0) continue;
    const name = shortened(line.slice(0, colon));
    const value = shortened(line.slice(colon + 1).trim());
    fields[name] = SHOWN_FIELD.test(name) ? utf8(value) : "(hidden)";
  }
  return fields;
}

function matrixPart(pending: PendingRequest | null, level: number) {
  const call = pending?.call ?? null;
  const used = call === null ? [] : [...call.channels()];
  const target = call?.request.target ?? pending?.exchange.headers.partialTarget ?? -1;
  const base = { "target-partial": Number(target), "n-channels": used.length };
  if (level < 2) return base;
  return { ...base, channels: used.map((channel) => channelPart(channel, level)) };
}

function channelPart({ backEnd, channel }: ChannelInUse, level: number) {
  const { partition, replica } = backEnd.position;
  const base = {
    "matrix-id": `${partition}.${replica}.${channel.number}`,
    state: channel.state,
    cost: backEnd.cost,
  };
  if (level < 3) return base;
  return {
    ...base,
    // File descriptors are private to the transports.
    "socket-out": -1,
    "bytes-sent": channel.bytesSent,
    "bytes-recv": channel.bytesReceived,
    "total-requests": channel.requests,
  };
}

/** Returns nanoseconds since 1970, as precisely as a JSON number allows. */
function nanoseconds(ms: number): number {
  return Math.round(ms * 1e6);
}

function utf8(latin1: string): string {
  return Buffer.from(latin1, "latin1").toString("utf8");
}
