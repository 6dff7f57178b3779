// k-way merge of sorted partials: a tournament tree of their next entries, whose winner is replaced
// by its successor. Stable: equal keys keep the order of the partials. Nothing is copied or
// decoded.
//
//            [1] 2                 node i is won by the better of nodes 2i and 2i+1; leaves are the
//         [2] 0    [3] 2           partials, padded to a power of two with exhausted ones, which
//       [4] 0 [5] 1 [6] 2 [7] 3    always lose

import { isNumeric } from "../partial/partial-layout.js";
import type { PartialView } from "../partial/partial-view.js";

/** Entry j is entry `positions[j]` of partial `sources[j]`. */
export interface EntryOrder {
  readonly sources: Uint8Array;
  readonly positions: Uint32Array;
}

/** Returns the first `count` entries in the order of the partials. */
export function concatenateEntries(views: readonly PartialView[], count: number): EntryOrder {
  const order = createOrder(count);
  let at = 0;
  for (let source = 0; source < views.length && at < count; source++) {
    const end = Math.min(count, at + views[source]!.count);
    order.sources.fill(source, at, end);
    for (let position = 0; at < end; at++, position++) order.positions[at] = position;
  }
  return order;
}

/**
 * Returns the first `count` entries by key; the keys have one type other than mixed, and one order.
 */
export function mergeSortedByKey(
  views: readonly PartialView[],
  count: number,
  isDescending: boolean,
): EntryOrder {
  const order = createOrder(count);
  const tournament = new Tournament(views, isDescending);
  for (let at = 0; at < count; at++) {
    const source = tournament.winner;
    order.sources[at] = source;
    order.positions[at] = tournament.take(source);
  }
  return order;
}

class Tournament {
  readonly #views: readonly PartialView[];
  readonly #isNumeric: boolean;
  /** -1 if the greatest key comes first. */
  readonly #sign: number;
  readonly #leaves: number;
  readonly #winners: Uint8Array;
  /** By partial: position of its next entry, entries left, and the key if numeric. */
  readonly #next: Uint32Array;
  readonly #left: Uint32Array;
  readonly #keys: Float64Array;

  constructor(views: readonly PartialView[], isDescending: boolean) {
    this.#views = views;
    this.#isNumeric = views.some(({ keytype }) => isNumeric(keytype));
    this.#sign = isDescending ? -1 : 1;
    this.#leaves = 2 ** Math.ceil(Math.log2(views.length));
    this.#winners = new Uint8Array(2 * this.#leaves);
    this.#next = new Uint32Array(this.#leaves);
    this.#left = new Uint32Array(this.#leaves);
    this.#keys = new Float64Array(this.#leaves);
    for (let source = 0; source < this.#leaves; source++) {
      this.#winners[this.#leaves + source] = source;
      this.#left[source] = views[source]?.count ?? 0;
      this.#readKey(source);
    }
    for (let node = this.#leaves - 1; node > 0; node--) this.#play(node);
  }

  /** The partial whose next entry comes first. */
  get winner(): number {
    return this.#winners[1]!;
  }

  /** Takes the winner's next entry and returns its position. */
  take(source: number): number {
    const position = this.#next[source]!;
    this.#next[source] = position + 1;
    this.#left[source]!--;
    this.#readKey(source);
    for (let node = (this.#leaves + source) >> 1; node > 0; node >>= 1) this.#play(node);
    return position;
  }

  #readKey(source: number): void {
    if (!this.#isNumeric || this.#left[source] === 0) return;
    this.#keys[source] = this.#sign * this.#views[source]!.numberKey(this.#next[source]!);
  }

  #play(node: number): void {
    const first = this.#winners[2 * node]!;
    const second = this.#winners[2 * node + 1]!;
    this.#winners[node] = this.#isBetter(second, first) ? second : first;
  }

  /** Returns whether the next entry of `second` precedes that of `first`, a lower partial. */
  #isBetter(second: number, first: number): boolean {
    if (this.#left[second] === 0) return false;
    if (this.#left[first] === 0) return true;
    if (this.#isNumeric) return this.#keys[second]! < this.#keys[first]!;
    const keys = this.#views[second]!.keys!;
    const others = this.#views[first]!.keys!;
    return this.#sign * keys.compare(this.#next[second]!, others, this.#next[first]!) < 0;
  }
}

function createOrder(count: number): EntryOrder {
  return { sources: new Uint8Array(count), positions: new Uint32Array(count) };
}
