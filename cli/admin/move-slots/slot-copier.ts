// Copies the content of slots from a source to a target, and remembers what the target has: after
// the source has stopped changing them, only slots that changed meanwhile are sent again.

import { SvcError } from "../../../runtime/base/errors.js";
import type { SlotLeader } from "../../../runtime/base/next-slot-step.js";
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

export class SlotCopier {
  readonly #instances: SlotInstances;
  readonly #rate: MoveRate;
  /** Digests of what the target of the attempt has received, by graph and slot. */
  readonly #staged = new Map<string, string>();
  /** Settles once nothing is encoded ahead. */
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
    maxWords = MAX_WORDS,
  ): Promise<EncodedSlots> {
    // It would replace what is read next.
    await this.#ahead;
    return this.#encode(from, slots, maxWords);
  }

  /** Lets a source encode slots that it keeps for the next cut. */
  encodeAhead(from: SlotLeader, slots: readonly number[], maxWords: number): void {
    this.#ahead = this.#encode(from, slots, maxWords).catch(() => undefined);
  }

  #encode(
    { id, term }: SlotLeader,
    slots: readonly number[],
    maxWords: number,
  ): Promise<EncodedSlots> {
    const command = { do: "encode", slots, term, maxWords };
    return this.#instances.send(id, command) as unknown as Promise<EncodedSlots>;
  }

  /** A new group has none: arcs of the slots start there. */
  async copyAnchors(id: string, from: SlotLeader, to: SlotLeader): Promise<void> {
    const command = { do: "encode-anchors", term: from.term };
    const anchors = await this.#instances.send(from.id, command);
    await this.copy(anchors as unknown as EncodedSlots, id, from, to);
  }

  /** Sends what the target does not have yet, in messages of limited size. */
  async copy(
    { graphs }: EncodedSlots,
    id: string,
    from: SlotLeader,
    to: SlotLeader,
  ): Promise<void> {
    const placeOf = ({ graph, slot }: PendingSlot) => `${to.id} ${graph} ${slot.slot}`;
    const all = graphs.flatMap(({ graph, slots, names }) =>
      slots.map((slot): PendingSlot => ({ graph, slot, names, offset: 0 })),
    );
    const pending = all.filter((one) => this.#staged.get(placeOf(one)) !== one.slot.digest);
    for (let next = 0; next < pending.length; ) {
      const asked = pending.slice(next, next + MAX_ASKED);
      const received = await this.#send(asked, id, from, to);
      for (const [at, bytes] of received.entries()) {
        const one = asked[at]!;
        one.offset += bytes;
        if (one.offset < one.slot.bytes) break;
        this.#staged.set(placeOf(one), one.slot.digest);
        next++;
      }
    }
  }

  /** Sends the next bytes of some slots, at least of one; returns how many of each. */
  async #send(
    asked: readonly PendingSlot[],
    id: string,
    from: SlotLeader,
    to: SlotLeader,
  ): Promise<number[]> {
    const wanted = asked.map(({ graph, slot: { slot }, offset }) => ({ graph, slot, offset }));
    const { data } = await this.#instances.send(from.id, { do: "read", wanted });
    const read = (data as readonly string[]).slice(0, asked.length);
    const received = read.map((text) => Buffer.byteLength(text, "base64"));
    if (received.length === 0 || (received[0] === 0 && asked[0]!.slot.bytes > 0)) {
      // It has encoded other content since.
      throw new SvcError("SVC3115", `${from.id} lacks slot ${asked[0]!.slot.slot}`);
    }
    const chunks = read.map((text, at) => {
      const { bytes: length, digest } = asked[at]!.slot;
      return { ...wanted[at], length, digest, data: text };
    });
    const names = Object.fromEntries(asked.map(({ graph, names: own }) => [graph, own]));
    await this.#instances.send(to.id, { do: "stage", id, names, chunks });
    const sum = received.reduce((total, bytes) => total + bytes, 0);
    this.bytes += sum;
    await this.#rate.pass(sum);
    return received;
  }
}
