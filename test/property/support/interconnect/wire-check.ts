// Rules for everything that the members of a group send to each other: no provider offers its
// graphs to a member that has told a later epoch, and no member acknowledges anything to a leader
// that it knows to be replaced.

import * as assert from "uvu/assert";
import { MessageType } from "../../../../runtime/interconnect/wire/messages.js";
import type { VirtualSocket } from "./virtual-network.js";
import type { VirtualProcess } from "./virtual-world.js";

/** Places in a message. */
const TYPE_BYTE = 4;
const BODY_BYTE = 16;

export class WireCheck {
  readonly #epochOf: (owner: VirtualProcess | null) => number;
  /** Epoch that an end of a connection has told last. */
  readonly #epochs = new WeakMap<VirtualSocket, number>();

  /** @param readEpoch returns the highest epoch that a process knows of */
  constructor(readEpoch: (owner: VirtualProcess | null) => number) {
    this.#epochOf = readEpoch;
  }

  /** @throws AssertionError */
  sent(socket: VirtualSocket, bytes: Buffer): void {
    const { owner, peer } = socket;
    // The connection is broken already.
    if (peer === null) return;
    const type = bytes[TYPE_BYTE];
    if (type === MessageType.Positions || type === MessageType.Table) {
      this.#epochs.set(socket, JSON.parse(bytes.toString("utf8", BODY_BYTE)).epoch);
    }
    const [ownVersion, peerVersion] = [this.#epochs.get(socket) ?? 0, this.#epochs.get(peer) ?? 0];
    if (type === MessageType.Table) {
      assert.ok(
        ownVersion >= peerVersion,
        `${owner?.id} of epoch ${ownVersion} offers to a member of epoch ${peerVersion}`,
      );
    }
    if (type !== MessageType.Ack) return;
    const known = this.#epochOf(owner);
    assert.ok(
      peerVersion >= known,
      `${owner?.id} knows epoch ${known}, and acknowledges to one of ${peerVersion}`,
    );
  }
}
