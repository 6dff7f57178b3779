// Turns results into responses: adds the envelope to results of plugins and services, chooses the
// media type, and updates metrics. All strings are latin1, one character per byte.

import { nowMs } from "../base/clock.js";
import { markExclusive } from "../base/exclusive-buffer.js";
import { INLINE_BODY_BYTES, MIN_COMPRESSED_BYTES } from "../base/limits.js";
import { log } from "../base/log.js";
import {
  RESULT_ERROR,
  RESULT_ERROR_FIELDS,
  RESULT_HTTP,
  RESULT_PARTIAL,
  RESULT_READONLY_PARTIAL,
  RESULT_STREAM,
  RESULT_TEXT,
} from "../base/wire/batch.js";
import type { SharedState } from "../base/wire/shared-state.js";
import type { Service } from "../builtin/service.js";
import { engineExplanation } from "../dispatch/explanation.js";
import type { MergedResponse } from "../dispatch/merge-partials.js";
import { encodeMerged, mergedJson } from "../dispatch/merged-response.js";
import type { BackEndResponse } from "../dispatch/response-parser.js";
import type { Compressor } from "../http/compressor.js";
import {
  ENGINE,
  errorEnvelope,
  type Hierarchy,
  okEnvelope,
  serviceEnvelope,
} from "../http/envelope.js";
import { isolationFields } from "../http/isolation.js";
import type { RecentRequests } from "../http/recent-requests.js";
import { OWN_MEDIA_TYPE } from "../http/statuses.js";
import type { ErrorBody, Exchange, Method } from "../http/transport.js";
import type { Metrics } from "../metrics/metrics.js";
import type { PluginCounters } from "../metrics/plugin-counters.js";
import { MEDIA_TYPES } from "../plugin/contract/media-types.js";
import { REQUEST_ID_HEADER } from "../plugin/contract/request-id.js";
import type { Accept } from "../plugin/contract/request-source.js";
import {
  latin1Text,
  MAX_COPIED_BYTES,
  toLatin1,
  wrapInPlace,
} from "../plugin/contract/wire-text.js";
import { splitHttpResponse } from "../plugin/response/http-response.js";
import { PluginResponse } from "../plugin/response/plugin-response.js";
import { NO_STREAM_TO_DISPATCHER, plainText } from "../plugin/run/render.js";
import type { AccessLog } from "./access-log.js";
import type { AuditLog } from "./audit-log.js";
import { type ErrorMessage, failureLine, failureMessage, plainMessage } from "./error-message.js";
import type { PluginCall, ResultPayload } from "./plugin-call.js";
import type { Recorder } from "./recorder.js";
import type { SchedulerEvents } from "./scheduler.js";
import { dropStream, type StreamPayload, Streams } from "./streams.js";

const NO_EXECUTOR = "Service Unavailable: all executors are busy";
const TOO_MANY_STREAMS = "Service Unavailable: too many responses in progress";
const TOO_MANY_REQUESTS = 429;
const READONLY_FIELD = "X-SVC-Readonly: 1\r\n";
const RETRY_SOON = "Retry-After: 2\r\n";

export interface ResponseParts {
  readonly state: SharedState;
  readonly metrics: Metrics;
  readonly pluginCounters: PluginCounters;
  readonly requests: RecentRequests;
  /** Returns the field with the id of the slot map; empty without slots. */
  readonly slotsField: (receivedMs: number, key: string | null) => string;
  /** Requests queued or running in this server, for X-SVC-Backlog. */
  readonly backlog: () => number;
  /** Cross-origin requests are allowed. */
  readonly cors: boolean;
  /** Null if there is no access log. */
  readonly access: AccessLog | null;
  /** Null if there is no audit log. */
  readonly audit: AuditLog | null;
  readonly recorder: Recorder | null;
  /** Null: responses are sent uncompressed. */
  readonly compressor: Compressor | null;
  /** Returns whether a client may request an explanation. */
  readonly mayAsk: (exchange: Exchange) => boolean;
}

