// Copies the content of slots from a source to a target. Stores the digests of the copied slots:
// after the source has stopped changing them, only slots that have changed are sent again.

import { isDeepStrictEqual } from "node:util";
import { SvcError } from "../../../runtime/base/errors.js";
import type { SlotLeader } from "../../../runtime/base/next-slot-step.js";
import type { SlotMove, SlotRecord } from "../../../runtime/base/slot-record.js";
import type {
  EncodedSlot,
  EncodedSlots,
  SlotInstances,
} from "../../../runtime/system/slot-moves/slot-instances.js";
import type { MoveRate } from "./move-rate.js";

const MAX_WORDS = 2 ** 24;
/** Maximum slots per request. */
const MAX_SLOTS_PER_READ = 256;

/** A slot to send, and the number of bytes already sent. */
interface PendingSlot {
  readonly graph: string;
  readonly slot: EncodedSlot;
  readonly names: readonly unknown[];
  offset: number;
}

type HeldSlots = EncodedSlots & { readonly record: SlotRecord };

/** Content of slots, for one request to the target. */
interface Message {
  /** By graph. */
  readonly names: Readonly<Record<string, readonly unknown[]>>;
  readonly chunks: readonly object[];
  /** Slots that are complete with this message. */
  readonly completed: readonly PendingSlot[];
  readonly bytes: number;
}

/** Encoded slots, with the content that was read in advance. */
interface ReadSlots extends EncodedSlots {
  readonly messages?: readonly Message[];
}

/** Slots of the next cut, encoded during the current one. */
interface ReadAhead {
  readonly from: SlotLeader;
  readonly encoded: ReadSlots;
}

export class SlotCopier {
  readonly #instances: SlotInstances;
  readonly #rate: MoveRate;
  /** Id of the move whose content the target has. It drops that of any other move. */
  #stagedId = "";
  /** Digests of this content, by graph and slot. */
  readonly #staged = new Map<string, string>();
  /** Slots read in advance; null: none. */
  #ahead: Promise<ReadAhead | null> = Promise.resolve(null);
  /** Bytes sent so far. */
  bytes = 0;

  constructor(instances: SlotInstances, rate: MoveRate) {
    this.#instances = instances;
    this.#rate = rate;
  }

  /** Discards the digests, because the target may have lost the content. */
  forget(): void {
    this.#staged.clear();
  }

  /**
   * Encodes the first of some slots, until they reach `maxWords`, but at least one. Slots read in
   * advance have the size that was chosen then.
   */
  async encode(from: SlotLeader, slots: readonly number[], maxWords: number): Promise<ReadSlots> {
    const ahead = await this.#takeAhead();
    const isFirst = ahead?.encoded.slots.every((slot, place) => slots[place] === slot) ?? false;
    if (ahead === null || !isFirst || !isDeepStrictEqual(ahead.from, from)) {
      return this.#encode(from, slots, maxWords);
    }
    return ahead.encoded;
  }

