// Replication provider for a broker stream: writes snapshots of all graphs, then frames as they are
// flushed. Data that the broker lost, or missed during an outage, is resent from the log.

import { assert } from "../../base/assert.js";
import { SvcError } from "../../base/errors.js";
import type { RepairAction } from "../../graph/manager/graph-source.js";
import type { SubscriberReport } from "../../metrics/traffic.js";
import { planCatchUp } from "../catch-up-plan.js";
import { LogTailer } from "../log/log-tailer.js";
import { countRecords } from "../log/transactions.js";
import type { LogSender, SenderParts } from "../log-transport.js";
import { InterruptibleSleep, RetryLoop } from "../retry-loop.js";
import { sendSnapshot } from "../snapshot-transfer.js";
import { MessageType } from "../wire/messages.js";
import { PROTOCOL } from "../wire/peer.js";
import type { Start } from "../wire/positions.js";
import type { LogStream, OpenStream, StreamState } from "./log-stream.js";
import { requireKnownProtocol, StreamWriter } from "./stream-messages.js";

const MIN_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 5_000;
const STATUS_MS = 2_000;
/** Bytes of frames after which new snapshots replace them, to bound what a new tailer reads. */
const CHECKPOINT_BYTES = 2 ** 30;

export interface StreamProviderParts extends Omit<SenderParts, "root" | "key" | "onEnded"> {
  readonly uri: string;
  readonly open: OpenStream;
  /** Default: 1 GiB. */
  readonly checkpointBytes?: number;
}

export class StreamProvider implements LogSender {
  readonly #parts: StreamProviderParts;
  readonly #unlisten: () => void;
  /** Last transaction that the broker stored; null: unknown. */
  #acknowledged: number | null = null;
  #isConnected = false;
  /** True after a failed attempt, until connected again. */
  #hasFailed = false;
  #isSynchronizing = false;
  #repair: RepairAction | null = null;
  #log: LogStream | null = null;
  #caughtUpAt = performance.now();
  readonly #attempts: RetryLoop;
  /** Rings when there may be more to send. */
  readonly #sleep = new InterruptibleSleep();