/** Details of a rejection besides its message; the default is an error of the server itself. */
export interface Rejection {
  readonly execId?: number;
  /** Count the rejection as a response of a plugin. */
  readonly isPlugin?: boolean;
  readonly hierarchy?: Hierarchy;
  /** Header lines. */
  readonly fields?: string;
  /** False for monitors, which would distort the metrics. */
  readonly isCounted?: boolean;
}

/** The request being answered. */
export interface ResponseContext {
  readonly accept: Accept;
  readonly t0Ms: number;
}

const BY_SERVER: Rejection = {};

export class ResponseWriter {
  readonly streams = new Streams();
  readonly #parts: ResponseParts;
  /** Header lines for clients that request the hash of the argspec; empty while unknown. */
  #argspecFields = "";

  constructor(parts: ResponseParts) {
    this.#parts = parts;
  }

  /** @param hash of the argspec served from now on */
  setArgspec(hash: string): void {
    // Browsers hide unlisted header fields from cross-origin callers.
    const exposed = this.#parts.cors ? "Access-Control-Expose-Headers: X-SVC-Argspec\r\n" : "";
    this.#argspecFields = `X-SVC-Argspec: ${hash}\r\n${exposed}`;
  }

  /** Returns whether the client requests an explanation and is allowed to. */
  isExplained(exchange: Exchange): boolean {
    return exchange.headers.isExplained && this.#parts.mayAsk(exchange);
  }

  /** Answers a request with its executor's result; called by the scheduler. */
  readonly call: SchedulerEvents["result"] = (call, execId, status, kind, payload) => {
    const { step, exchange, port } = call;
    if (kind === RESULT_STREAM) {
      return this.#callStream(call, execId, payload as unknown as StreamPayload);
    }
    // The buffer was transferred from another thread, which no longer uses it.
    if (typeof payload !== "string" && payload.length > INLINE_BODY_BYTES) markExclusive(payload);
    if (step !== null) step.done(execId, status, kind, payload);
    else this.result(exchange, port, execId, status, kind, payload);
  };

