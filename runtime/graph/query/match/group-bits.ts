// Cached results of a condition, as bits by property group: which vertices were tested, and which
// of these passed. All bits belong to one state of the graph.

import { ARC_WORDS } from "../../memory/layout.js";
import { getGroup, getGroupBit } from "../../store/property-groups.js";
import { moveArc } from "./arc-stack.js";

/** Maximum number of groups, which take 12 bytes each. */
const MAX_GROUPS = 2 ** 18;
const MAX_STAMP = 0xffff_ffff;

export class GroupBits {
  #known = new Uint32Array(0);
  #passing = new Uint32Array(0);
  /** The bits of a group are valid with the current stamp. */
  #stamps = new Uint32Array(0);
  #stamp = 0;
  #state = -1;

  /**
   * Returns true if the bits belong to this state of the graph; otherwise clears them.
   * @param state see `GraphStore.settledCount`
   */
  renew(state: number): boolean {
    if (state !== -1 && state === this.#state) return true;
    this.#state = state;
    if (this.#stamp === MAX_STAMP) {
      this.#stamps.fill(0);
      this.#stamp = 0;
    }
    this.#stamp++;
    return false;
  }

  /** Makes room for groups; returns false for too many. */
  reserve(groups: number): boolean {
    if (groups > MAX_GROUPS) return false;
    if (groups <= this.#stamps.length) return true;
    this.#known = new Uint32Array(groups);
    this.#passing = new Uint32Array(groups);
    this.#stamps = new Uint32Array(groups);
    this.#stamp = 1;
    return true;
  }

  /** Returns the known vertices of a group; none beyond the reserved groups. */
  known(group: number): number {
    return this.#stamps[group] === this.#stamp ? this.#known[group]! : 0;
  }

  /**
   * Moves the arcs whose heads meet the condition, or do not if negated, to the front; returns
   * their end.
   * @param testGroup adds the vertices of the group of a vertex, none of which is known
   */
  filter(
    arcs: Uint32Array,
    from: number,
    end: number,
    isNegated: boolean,
    testGroup: (vertex: number) => void,
  ): number {
    const stamps = this.#stamps;
    const stamp = this.#stamp;
    const passing = this.#passing;
    const expectedBit = isNegated ? 0 : 1;
    let top = from;
    for (let arc = from; arc < end; arc += ARC_WORDS) {
      const head = arcs[arc]!;
      const group = getGroup(head);
      if (stamps[group] !== stamp) testGroup(head);
      if (((passing[group]! >>> getGroupBit(head)) & 1) === expectedBit)
        top = moveArc(arcs, arc, top);
    }
    return top;
  }

  /** Returns the known vertices of a group that meet the condition. */
  passing(group: number): number {
    return this.#passing[group]!;
  }

  /** Adds vertices to the known ones of a group. */
  set(group: number, known: number, passing: number): void {
    const isFirst = this.#stamps[group] !== this.#stamp;
    this.#stamps[group] = this.#stamp;
    this.#known[group] = isFirst ? known : this.#known[group]! | known;
    this.#passing[group] = isFirst ? passing : this.#passing[group]! | passing;
  }
}
