// Replication provider: sends the transaction log to one subscriber until stopped. After the
// handshake it sends snapshots of graphs whose missing changes the log no longer contains, then
// frames as they are flushed. A slow or absent subscriber uses no memory: its backlog is on disk.

import { setTimeout as sleep } from "node:timers/promises";
import { SvcError } from "../base/errors.js";
import type { RepairAction } from "../graph/manager/graph-source.js";
import type { SubscriberReport } from "../metrics/traffic.js";
import { isSuperseded, planCatchUp } from "./catch-up-plan.js";
import type { Incarnation } from "./leadership/leadership.js";
import { LogTailer } from "./log/log-tailer.js";
import { countRecords } from "./log/transactions.js";
import type { LogSender, LogTransport, SenderParts } from "./log-transport.js";
import { InterruptibleSleep, RetryLoop } from "./retry-loop.js";
import { sendSnapshot } from "./snapshot-transfer.js";
import { dial, parseAddress, parseHostAndPort, SCHEME } from "./wire/dial.js";
import { MessageType } from "./wire/messages.js";
import { connectionLost, PEER_LIMITS, Peer, parseJsonBody, peerRejected } from "./wire/peer.js";
import { type PeerStatus, parsePositions, parseStatus, type Start } from "./wire/positions.js";

const MIN_BACKOFF_MS = 50;
/** Shorter for members of a group, because changes wait for them after a takeover. */
const MIN_MEMBER_BACKOFF_MS = 10;
const MAX_BACKOFF_MS = 10_000;
/** Heartbeat interval. */
const HEARTBEAT_MS = 2_000;

export interface ProviderParts extends Omit<SenderParts, "root" | "onEnded"> {
  readonly host: string;
  readonly port: number;
}

export class Provider implements LogSender {
  readonly #parts: ProviderParts;
  readonly #address: string;
  /** Last transaction acknowledged on this connection; null: none. */
  #acknowledged: number | null = null;
  /** First transaction that the subscriber needed when it connected. */
  #needed = Number.POSITIVE_INFINITY;
  #peer: Peer | null = null;
  /** The subscriber as a member of the group; null: not a member. */
  #member: Incarnation | null = null;
  #isSynchronizing = false;
  /** True between Pause and Resume of the subscriber. */
  #isPaused = false;
  #offeredOrigin: string | null = null;
  /** Last status of the subscriber. */
  #peerStatus: PeerStatus | null = null;
  /** Last time without lag. */
  #caughtUpAt = performance.now();
  /** Rings when there may be more to send. */
  readonly #sleep = new InterruptibleSleep();
  #repair: RepairAction | null = null;
  /** Repair that was sent on this connection. */
  #repaired: RepairAction | null = null;
  readonly #attempts: RetryLoop;
  readonly #unlisten: () => void;

