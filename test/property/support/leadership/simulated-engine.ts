// Engine of one record in virtual time: calls and responses are late or lost, it fails at times,
// and a lost call may still have its effect.

import type {
  LeadershipRecord,
  Reading,
} from "../../../../runtime/interconnect/leadership/leadership.js";
import type { EngineCall } from "../../../../runtime/interconnect/leadership/member.js";
import type { Random } from "../random.js";
import type { VirtualTime } from "./virtual-time.js";

export class SimulatedEngine {
  record: LeadershipRecord | null = null;
  #revision = 0;
  isAway = false;
  /** No message is late or lost any more. */
  isCalm = false;
  /** Nodes that cannot reach it. */
  readonly unreachableFor = new Set<string>();
  /** Called when the record has changed. */
  onRecord: (record: LeadershipRecord, previousRecord: LeadershipRecord | null) => void = () =>
    undefined;
  readonly #time: VirtualTime;
  readonly #random: Random;

  constructor(time: VirtualTime, random: Random) {
    this.#time = time;
    this.#random = random;
  }

  /** `answer` is called at most once, and never if a message was lost. */
  call(node: string, call: EngineCall, respond: (result: Reading | string | null) => void): void {
    this.#deliver(node, () => {
      const result = call.do === "swap" ? this.#swap(call) : this.#read();
      this.#deliver(node, () => respond(result));
    });
  }

  #deliver(node: string, run: () => void): void {
    if (this.isCalm) return this.#time.after(1 + this.#random.below(10), run);
    const isLost = this.isAway || this.unreachableFor.has(node) || this.#random.below(200) === 0;
    const isLate = this.#random.below(50) === 0;
    const ms = 1 + this.#random.below(isLate ? 3000 : 10);
    // A call that a server took before it went away may be executed later.
    if (isLost && this.#random.below(4) > 0) return;
    this.#time.after(isLost ? ms + this.#random.below(3000) : ms, run);
  }

  #read(): Reading {
    return { revision: String(this.#revision), record: this.record };
  }

  #swap(call: Extract<EngineCall, { do: "swap" }>): string | null {
    if (call.revision !== String(this.#revision)) return null;
    const previousRecord = this.record;
    this.record = call.record;
    this.onRecord(call.record, previousRecord);
    return String(++this.#revision);
  }
}