  /** Dispatchers merge complete responses, and take only feeds, which the admin executor sends. */
  #callStream({ exchange, port, slots }: PluginCall, execId: number, stream: StreamPayload): void {
    if (exchange.connection.ident === null || slots === 1) {
      return this.stream(exchange, port, stream);
    }
    dropStream(stream);
    // A status of 5xx would count as a failure of this instance.
    this.refuse(exchange, port, 400, NO_STREAM_TO_DISPATCHER, { execId, isPlugin: true });
  }

  /** Sends a streamed response. */
  stream(exchange: Exchange, port: 0 | 1, payload: StreamPayload): void {
    const fields = isolationFields(port) + this.#echoedFields(exchange);
    if (!this.streams.respond(exchange, payload, fields)) {
      return this.refuse(exchange, port, 503, TOO_MANY_STREAMS, { fields: RETRY_SOON });
    }
    const latencyMs = elapsedMs(exchange.t0Ms);
    this.#count(exchange, port, 200, true, latencyMs);
    this.#parts.access?.recordResponse(exchange, 200, 0);
    this.#parts.recorder?.recordResponse(exchange, port, 200, null, null);
    exchange.trace?.end(exchange.method, exchange.target, port, 200);
    this.#parts.requests.add(exchange, port, 200, 0, latencyMs);
  }

  /** Answers a request that its executor failed to answer; called by the scheduler. */
  readonly failedCall: SchedulerEvents["onFailure"] = (call, execId, failure) => {
    const { name } = call.plugin;
    const message = failureMessage(failure, name);
    const request = call.exchange.requestId ?? String(call.serial);
    log(failureLine(failure, name), "error", { request, plugin: name });
    this.refuse(call.exchange, call.port, 500, message, { execId, isPlugin: true });
  };

  /** Answers a request that no executor claimed; called by the scheduler. */
  readonly droppedCall: SchedulerEvents["onDrop"] = ({ exchange, port, step }) => {
    if (exchange.aborted) return exchange.respond(503, null, "");
    // Back-ends have already executed a request that waits for its post-processor.
    const status = refusalStatus(exchange, 503, step !== null && step.merged !== null);
    this.refuse(exchange, port, status, NO_EXECUTOR, { fields: RETRY_SOON });
  };

  options(exchange: Exchange, port: 0 | 1, allowed: readonly Method[]): void {
    const methods = allowed.join(", ");
    const fields = `Allowed: ${methods}\r\n${this.#preflight(exchange, methods)}`;
    this.#send(exchange, port, false, 200, null, "", fields);
  }

  /** Returns the response to a CORS preflight. */
  #preflight({ headers }: Exchange, methods: string): string {
    if (!this.#parts.cors || headers.get("access-control-request-method") === undefined) return "";
    const names = headers.get("access-control-request-headers");
    const allowedNames = names === undefined ? "" : `Access-Control-Allow-Headers: ${names}\r\n`;
    return `Access-Control-Allow-Methods: ${methods}\r\n${allowedNames}`;
  }

  /** Sends a plugin's rendered result. */
  result(
    exchange: Exchange,
    port: 0 | 1,
    execId: number,
    status: number,
    kind: number,
    payload: ResultPayload,
    hierarchy = ENGINE,
  ): void {
    switch (kind) {
      case RESULT_ERROR: {
        const text = typeof payload === "string" ? payload : latin1Text(payload);
        const message = { json: text, text };
        return this.refuse(exchange, port, status, message, { execId, isPlugin: true, hierarchy });
      }
      case RESULT_ERROR_FIELDS: {
        const response = typeof payload === "string" ? payload : latin1Text(payload);
        const end = response.indexOf("\r\n\r\n") + 2;
        const text = response.slice(end + 2);
        const details = { execId, isPlugin: true, hierarchy, fields: response.slice(0, end) };
        return this.refuse(exchange, port, status, { json: text, text }, details);
      }
      case RESULT_HTTP: {
        const { fields, body } = splitHttpResponse(payload as Uint8Array);
        return this.#send(exchange, port, true, status, OWN_MEDIA_TYPE, body, fields);
      }
      case RESULT_TEXT:
        return this.#send(exchange, port, true, status, MEDIA_TYPES.text, payload);
      case RESULT_PARTIAL:
      case RESULT_READONLY_PARTIAL: {
        const isReadonly = kind === RESULT_READONLY_PARTIAL;
        const fields = this.#partialFields(exchange, hierarchy.explain, isReadonly);
        return this.#send(exchange, port, true, status, MEDIA_TYPES.partial, payload, fields);
      }
      default: {
        const body = enveloped(payload, elapsedMs(exchange.t0Ms), hierarchy);
        return this.#send(exchange, port, true, status, MEDIA_TYPES.json, body);
      }
    }
  }

  /** Relays a back-end's response unchanged; a dispatcher also gets the load of this instance. */
  relay(exchange: Exchange, port: 0 | 1, response: BackEndResponse): void {
    const { status, body, isReadonly, explain, fields } = response;
    const isPartial = exchange.headers.accept === "partial";
    const partialFields = isPartial ? this.#partialFields(exchange, explain, isReadonly) : "";
    this.#send(
      exchange,
      port,
      true,
      status,
      relayedMediaType(response),
      body,
      fields + partialFields,
    );
  }

  /** Sends the merged response of all back-ends. */
  merged(
    exchange: Exchange,
    port: 0 | 1,
    merged: MergedResponse,
    hierarchy: Hierarchy,
    isReadonly: boolean,
  ): void {
    switch (exchange.headers.accept) {
      case "partial": {
        const bytes = encodeMerged(merged);
        const fields = this.#partialFields(exchange, hierarchy.explain, isReadonly);
        return this.#send(exchange, port, true, 200, MEDIA_TYPES.partial, bytes, fields);
      }
      case "text": {
        const response = PluginResponse.deserialize(encodeMerged(merged));
        const text = toLatin1(plainText(response));
        return this.#send(exchange, port, true, 200, MEDIA_TYPES.text, text);
      }
      case "json": {
        const body = enveloped(mergedJson(merged), elapsedMs(exchange.t0Ms), hierarchy);
        return this.#send(exchange, port, true, 200, MEDIA_TYPES.json, body);
      }
    }
  }

  /** Sends the result of a `/svc/<service>`. */
  service(exchange: Exchange, port: 0 | 1, service: Service, text: string, fields = ""): void {
    const latin1 = toLatin1(text);
    const body =
      service.mediaType === MEDIA_TYPES.json
        ? serviceEnvelope(latin1, this.#parts.state.basePort + port, port, elapsedMs(exchange.t0Ms))
        : latin1;
    const { mediaType } = service;
    if (service.countsInMetrics) this.#send(exchange, port, false, 200, mediaType, body, fields);
    else exchange.respond(200, mediaType, body, fields + this.#echoedFields(exchange));
  }

  /** Sends a large result of a service in time slices, so that other requests need not wait. */
  slowService(
    exchange: Exchange,
    port: 0 | 1,
    { mediaType }: Service,
    pieces: readonly Buffer[],
  ): void {
    const elapsed = elapsedMs(exchange.t0Ms);
    const envelope =
      mediaType === MEDIA_TYPES.json
        ? serviceEnvelope("\0", this.#parts.state.basePort + port, port, elapsed)
        : "\0";
    const [head, tail] = envelope.split("\0") as [string, string];
    const chunks = [Buffer.from(head), ...pieces, Buffer.from(tail)];
    const length = chunks.reduce((sum, piece) => sum + piece.length, 0);
    if (port === 0) this.#parts.metrics.countResponse(200, elapsed, false);
    const fields = this.#echoedFields(exchange);
    if (length > MAX_COPIED_BYTES) {
      return exchange.respondStream(200, mediaType, length, chunks, fields);
    }
    exchange.respond(200, mediaType, Buffer.concat(chunks), fields);
  }

  /** Sends an error; by default one of the server itself. */
  refuse(
    exchange: Exchange,
    port: 0 | 1,
    status: number,
    message: string | ErrorMessage,
    {
      execId = 0,
      isPlugin = false,
      hierarchy = ENGINE,
      fields = "",
      isCounted = true,
    }: Rejection = BY_SERVER,
  ): void {
    const context = { accept: exchange.headers.accept, t0Ms: exchange.t0Ms };
    const { mediaType, body } = this.errorBody(context, port, message, execId, hierarchy);
    const isRetrySoon = status === TOO_MANY_REQUESTS && fields === "";
    const when = isRetrySoon ? RETRY_SOON : fields;
    if (!isCounted) {
      return exchange.respond(status, mediaType, body, when + this.#echoedFields(exchange));
    }
    this.#send(exchange, port, isPlugin, status, mediaType, body, when);
  }

  /** Returns the body of an error (http-interface, "Error body"). */
  errorBody(
    { accept, t0Ms }: ResponseContext,
    port: 0 | 1,
    message: string | ErrorMessage,
    execId = 0,
    hierarchy = ENGINE,
  ): ErrorBody {
    const { json, text } = typeof message === "string" ? plainMessage(message) : message;
    if (accept === "text") return { mediaType: MEDIA_TYPES.text, body: text };
    const actualPort = this.#parts.state.basePort + port;
    const body = errorEnvelope(json, actualPort, port, execId, elapsedMs(t0Ms), hierarchy);
    return { mediaType: MEDIA_TYPES.json, body };
  }

  /**
   * @param isPlugin whether it counts as a response of a plugin
   * @param more additional header lines
   */
  #send(
    exchange: Exchange,
    port: 0 | 1,
    isPlugin: boolean,
    status: number,
    mediaType: string | null,
    body: string | Uint8Array,
    more = "",
  ): void {
    const { access, audit, compressor, recorder } = this.#parts;
    audit?.recordResponse(exchange, port, status);
    const latencyMs = elapsedMs(exchange.t0Ms);
    this.#count(exchange, port, status, isPlugin, latencyMs);
    const isolation = isPlugin ? isolationFields(port) : "";
    const fields = more + isolation + this.#echoedFields(exchange);
    if (compressor === null || body.length < MIN_COMPRESSED_BYTES) {
      exchange.respond(status, mediaType, body, fields);
      access?.recordResponse(exchange, status, body.length);
    } else this.#compress(compressor, exchange, status, mediaType, body, fields);
    recorder?.recordResponse(exchange, port, status, mediaType, body);
    exchange.trace?.end(exchange.method, exchange.target, port, status);
    this.#parts.requests.add(exchange, port, status, body.length, latencyMs);
  }

  /** A separate function: in #send, V8 would allocate a context for this closure in each call. */
  #compress(
    compressor: Compressor,
    exchange: Exchange,
    status: number,
    mediaType: string | null,
    body: string | Uint8Array,
    fields: string,
  ): void {
    const { access } = this.#parts;
    compressor.respond(exchange, status, mediaType, body, fields, (byteLength) =>
      access?.recordResponse(exchange, status, byteLength),
    );
  }

  #count(
    exchange: Exchange,
    port: 0 | 1,
    status: number,
    isPlugin: boolean,
    latencyMs: number,
  ): void {
    if (port !== 0 || (exchange.isWarmUp && exchange.aborted)) return;
    const { metrics, pluginCounters } = this.#parts;
    metrics.countResponse(status, latencyMs, isPlugin);
    const { countedPlugin } = exchange;
    if (countedPlugin !== null) pluginCounters.countResponse(countedPlugin, status, latencyMs);
  }

  #echoedFields({ headers, requestId }: Exchange): string {
    const argspec = headers.hasArgspec ? this.#argspecFields : "";
    return requestId === null ? argspec : `${argspec}${REQUEST_ID_HEADER}: ${requestId}\r\n`;
  }

  /**
   * Returns the fields for a dispatcher: the load, whether the request is retryable, and on request
   * the explanation.
   */
  #partialFields(exchange: Exchange, explain: string | null, isReadonly: boolean): string {
    const backlog = Math.min(this.#parts.backlog(), 0xffff).toString(16).toUpperCase();
    const readonly = isReadonly ? READONLY_FIELD : "";
    const slots = this.#parts.slotsField(exchange.t0Ms, exchange.headers.key);
    const field = `X-SVC-Backlog: ${backlog.padStart(4, "0")}\r\n${slots}${readonly}`;
    if (!this.isExplained(exchange)) return field;
    return `${field}X-SVC-Explain: ${explain ?? engineExplanation(elapsedMs(exchange.t0Ms))}\r\n`;
  }
}