  /** A new encoding replaces the one that is being read. */
  #takeAhead(): Promise<ReadAhead | null> {
    const ahead = this.#ahead;
    this.#ahead = Promise.resolve(null);
    return ahead;
  }

  /** Stops changes of the slots of a move at the source, and encodes all of them. */
  async encodeHeld(from: SlotLeader, move: SlotMove): Promise<HeldSlots> {
    await this.#takeAhead();
    const encoded = await this.#encode(from, move.slots, MAX_WORDS, move);
    return encoded as HeldSlots;
  }

  /**
   * Encodes slots of the next cut during the current one, and reads them while the target writes.
   * Instances execute one command at a time, so that further ones would delay the end of the cut.
   * @param written settles when the target has written the current cut
   */
  readAhead(
    from: SlotLeader,
    slots: readonly number[],
    maxWords: number,
    written: Promise<unknown>,
  ): void {
    let isWritten = false;
    const end = (): void => {
      isWritten = true;
    };
    written.then(end, end);
    const read = async (): Promise<ReadAhead> => {
      const encoded = await this.#encode(from, slots, maxWords);
      const pending = listSlots(encoded);
      const messages: Message[] = [];
      while (pending.length > 0 && !isWritten) messages.push(await this.#read(pending, from));
      return { from, encoded: { ...encoded, messages } };
    };
    this.#ahead = read().catch(() => null);
  }

  #encode(
    { id, term }: SlotLeader,
    slots: readonly number[],
    maxWords: number,
    move?: SlotMove,
  ): Promise<EncodedSlots> {
    const command = { do: "encode", slots, term, maxWords, move };
    return this.#instances.send(id, command) as unknown as Promise<EncodedSlots>;
  }

  /** Copies the anchors, from which arcs of the slots start, to a new group. */
  async copyAnchors(id: string, from: SlotLeader, to: SlotLeader): Promise<void> {
    const command = { do: "encode-anchors", term: from.term };
    const anchors = await this.#instances.send(from.id, command);
    await this.copy(anchors as unknown as EncodedSlots, id, from, to);
  }

  /** Sends the slots that the target lacks, in messages of limited size. */
  async copy(encoded: ReadSlots, id: string, from: SlotLeader, to: SlotLeader): Promise<void> {
    for (const message of encoded.messages ?? []) await this.#stage(message, id, to);
    const pending = this.#listPending(encoded, id, to);
    while (pending.length > 0) await this.#stage(await this.#read(pending, from), id, to);
  }

  #listPending(encoded: EncodedSlots, id: string, to: SlotLeader): PendingSlot[] {
    if (id !== this.#stagedId) return listSlots(encoded);
    return listSlots(encoded).filter(
      (pending) => this.#staged.get(stagingKey(pending, to)) !== pending.slot.digest,
    );
  }

  /** Reads the next bytes of some slots, and removes complete ones from the list. */
  async #read(pending: PendingSlot[], from: SlotLeader): Promise<Message> {
    const batch = pending.slice(0, MAX_SLOTS_PER_READ);
    const wanted = batch.map(({ graph, slot: { slot }, offset }) => ({ graph, slot, offset }));
    const { data } = await this.#instances.send(from.id, { do: "read", wanted });
    const texts = (data as readonly string[]).slice(0, batch.length);
    const received = texts.map((text) => Buffer.byteLength(text, "base64"));
    if (received.length === 0 || (received[0] === 0 && batch[0]!.slot.bytes > 0)) {
      // The source has since encoded other content.
      throw new SvcError("SVC3115", `${from.id} lacks slot ${batch[0]!.slot.slot}`);
    }
    const chunks = texts.map((text, index) => {
      return { ...wanted[index], length: batch[index]!.slot.bytes, data: text };
    });
    const names = Object.fromEntries(
      batch.map(({ graph, names: graphNames }) => [graph, graphNames]),
    );
    for (const [index, bytes] of received.entries()) batch[index]!.offset += bytes;
    const isPartial = ({ offset, slot }: PendingSlot) => offset < slot.bytes;
    const count = received.findIndex((_, index) => isPartial(batch[index]!));
    const completed = pending.splice(0, count < 0 ? received.length : count);
    return { names, chunks, completed, bytes: received.reduce((sum, bytes) => sum + bytes, 0) };
  }

  async #stage(
    { names, chunks, completed, bytes }: Message,
    id: string,
    to: SlotLeader,
  ): Promise<void> {
    if (id !== this.#stagedId) this.forget();
    this.#stagedId = id;
    await this.#instances.send(to.id, { do: "stage", id, names, chunks });
    for (const copy of completed) this.#staged.set(stagingKey(copy, to), copy.slot.digest);
    this.bytes += bytes;
    await this.#rate.pass(bytes);
  }
}

function listSlots({ graphs }: EncodedSlots): PendingSlot[] {
  return graphs.flatMap(({ graph, slots, names }) =>
    slots.map((slot) => ({ graph, slot, names, offset: 0 })),
  );
}

function stagingKey({ graph, slot }: PendingSlot, to: SlotLeader): string {
  return `${to.id} ${graph} ${slot.slot}`;
}
