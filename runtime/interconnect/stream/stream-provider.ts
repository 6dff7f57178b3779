// Replication provider for a broker stream: writes snapshots of all graphs, then each frame after
// its flush. Resends from the log what the broker lost, or missed during an outage.

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
/** After this many bytes of frames, new snapshots replace them: new followers then read less. */
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
  /** True from a failed attempt until the next connection. */
  #hasFailed = false;
  #isSynchronizing = false;
  #repair: RepairAction | null = null;
  #log: LogStream | null = null;
  #caughtUpAt = performance.now();
  readonly #attempts: RetryLoop;
  /** Woken when there may be more to send. */
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

  /** Unknown until connected: snapshots then replace transactions that the log has removed. */
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
    const last = this.#parts.log.channel.log.durableSn;
    const lagTransactions = Math.max(0, last - (this.#acknowledged ?? 0));
    if (lagTransactions === 0) this.#caughtUpAt = performance.now();
    return {
      ...{ uri: this.uri, host: "", ip: "", adminPort: 0, txPort: 0, digest: "", serial: 0 },
      isConnected: this.#isConnected,
      isSynchronizing: this.#isSynchronizing,
      lagMs: Math.round(performance.now() - this.#caughtUpAt),
      lagTransactions,
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
        // An empty log gets another id with the next start.
        if (this.#parts.log.channel.log.durableSn > 0) await this.#connect();
      } catch (error) {
        this.#hasFailed = true;
        throw error;
      }
    });
  }

  async #connect(): Promise<void> {
    const { log: localLog, open, warn } = this.#parts;
    const log = await open(true);
    this.#log = log;
    try {
      const { logId, epoch } = localLog.channel.log;
      const start = this.#findResumePoint(await log.readLastState());
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
   * Returns the position from which to continue the stream; null: with new snapshots.
   * @throws SvcError SVC2532, SVC2535, SVC3363, SVC3364
   */
  #findResumePoint(stream: StreamState | null): Start | null {
    const { onFenced, log: localLog } = this.#parts;
    const { logId, epoch, durableSn, first } = localLog.channel.log;
    if (stream === null) return null;
    if (stream.epoch > epoch) {
      this.stop();
      onFenced(stream.epoch);
      const text = `${this.uri} has epoch ${stream.epoch}, this provider ${epoch}`;
      throw new SvcError("SVC2535", `replication: this provider was superseded: ${text}`);
    }
    if (stream.log !== logId) {
      if (stream.epoch < epoch) return null;
      const text = `${this.uri} contains the transactions of another instance`;
      throw new SvcError("SVC3363", `replication: ${text}`);
    }
    const { reached, protocol } = stream;
    requireKnownProtocol(protocol);
    // The messages after a table must have its protocol.
    if (reached === null || protocol < PROTOCOL) return null;
    const text = `${this.uri} has changes up to ${reached.sn}`;
    if (reached.sn > durableSn) {
      throw new SvcError("SVC3364", `replication: ${text}, but the local log ends at ${durableSn}`);
    }
    if (reached.sn < first) return null;
    for (const { header } of localLog.channel.log.read(reached.sn)) {
      const isSame = header.sn + header.transactions - 1 === reached.sn;
      if (isSame && header.headerCrc === reached.chain) return reached;
      throw new SvcError("SVC3364", `replication: ${text}, which differ from the local log`);
    }
    return null;
  }

  /** Replaces the contents of the stream by snapshots of all graphs. */
  async #checkpoint(log: LogStream, writer: StreamWriter): Promise<Start> {
    const { log: localLog, origin, snapshots, traffic } = this.#parts;
    const { last, chain, epoch } = localLog.channel.log;
    const noPositions = { log: null, origin: null, epoch, graphs: [], diverged: [] };
    const repair = this.#repair;
    const plan = planCatchUp(localLog.channel, noPositions, origin(), "all");
    assert(typeof plan !== "string", "a stream without graphs can catch up");
    this.#isSynchronizing = true;
    traffic.synchronizing += plan.snapshots.length;
    try {
      const seq = await writer.sendTable({ ...plan.offer, at: last });
      for (const graph of plan.snapshots) {
        plan.counts.set(graph.number, await sendSnapshot(writer, graph, snapshots));
      }
      const sn = Math.min(localLog.channel.firstNeeded(plan.counts), last + 1);
      const chainBefore = sn > last ? chain : localLog.channel.log.chainBefore(sn);
      const start = { sn: sn - 1, chain: chainBefore };
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
    const { gate, status, traffic, checkpointBytes = CHECKPOINT_BYTES } = this.#parts;
    const { disk, channel } = this.#parts.log;
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
        const { sn, transactions, headerCrc } = frame.header;
        traffic.count(traffic.out, frame.bytes.length, transactions, records);
        const reached = { sn: sn + transactions - 1, chain: headerCrc };
        await writer.sendLast(MessageType.Frame, frame.bytes, reached);
        await gate.pass(frame.bytes.length, transactions, records);
      }
    } finally {
      tailer.close();
    }
    if (!this.#attempts.isOver) throw new Error("the connection was lost");
  }
}
