// Transaction log of a process, below its data folder. `_txlog` contains the replicated graphs, so
// that it can be sent unchanged; `_txlog/local` contains local graphs.

import { join } from "node:path";
import { SvcError } from "../base/errors.js";
import { LOG_FOLDER, LOG_LOCAL_FOLDER } from "../base/graph-names.js";
import { CHECKPOINT_LOG_BYTES } from "../base/limits.js";
import type { LogLine } from "../base/log-settings.js";
import type { Log2Histogram } from "../base/log2-histogram.js";
import type { GraphLog, RecoverableGraph } from "../graph/manager/graph-log.js";
import type { GraphStore, SharedLogMemory } from "../graph/manager/logging-entry-points.js";
import {
  allocateLogMemory,
  type CommitClock,
  type GroupRole,
  openForLogging,
  requireIdentity,
} from "../graph/manager/logging-entry-points.js";
import { SYSTEM_GRAPH } from "../graph/manager/system-graph.js";
import type { Disk } from "./log/disk.js";
import type { LoggedGraph } from "./log/log-catalog.js";
import { LogChannel } from "./log/log-channel.js";
import { LogWriter } from "./log/log-writer.js";
import { ProgressLine, type ReplayFailures, replayLog } from "./log/replay-log.js";
import { SpaceReserve } from "./log/space-reserve.js";

/** Graphs that retain more segments (64 MiB each) than this are saved even if unchanged. */
const SAVE_SEGMENTS = 8;

/**
 * off: nothing is logged; async: commits are written within 10 ms, or after the flush in progress;
 * full: commits are flushed before the response.
 */
export type Durability = "off" | "async" | "full";

export interface DurableLogOptions {
  readonly root: string;
  readonly mode: Durability;
  /** Bytes of the log retained for change feeds (default: 0). */
  readonly retainedBytes?: number | undefined;
  readonly clock: CommitClock;
  readonly warn: LogLine;
  readonly disk: Disk;
}

/**
 * Opens the transaction log of a data folder; returns null if there is none and `mode` is off.
 * @throws LogCorruptionError
 */
export function openLog(options: DurableLogOptions): DurableLog | null {
  const { root, mode, disk } = options;
  const exists = disk.names(join(root, LOG_FOLDER)).length > 0;
  return mode === "off" && !exists ? null : new DurableLog(options);
}

/** Space that a ring reserves for the largest transaction. */
const MAX_TRANSACTION_BYTES = 2 ** 21;
/** Segments retained for a lagging subscriber: 8 GiB. */
const MAX_RETAINED_SEGMENTS = 128;

/** The transaction log, as senders see it. */
export interface ReplicatedLog {
  readonly disk: Disk;
  readonly channel: LogChannel;
  /** Calls `call` after each flush, until the returned function is called. */
  onFlushed(call: () => void): () => void;
}

export class DurableLog implements GraphLog, ReplicatedLog {
  readonly disk: Disk;
  /** Returns the first transaction that a subscriber may still need. */
  firstNeededSn: () => number = () => Number.POSITIVE_INFINITY;
  readonly #root: string;
  readonly #clock: CommitClock;
  readonly #warn: LogLine;
  /** False if the log is only read. */
  readonly #isOn: boolean;
  readonly #retainedBytes: number;
  readonly #shared: LogChannel;
  readonly #local: LogChannel;
  readonly #writer: LogWriter;

