// Merges the partials of all partitions into one response (plugin-api, "PluginResponse"). Only
// numbers are summed and keys compared: items are never decoded, nor copied before the response is
// written.

import { ResponseError } from "../base/errors.js";
import { S_NONE } from "../base/sort-constants.js";
import { isNumeric, type PartialNumbers } from "../partial/partial-layout.js";
import { PartialView } from "../partial/partial-view.js";
import { isDescending, type KeyWire, sortbyText, sortClass } from "../partial/sort-order.js";
import { concatenateEntries, type EntryOrder, mergeSortedByKey } from "./merge-order.js";

const MAX_LEVEL = 2 ** 32 - 1;

/** A merged response that refers to the bytes of the partials. */
export interface MergedResponse extends PartialNumbers {
  /** Addressed partitions that did not respond. */
  readonly incomplete: number;
  /** Engines that contributed, by partition; null if partial results are not allowed. */
  readonly leaves: readonly number[] | null;
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
 * @param partials by partition; null where none was received
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
 * Merges the intact ones of the received partials; returns null if there are none.
 * @throws ResponseError if partials are incompatible
 */
export function mergeTrusted(partials: readonly (Uint8Array | null)[]): MergedResponse | null {
  const views = partials.map(parseViewIfIntact);
  if (views.every((view) => view === null)) return null;
  return { ...mergeViews(views, null), leaves: views.map((view) => view?.partials ?? 0) };
}

function mergeViews(views: readonly (PartialView | null)[], target: number | null): MergedResponse {
  const arrived = views.filter((view) => view !== null);
  const filled = arrived.filter(({ count }) => count > 0);
  const sorting = commonSorting(views);
  if (arrived.length === 0) throw new TypeError("nothing to merge");
  // The maximum as it stands: unlimited (-1) only if every partition is, so that one without a
  // limit does not override one that sets it.
  const maxhits = arrived.reduce((most, view) => Math.max(most, view.maxhits), -1);
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
    // An engine without a declared key type reports int until it meets a fraction.
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
  const level = views.reduce((most, view) => Math.max(most, view.level), 0) + 1;
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
