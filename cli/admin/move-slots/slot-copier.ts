// Copies the content of slots from a source to a target, and remembers what the target has: after
// the source has stopped changing them, only slots that changed meanwhile are sent again.

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
/** Slots of one request. */
const MAX_ASKED = 256;

/** A slot whose content is to be sent, and how many bytes the target has. */
interface PendingSlot {
  readonly graph: string;
  readonly slot: EncodedSlot;
  readonly names: readonly unknown[];
  offset: number;
}

type HeldSlots = EncodedSlots & { readonly record: SlotRecord };

/** Bytes of slots, as the target gets them. */
interface Message {
  /** By graph. */
  readonly names: Readonly<Record<string, readonly unknown[]>>;
  readonly chunks: readonly object[];
  /** Slots that it completes. */
  readonly ended: readonly PendingSlot[];
  readonly bytes: number;
}

export class SlotCopier {
  readonly #instances: SlotInstances;
  readonly #rate: MoveRate;
  /** Digests of what the target of the attempt has received, by graph and slot. */
  readonly #staged = new Map<string, string>();
  /** Settles once nothing is copied ahead. */
  #ahead: Promise<unknown> = Promise.resolve();
  /** Bytes sent so far. */
  bytes = 0;

  constructor(instances: SlotInstances, rate: MoveRate) {
    this.#instances = instances;
    this.#rate = rate;
  }

  /** The target may have lost what it had received. */
  forget(): void {
    this.#staged.clear();
  }

  /** Encodes slots, at least one, until they have `maxWords`. */
  async encode(
    from: SlotLeader,
    slots: readonly number[],
    maxWords: number,
  ): Promise<EncodedSlots> {
    // It would replace what is read next.
    await this.#ahead;
    return this.#encode(from, slots, maxWords);
  }

  /** Encodes all slots of a move, which the source does not change any more. */
  async encodeHeld(from: SlotLeader, move: SlotMove): Promise<HeldSlots> {
    await this.#ahead;
    const encoded = await this.#encode(from, move.slots, MAX_WORDS, move);
    return encoded as HeldSlots;
  }

  /**
   * Copies slots of the next cut while the present one is executed: they are read while the target
   * writes, and sent while the source removes. Slots not read by then are copied later.
   * @param written resolves when the target has written the present cut
   */
  copyAhead(
    id: string,
    from: SlotLeader,
    to: SlotLeader,
    slots: readonly number[],
    maxWords: number,
    written: Promise<unknown>,
  ): void {
    let isWritten = false;
    const end = written.finally(() => {
      isWritten = true;
    });
    const copy = async (): Promise<void> => {
      const pending = this.#listPending(await this.#encode(from, slots, maxWords), to);
      const messages: Message[] = [];
      while (pending.length > 0 && !isWritten) messages.push(await this.#read(pending, from));
      await end;
      for (const message of messages) await this.#stage(message, id, to);
    };
    end.catch(() => undefined);
    this.#ahead = copy().catch(() => undefined);
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

  /** A new group has none: arcs of the slots start there. */
  async copyAnchors(id: string, from: SlotLeader, to: SlotLeader): Promise<void> {
    const command = { do: "encode-anchors", term: from.term };
    const anchors = await this.#instances.send(from.id, command);
    await this.copy(anchors as unknown as EncodedSlots, id, from, to);
  }

  /** Sends what the target does not have yet, in messages of limited size. */
  async copy(encoded: EncodedSlots, id: string, from: SlotLeader, to: SlotLeader): Promise<void> {
    const pending = this.#listPending(encoded, to);
    while (pending.length > 0) await this.#stage(await this.#read(pending, from), id, to);
  }

  #listPending({ graphs }: EncodedSlots, to: SlotLeader): PendingSlot[] {
    const all = graphs.flatMap(({ graph, slots, names }) =>
      slots.map((slot): PendingSlot => ({ graph, slot, names, offset: 0 })),
    );
    return all.filter((one) => this.#staged.get(placeOf(one, to)) !== one.slot.digest);
  }

  /** Reads the next bytes of some slots, and removes complete ones from the list. */
  async #read(pending: PendingSlot[], from: SlotLeader): Promise<Message> {
    const asked = pending.slice(0, MAX_ASKED);
    const wanted = asked.map(({ graph, slot: { slot }, offset }) => ({ graph, slot, offset }));
    const { data } = await this.#instances.send(from.id, { do: "read", wanted });
    const read = (data as readonly string[]).slice(0, asked.length);
    const received = read.map((text) => Buffer.byteLength(text, "base64"));
    if (received.length === 0 || (received[0] === 0 && asked[0]!.slot.bytes > 0)) {
      // It has encoded other content since.
      throw new SvcError("SVC3115", `${from.id} lacks slot ${asked[0]!.slot.slot}`);
    }
    const chunks = read.map((text, at) => {
      return { ...wanted[at], length: asked[at]!.slot.bytes, data: text };
    });
    const names = Object.fromEntries(asked.map(({ graph, names: own }) => [graph, own]));
    for (const [at, bytes] of received.entries()) asked[at]!.offset += bytes;
    const isPartial = ({ offset, slot }: PendingSlot) => offset < slot.bytes;
    const count = received.findIndex((_, at) => isPartial(asked[at]!));
    const ended = pending.splice(0, count < 0 ? received.length : count);
    return { names, chunks, ended, bytes: received.reduce((sum, bytes) => sum + bytes, 0) };
  }

  async #stage(
    { names, chunks, ended, bytes }: Message,
    id: string,
    to: SlotLeader,
  ): Promise<void> {
    await this.#instances.send(to.id, { do: "stage", id, names, chunks });
    for (const one of ended) this.#staged.set(placeOf(one, to), one.slot.digest);
    this.bytes += bytes;
    await this.#rate.pass(bytes);
  }
}

function placeOf({ graph, slot }: PendingSlot, to: SlotLeader): string {
  return `${to.id} ${graph} ${slot.slot}`;
}