  constructor(parts: ProviderParts) {
    this.#parts = parts;
    this.#address = `${parts.host}:${parts.port}`;
    const isMember = parts.members !== undefined;
    this.#attempts = new RetryLoop({
      ...{ name: this.#address, code: "SVC2531", warn: parts.warn },
      minDelayMs: isMember ? MIN_MEMBER_BACKOFF_MS : MIN_BACKOFF_MS,
      maxDelayMs: parts.members?.maxDelayMs ?? MAX_BACKOFF_MS,
    });
    this.#unlisten = parts.log.onFlushed(() => this.#sleep.wake());
  }

  /** First transaction that the subscriber may still need. */
  get firstNeededSn(): number {
    return this.#acknowledged === null ? this.#needed : this.#acknowledged + 1;
  }

  get uri(): string {
    return `${SCHEME}${this.#address}`;
  }

  hasAcknowledged(sn: number): boolean {
    return (this.#acknowledged ?? -1) >= sn;
  }

  /** Reconnects to resend diverged graphs; null cancels a repair. */
  repair(repair: RepairAction | null): void {
    this.#repair = repair;
    this.#peer?.close();
    this.#attempts.retryNow();
  }

  get isRepairing(): boolean {
    return this.#repair !== null;
  }

  wake(): void {
    this.#sleep.wake();
  }

  report(): SubscriberReport {
    const { port, log } = this.#parts;
    const isConnected = this.#peer !== null && !this.#peer.isClosed;
    const last = log.channel.log.durableSn;
    const lagTransactions = Math.max(0, last - (this.#acknowledged ?? 0));
    if (lagTransactions === 0) this.#caughtUpAt = performance.now();
    const { host = "", adminPort = 0, digest = "", serial = 0 } = this.#peerStatus ?? {};
    return {
      uri: this.uri,
      host,
      ip: this.#peer?.address ?? "",
      adminPort,
      txPort: port,
      isConnected,
      isSynchronizing: this.#isSynchronizing,
      digest,
      serial,
      lagMs: Math.round(performance.now() - this.#caughtUpAt),
      lagTransactions,
    };
  }

  stop(): void {
    this.#attempts.end();
    this.#repair = null;
    this.#unlisten();
    this.#peer?.close();
  }

  run(): Promise<void> {
    return this.#attempts.run(() => this.#connect());
  }

  async #connect(): Promise<void> {
    const { host, port, key, origin } = this.#parts;
    // The log id is stable only after the first write.
    while (origin().log === null && !this.#attempts.isOver) {
      await sleep(MIN_BACKOFF_MS, undefined, { ref: false });
    }
    const socket = await dial(host, port);
    if (this.#attempts.isOver) {
      socket.destroy();
      return;
    }
    const { members } = this.#parts;
    const heartbeats = members === undefined ? {} : { heartbeatMs: members.ackMs };
    const peer = new Peer(socket, { ...PEER_LIMITS, ...heartbeats });
    this.#peer = peer;
    try {
      await peer.handshake("provider", key);
      const start = await this.#handshake(peer);
      const listening = this.#listen(peer).finally(() => {
        peer.close();
        this.#sleep.wake();
      });
      try {
        await this.#stream(peer, start);
      } finally {
        peer.close();
        await listening;
      }
    } finally {
      peer.close();
      if (this.#member !== null) this.#parts.members?.onLost(this.#member);
      this.#member = null;
      this.#isPaused = false;
    }
  }

  /**
   * Sends the snapshots that the subscriber needs.
   * @returns position after which frames follow
   * @throws SvcError SVC2532, SVC2535
   */
  async #handshake(peer: Peer): Promise<Start> {
    const { log, snapshots, traffic, origin, onFenced } = this.#parts;
    const positions = parsePositions(parseJsonBody(await peer.expectInTime(MessageType.Positions)));
    const { epoch } = log.channel.log;
    if (positions.epoch > epoch) {
      this.stop();
      onFenced(positions.epoch);
      const text =
        `${this.#address} follows epoch ${positions.epoch}, but this instance is at epoch ` +
        `${epoch}`;
      throw new SvcError("SVC2535", `replication: this provider was superseded: ${text}`);
    }
    this.#member = positions.member;
    const ownOrigin = origin();
    // The offer lists the graphs opened so far; the log announces later ones.
    const { last, chain } = log.channel.log;
    const repair = this.#repair;
    const plan = planCatchUp(log.channel, positions, ownOrigin, repair);
    if (typeof plan === "string") {
      const isAhead = positions.member !== null && isSuperseded(positions, ownOrigin, log.channel);
      const end = ownOrigin.ancestors.find(({ id }) => id === positions.log?.id) ?? null;
      await (isAhead ? peer.refuseAhead(plan, end) : peer.refuse(plan));
      throw new SvcError("SVC2532", `replication: ${this.#address} has diverged: ${plan}`);
    }
    const needed = (): number => Math.min(log.channel.firstNeeded(plan.counts), last + 1);
    this.#acknowledged = null;
    this.#needed = needed();
    await peer.sendJson(MessageType.Table, plan.offer);
    this.#offeredOrigin = ownOrigin.log;
    this.#isSynchronizing = true;
    traffic.synchronizing += plan.snapshots.length;
    try {
      for (const graph of plan.snapshots) {
        plan.counts.set(graph.number, await sendSnapshot(peer, graph, snapshots));
      }
    } finally {
      this.#isSynchronizing = false;
      traffic.synchronizing -= plan.snapshots.length;
    }
    this.#repaired = repair;
    const start = needed();
    this.#needed = start;
    return { sn: start - 1, chain: start > last ? chain : log.channel.log.chainBefore(start) };
  }

  async #stream(peer: Peer, start: Start): Promise<void> {
    const { log, status, gate, origin, traffic } = this.#parts;
    const tailer = new LogTailer(log.disk, log.channel.log, start.sn + 1);
    let isStarted = false;
    let sentAt = Number.NEGATIVE_INFINITY;
    try {
      while (!peer.isClosed) {
        if (performance.now() - sentAt >= HEARTBEAT_MS) {
          // The root provider has changed: a reconnection announces it.
          if (origin().log !== this.#offeredOrigin) return;
          await peer.sendJson(MessageType.Status, status());
          sentAt = performance.now();
        }
        // Until a transaction is durable here, a crash may replace it by another one.
        if (!isStarted && log.channel.log.durableSn >= start.sn) {
          isStarted = true;
          await peer.sendJson(MessageType.Start, start);
        }
        const frame = gate.isOpen && !this.#isPaused ? tailer.next() : null;
        if (frame === null) {
          await this.#sleep.wait(HEARTBEAT_MS);
          continue;
        }
        const { length } = frame.bytes;
        const { transactions } = frame.header;
        const records = countRecords(frame);
        traffic.count(traffic.out, length, transactions, records);
        await peer.send(MessageType.Frame, frame.bytes);
        await gate.pass(length, transactions, records);
      }
    } finally {
      tailer.close();
    }
  }

  async #listen(peer: Peer): Promise<void> {
    try {
      for (let isFirst = true; ; ) {
        const message = await peer.next();
        if (message === null) throw connectionLost();
        if (message.type === MessageType.Refusal) throw peerRejected(message.body);
        if (message.type === MessageType.Status)
          this.#peerStatus = parseStatus(parseJsonBody(message.body));
        if (message.type === MessageType.Pause) this.#isPaused = true;
        if (message.type === MessageType.Resume) {
          this.#isPaused = false;
          this.#sleep.wake();
        }
        if (message.type !== MessageType.Ack || message.body.length !== 8) continue;
        if (isFirst) this.#parts.warn(`replication: ${this.#address} attached`);
        isFirst = false;
        this.#attempts.succeeded();
        if (this.#repaired === this.#repair) this.#repair = null;
        const sn = Number(message.body.readBigUInt64LE());
        this.#acknowledged = Math.min(sn, this.#parts.log.channel.log.durableSn);
        if (this.#member === null) continue;
        this.#parts.members?.onAcknowledged(this.#member, this.#acknowledged);
      }
    } catch (error) {
      this.#attempts.failed(error as Error);
    }
  }
}

/** Transport over TCP connections to other instances. */
export const peerTransport: LogTransport = {
  scheme: SCHEME,
  canonicalUri: (uri) => `${SCHEME}${parseAddress(uri)}`,
  createSender: (uri, parts) => new Provider({ ...parts, ...parseHostAndPort(uri, parts.key) }),
};
