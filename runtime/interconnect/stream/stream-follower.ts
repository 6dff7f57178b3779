// Follows a stream: reads from its latest snapshots, skips what is already applied, then applies
// what follows until stopped.

import { SvcError } from "../../base/errors.js";
import { serialBase } from "../log/segment-format.js";
import type { FollowerParts, LogFollower } from "../log-transport.js";
import type { Replica } from "../replica.js";
import { InterruptibleSleep, RetryLoop } from "../retry-loop.js";
import { type Message, MessageType, malformedMessage } from "../wire/messages.js";
import { parseJsonBody } from "../wire/peer.js";
import { parseOffer, parseSnapshotHead, parseStatus } from "../wire/positions.js";
import type { LogStream, OpenStream } from "./log-stream.js";
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
  #serialBase: number | null = null;
  /** Sequence of the snapshots after which a graph had diverged. */
  #divergedAt: number | null = null;
  readonly #attempts: RetryLoop;
  readonly #opened = new InterruptibleSleep();

  constructor(parts: StreamFollowerParts) {
    this.#parts = parts;
    this.#attempts = new RetryLoop({
      ...{ name: parts.uri, code: "SVC3365", warn: parts.warn },
      ...{ minDelayMs: MIN_BACKOFF_MS, maxDelayMs: MAX_BACKOFF_MS },
    });
  }

  get origin(): string | null {
    return this.#parts.replica.origin;
  }

  stop(): void {
    this.#attempts.end();
    void this.#log?.close();
    this.#opened.ring();
  }

  async retire(): Promise<void> {
    await this.#parts.replica.retire();
  }

  async settle(): Promise<void> {
    await this.#parts.replica.settle();
  }

  promoted(): void {
    this.stop();
  }

  wake(): void {
    this.#attempts.hurry();
    this.#opened.ring();
  }

  async run(): Promise<void> {
    const { replica } = this.#parts;
    const timer = setInterval(() => replica.keepMark(), MARKER_INTERVAL_MS).unref();
    await this.#attempts.run(() => this.#connect());
    clearInterval(timer);
  }

  async #connect(): Promise<void> {
    const { uri, open, traffic, replica } = this.#parts;
    const log = await open(false);
    this.#log = log;
    try {
      const first = await log.first();
      // Empty, or nothing that would repair the divergence.
      if (first === null || first === this.#divergedAt) return;
      traffic.provider = uri;
      await this.#follow(new StreamReader(log.read(first)), first);
    } finally {
      traffic.provider = null;
      traffic.providerDigest = "";
      replica.keepMark();
      await log.close();
    }
  }

  async #follow(reader: StreamReader, first: number): Promise<void> {
    try {
      while (!this.#attempts.isOver) {
        const message = await reader.next();
        if (message === null) return;
        while (!this.#parts.gate.isOpen && !this.#attempts.isOver)
          await this.#opened.wait(MAX_BACKOFF_MS);
        await this.#take(reader, message);
      }
    } catch (error) {
      if (error instanceof SvcError && error.code === "SVC3200") this.#divergedAt = first;
      throw error;
    }
  }

  async #take(reader: StreamReader, { type, body }: Message): Promise<void> {
    const { traffic, replica } = this.#parts;
    if (type === MessageType.Frame) {
      const { header, records } = await replica.take(body);
      traffic.count(traffic.in, body.length, header.units, records);
      if (this.#serialBase !== null) {
        traffic.serial = this.#serialBase + header.sn + header.units - 1;
      }
    } else if (type === MessageType.Start) {
      replica.start(parseJsonBody(body));
    } else if (type === MessageType.Status) {
      const { at, serial, digest, graphs } = parseStatus(parseJsonBody(body));
      replica.compare(graphs);
      traffic.lagMs = Math.max(0, Date.now() - at);
      traffic.serial = serial;
      traffic.providerDigest = digest;
    } else if (type === MessageType.SnapshotBegin) {
      await this.#snapshot(reader, parseJsonBody(body));
    } else if (type === MessageType.Table) {
      await this.#begin(parseJsonBody(body));
    } else throw malformedMessage(`message ${type} is not expected`);
  }

  async #begin(given: unknown): Promise<void> {
    const { replica, uri, warn } = this.#parts;
    const { at } = (given ?? {}) as { at?: unknown };
    if (!Number.isSafeInteger(at)) throw malformedMessage("no offer of a stream");
    const offer = parseOffer(given);
    await replica.acceptAgain(offer, at as number);
    this.#serialBase = offer.isRoot ? serialBase(offer.logId) : null;
    this.#attempts.succeeded();
    warn(`replication: ${uri} provides ${offer.graphs.length} graphs`);
  }

  async #snapshot(reader: StreamReader, given: unknown): Promise<void> {
    const { traffic, replica } = this.#parts;
    const head = parseSnapshotHead(given);
    if (!replica.needs(head)) {
      for (let at = 0; at < head.bytes; ) {
        const { length } = await reader.expect(MessageType.SnapshotChunk);
        if (length === 0) throw malformedMessage("an empty piece");
        at += length;
      }
      await reader.expect(MessageType.SnapshotEnd);
      return;
    }
    traffic.synchronizing++;
    try {
      await replica.receive(reader, given);
    } finally {
      traffic.synchronizing--;
    }
  }
}
