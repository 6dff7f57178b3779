// From results to answers: puts the envelope around what plugins and services returned, chooses the
// media type, and counts. All texts are latin1, one character a byte.

import { nowMs } from "../base/clock.js";
import { log } from "../base/log.js";
import type { Service } from "../builtin/service.js";
import type { Answer } from "../dispatch/answer-parser.js";
import { engineExplanation } from "../dispatch/explanation.js";
import type { Merged } from "../dispatch/merge-partials.js";
import { encodeMerged, mergedJson } from "../dispatch/merged-output.js";
import {
  ENGINE,
  errorEnvelope,
  type Hierarchy,
  okEnvelope,
  serviceEnvelope,
} from "../http/envelope.js";
import { OWN_MEDIA_TYPE } from "../http/statuses.js";
import type { ErrorBody, Exchange, Method } from "../http/transport.js";
import type { Metrics } from "../metrics/metrics.js";
import type { PluginTallies } from "../metrics/plugin-tallies.js";
import { MEDIA_TYPES } from "../plugin/contract/media-types.js";
import { REQUEST_ID_HEADER } from "../plugin/contract/request-id.js";
import type { Accept } from "../plugin/contract/request-source.js";
import { latin1Text, MAX_COPIED_BYTES, toLatin1 } from "../plugin/contract/wire-text.js";
import { splitHttpResponse } from "../plugin/response/http-response.js";
import { PluginResponse } from "../plugin/response/plugin-response.js";
import { plainText } from "../plugin/run/render.js";
import {
  RESULT_ERROR,
  RESULT_HTTP,
  RESULT_PARTIAL,
  RESULT_READONLY_PARTIAL,
  RESULT_TEXT,
} from "../wire/batch.js";
import type { SharedState } from "../wire/shared-state.js";
import type { AccessLog } from "./access-log.js";
import { type ErrorMessage, failureMessage, plainMessage } from "./error-message.js";
import type { SchedulerEvents } from "./scheduler.js";

const NO_EXECUTOR = "Service Unavailable: all executors are busy";
const TOO_MANY_REQUESTS = 429;
const READONLY_FIELD = "X-SVC-Readonly: 1\r\n";
const RETRY_SOON = "Retry-After: 2\r\n";

export interface AnswerRules {
  /** Pages of other origins may call this server. */
  readonly cors: boolean;
  /** Null where no request is logged. */
  readonly access: AccessLog | null;
  /** Whether a client may ask how its answer comes about. */
  readonly mayAsk: (exchange: Exchange) => boolean;
}

export class Answers {
  readonly #state: SharedState;
  readonly #metrics: Metrics;
  /** Requests queued or running in this server, for X-SVC-Backlog. */
  readonly #backlog: () => number;
  /** Pages of other origins may call this server. */
  readonly #cors: boolean;
  readonly #tallies: PluginTallies;
  readonly #access: AccessLog | null;
  readonly #mayAsk: (exchange: Exchange) => boolean;
  /** Field lines for clients that ask which argspec is served; empty while that is unknown. */
  #argspecFields = "";

  constructor(
    state: SharedState,
    metrics: Metrics,
    tallies: PluginTallies,
    backlog: () => number,
    { cors, access, mayAsk }: AnswerRules,
  ) {
    this.#access = access;
    this.#mayAsk = mayAsk;
    this.#tallies = tallies;
    this.#state = state;
    this.#metrics = metrics;
    this.#backlog = backlog;
    this.#cors = cors;
  }

  /** @param hash of the argspec that is served from now on */
  setArgspec(hash: string): void {
    // Browsers show pages of other origins only the fields that are listed.
    const exposed = this.#cors ? "Access-Control-Expose-Headers: X-SVC-Argspec\r\n" : "";
    this.#argspecFields = `X-SVC-Argspec: ${hash}\r\n${exposed}`;
  }

  /** Whether the client wants to know how its answer comes about, and may. */
  isExplained(exchange: Exchange): boolean {
    return exchange.headers.isExplained && this.#mayAsk(exchange);
  }

  /** A request that its executor answered; what the scheduler calls. */
  readonly call: SchedulerEvents["result"] = (call, execId, status, kind, payload) => {
    const content = payload as string | Uint8Array;
    if (call.step !== null) call.step.done(execId, status, kind, content);
    else this.result(call.exchange, call.port, execId, status, kind, content);
  };

  /** A request that its executor did not answer; what the scheduler calls. */
  readonly failedCall: SchedulerEvents["failed"] = (call, execId, failure) => {
    const { name } = call.plugin;
    const message = failureMessage(failure, name);
    const request = call.exchange.headers.requestId ?? String(call.serial);
    const what = failure === "timeout" ? "ran past its time-out" : "ended with its executor";
    log(`plugin ${name} ${what}`, "error", { request, plugin: name });
    this.error(call.exchange, call.port, execId, 500, message, true);
  };