/** Large results arrive as bytes and stay bytes. */
function enveloped(
  payload: string | Uint8Array,
  execMs: number,
  hierarchy: Hierarchy,
): string | Uint8Array {
  if (typeof payload === "string") return okEnvelope(payload, execMs, hierarchy);
  if (payload.length <= MAX_COPIED_BYTES) {
    return okEnvelope(latin1Text(payload), execMs, hierarchy);
  }
  const text = okEnvelope("\0", execMs, hierarchy);
  const [head, tail] = text.split("\0") as [string, string];
  return wrapInPlace(head, payload, tail);
}

/**
 * Returns the status of a rejection, possibly after a partial execution. Dispatchers and
 * generated clients read 429 and 503 as "nothing was executed", and would retry a POST.
 */
export function refusalStatus({ method }: Exchange, status: 429 | 503, isBegun: boolean): number {
  return isBegun && method === "POST" ? 500 : status;
}

function elapsedMs(t0Ms: number): number {
  return nowMs() - t0Ms;
}

/** Null if there is no body; the fields of a plugin's own response name its media type. */
function relayedMediaType({ mediaType, fields }: BackEndResponse): string | null {
  if (mediaType === "") return null;
  return fields.includes("Content-Type: ") ? OWN_MEDIA_TYPE : mediaType;
}
