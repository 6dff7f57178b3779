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
  /** Null: the provider is a replica itself, and its status carries the serial. */
  #serialBase: number | null = null;

  constructor(replica: Replica, traffic: Traffic) {
    this.#replica = replica;
    this.#traffic = traffic;
  }

  /** State of the provider that the replica has not reached: when it was, and its end. */
  #awaited: { readonly at: number; readonly sn: number } | null = null;

  /** Called with the offer that the following messages belong to. */
  begin({ isRoot, logId }: Offer): void {
    this.#serialBase = isRoot ? serialBase(logId) : null;
  }

  /** @throws SvcError SVC2531, SVC2532, SVC3200 */
  async take(source: MessageSource, { type, body }: Message): Promise<void> {
    const replica = this.#replica;
    if (type === MessageType.Frame) await this.#takeFrame(body);
    else if (type === MessageType.Start) replica.start(parseJsonBody(body));
    else if (type === MessageType.Status) this.#takeStatus(parseJsonBody(body));
    else if (type === MessageType.SnapshotBegin) {
      this.#traffic.synchronizing++;
      try {
        await replica.receive(source, parseJsonBody(body));
      } finally {
        this.#traffic.synchronizing--;
      }
    } else throw malformedMessage(`message ${type} is not expected`);
  }

  async #takeFrame(body: Buffer): Promise<void> {
    const traffic = this.#traffic;
    const { header, records } = await this.#replica.take(body);
    const { sn, units } = header;
    traffic.count(traffic.in, body.length, units, records);
    if (this.#serialBase !== null) traffic.serial = this.#serialBase + sn + units - 1;
    this.#compareEnds();
  }

  #takeStatus(given: unknown): void {
    const { at, serial, digest, graphs, goal } = parseStatus(given);
    this.#replica.compare(graphs);
    this.#replica.adoptGoal(goal);
    this.#awaited ??= { at, sn: goal ?? 0 };
    this.#compareEnds();
    this.#traffic.serial = serial;
    this.#traffic.providerDigest = digest;
  }

  #compareEnds(): void {
    if (this.#awaited === null || (this.#replica.appliedSn ?? -1) < this.#awaited.sn) return;
    this.#traffic.setEven(Math.max(0, Date.now() - this.#awaited.at));
    this.#awaited = null;
  }
}
