// Requests that a dispatcher forwards to its back-ends: sends them, merges the responses, and runs
// pre- and post-processors in the executors.
//
//   received ─► [pre] ─► matrix ─► merge ─► [post] ─► answered
//                          ▲                   │
//                          └── resubmission ───┘

import { randomBytes } from "node:crypto";
import { clientKey } from "../base/client-key.js";
import { nowMs } from "../base/clock.js";
import { ResponseError } from "../base/errors.js";
import { MAX_RESUBMITS } from "../base/limits.js";
import { TRACE_PARENT, TRACE_STATE } from "../base/tracing/trace-parent.js";
import { RESULT_FORWARD } from "../base/wire/batch.js";
import { MATRIX_PROCESSORS } from "../builtin/matrix-processors.js";
import {
  type Dispatch,
  type DispatchCall,
  NO_LEADER,
  SLOTS_MOVE,
} from "../dispatch/dispatch-call.js";
import type { Dispatcher } from "../dispatch/dispatcher.js";
import { type ErrorHierarchy, errorHierarchy } from "../dispatch/error-chain.js";
import { Explanation } from "../dispatch/explanation.js";
import { readFeedRequest } from "../dispatch/feed/feed-request.js";
import {
  type ForwardedRequest,
  forwardedRequest,
  PRIMARY,
  pathOfRequest,
  type ReceivedRequest,
  readHead,
  requestContent,
  signedRequest,
  withHeaders,
  withParameter,
} from "../dispatch/forwarded-request.js";
import type { Matrix } from "../dispatch/matrix.js";
import { type MergedResponse, mergePartials, mergeTrusted } from "../dispatch/merge-partials.js";
import { encodeMerged } from "../dispatch/merged-response.js";
import { type Answered, meetsCoverage, type Outcome } from "../dispatch/partition-call.js";
import { clientAddress } from "../http/client-address.js";
import { isDisconnected } from "../http/disconnect-errors.js";
import { ENGINE, type Hierarchy } from "../http/envelope.js";
import {
  FEED_WITH_CONTENT,
  type HttpRejection,
  NO_SLOTS,
  NOT_BELOW,
  RETRY_AFTER,
  UNAUTHENTICATED,
} from "../http/rejections.js";
import type { Exchange } from "../http/transport.js";
import { requestId as idIn, REQUEST_ID_HEADER } from "../plugin/contract/request-id.js";
import { DEADLINE_HEADER, headerValue } from "../plugin/contract/request-text.js";
import { decodeForwarding, type Merging } from "../plugin/run/forwarding.js";
import type { Done } from "../plugin/run/plugin-errors.js";
import { MatrixFeeds } from "./matrix-feeds.js";
import type { DispatchStep, MergedInput, PluginRoute, ResultHandler } from "./plugin-call.js";
import type { RequestSigner } from "./request-signer.js";
import { type ResponseWriter, refusalStatus } from "./response-writer.js";
import type { Scheduler } from "./scheduler.js";
import type { TraceSampler } from "./trace-sampler.js";

/** Minimum queue of post-processors: they release the resources of a request. */
const POST_QUEUE = 1;
const DEADLINE_STEP_MS = 10;
const EXPLAIN_FIELD = "X-SVC-Explain: 1";
const CAME_BACK = "dispatch loop: request returned to a dispatcher that already forwarded it";
const LARGE_PRINCIPAL = "500 Internal Server Error: the principal is too large for the back-ends";
const TOO_MANY_RESUBMITS = `request was resubmitted more than ${MAX_RESUBMITS} times`;

/** A request of a client, or of a parent dispatcher. */
export interface MatrixRequest {
  readonly exchange: Exchange;
  readonly port: 0 | 1;
  /** Path and query without prefix. */
  readonly target: string;
  readonly serial: number;
  readonly pre: PluginRoute | null;
  readonly post: PluginRoute | null;
  /** The processor of a built-in plugin; replaces `pre` and `post`. */
  readonly localProcessor: LocalProcessor | null;
  /** Minimum queue of the slots that processors may take. */
  readonly minQueue: number;
}