  constructor(parts: StreamProviderParts) {
    this.#parts = parts;
    this.#attempts = new RetryLoop({
      ...{ name: this.uri, code: "SVC3365", warn: parts.warn },
      ...{ minDelayMs: MIN_BACKOFF_MS, maxDelayMs: MAX_BACKOFF_MS },
    });
    this.#unlisten = parts.log.onFlushed(() => {
      // A flush does not shorten the backoff.
      if (!this.#hasFailed) this.wake();
    });
  }

  get uri(): string {
    return this.#parts.uri;
  }

  /** Transactions removed from the log before they were sent are covered by snapshots. */
  get firstNeededSn(): number {
    return this.#acknowledged === null ? Number.POSITIVE_INFINITY : this.#acknowledged + 1;
  }

  hasAcknowledged(sn: number): boolean {
    return (this.#acknowledged ?? -1) >= sn;
  }

  /** Requests new snapshots of all graphs; null cancels it. */
  repair(repair: RepairAction | null): void {
    this.#repair = repair;
    this.wake();
  }

  get isRepairing(): boolean {
    return this.#repair !== null;
  }

  wake(): void {
    this.#attempts.retryNow();
    this.#sleep.wake();
  }

  report(): SubscriberReport {
    const last = this.#parts.log.channel.log.safe;
    const lagUnits = Math.max(0, last - (this.#acknowledged ?? 0));
    if (lagUnits === 0) this.#caughtUpAt = performance.now();
    return {
      ...{ uri: this.uri, host: "", ip: "", adminPort: 0, txPort: 0, digest: "", serial: 0 },
      isConnected: this.#isConnected,
      isSynchronizing: this.#isSynchronizing,
      lagMs: Math.round(performance.now() - this.#caughtUpAt),
      lagUnits,
    };
  }

  stop(): void {
    this.#attempts.end();
    this.#repair = null;
    this.#unlisten();
    this.wake();
    void this.#log?.close();
  }

  run(): Promise<void> {
    return this.#attempts.run(async () => {
      try {
        // The log id is stable only after the first write.
        if (this.#parts.log.channel.log.safe > 0) await this.#connect();
      } catch (error) {
        this.#hasFailed = true;
        throw error;
      }
    });
  }

  async #connect(): Promise<void> {
    const { log: own, open, warn } = this.#parts;
    const log = await open(true);
    this.#log = log;
    try {
      const found = await log.last();
      const { logId, epoch } = own.channel.log;
      const start = this.#resumeFrom(found);
      this.#acknowledged = start?.sn ?? null;
      const state: StreamState = { log: logId, epoch, protocol: PROTOCOL, reached: start };
      const writer = new StreamWriter(log, state, (sn) => {
        this.#acknowledged = Math.max(this.#acknowledged ?? 0, sn);
      });
      const from = start ?? (await this.#checkpoint(log, writer));
      this.#isConnected = true;
      this.#hasFailed = false;
      this.#attempts.succeeded();
      warn(`replication: ${this.uri} attached`);
      await this.#stream(log, writer, from);
    } finally {
      this.#isConnected = false;
      await log.close();
    }
  }

  /**
   * Returns where the log continues from the stream's state; null: with snapshots.
   * @throws SvcError SVC2532, SVC2535, SVC3363, SVC3364
   */
  #resumeFrom(found: StreamState | null): Start | null {
    const { onFenced, log: own } = this.#parts;
    const { logId, epoch, safe, first } = own.channel.log;
    if (found === null) return null;
    if (found.epoch > epoch) {
      this.stop();
      onFenced(found.epoch);
      const text = `${this.uri} is of epoch ${found.epoch}, this is epoch ${epoch}`;
      throw new SvcError("SVC2535", `replication: this provider was superseded: ${text}`);
    }
    if (found.log !== logId) {
      if (found.epoch < epoch) return null;
      const text = `${this.uri} contains the transactions of another instance`;
      throw new SvcError("SVC3363", `replication: ${text}`);
    }
    const { reached, protocol } = found;
    requireKnownProtocol(protocol);
    // Messages of this protocol follow a table of this protocol.
    if (reached === null || protocol < PROTOCOL) return null;
    const text = `${this.uri} has changes up to ${reached.sn}`;
    if (reached.sn > safe) {
      throw new SvcError("SVC3364", `replication: ${text}, the log here ends at ${safe}`);
    }
    if (reached.sn < first) return null;
    for (const { header } of own.channel.log.read(reached.sn)) {
      const isSame = header.sn + header.units - 1 === reached.sn;
      if (isSame && header.headerCrc === reached.chain) return reached;
      throw new SvcError("SVC3364", `replication: ${text}, which are not those of this log`);
    }
    return null;
  }

  /** Replaces the stream's contents by snapshots of all graphs. */
  async #checkpoint(log: LogStream, writer: StreamWriter): Promise<Start> {
    const { log: own, origin, snapshots, traffic } = this.#parts;
    const { last, chain, epoch } = own.channel.log;
    const nothing = { log: null, origin: null, epoch, graphs: [], diverged: [] };
    const repair = this.#repair;
    const plan = planCatchUp(own.channel, nothing, origin(), "all");
    assert(typeof plan !== "string", "a stream without graphs can catch up");
    this.#isSynchronizing = true;
    traffic.synchronizing += plan.snapshots.length;
    try {
      const seq = await writer.sendTable({ ...plan.offer, at: last });
      for (const graph of plan.snapshots) {
        plan.counts.set(graph.number, await sendSnapshot(writer, graph, snapshots));
      }
      const sn = Math.min(own.channel.firstNeeded(plan.counts), last + 1);
      const before = sn > last ? chain : own.channel.log.chainBefore(sn);
      const start = { sn: sn - 1, chain: before };
      const body = Buffer.from(JSON.stringify(start));
      await writer.sendLast(MessageType.Start, body, start);
      await writer.flush();
      await log.truncateHead(seq);
      if (this.#repair === repair) this.#repair = null;
      return start;
    } finally {
      this.#isSynchronizing = false;
      traffic.synchronizing -= plan.snapshots.length;
    }
  }

  async #stream(log: LogStream, writer: StreamWriter, start: Start): Promise<void> {
    const { log: own, gate, status, traffic, checkpointBytes = CHECKPOINT_BYTES } = this.#parts;
    const { disk, channel } = own;
    let tailer = new LogTailer(disk, channel.log, start.sn + 1);
    let bytes = 0;
    let sentAt = Number.NEGATIVE_INFINITY;
    let isStatusSent = false;
    try {
      while (!log.isClosed && !this.#attempts.isOver) {
        if (this.#repair !== null || bytes > checkpointBytes) {
          tailer.close();
          const from = await this.#checkpoint(log, writer);
          tailer = new LogTailer(disk, channel.log, from.sn + 1);
          bytes = 0;
        }
        const frame = gate.isOpen ? tailer.next() : null;
        if (frame === null) {
          await writer.flush();
          if (!isStatusSent && performance.now() - sentAt >= STATUS_MS) {
            await writer.sendJson(MessageType.Status, status());
            sentAt = performance.now();
            isStatusSent = true;
          } else await this.#sleep.wait(STATUS_MS);
          continue;
        }
        isStatusSent = false;
        bytes += frame.bytes.length;
        const records = countRecords(frame);
        const { sn, units, headerCrc } = frame.header;
        traffic.count(traffic.out, frame.bytes.length, units, records);
        const reached = { sn: sn + units - 1, chain: headerCrc };
        await writer.sendLast(MessageType.Frame, frame.bytes, reached);
        await gate.pass(frame.bytes.length, units, records);
      }
    } finally {
      tailer.close();
    }
    if (!this.#attempts.isOver) throw new Error("the connection was lost");
  }
}