  /** @throws LogCorruptionError */
  constructor({ root, mode, retainedBytes = 0, clock, warn, disk }: DurableLogOptions) {
    const folder = join(root, LOG_FOLDER);
    this.disk = disk;
    this.#root = root;
    this.#clock = clock;
    this.#warn = warn;
    this.#isOn = mode !== "off";
    this.#retainedBytes = retainedBytes;
    this.#shared = new LogChannel(disk, folder);
    this.#local = new LogChannel(disk, join(folder, LOG_LOCAL_FOLDER));
    for (const { tornBytes } of this.#channels()) {
      if (tornBytes > 0) warn(`log: discarded ${tornBytes} bytes of a torn write`, "warn");
    }
    const report = ({ code, message }: SvcError): void => warn(`${code}: ${message}`, "error");
    const onRecovery = (text: string): void => warn(text, "warn");
    const low = (bytes: number): void => warn(lowText(bytes), "warn");
    const reserve = new SpaceReserve(disk, folder);
    const events = { onFailure: report, onRecovery, low };
    const free = (): number => disk.freeBytes(root);
    this.#writer = new LogWriter(clock, this.#channels(), reserve, free, events);
    if (this.#isOn) this.#writer.start();
  }

  get isOn(): boolean {
    return this.#isOn;
  }

  /** Durations of all flushes. */
  get flushes(): Log2Histogram {
    return this.#writer.flushes;
  }

  get channel(): LogChannel {
    return this.#shared;
  }

  onFlushed(call: () => void): () => void {
    return this.#writer.onFlushed(call);
  }

  /** Confirms transactions of the replicated log only up to the result of `sn`; null: all. */
  confirmUpTo(sn: (() => number) | null): void {
    this.#writer.confirmUpTo(sn);
  }

  /** Confirms the transactions that other instances have acknowledged. */
  confirm(): void {
    this.#writer.confirm();
  }

  /** Number of running requests that may change graphs. */
  get changesInProgress(): number {
    return this.#clock.changes;
  }

  /** Publishes the role of this instance in its group to all threads. */
  setGroup(role: GroupRole, epoch: number): void {
    this.#clock.setGroup(role, epoch);
  }

  /** Returns a ticket for the transactions of several graphs that belong together. */
  nextTicket(): number {
    return this.#clock.nextTicket();
  }

  /** Flushes if a ring is nearly full, for a thread that both fills and drains the rings. */
  drainIfFull(): void {
    if (this.#shared.waitingBytes > MAX_TRANSACTION_BYTES) this.#writer.flushNow();
  }

  /** Resolves when all commits so far are durable; false if the log has failed. */
  settled(): Promise<boolean> {
    return this.#clock.wait(this.#clock.nextFlush);
  }

  graphs(): RecoverableGraph[] {
    return this.#channels().flatMap((channel) =>
      channel.graphs.all().map(({ name, path }) => {
        return { name, path, isLocal: channel === this.#local };
      }),
    );
  }

  share(name: string): SharedLogMemory | null {
    if (!this.#isOn) return null;
    return allocateLogMemory(this.#clock, name === SYSTEM_GRAPH);
  }

  identityOf(name: string): string | undefined {
    return this.#channels()
      .map(({ graphs }) => graphs.byName(name))
      .find((graph) => graph !== undefined)?.identity;
  }

  isErased(store: GraphStore): boolean {
    return this.#loggedAs(store).some(({ isErased }) => isErased);
  }

  replay(stores: readonly GraphStore[]): Map<GraphStore, Error> {
    // The ring of a graph may still contain transactions of a thread that has died.
    if (this.#isOn) this.#writer.flushNow();
    const replayFailures: ReplayFailures = { reasons: new Map(), broken: new Set() };
    // A graph that was switched between local and replicated has transactions in both logs.
    for (let transactions = -1; transactions !== 0; ) {
      transactions = 0;
      for (const channel of this.#channels()) {
        transactions += this.#replayChannel(channel, stores, replayFailures);
      }
    }
    const failures = new Map<GraphStore, Error>();
    for (const store of stores) {
      const after = Math.max(...this.#loggedAs(store).map((graph) => graph.after), 0);
      if (store.operationCount >= after && !replayFailures.broken.has(store)) continue;
      failures.set(store, notRecovered(store, after, replayFailures.reasons.get(store)));
    }
    return failures;
  }

  open(store: GraphStore, path: string, isLocal: boolean): void {
    const channel = isLocal || store.name === SYSTEM_GRAPH ? this.#local : this.#shared;
    channel.open(store, path);
  }

  isLow(): boolean {
    return this.#isOn && this.#writer.measureSpace();
  }

  erase(identity: string): void {
    // Written even if `mode` is off: an erased graph must not reappear.
    for (const channel of this.#channels()) channel.erase(identity);
    this.#writer.flushNow();
  }

  trim(): readonly string[] {
    const isOverLimit = this.#shared.log.segments.length > MAX_RETAINED_SEGMENTS;
    const subscribersSn = isOverLimit ? Number.POSITIVE_INFINITY : this.firstNeededSn();
    const isLow = this.isLow();
    const unsaved = this.#channels().flatMap((channel) => {
      const feedsSn = channel.log.findFirstSnOfLast(this.#retainedBytes);
      return channel.trim(
        ({ name, path }) => openForLogging(this.#root, path, name, isLow).count,
        channel === this.#shared ? Math.min(subscribersSn, feedsSn) : feedsSn,
      );
    });
    return this.#channels().some(({ log }) => log.segments.length > SAVE_SEGMENTS)
      ? unsaved.map(({ name }) => name)
      : [];
  }

  onGrown(save: () => void): void {
    this.#writer.onGrown(CHECKPOINT_LOG_BYTES, save);
  }

  /** Flushes all remaining commits. No changes may follow. */
  async close(): Promise<void> {
    await this.#writer.stop();
    for (const { log } of this.#channels()) log.close();
  }

  #channels(): readonly LogChannel[] {
    return [this.#shared, this.#local];
  }

  /** Returns the number of applied transactions. */
  #replayChannel(
    { graphs, log }: LogChannel,
    stores: readonly GraphStore[],
    failures: ReplayFailures,
  ): number {
    const behind = new Map<number, GraphStore>();
    for (const store of stores) {
      const graph = graphs.byIdentity(requireIdentity(store));
      const isBehind = graph !== undefined && graph.after > store.operationCount;
      if (isBehind && !failures.broken.has(store)) behind.set(graph.number, store);
    }
    if (behind.size === 0) return 0;
    const line = new ProgressLine("log");
    const transactions = replayLog(log, behind, failures, (done) => line.show(done));
    line.end();
    if (transactions > 0)
      this.#warn(`log: replayed ${transactions} transactions in ${line.seconds()} s`);
    return transactions;
  }

  #loggedAs(store: GraphStore): LoggedGraph[] {
    const identity = requireIdentity(store);
    return this.#channels().flatMap(({ graphs }) => graphs.byIdentity(identity) ?? []);
  }
}

function lowText(bytes: number): string {
  const left = `${Math.floor(bytes / 2 ** 20)} MiB of disk space are left`;
  return `log: ${left}: of each graph only the current snapshot is kept`;
}

function notRecovered(
  { name, operationCount }: GraphStore,
  after: number,
  cause?: Error,
): SvcError {
  const reason =
    cause?.message ?? `snapshot ends at operation ${operationCount}, log resumes at ${after}`;
  const text = `graph "${name}" cannot be recovered from the log: ${reason}`;
  return new SvcError("SVC2503", text, { cause });
}
