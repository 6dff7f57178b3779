// The plans of what a thread has asked of a graph lately: services ask the same of one vertex after
// the other, and to read the options of a query takes longer than to execute most.
//
// Options are the caller's own objects, which may change: they are compared member by member with a
// copy of those that a plan was made of. What holds more than plain data is planned each time.

import { isNameOnly } from "../../evaluate/named-expressions.js";
import { nowSeconds } from "../../memory/time.js";
import type { GraphStore } from "../../store/graph-store.js";
import { checkedArguments, type QueryCall } from "../parse/query-arguments.js";
import type { ExecuteOptions } from "../parse/query-options.js";

const MOST_PLANS = 8;
/** Values that the options of a plan consist of at most: long lists are not worth a copy. */
const MOST_VALUES = 48;
/** Options whose text may name a definition, which may get another meaning. */
const FORMULAS = new Set(["filter", "pre", "post", "rank"]);

interface PlainObject {
  readonly isArray: boolean;
  readonly names: readonly string[];
  readonly values: readonly PlainValue[];
}
type PlainValue = string | number | boolean | null | undefined | PlainObject;

/** A plan, and how much of it is asked for: of one shape, whatever the caller's options are. */
export interface CachedPlan<P> {
  readonly plan: P;
  readonly limits: ExecuteOptions;
}

interface Known<P> extends CachedPlan<P> {
  readonly options: PlainObject;
  /** What the plan compares with the time was computed in this second. */
  readonly second: number;
}

const NO_OPTIONS = {};

/**
 * What `make` does with the options of a call, once their names are checked; but for options like
 * those of a plan that it has made lately.
 * @param isKept false for options of which there is to be a new plan each time
 */
export function planCache<O extends ExecuteOptions, P>(
  call: QueryCall,
  make: (store: GraphStore, options: O) => P,
  isKept: (options: O) => boolean = () => true,
): (store: GraphStore, options: O | undefined) => CachedPlan<P> {
  const knownOf = new WeakMap<GraphStore, Known<P>[]>();
  return (store, given) => {
    const known = knownOf.get(store) ?? [];
    if (known.length === 0) knownOf.set(store, known);
    const second = nowSeconds();
    const found = takeKnown(known, given ?? NO_OPTIONS, second);
    if (found !== null) return found;
    const options = checkedArguments(call, given);
    const { hits, offset, timeout, limexec } = options;
    const limits = { hits, offset, timeout, limexec } as ExecuteOptions;
    const plan = make(store, options);
    const copy = isKept(options) ? copyOf(options, { left: MOST_VALUES }) : null;
    if (copy === null) return { plan, limits };
    if (known.length === MOST_PLANS) known.pop();
    const made = { plan, limits, options: copy, second };
    known.unshift(made);
    return made;
  };
}

/** The one with such options, which then comes first; null if there is none of this second. */
function takeKnown<P>(known: Known<P>[], options: unknown, second: number): Known<P> | null {
  const at = known.findIndex((entry) => isSame(entry.options, options));
  const found = at < 0 ? null : known[at]!;
  const isCurrent = found?.second === second;
  if (at > 0 || (at === 0 && !isCurrent)) known.splice(at, 1);
  if (at > 0 && isCurrent) known.unshift(found);
  return isCurrent ? found : null;
}

/** True if a value is what a copy was made of, with its members in the same order. */
function isSame(copy: PlainValue, value: unknown): boolean {
  if (typeof copy !== "object" || copy === null) return Object.is(copy, value);
  if (typeof value !== "object" || value === null) return false;
  const { isArray, names, values } = copy;
  if (isArray) {
    if (!Array.isArray(value) || value.length !== values.length) return false;
    for (let at = 0; at < values.length; at++) if (!isSame(values[at], value[at])) return false;
    return true;
  }
  if (!isPlain(value)) return false;
  let at = 0;
  for (const name in value) {
    if (name !== names[at] || !isSame(values[at], (value as Record<string, unknown>)[name])) {
      return false;
    }
    at++;
  }
  return at === names.length;
}

/** A copy of plain data; null for what is more than that, or may mean something else next time. */
function copyOf(value: object, budget: { left: number }): PlainObject | null {
  const isArray = Array.isArray(value);
  if (!isArray && !isPlain(value)) return null;
  const names: string[] = [];
  const values: PlainValue[] = [];
  for (const name in value) {
    const member: unknown = (value as Record<string, unknown>)[name];
    if (--budget.left < 0) return null;
    if (typeof member === "string" && FORMULAS.has(name) && isNameOnly(member)) return null;
    const copy = typeof member === "object" && member !== null ? copyOf(member, budget) : member;
    if (copy === null && member !== null) return null;
    if (typeof copy === "function" || typeof copy === "symbol" || typeof copy === "bigint") {
      return null;
    }
    names.push(name);
    values.push(copy as PlainValue);
  }
  // An array with holes, or with members of its own, is none that a copy can stand for.
  if (isArray && values.length !== value.length) return null;
  return { isArray, names, values };
}

/** True for what a literal makes, and what JSON is read to. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