/** A built-in post-processor, which runs in this thread. */
export interface LocalProcessor {
  /** Sends the request to the primary row only. */
  readonly isPrimary: boolean;
  /** The responses are endless feeds, which are merged as they arrive. */
  readonly isFeed: boolean;
  /** Returns a parameter for a second round of requests; null to respond. */
  readonly secondRound: ((partial: Uint8Array) => string | null) | null;
  run(partial: Uint8Array, merging: Merging, done: Done): void;
}

/** One request in progress, as the dispatcher sees it. */
class Progress implements Dispatch {
  readonly received: MatrixRequest;
  /** State that the pre-processor passes to the post-processor. */
  processorState: Uint8Array | null = null;
  resubmits = 0;
  /** Of the first of two rounds; 1 before it has ended. */
  firstCoverage = 1;
  /** Time of the last response of a back-end, milliseconds since 1970. */
  answeredMs = 0;
  /** The client requests the explanation, which is recorded for the console in any case. */
  readonly isExplained: boolean;
  readonly explanation: Explanation;
  /** The request sent to the back-ends; set before it is dispatched. */
  request!: ForwardedRequest;
  /** The matrix of the last submission; the dispatcher may have another one by now. */
  matrix!: Matrix;
  readonly #onEnd: (progress: Progress, outcome: Outcome) => void;

  constructor(
    received: MatrixRequest,
    isExplained: boolean,
    ended: (progress: Progress, outcome: Outcome) => void,
  ) {
    this.received = received;
    this.isExplained = isExplained;
    this.explanation = new Explanation(received.pre === null ? "wait" : "pre");
    received.exchange.explanation = this.explanation;
    this.#onEnd = ended;
  }

  get trace(): Exchange["trace"] {
    return this.received.exchange.trace;
  }

  get client(): string {
    return clientKey(clientAddress(this.received.exchange));
  }

  isAborted(): boolean {
    return isDisconnected(this.received.exchange, nowMs());
  }

  onEnd(outcome: Outcome, matrix: Matrix): void {
    this.matrix = matrix;
    this.#onEnd(this, outcome);
  }
}

/** A request running in back-ends or waiting for them. */
export interface DispatchedRequest extends Pick<MatrixRequest, "exchange" | "serial"> {
  readonly call: DispatchCall;
}

