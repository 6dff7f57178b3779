// The executor's side of a batch: claims each request, runs its plugin, posts the results. Runs in
// a worker thread under `svc serve`, in the main thread in library mode.

import type { MessagePort } from "node:worker_threads";
import { nowMs } from "../base/clock.js";
import { IdleGc } from "../base/idle-gc.js";
import { INLINE_BODY_BYTES, MAIN_SLOTS } from "../base/limits.js";
import {
  Batch,
  FLAG_ACCEPT_PARTIAL,
  FLAG_ACCEPT_TEXT,
  FLAG_ADMIN_PORT,
  FLAG_CLIENT_DISCONNECTED,
  FLAG_HAS_MATRIX,
  FLAG_KEYED,
  FLAG_POST,
  FLAG_TIMED_OUT,
  FLAG_TRUSTED,
  FLAG_WARM_UP,
  RESULT_PARTIAL,
  RESULT_READONLY_PARTIAL,
  RESULT_REVOKED,
  RESULT_SLICE_OVER,
  RESULT_STREAM,
  RequestField,
} from "../base/wire/batch.js";
import type { SharedState } from "../base/wire/shared-state.js";
import { countPublished, flushSince } from "../graph/manager/commits.js";
import type { BoundGraph } from "../plugin/contract/bound-graph.js";
import { JOB_PATH } from "../plugin/contract/job-schedule.js";
import type { PluginEntry } from "../plugin/contract/plugin-entry.js";
import { queryStart } from "../plugin/contract/query-text.js";
import { RequestSignal } from "../plugin/contract/request-signal.js";
import type {
  Accept,
  Ident,
  RequestSource,
  StreamOpener,
  Upload,
} from "../plugin/contract/request-source.js";
import { latin1WithHeadroom } from "../plugin/contract/wire-text.js";
import { type Done, sendThrown } from "../plugin/run/plugin-errors.js";
import { runPlugin, runPost } from "../plugin/run/run-plugin.js";
import { KeyedCalls, type KnownOutcome } from "./keyed-calls.js";
import type { MergedInput } from "./plugin-call.js";
import { executorId } from "./slot-table.js";
import type { StreamPayload } from "./streams.js";

/** After this time, a batch posts its results so far. */
const EARLY_RESULTS_MS = 0.25;

/** Hooks around the calls of an executor. */
export interface ExecutorHooks {
  /** Called before each plugin runs. */
  prepare(isTrusted: boolean): void;
  /** Returns whether the call that has just ended must be repeated in another executor. */
  isSliceOver(): boolean;
  /** Slots for all requests; default: those of the port that received the request. */
  readonly slots?: 1;
}

/** @param flush to await; default: the flush of the changes of the request */
type DoneAfter = (...result: [...Parameters<Done>, flush?: number]) => void;

const NO_HOOKS: ExecutorHooks = { prepare: () => {}, isSliceOver: () => false };

/** Runs requests of one port until the port closes. */
export class Executor {
  readonly #id: number;
  readonly #port: MessagePort;
  readonly #state: SharedState;
  readonly #plugins: () => readonly (PluginEntry | undefined)[];
  readonly #hooks: ExecutorHooks;
  /** Graphs of the requests whose promises are pending. */
  readonly #held = new Map<number, BoundGraph>();
  /** Signals of unanswered requests. */
  readonly #signals = new Map<number, RequestSignal>();
  readonly #keyed = new KeyedCalls();
  readonly #streams: StreamOpener = {
    open: ({ serial, executor, portOffset }, port: MessagePort, format) => {
      this.#held.delete(serial);
      this.#signals.delete(serial);
      this.#keyed.abandon(serial);
      const slot = (this.#hooks.slots ?? portOffset) * MAIN_SLOTS + executor;
      this.#add(slot, serial, 200, RESULT_STREAM, { port, format }, 0);
      this.#transfers.push(port);
      this.#flush();
    },
  };
  readonly #results = new Batch();
  /** Number of batches that the next results complete. */
  #answered = 0;
  #transfers: (ArrayBuffer | MessagePort)[] = [];
  readonly #collector = new IdleGc();
  #flushScheduled = false;
  #inBatch = false;