  /** A request that no executor has begun; what the scheduler calls. */
  readonly droppedCall: SchedulerEvents["dropped"] = ({ exchange, port, step }) => {
    if (exchange.aborted) return exchange.answer(503, null, "");
    // The back-ends have executed what waits for its post-processor.
    const status = refusalStatus(exchange, 503, step !== null && step.merged !== null);
    this.refuse(exchange, port, status, NO_EXECUTOR, RETRY_SOON);
  };

  options(exchange: Exchange, port: 0 | 1, allowed: readonly Method[]): void {
    const methods = allowed.join(", ");
    const fields = `Allowed: ${methods}\r\n${this.#preflight(exchange, methods)}`;
    this.#send(exchange, port, 200, null, "", false, fields);
  }

  /** What browsers ask for before a page of another origin may send JSON or fields of its own. */
  #preflight({ headers }: Exchange, methods: string): string {
    if (!this.#cors || headers.get("access-control-request-method") === undefined) return "";
    const names = headers.get("access-control-request-headers");
    const allowedNames = names === undefined ? "" : `Access-Control-Allow-Headers: ${names}\r\n`;
    return `Access-Control-Allow-Methods: ${methods}\r\n${allowedNames}`;
  }

  /** A plugin's result as its executor rendered it. */
  result(
    exchange: Exchange,
    port: 0 | 1,
    execId: number,
    status: number,
    kind: number,
    payload: string | Uint8Array,
    hierarchy = ENGINE,
  ): void {
    if (kind === RESULT_ERROR) {
      const text = typeof payload === "string" ? payload : latin1Text(payload);
      this.error(exchange, port, execId, status, { json: text, text }, true, hierarchy);
    } else if (kind === RESULT_HTTP) {
      const { fields, body } = splitHttpResponse(payload as Uint8Array);
      this.#send(exchange, port, status, OWN_MEDIA_TYPE, body, true, fields);
    } else if (kind === RESULT_TEXT) {
      this.#send(exchange, port, status, MEDIA_TYPES.text, payload, true);
    } else if (kind === RESULT_PARTIAL || kind === RESULT_READONLY_PARTIAL) {
      const isReadonly = kind === RESULT_READONLY_PARTIAL;
      const fields = this.#partialFields(exchange, hierarchy.explain, isReadonly);
      this.#send(exchange, port, status, MEDIA_TYPES.partial, payload, true, fields);
    } else {
      const body = enveloped(payload, elapsedMs(exchange.t0Ms), hierarchy);
      this.#send(exchange, port, status, MEDIA_TYPES.json, body, true);
    }
  }

  /** The answer of a back-end, as it came; a dispatcher is told the load of this instance. */
  relay(exchange: Exchange, port: 0 | 1, answer: Answer): void {
    const { status, mediaType, body, isReadonly, explain } = answer;
    const isPartial = exchange.headers.accept === "partial";
    const fields = isPartial ? this.#partialFields(exchange, explain, isReadonly) : "";
    this.#send(exchange, port, status, mediaType === "" ? null : mediaType, body, true, fields);
  }

  /** What became of the answers of all back-ends. */
  merged(
    exchange: Exchange,
    port: 0 | 1,
    merged: Merged,
    hierarchy: Hierarchy,
    isReadonly: boolean,
  ): void {
    switch (exchange.headers.accept) {
      case "partial": {
        const bytes = encodeMerged(merged);
        const fields = this.#partialFields(exchange, hierarchy.explain, isReadonly);
        return this.#send(exchange, port, 200, MEDIA_TYPES.partial, bytes, true, fields);
      }
      case "text": {
        const response = PluginResponse.deserialize(encodeMerged(merged));
        const text = toLatin1(plainText(response));
        return this.#send(exchange, port, 200, MEDIA_TYPES.text, text, true);
      }
      case "json": {
        const execMs = elapsedMs(exchange.t0Ms);
        const body = enveloped(mergedJson(merged), execMs, hierarchy);
        return this.#send(exchange, port, 200, MEDIA_TYPES.json, body, true);
      }
    }
  }

