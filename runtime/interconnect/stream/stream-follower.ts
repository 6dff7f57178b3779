// Follower of a stream: reads from the latest snapshots on, skips changes that the replica already
// has, and applies later ones until stopped.

import { SvcError } from "../../base/errors.js";
import type { ReplicaReport } from "../../metrics/traffic.js";
import type { FollowerParts, LogFollower } from "../log-transport.js";
import type { Replica } from "../replica.js";
import { ReplicaInput } from "../replica-input.js";
import { InterruptibleSleep, RetryLoop } from "../retry-loop.js";
import { type Message, MessageType, malformedMessage } from "../wire/messages.js";
import { parseJsonBody } from "../wire/peer.js";
import { parseOffer, parseSnapshotHead } from "../wire/positions.js";
import type { LogStream, OpenStream, StreamState } from "./log-stream.js";
import { StreamReader } from "./stream-messages.js";

const MIN_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 5_000;
const MARKER_INTERVAL_MS = 2_000;

export interface StreamFollowerParts extends Omit<FollowerParts, "createReplica"> {
  readonly uri: string;
  readonly open: OpenStream;
  readonly replica: Replica;
}

export class StreamFollower implements LogFollower {
  readonly #parts: StreamFollowerParts;
  #log: LogStream | null = null;
  readonly #input: ReplicaInput;
  /** Broker sequence of the snapshots that led to a diverged graph; null: none. */
  #divergedAt: number | null = null;
  /** State at the end of the stream when this connection began. */
  #end: StreamState | null = null;
  readonly #attempts: RetryLoop;
  readonly #sleep = new InterruptibleSleep();

  constructor(parts: StreamFollowerParts) {
    this.#parts = parts;
    this.#input = new ReplicaInput(parts.replica, parts.traffic);
    this.#attempts = new RetryLoop({
      ...{ name: parts.uri, code: "SVC3365", warn: parts.warn },
      ...{ minDelayMs: MIN_BACKOFF_MS, maxDelayMs: MAX_BACKOFF_MS },
    });
  }

  get origin(): string | null {
    return this.#parts.replica.origin;
  }

  report(): ReplicaReport {
    return this.#parts.replica.report();
  }

  stop(): void {
    this.#attempts.end();
    void this.#log?.close();
    this.#sleep.wake();
  }

  async retire(): Promise<void> {
    await this.#parts.replica.retire();
  }

  async settle(): Promise<void> {
    await this.#parts.replica.settle();
  }

  onPromoted(): void {
    this.stop();
  }

  wake(): void {
    this.#attempts.retryNow();
    this.#sleep.wake();
  }

  async run(): Promise<void> {
    const { replica } = this.#parts;
    const timer = setInterval(() => replica.refreshMarker(), MARKER_INTERVAL_MS).unref();
    await this.#attempts.run(() => this.#connect());
    clearInterval(timer);
  }

  async #connect(): Promise<void> {
    const { uri, open, traffic, replica } = this.#parts;
    const log = await open(false);
    this.#log = log;
    try {
      const first = await log.findSnapshotTable();
      // Wait until the stream has snapshots, or newer ones that repair the divergence.
      if (first === null || first === this.#divergedAt) return;
      this.#end = await log.readLastState();
      traffic.provider = uri;
      await this.#follow(new StreamReader(log.read(first)), first);
    } finally {
      traffic.provider = null;
      traffic.providerDigest = "";
      replica.refreshMarker();
      replica.providerLost();
      await log.close();
    }
  }

  async #follow(reader: StreamReader, first: number): Promise<void> {
    try {
      while (!this.#attempts.isOver) {
        const message = await reader.next();
        if (message === null) return;
        while (!this.#parts.gate.isOpen && !this.#attempts.isOver)
          await this.#sleep.wait(MAX_BACKOFF_MS);
        await this.#process(reader, message);
      }
    } catch (error) {
      if (error instanceof SvcError && error.code === "SVC3200") this.#divergedAt = first;
      throw error;
    }
  }

  async #process(reader: StreamReader, message: Message): Promise<void> {
    const { type, body } = message;
    if (type === MessageType.Table) await this.#acceptOffer(parseJsonBody(body));
    else if (type === MessageType.SnapshotBegin && !this.#needs(body)) await skip(reader, body);
    else await this.#input.apply(reader, message);
  }

  #needs(head: Buffer): boolean {
    return this.#parts.replica.needsSnapshot(parseSnapshotHead(parseJsonBody(head)));
  }

  async #acceptOffer(table: unknown): Promise<void> {
    const { replica, uri, warn } = this.#parts;
    const { at } = (table ?? {}) as { at?: unknown };
    if (!Number.isSafeInteger(at)) throw malformedMessage("invalid offer in a stream");
    const offer = parseOffer(table);
    // The goal in the stored offer is outdated: use the end of the stream, or else the position at
    // which the snapshots were taken.
    const isSameLog = this.#end?.log === offer.logId && this.#end.reached !== null;
    const goal = isSameLog ? this.#end!.reached!.sn : (at as number);
    await replica.acceptFromStream({ ...offer, goal }, at as number);
    this.#input.begin(offer);
    this.#attempts.succeeded();
    warn(`replication: following ${uri} (${offer.graphs.length} graphs)`);
  }
}

/** Discards a snapshot that the replica does not need. */
async function skip(reader: StreamReader, head: Buffer): Promise<void> {
  const { bytes, values = 0 } = parseSnapshotHead(parseJsonBody(head));
  for (let at = 0; at < bytes + values; ) {
    const { length } = await reader.expect(MessageType.SnapshotChunk);
    at += length;
  }
  await reader.expect(MessageType.SnapshotEnd);
}