  constructor(
    id: number,
    port: MessagePort,
    state: SharedState,
    plugins: () => readonly (PluginEntry | undefined)[],
    hooks = NO_HOOKS,
  ) {
    this.#hooks = hooks;
    this.#id = id;
    this.#port = port;
    this.#state = state;
    this.#plugins = plugins;
    port.on("message", (batch: unknown[]) => this.#onBatch(batch));
  }

  #onBatch(batch: unknown[]): void {
    this.#inBatch = true;
    let flushedAt = nowMs();
    for (let at = 0; at < batch.length; at += RequestField.Stride) {
      const now = this.#runOne(batch, at);
      if (now - flushedAt > EARLY_RESULTS_MS) {
        this.#flush();
        flushedAt = now;
      }
    }
    this.#inBatch = false;
    this.#answered++;
    this.#flush();
  }

  /** Runs one request of a batch and returns the time after it. */
  #runOne(batch: unknown[], at: number): number {
    const slot = batch[at + RequestField.Slot] as number;
    const serial = batch[at + RequestField.Serial] as number;
    const startMs = nowMs();
    const flags = batch[at + RequestField.Flags] as number;
    if ((flags & FLAG_CLIENT_DISCONNECTED) !== 0) {
      const plugin = this.#plugins()[batch[at + RequestField.Plugin] as number];
      const isJob = plugin?.description.path.startsWith(JOB_PATH) === true;
      this.#signals.get(serial)?.abort(isJob ? "TimeoutError" : "AbortError");
      return startMs;
    }
    if ((flags & FLAG_TIMED_OUT) !== 0) {
      this.#signals.get(serial)?.abort("TimeoutError");
      this.#signals.delete(serial);
      this.#held.get(serial)?.release();
      this.#held.delete(serial);
      this.#keyed.abandon(serial);
      return startMs;
    }
    if ((flags & FLAG_KEYED) !== 0 && !this.#keyed.isLoaded) {
      void this.#keyed.load().then(() => this.#runOne(batch, at));
      return startMs;
    }
    if (!this.#state.claim(slot, startMs)) {
      this.#post(slot, serial, 0, RESULT_REVOKED, "");
      return startMs;
    }
    this.#state.results.open(slot, serial);
    const entry = this.#plugins()[batch[at + RequestField.Plugin] as number];
    this.#state.setRunningSlot(this.#id, slot);
    const source = this.#source(batch, at);
    if (source.body instanceof Uint8Array) this.#collector.used(source.body.length);
    this.#hooks.prepare((flags & FLAG_TRUSTED) !== 0);
    const merged = batch[at + RequestField.Merged] as MergedInput | null;
    const published = countPublished();
    let isDone = false;
    const done: DoneAfter = (status, kind, payload, flush) => {
      isDone = true;
      source.signal?.over();
      this.#held.delete(serial);
      this.#signals.delete(serial);
      this.#keyed.responded(serial, status, kind, payload);
      if (this.#hooks.isSliceOver()) return this.#post(slot, serial, 0, RESULT_SLICE_OVER, "");
      const isReadonlyPartial = kind === RESULT_PARTIAL && entry?.readonly === true;
      const sentKind = isReadonlyPartial ? RESULT_READONLY_PARTIAL : kind;
      this.#post(slot, serial, status, sentKind, payload, flush ?? flushSince(published));
    };
    const isKeyed = (flags & FLAG_KEYED) !== 0;
    const held = isKeyed
      ? this.#runKeyed(entry, source, merged, done)
      : run(entry, source, merged, done);
    if (held !== null) this.#held.set(serial, held);
    if (!isDone) this.#signals.set(serial, source.signal!);
    this.#state.setRunningSlot(this.#id, -1);
    return nowMs();
  }