  /** What a `/svc/<service>` returned. */
  service(exchange: Exchange, port: 0 | 1, service: Service, text: string): void {
    const latin1 = toLatin1(text);
    const body =
      service.mediaType === MEDIA_TYPES.json
        ? serviceEnvelope(latin1, this.#state.basePort + port, port, 0, elapsedMs(exchange.t0Ms))
        : latin1;
    if (service.countsInMetrics) this.#send(exchange, port, 200, service.mediaType, body, false);
    else exchange.answer(200, service.mediaType, body, this.#asked(exchange));
  }

  /** The same in pieces; nobody waits for all of it to be copied. */
  slowService(
    exchange: Exchange,
    port: 0 | 1,
    { mediaType }: Service,
    pieces: readonly Buffer[],
  ): void {
    const elapsed = elapsedMs(exchange.t0Ms);
    const envelope =
      mediaType === MEDIA_TYPES.json
        ? serviceEnvelope("\0", this.#state.basePort + port, port, 0, elapsed)
        : "\0";
    const [head, tail] = envelope.split("\0") as [string, string];
    const all = [Buffer.from(head), ...pieces, Buffer.from(tail)];
    const length = all.reduce((sum, piece) => sum + piece.length, 0);
    if (port === 0) this.#metrics.answered(200, elapsed, false);
    const fields = this.#asked(exchange);
    if (length > MAX_COPIED_BYTES) {
      return exchange.answerStream(200, mediaType, length, all, fields);
    }
    exchange.answer(200, mediaType, Buffer.concat(all), fields);
  }

  /** A failure of the server itself. */
  refuse(exchange: Exchange, port: 0 | 1, status: number, message: string, fields = ""): void {
    const { accept } = exchange.headers;
    const { mediaType, body } = this.errorBody(
      plainMessage(message),
      accept,
      port,
      0,
      exchange.t0Ms,
    );
    this.#send(exchange, port, status, mediaType, body, false, fields);
  }

  error(
    exchange: Exchange,
    port: 0 | 1,
    execId: number,
    status: number,
    message: ErrorMessage,
    isPlugin = false,
    hierarchy = ENGINE,
  ): void {
    const { accept } = exchange.headers;
    const t0Ms = exchange.t0Ms;
    const { mediaType, body } = this.errorBody(message, accept, port, execId, t0Ms, hierarchy);
    const fields = status === TOO_MANY_REQUESTS ? RETRY_SOON : "";
    this.#send(exchange, port, status, mediaType, body, isPlugin, fields);
  }

  /** Body of an error answer (interface, "Error body"). */
  errorBody(
    message: ErrorMessage,
    accept: Accept,
    port: 0 | 1,
    execId: number,
    t0Ms: number,
    hierarchy = ENGINE,
  ): ErrorBody {
    if (accept === "text") return { mediaType: MEDIA_TYPES.text, body: message.text };
    const actualPort = this.#state.basePort + port;
    const execMs = elapsedMs(t0Ms);
    const body = errorEnvelope(message.json, actualPort, port, execId, execMs, hierarchy);
    return { mediaType: MEDIA_TYPES.json, body };
  }

  #send(
    exchange: Exchange,
    port: 0 | 1,
    status: number,
    mediaType: string | null,
    body: string | Uint8Array,
    isPlugin: boolean,
    fields = "",
  ): void {
    if (port === 0) {
      const latencyMs = elapsedMs(exchange.t0Ms);
      this.#metrics.answered(status, latencyMs, isPlugin);
      const { tally } = exchange;
      if (tally !== null) this.#tallies.answered(tally, status, latencyMs);
    }
    exchange.answer(status, mediaType, body, fields + this.#asked(exchange));
    if (this.#access !== null) this.#access.answered(exchange, status, body.length);
  }

  #asked({ headers }: Exchange): string {
    const argspec = headers.hasArgspec ? this.#argspecFields : "";
    const { requestId } = headers;
    return requestId === null ? argspec : `${argspec}${REQUEST_ID_HEADER}: ${requestId}\r\n`;
  }

  /**
   * What a dispatcher is told beside the answer: the load, whether the request may be repeated, and
   * on request the explanation.
   */
  #partialFields(exchange: Exchange, explain: string | null, isReadonly: boolean): string {
    const backlog = Math.min(this.#backlog(), 0xffff).toString(16).toUpperCase();
    const readonly = isReadonly ? READONLY_FIELD : "";
    const field = `X-SVC-Backlog: ${backlog.padStart(4, "0")}\r\n${readonly}`;
    if (!this.isExplained(exchange)) return field;
    return `${field}X-SVC-Explain: ${explain ?? engineExplanation(elapsedMs(exchange.t0Ms))}\r\n`;
  }
}

/** Large results come as bytes and stay bytes. */
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
  return Buffer.concat([Buffer.from(head, "latin1"), payload, Buffer.from(tail, "latin1")]);
}

/**
 * With what a request is refused, perhaps after it was begun. Dispatchers and generated clients
 * take 429 and 503 to mean that nothing was executed, and would send a POST again.
 */
export function refusalStatus({ method }: Exchange, status: 429 | 503, isBegun: boolean): number {
  return isBegun && method === "POST" ? 500 : status;
}

/** The envelope's view of a merged response. */
export function hierarchyOf(
  { level, levelparts, incomplete, partials }: Merged,
  coverage: number | null,
  explain: string | null,
): Hierarchy {
  return { level, partitions: [levelparts, incomplete, partials], coverage, explain };
}

function elapsedMs(t0Ms: number): number {
  return nowMs() - t0Ms;
}
