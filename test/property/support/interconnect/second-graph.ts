// A second graph of a simulated group, which clients create, change and erase while members fail.
// Changes acknowledged after the last erasure are there, and erased ones do not come back.

import * as assert from "uvu/assert";
import { openStore } from "../../../runtime/graph/support/make-graph.js";
import type { Instance } from "../../../runtime/interconnect/support/instance.js";
import type { Random } from "../random.js";
import { OTHER_GRAPH, type SimulatedMember } from "./simulated-member.js";

const ERASURES = 5;

export class SecondGraph {
  readonly #random: Random;
  /** Epoch of each vertex whose creation was acknowledged, unless an erasure has begun since. */
  readonly #expected = new Map<string, number>();
  readonly #erased = new Set<string>();
  /** Erasures that have begun. */
  #generation = 0;
  #serial = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** A client changes it at a leader; returns whether the change was acknowledged. */
  async change(member: SimulatedMember, instance: Instance): Promise<boolean> {
    const { epoch } = member.group!;
    const isThere = instance.find(OTHER_GRAPH) !== null;
    if (isThere && this.#random.below(ERASURES) === 0) return this.#erase(instance);
    const id = `w${this.#serial++}`;
    const generation = this.#generation;
    try {
      openStore(instance.store(OTHER_GRAPH)).createVertex(id, {});
    } catch {
      // The instance follows by now.
      return true;
    }
    if (!(await instance.isConfirmed())) return false;
    if (generation === this.#generation) this.#expected.set(id, epoch);
    return true;
  }

  /** An erasure without acknowledgment may have happened or not. */
  async #erase(instance: Instance): Promise<boolean> {
    const ids = [...this.#expected.keys()];
    this.#expected.clear();
    this.#generation++;
    instance.erase(OTHER_GRAPH);
    if (!(await instance.isConfirmed())) return false;
    for (const id of ids) this.#erased.add(id);
    return true;
  }

  /** A leader of this epoch has all that was acknowledged, and nothing that was erased. */
  check(member: SimulatedMember, epoch: number): void {
    const store = member.secondStore;
    const graph = store === null ? null : openStore(store);
    for (const [id, expected] of this.#expected) {
      if (expected > epoch || graph?.hasVertex(id) === true) continue;
      throw new Error(`${member.id} of epoch ${epoch} lacks ${id} of epoch ${expected}`);
    }
    for (const id of this.#erased) {
      assert.not.ok(graph?.hasVertex(id), `${member.id} has ${id}, which was erased`);
    }
  }
}
