// Copies the content of slots from a source to a target, and remembers what the target has: after
// the source has stopped changing them, only slots that changed meanwhile are sent again.

import type { SlotLeader } from "../../../runtime/base/next-slot-step.js";
import type {
  EncodedSlot,
  EncodedSlots,
  SlotInstances,
} from "../../../runtime/system/slot-moves/slot-instances.js";
import type { MoveRate } from "./move-rate.js";

const MAX_WORDS = 2 ** 24;

interface CopyPlace {
  /** Id of the move. */
  readonly id: string;
  readonly graph: string;
  readonly names: readonly unknown[];
  readonly from: SlotLeader;
  readonly to: SlotLeader;
}

export class SlotCopier {
  readonly #instances: SlotInstances;
  readonly #rate: MoveRate;
  /** Digests of what the target of the attempt has received, by graph and slot. */
  readonly #staged = new Map<string, string>();
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
  encode(
    { id, term }: SlotLeader,
    slots: readonly number[],
    maxWords = MAX_WORDS,
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

  /** Sends what the target does not have yet. */
  async copy(
    { graphs }: EncodedSlots,
    id: string,
    from: SlotLeader,
    to: SlotLeader,
  ): Promise<void> {
    for (const { graph, slots, names } of graphs) {
      for (const encoded of slots) {
        const place = `${to.id} ${graph} ${encoded.slot}`;
        if (this.#staged.get(place) === encoded.digest) continue;
        await this.#copySlot({ id, graph, names, from, to }, encoded);
        this.#staged.set(place, encoded.digest);
      }
    }
  }

  async #copySlot(
    { id, graph, names, from, to }: CopyPlace,
    { slot, bytes: length, digest }: EncodedSlot,
  ): Promise<void> {
    for (let offset = 0; offset < length || offset === 0; ) {
      const { data } = await this.#instances.send(from.id, { do: "read", graph, slot, offset });
      const chunk = { graph, slot, offset, length, data, digest };
      const command = { do: "stage", id, ...chunk, names };
      const { received } = await this.#instances.send(to.id, command);
      await this.#rate.pass(Number(received) - offset);
      this.bytes += Number(received) - offset;
      if (length === 0) return;
      offset = Number(received);
    }
  }
}