  /** Runs a request with a key, unless its outcome is known. */
  #runKeyed(
    entry: PluginEntry | undefined,
    source: RequestSource,
    merged: MergedInput | null,
    done: DoneAfter,
  ): BoundGraph | null {
    let outcome: KnownOutcome | null;
    try {
      outcome = this.#keyed.begin(source, entry);
    } catch (thrown) {
      sendThrown(done, source.accept, 500, "svc", thrown);
      return null;
    }
    if (outcome === null) {
      return this.#keyed.run(source.serial, () => run(entry, source, merged, done));
    }
    done(outcome.status, outcome.kind, outcome.payload, outcome.flush);
    return null;
  }

  #source(batch: unknown[], at: number): RequestSource {
    const slot = batch[at + RequestField.Slot] as number;
    const flags = batch[at + RequestField.Flags] as number;
    const target = batch[at + RequestField.Target] as string;
    const body = batch[at + RequestField.Body] as string | Uint8Array | Upload | null;
    const isUpload = body !== null && typeof body !== "string" && "path" in body;
    return {
      method: (flags & FLAG_POST) !== 0 ? "POST" : "GET",
      target,
      query: queryStart(target),
      headerBlock: batch[at + RequestField.HeaderBlock] as string,
      body: isUpload ? null : body,
      upload: isUpload ? body : null,
      client: batch[at + RequestField.Client] as string,
      executor: executorId(slot),
      serial: batch[at + RequestField.Serial] as number,
      t0Ms: batch[at + RequestField.T0Ms] as number,
      basePort: this.#state.basePort,
      portOffset: (flags & FLAG_ADMIN_PORT) !== 0 ? 1 : 0,
      accept: acceptOf(flags),
      ident: batch[at + RequestField.Ident] as Ident | null,
      principal: batch[at + RequestField.Principal] as string | null,
      hasMatrix: (flags & FLAG_HAS_MATRIX) !== 0,
      isWarmUp: (flags & FLAG_WARM_UP) !== 0,
      signal: new RequestSignal(),
      // A dispatcher merges complete responses only.
      streams: (flags & (FLAG_HAS_MATRIX | FLAG_ACCEPT_PARTIAL)) === 0 ? this.#streams : null,
    };
  }

  #post(
    slot: number,
    serial: number,
    status: number,
    kind: number,
    payload: string | Uint8Array<ArrayBuffer>,
    flush = 0,
  ): void {
    // A long string would be copied character by character; buffers are transferred.
    if (payload.length > INLINE_BODY_BYTES) this.#collector.used(payload.length);
    const isLong = typeof payload === "string" && payload.length > INLINE_BODY_BYTES;
    const sent = isLong ? latin1WithHeadroom(payload) : payload;
    // Sent alone: if it cannot be transferred, no other result is lost.
    if (typeof sent !== "string") this.#flush();
    this.#add(slot, serial, status, kind, sent, flush);
    if (typeof sent !== "string") this.#transfers.push(sent.buffer);
    // Until this thread posts the result, the IO thread can read it in shared memory.
    if (!this.#state.results.keep(slot, serial, status, kind, sent, flush)) this.#flush();
    if (this.#inBatch || this.#flushScheduled) return;
    this.#flushScheduled = true;
    setImmediate(() => {
      this.#flushScheduled = false;
      this.#flush();
    });
  }

  #add(
    slot: number,
    serial: number,
    status: number,
    kind: number,
    payload: string | Uint8Array | StreamPayload,
    flush: number,
  ): void {
    // Placeholder for the number of batches, which is known when the results are posted.
    if (this.#results.length === 0) this.#results.add(0);
    this.#results.add(slot);
    this.#results.add(serial);
    this.#results.add(status);
    this.#results.add(kind);
    this.#results.add(payload);
    this.#results.add(flush);
  }

  #flush(): void {
    if (this.#results.length === 0 && this.#answered === 0) return;
    if (this.#results.length === 0) this.#results.add(0);
    this.#results.setFirst(this.#answered);
    const transfers = this.#transfers;
    if (transfers.length > 0) this.#transfers = [];
    try {
      this.#results.post(this.#port, transfers);
      this.#answered = 0;
    } catch (error) {
      // Reported like any stray error; the other requests of a batch still run.
      process.nextTick(() => {
        throw error;
      });
    }
  }
}

function run(
  entry: PluginEntry | undefined,
  source: RequestSource,
  merged: MergedInput | null,
  done: Done,
): BoundGraph | null {
  if (merged === null) return runPlugin(entry, source, done);
  const [partial, texec, resubmits, processorState] = merged;
  return runPost(entry, source, partial, { texec, resubmits, processorState }, done);
}

function acceptOf(flags: number): Accept {
  if ((flags & FLAG_ACCEPT_TEXT) !== 0) return "text";
  return (flags & FLAG_ACCEPT_PARTIAL) !== 0 ? "partial" : "json";
}