export class MatrixRequests {
  /** Processors of built-in plugins that the back-ends execute, by path. */
  readonly processors = MATRIX_PROCESSORS;
  /** Identifies this dispatcher, to detect dispatch loops. */
  readonly #name = randomBytes(6).toString("hex");
  readonly #dispatcher: Dispatcher;
  readonly #writer: ResponseWriter;
  readonly #scheduler: Scheduler;
  readonly #traces: TraceSampler;
  readonly #feeds: MatrixFeeds;
  /** Null if no key is shared with the back-ends. */
  readonly #signer: RequestSigner | null;
  /** Allocated once for all requests. */
  readonly #onEnd = (progress: Progress, outcome: Outcome): void => {
    this.#continue(progress, outcome);
  };

  constructor(
    dispatcher: Dispatcher,
    writer: ResponseWriter,
    scheduler: Scheduler,
    traces: TraceSampler,
    signer: RequestSigner | null,
  ) {
    this.#signer = signer;
    this.#dispatcher = dispatcher;
    this.#writer = writer;
    this.#scheduler = scheduler;
    this.#traces = traces;
    this.#feeds = new MatrixFeeds(dispatcher, writer);
  }

  /** With a single back-end, responses are relayed unchanged unless a processor reads them. */
  get #isSingle(): boolean {
    const { width, height } = this.#dispatcher.matrix;
    return width === 1 && height === 1;
  }

  *dispatched(): Generator<DispatchedRequest> {
    for (const call of this.#dispatcher.calls) {
      if (call.isEnded || !(call.dispatch instanceof Progress)) continue;
      const { exchange, serial } = call.dispatch.received;
      yield { exchange, serial, call };
    }
  }

  /** Answers a request for a plugin of the back-ends. */
  submit(request: MatrixRequest): void {
    const isExplained = this.#writer.isExplained(request.exchange);
    const progress = new Progress(request, isExplained, this.#onEnd);
    if (request.pre !== null) return this.#runProcessor(progress, request.pre, null);
    const { exchange, target } = request;
    const { block, accept, partialTarget, key, via: passed } = exchange.headers;
    // A dispatch loop: the request would be forwarded forever.
    if (passed.includes(this.#name)) return this.#fail(progress, CAME_BACK);
    const via = passed === "" ? this.#name : `${passed},${this.#name}`;
    const { method, body } = exchange;
    const deadlineMs = this.#deadlineMs(exchange);
    const traceParent = this.#traces.getTraceParent(exchange) ?? null;
    const head = { method, target, block, accept, partialTarget, key, body };
    const { requestId } = exchange;
    const madeId = requestId === exchange.headers.requestId ? null : requestId;
    const received = { ...head, via, deadlineMs, traceParent, requestId: madeId };
    if (request.localProcessor?.isFeed === true) return this.#follow(progress, received);
    const isRelayed = this.#isSingle && request.post === null && request.localProcessor === null;
    const forwarded = forwardedRequest(received, isRelayed);
    if (!request.localProcessor?.isPrimary) return this.#dispatch(progress, forwarded);
    this.#dispatch(progress, { ...forwarded, preference: PRIMARY });
  }

  #follow(progress: Progress, received: ReceivedRequest): void {
    const { exchange, port } = progress.received;
    if (received.body !== null && received.body.length > 0) {
      return this.#reject(progress, FEED_WITH_CONTENT);
    }
    const request = readFeedRequest(received.target, received.block);
    const make = (position: string): ForwardedRequest => {
      const target = request.target(position);
      const made = { ...received, target, block: request.block, method: "GET", deadlineMs: 0 };
      return forwardedRequest({ ...made, body: null }, true);
    };
    const first = this.#withOwner(progress, make(""));
    if (first === null) return;
    if (this.#withSignature(progress, first) === null) return this.#fail(progress, LARGE_PRINCIPAL);
    const partition = this.#dispatcher.matrix.partitionFor(first);
    const head = (position: string): string => {
      return signedRequest(this.#withSignature(progress, make(position))!).head;
    };
    const { preference } = first;
    void this.#feeds.start({ exchange, port, request, partition, preference, head });
  }

  /** Returns the deadline for back-ends, rounded so that header blocks repeat and stay cached. */
  #deadlineMs({ headers, t0Ms }: Exchange): number {
    const { timeoutMs } = this.#dispatcher.matrix.config;
    if (headers.deadlineMs === 0) return timeoutMs;
    const leftMs = headers.deadlineMs - (nowMs() - t0Ms);
    const toldMs = timeoutMs === 0 ? leftMs : Math.min(leftMs, timeoutMs);
    return Math.max(1, Math.floor(toldMs / DEADLINE_STEP_MS) * DEADLINE_STEP_MS);
  }

  /** @param merged null for the pre-processor */
  #runProcessor(
    progress: Progress,
    plugin: PluginRoute,
    merged: MergedInput | null,
    hierarchy: Hierarchy = ENGINE,
  ): void {
    const { exchange, port, serial } = progress.received;
    const { received } = progress;
    const minQueue = Math.max(received.minQueue, merged === null ? 0 : POST_QUEUE);
    const step: DispatchStep = {
      target: progress.received.target,
      merged,
      done: (execId, status, kind, payload) => {
        if (kind === RESULT_FORWARD) this.#forward(progress, merged, payload as Uint8Array);
        else this.#result(progress, hierarchy, execId, status, kind, payload);
      },
    };
    this.#scheduler.submit({
      exchange,
      port,
      slots: port,
      plugin,
      serial,
      minQueue,
      isTrusted: false,
      step,
      submittedAt: 0,
      limitedClient: null,
      turn: 0,
    });
  }

  /** Dispatches the request that a processor returned. */
  #forward(progress: Progress, merged: MergedInput | null, payload: Uint8Array): void {
    const { method, bytes, processorState, target, key, isPrimary, affinity } =
      decodeForwarding(payload);
    if (merged === null) progress.processorState = processorState;
    else if (++progress.resubmits > MAX_RESUBMITS) return this.#fail(progress, TOO_MANY_RESUBMITS);
    this.#dispatch(progress, {
      method,
      path: pathOfRequest(bytes),
      head: "",
      body: this.#withFields(progress, bytes),
      preference: { isPrimary: isPrimary || target !== null, affinity },
      ...{ target, key },
      isRelayed: false,
    });
  }

  /** Adds the fields of the original request to a request encoded by a pre-processor. */
  #withFields({ received, isExplained }: Progress, bytes: Uint8Array): Uint8Array {
    const deadlineMs = this.#deadlineMs(received.exchange);
    const { requestId } = received.exchange;
    // Present already if the processor returned the request that it received.
    const block = readHead(bytes);
    const isNamed = requestId === null || idIn(block) !== null;
    const fields: string[] = [];
    if (isExplained) fields.push(EXPLAIN_FIELD);
    if (deadlineMs > 0) fields.push(`${DEADLINE_HEADER}: ${deadlineMs}`);
    if (!isNamed) fields.push(`${REQUEST_ID_HEADER}: ${requestId}`);
    if (headerValue(block, TRACE_PARENT) === undefined) {
      fields.push(...this.#traceFields(received.exchange));
    }
    return fields.length === 0 ? bytes : withHeaders(bytes, fields);
  }

  /**
   * Returns the fields that link the request of a processor to the trace of the original one.
   */
  #traceFields(exchange: Exchange): string[] {
    const parent = this.#traces.getTraceParent(exchange);
    if (parent === undefined) return [];
    const state = headerValue(exchange.headers.block, TRACE_STATE);
    const line = `${TRACE_PARENT}: ${parent}`;
    return state === undefined ? [line] : [line, `${TRACE_STATE}: ${state}`];
  }

  #dispatch(progress: Progress, received: ForwardedRequest): void {
    const request = this.#withOwner(progress, received);
    if (request === null) return;
    const signed = this.#withSignature(progress, request);
    if (signed === null) return this.#fail(progress, LARGE_PRINCIPAL);
    progress.request = signed;
    progress.explanation.begin("wait");
    this.#dispatcher.dispatch(progress);
  }

  /**
   * Sends a request with a key to the primary replica of its partition, unless its plugin is
   * readonly. Returns null for a request that it has rejected.
   */
  #withOwner(progress: Progress, request: ForwardedRequest): ForwardedRequest | null {
    const { matrix } = this.#dispatcher;
    if (request.key === null || request.target !== null) return request;
    if (matrix.slots === null) this.#reject(progress, NO_SLOTS);
    else if (matrix.partitionFor(request) === -1) this.#reject(progress, NOT_BELOW);
    else if (this.#dispatcher.isReadonly(request)) return request;
    else return { ...request, preference: { ...request.preference, isPrimary: true } };
    return null;
  }

  #reject(progress: Progress, { status, message }: HttpRejection): void {
    this.#error(progress, status, message, false);
  }

  /** Adds a signature with principal and client; null if the principal is too large. */
  #withSignature({ received }: Progress, request: ForwardedRequest): ForwardedRequest | null {
    if (this.#signer === null) return request;
    const sign = this.#signer.createSign(received.exchange, requestContent(request));
    return sign && { ...request, sign };
  }

  #continue(progress: Progress, outcome: Outcome): void {
    const { request } = progress;
    const { exchange, port } = progress.received;
    progress.explanation.begin("merge");
    progress.answeredMs = nowMs();
    switch (outcome.kind) {
      case "refused":
        return this.#refuse(progress, outcome.status, outcome.message, outcome.isBegun);
      case "failed":
        return this.#error(progress, outcome.status, outcome.message, true, outcome.hierarchy);
      case "answered":
        if (request.isRelayed) return this.#writer.relay(exchange, port, outcome.responses[0]!);
        return this.#merge(progress, request, outcome);
    }
  }

  #merge(
    progress: Progress,
    request: ForwardedRequest,
    { responses, allowsPartial }: Answered,
  ): void {
    const partials = responses.map((response) => response?.body ?? null);
    const { matrix } = progress;
    try {
      const merged = allowsPartial
        ? mergeTrusted(partials)
        : mergePartials(partials, matrix.partitionFor(request));
      progress.trace?.merged(progress.answeredMs);
      if (merged === null) this.#refuse(progress, 503, "All partitions down", true);
      // Corrupt partials are known only now.
      else if (merged.leaves !== null && !meetsCoverage(merged.leaves, matrix.config)) {
        this.#refuse(progress, 503, "Partition(s) down", true);
      } else this.#finish(progress, merged);
    } catch (error) {
      // A partial may be corrupt, or the result too large for one buffer.
      if (!(error instanceof ResponseError || error instanceof RangeError)) throw error;
      const hierarchy = errorHierarchy(responses, []);
      this.#error(progress, 500, error.message, true, hierarchy);
    }
  }

  /** @throws ResponseError or RangeError for a response that cannot be serialized */
  #finish(progress: Progress, merged: MergedResponse): void {
    const { exchange, port, post, localProcessor } = progress.received;
    const share = merged.leaves === null ? null : progress.matrix.coverage(merged.leaves);
    const coverage = share === null ? null : Math.min(share, progress.firstCoverage);
    if (post === null && localProcessor === null) {
      const hierarchy = hierarchyOf(merged, coverage, explained(progress));
      const isReadonly = this.#dispatcher.isRetryable(progress.request);
      return this.#writer.merged(exchange, port, merged, hierarchy, isReadonly);
    }
    progress.explanation.begin("post");
    progress.trace?.queued();
    const texec = (nowMs() - exchange.t0Ms) / 1000;
    const partial = encodeMerged(merged);
    const parameter = this.#secondRound(progress, partial);
    if (parameter !== null) {
      progress.firstCoverage = coverage ?? 1;
      return this.#dispatch(progress, withParameter(progress.request, parameter));
    }
    const { resubmits, processorState } = progress;
    const hierarchy = hierarchyOf(merged, coverage, null);
    if (post !== null) {
      const input: MergedInput = [partial, texec, resubmits, processorState];
      return this.#runProcessor(progress, post, input, hierarchy);
    }
    const isPartial = merged.incomplete > 0 || (coverage ?? 1) < 1;
    localProcessor?.run(partial, { texec, resubmits, processorState }, (status, kind, payload) => {
      // A partition that is down may have the vertex, its vector or the property that the others
      // lack. Queries can be repeated, also by POST.
      const isUnknown = isPartial && (status === 404 || status === 400);
      if (isUnknown) this.#error(progress, 503, "Partition(s) down", false);
      else this.#result(progress, hierarchy, 0, status, kind, payload);
    });
  }

  /** Returns the parameter of a second round, which only the top dispatcher starts. */
  #secondRound(progress: Progress, partial: Uint8Array): string | null {
    const { exchange, localProcessor } = progress.received;
    if (exchange.headers.accept === "partial" || progress.resubmits > 0) return null;
    const parameter = localProcessor?.secondRound?.(partial) ?? null;
    if (parameter !== null) progress.resubmits++;
    return parameter;
  }

  /** Sends the result of a processor to the client. */
  #result(progress: Progress, hierarchy: Hierarchy, ...result: Parameters<ResultHandler>): void {
    const { exchange, port } = progress.received;
    const explain = explained(progress);
    const how = explain === null ? hierarchy : { ...hierarchy, explain };
    this.#writer.result(exchange, port, ...result, how);
  }

  /** @param isBegun a back-end may have executed it */
  #refuse(progress: Progress, status: 429 | 503, message: string, isBegun: boolean): void {
    const { exchange } = progress.received;
    // An earlier submission was executed.
    const wasBegun = isBegun || progress.resubmits > 0;
    this.#error(progress, refusalStatus(exchange, status, wasBegun), message, false);
  }

  #fail(progress: Progress, message: string): void {
    this.#error(progress, 500, message, true);
  }

  /** @param isPlugin count the error as a response of a plugin */
  #error(
    progress: Progress,
    status: number,
    text: string,
    isPlugin: boolean,
    hierarchy: ErrorHierarchy | Hierarchy = ENGINE,
  ): void {
    const { exchange, port } = progress.received;
    const how = { ...ENGINE, ...hierarchy, explain: explained(progress) };
    const challenge = status === UNAUTHENTICATED.status ? UNAUTHENTICATED.fields : "";
    const fields = text === NO_LEADER || text === SLOTS_MOVE ? RETRY_AFTER : challenge;
    this.#writer.refuse(exchange, port, status, text, { isPlugin, hierarchy: how, fields });
  }
}

function explained({ received, isExplained, explanation }: Progress): string | null {
  if (!isExplained) return null;
  return explanation.text(received.exchange.headers.accept === "partial");
}

/** Returns the envelope's view of a merged response. */
function hierarchyOf(
  { level, levelparts, incomplete, partials }: MergedResponse,
  coverage: number | null,
  explain: string | null,
): Hierarchy {
  return { level, partitions: [levelparts, incomplete, partials], coverage, explain };
}
