// Merges the partials of all partitions into one response (plugin-api, "PluginResponse"). Only
// numbers are summed and keys compared: items are never decoded, nor copied before the response is
// written.

import { ResponseError } from "../base/errors.js";
import { isNumeric, type PartialNumbers } from "../base/partial/partial-layout.js";
import { PartialView } from "../base/partial/partial-view.js";
import { S_NONE } from "../base/sort-constants.js";
import { isDescending, type KeyWire, sortbyText, sortClass } from "../base/sort-order.js";

const MAX_LEVEL = 2 ** 32 - 1;

/** A merged response that refers to the bytes of the partials. */
export interface MergedResponse extends PartialNumbers {
  /** Addressed partitions that did not respond. */
  readonly incomplete: number;
  /**
   * Engines that contributed, by partition, null for a partition without an intact partial; null
   * if partial results are not allowed.
   */
  readonly leaves: readonly (number | null)[] | null;
  /** JSON text. */
  readonly meta: Uint8Array | null;
  /** The partials that have entries. */
  readonly views: readonly PartialView[];
  readonly order: EntryOrder;
}

/** Key type and order of entries. */
interface Sorting {
  readonly sortby: number;
  readonly keytype: KeyWire | null;
}

/**
 * Merges the received partials, at least one.
 * @param partials by partition; null if none was received
 * @param target the only addressed partition; null: all
 * @throws ResponseError if partials are corrupt or incompatible; its message is the response's
 */
export function mergePartials(
  partials: readonly (Uint8Array | null)[],
  target: number | null = null,
): MergedResponse {
  return mergeViews(partials.map(parseView), target);
}

/**
 * Merges the received partials without the corrupt ones; returns null if none remains.
 * @throws ResponseError if partials are incompatible
 */
export function mergeTrusted(partials: readonly (Uint8Array | null)[]): MergedResponse | null {
  const views = partials.map(parseViewIfIntact);
  if (views.every((view) => view === null)) return null;
  return { ...mergeViews(views, null), leaves: views.map((view) => view?.partials ?? null) };
}

function mergeViews(views: readonly (PartialView | null)[], target: number | null): MergedResponse {
  const arrived = views.filter((view) => view !== null);
  const filled = arrived.filter(({ count }) => count > 0);
  const sorting = commonSorting(views);
  if (arrived.length === 0) throw new TypeError("nothing to merge");
  // Unlimited (-1) only if every partition is unlimited: a partition without a limit must not
  // override the limit of another one.
  const maxhits = arrived.reduce((maximum, view) => Math.max(maximum, view.maxhits), -1);
  const available = sum(filled, "count");
  const count = maxhits < 0 ? available : Math.min(available, maxhits);
  return {
    maxhits,
    ...sorting,
    hitcount: sum(arrived, "hitcount"),
    level: levelAbove(arrived),
    levelparts: views.length,
    partials: sum(arrived, "partials"),
    i0: sum(arrived, "i0"),
    i1: sum(arrived, "i1"),
    f2: sumFloats(arrived, "f2"),
    f3: sumFloats(arrived, "f3"),
    incomplete: target === null ? views.length - arrived.length : 0,
    leaves: null,
    meta: views[target ?? 0]?.meta ?? null,
    views: filled,
    order:
      sortClass(sorting.sortby) === "any"
        ? concatenateEntries(filled, count)
        : mergeSortedByKey(filled, count, isDescending(sorting.sortby)),
  };
}

function parseView(data: Uint8Array | null, partition: number): PartialView | null {
  return data === null ? null : new PartialView(data, `partial ${partition}`);
}

function parseViewIfIntact(data: Uint8Array | null, partition: number): PartialView | null {
  try {
    return parseView(data, partition);
  } catch (error) {
    if (!(error instanceof ResponseError)) throw error;
    return null;
  }
}

/** Returns order and key type of the lowest partition with entries, which all others must share. */
function commonSorting(views: readonly (PartialView | null)[]): Sorting {
  const lowest = views.findIndex((view) => view !== null && view.count > 0);
  const first = views[lowest];
  if (first === null || first === undefined) return { sortby: S_NONE, keytype: null };
  let { keytype } = first;
  for (const [partition, view] of views.entries()) {
    if (view === null || view.count === 0) continue;
    if (!hasSameKeys(view, first)) {
      const keytypes = `keytype ${view.keytype ?? "mixed"} differs from ${keytype ?? "mixed"}`;
      throw new ResponseError(`partial ${partition} ${keytypes} of partial ${lowest}`);
    }
    if (!hasSameOrder(view, first)) {
      const orders = `sortby ${sortbyText(view.sortby)} differs from ${sortbyText(first.sortby)}`;
      throw new ResponseError(`partial ${partition} ${orders} of partial ${lowest}`);
    }
    // An engine without a declared key type reports int until it has a fractional key.
    if (view.keytype === "float") keytype = "float";
  }
  return { sortby: first.sortby, keytype };
}

function hasSameKeys(a: Sorting, b: Sorting): boolean {
  return a.keytype === b.keytype || (isNumeric(a.keytype) && isNumeric(b.keytype));
}

/**
 * Returns whether entries sorted as in `view` may stay as they are in a response sorted as in
 * `first`.
 */
function hasSameOrder(view: Sorting, first: Sorting): boolean {
  if (sortClass(first.sortby) === "any") return true;
  const isSorted = sortClass(view.sortby) !== "any";
  return isSorted && isDescending(view.sortby) === isDescending(first.sortby);
}

/** @throws ResponseError if the level exceeds the header field */
function levelAbove(views: readonly PartialView[]): number {
  const level = views.reduce((maximum, view) => Math.max(maximum, view.level), 0) + 1;
  if (level > MAX_LEVEL) throw new ResponseError("integer overflow in level");
  return level;
}

/** @throws ResponseError when the sum leaves the safe integers */
function sum(
  views: readonly PartialView[],
  name: "count" | "hitcount" | "partials" | "i0" | "i1",
): number {
  let total = 0;
  for (const view of views) {
    total += view[name];
    if (!Number.isSafeInteger(total)) throw new ResponseError(`integer overflow in ${name}`);
  }
  return total;
}

/** @throws ResponseError if the sum of finite numbers is not finite */
function sumFloats(views: readonly PartialView[], name: "f2" | "f3"): number {
  let total = 0;
  let areFinite = true;
  for (const view of views) {
    areFinite &&= Number.isFinite(view[name]);
    total += view[name];
  }
  if (areFinite && !Number.isFinite(total)) throw new ResponseError(`float overflow in ${name}`);
  return total;
}

// k-way merge of sorted partials: a tournament tree of their next entries, whose winner is replaced
// by its successor. Stable: equal keys keep the order of the partials. Nothing is copied or
// decoded.
//
//            [1] 2                 node i is won by the better of nodes 2i and 2i+1; leaves are the
//         [2] 0    [3] 2           partials, padded to a power of two with exhausted ones, which
//       [4] 0 [5] 1 [6] 2 [7] 3    always lose

/** Entry j is entry `positions[j]` of partial `sources[j]`. */
export interface EntryOrder {
  readonly sources: Uint8Array;
  readonly positions: Uint32Array;
}

/** Returns the first `count` entries in the order of the partials. */
function concatenateEntries(views: readonly PartialView[], count: number): EntryOrder {
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
function mergeSortedByKey(
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

  /** The partial with the next entry in order. */
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
