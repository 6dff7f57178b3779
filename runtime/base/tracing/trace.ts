// The trace of one request: a root span, and a child span for each step.
//
//   GET /svc/plugin/top ────────────────────────────────────────────┐
//     queue ──┐ run top ──┐                                          │  its steps; spans of
//                          dispatch partition 0 ──────┐              │  back-ends are children of
//                          dispatch partition 1 ──────────┐          │  dispatch spans
//                                                          merge ─┐  │

import { nowMs, toEpochMs } from "../clock.js";
import type { Collector } from "./collector.js";
import { spanId, traceId } from "./ids.js";
import { type Span, SpanKind } from "./otlp.js";
import { type TraceParent, traceParentText, withTraceParent } from "./trace-parent.js";

type Attributes = Span["attributes"];

/** The back-end, and the outcome: a status, or the reason of a failure. */
export interface DispatchedStep {
  readonly partition: number;
  readonly replica: number;
  readonly host: string;
  readonly port: number;
  /** Monotonic milliseconds. */
  readonly sentMs: number;
}

export class Trace {
  readonly #collector: Collector;
  readonly #traceId: string;
  readonly #spanId = spanId();
  readonly #parentId: string;
  readonly #startMs: number;
  #queuedSinceMs: number;

  /** @param parent null for the root of a trace */
  constructor(collector: Collector, parent: TraceParent | null, startMs: number) {
    this.#collector = collector;
    this.#traceId = parent?.traceId ?? traceId();
    this.#parentId = parent?.spanId ?? "";
    this.#startMs = startMs;
    this.#queuedSinceMs = startMs;
  }

  /** Returns header lines that make the receiver's spans children of this one. */
  block(block: string): string {
    return withTraceParent(block, this.parentText());
  }

  parentText(): string {
    return traceParentText(this.#traceId, this.#spanId);
  }

  /** Starts a queue span: the request waits for an executor, possibly again. */
  queued(): void {
    this.#queuedSinceMs = nowMs();
  }

  /** Records a plugin or processor call. */
  ran(plugin: string, startMs: number, endMs: number, executor: number, status: number): void {
    this.#step("queue", this.#queuedSinceMs, startMs, {});
    const attributes = { "svc.plugin": plugin, "svc.executor": executor };
    this.#step(`run ${plugin}`, startMs, endMs, attributes, status >= 500);
  }

  /** Records the response, or failure, of a back-end. */
  dispatched(step: DispatchedStep, outcome: number | string): void {
    const { partition, replica, host, port, sentMs } = step;
    const isStatus = typeof outcome === "number";
    const outcomeAttributes: Attributes = isStatus
      ? { "http.response.status_code": outcome }
      : { "error.type": outcome };
    this.#add({
      name: `dispatch partition ${partition}`,
      kind: SpanKind.Client,
      startMs: toEpochMs(sentMs),
      endMs: nowMs(),
      attributes: {
        "svc.partition": partition,
        "svc.replica": replica,
        "server.address": host,
        "server.port": port,
        ...outcomeAttributes,
      },
      isFailed: !isStatus || outcome >= 500,
    });
  }

  merged(startMs: number): void {
    this.#step("merge", startMs, nowMs(), {});
  }

  /** Ends the trace when the request is answered. */
  end(method: string, target: string, port: 0 | 1, status: number): void {
    const path = target.split("?", 1)[0]!;
    const { length } = path;
    this.#collector.add({
      traceId: this.#traceId,
      spanId: this.#spanId,
      parentId: this.#parentId,
      name: `${method} ${length > MAX_NAME ? `${path.slice(0, MAX_NAME)}...` : path}`,
      kind: SpanKind.Server,
      startMs: this.#startMs,
      endMs: nowMs(),
      attributes: {
        "http.request.method": method,
        "url.path": path,
        "http.response.status_code": status,
        "svc.port": port === 0 ? "main" : "admin",
      },
      isFailed: status >= 500,
    });
  }

  #step(
    name: string,
    startMs: number,
    endMs: number,
    attributes: Attributes,
    isFailed = false,
  ): void {
    this.#add({ name, kind: SpanKind.Internal, startMs, endMs, attributes, isFailed });
  }

  #add(step: Omit<Span, "traceId" | "spanId" | "parentId">): void {
    const ids = { traceId: this.#traceId, spanId: spanId(), parentId: this.#spanId };
    this.#collector.add({ ...ids, ...step });
  }
}

const MAX_NAME = 100;
