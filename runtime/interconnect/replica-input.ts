// Applies the messages of a provider to a replica and records their traffic, for every transport.

import type { Traffic } from "../metrics/traffic.js";
import { serialBase } from "./log/segment-format.js";
import type { Replica } from "./replica.js";
import type { MessageSource } from "./snapshot-transfer.js";
import { type Message, MessageType, malformedMessage } from "./wire/messages.js";
import { parseJsonBody } from "./wire/peer.js";
import { type Offer, parseStatus } from "./wire/positions.js";

export class ReplicaInput {
  readonly #replica: Replica;
  readonly #traffic: Traffic;
  /** Null if the provider is a replica itself: then its status contains the serial. */
  #serialBase: number | null = null;

  constructor(replica: Replica, traffic: Traffic) {
    this.#replica = replica;
    this.#traffic = traffic;
  }

  /** Time and end of the provider's log of a status that the replica has not reached yet. */
  #awaited: { readonly at: number; readonly sn: number } | null = null;

  /** Begins a connection. The following messages belong to this offer. */
  begin({ isRoot, logId }: Offer): void {
    this.#serialBase = isRoot ? serialBase(logId) : null;
  }

  /** @throws SvcError SVC2531, SVC2532, SVC3200 */
  async apply(source: MessageSource, { type, body }: Message): Promise<void> {
    const replica = this.#replica;
    if (type === MessageType.Frame) await this.#applyFrame(body);
    else if (type === MessageType.Start) replica.startFrames(parseJsonBody(body));
    else if (type === MessageType.Status) this.#applyStatus(parseJsonBody(body));
    else if (type === MessageType.SnapshotBegin) {
      this.#traffic.synchronizing++;
      try {
        await replica.receiveGraph(source, parseJsonBody(body));
      } finally {
        this.#traffic.synchronizing--;
      }
    } else throw malformedMessage(`message ${type} is not expected`);
  }

  async #applyFrame(body: Buffer): Promise<void> {
    const traffic = this.#traffic;
    const { header, records } = await this.#replica.applyFrame(body);
    const { sn, transactions } = header;
    traffic.count(traffic.in, body.length, transactions, records);
    if (this.#serialBase !== null) traffic.serial = this.#serialBase + sn + transactions - 1;
    this.#measureLag();
  }

  #applyStatus(json: unknown): void {
    const { at, serial, digest, graphs, goal } = parseStatus(json);
    this.#replica.compareDigests(graphs);
    this.#replica.adoptGoal(goal);
    this.#awaited ??= { at, sn: goal ?? 0 };
    this.#measureLag();
    this.#traffic.serial = serial;
    this.#traffic.providerDigest = digest;
  }

  /** Measures the lag once the replica has reached the awaited end of the provider's log. */
  #measureLag(): void {
    if (this.#awaited === null || (this.#replica.appliedSn ?? -1) < this.#awaited.sn) return;
    this.#traffic.setCaughtUp(Math.max(0, Date.now() - this.#awaited.at));
    this.#awaited = null;
  }
}
