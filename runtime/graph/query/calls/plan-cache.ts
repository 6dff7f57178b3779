// Plan cache: the plans of a thread's recent queries of a graph. Services repeat one query for many
// vertices, and parsing the options takes longer than executing most of them.
//
// Options belong to the caller and may change, so they are compared member by member with a copy
// made with the plan. Options that hold more than plain data are planned each time. Probe vectors
// usually differ from query to query, so a cached plan is given the new one.

import { isNameOnly } from "../../evaluate/named-expressions.js";
import { clockReadings, nowSeconds } from "../../memory/time.js";
import type { GraphStore } from "../../store/graph-store.js";
import { checkedArguments, type QueryCall } from "../parse/query-arguments.js";
import type { ExecuteOptions } from "../parse/query-options.js";

const MAX_PLANS = 8;
/**
 * Maximum number of values in cached options: comparing long lists would cost more than planning.
 */
const MAX_VALUES = 48;
/** Options whose text may name a definition, which can be redefined. */
const FORMULAS = new Set(["filter", "pre", "post", "rank"]);

interface PlainObject {
  readonly isArray: boolean;
  readonly names: readonly string[];
  readonly values: readonly PlainValue[];
}
type PlainValue = string | number | boolean | null | undefined | PlainObject | typeof PROBE;

/** Stands for any probe vector. */
const PROBE = Symbol("probe");

/** A plan that may accept other probe vectors; see `EntryPlan`. */
type Rebindable = { rebind?(vector: unknown): boolean };

/** A plan with its execution options; all have one object shape. */
export interface CachedPlan<P> {
  readonly plan: P;
  readonly limits: ExecuteOptions;
}

interface Known<P> extends CachedPlan<P> {
  readonly options: PlainObject;
  /** Second in which the plan resolved relative times; null if it has none. */
  readonly second: number | null;
  /** True if the plan is given the probe vector of each call. */
  readonly isRebound: boolean;
}

const NO_OPTIONS = {};

/**
 * Returns a cached version of `make`, which receives the options after their names are checked.
 * @param isKept returns false for options that need a new plan each time
 */
export function planCache<O extends ExecuteOptions, P>(
  call: QueryCall,
  make: (store: GraphStore, options: O) => P,
  isKept: (options: O) => boolean = () => true,
): (store: GraphStore, options: O | undefined) => CachedPlan<P> {
  const knownOf = new WeakMap<GraphStore, Known<P>[]>();
  return (store, uncheckedOptions) => {
    const known = knownOf.get(store) ?? [];
    if (known.length === 0) knownOf.set(store, known);
    const found = takeKnown(known, uncheckedOptions ?? NO_OPTIONS);
    if (found !== null && (!found.isRebound || rebind(found, uncheckedOptions))) return found;
    const options = checkedArguments(call, uncheckedOptions);
    const { hits, offset, timeout, limexec } = options;
    const limits = { hits, offset, timeout, limexec } as ExecuteOptions;
    const now = nowSeconds();
    const readings = clockReadings();
    const plan = make(store, options);
    const second = clockReadings() === readings ? null : now;
    const copy = isKept(options) ? copyOptions(options, plan as Rebindable) : null;
    if (copy === null) return { plan, limits };
    if (known.length === MAX_PLANS) known.pop();
    const isRebound = copy.values.includes(PROBE);
    const entry = { plan, limits, options: copy, second, isRebound };
    known.unshift(entry);
    return entry;
  };
}

/**
 * Returns the entry with equal options and moves it to the front; null if there is none, or if its
 * relative times are those of another second.
 */
function takeKnown<P>(known: Known<P>[], options: unknown): Known<P> | null {
  const at = known.findIndex((entry) => isSame(entry.options, options));
  if (at < 0) return null;
  const found = known[at]!;
  const isCurrent = found.second === null || found.second === nowSeconds();
  if (at > 0 || !isCurrent) known.splice(at, 1);
  if (at > 0 && isCurrent) known.unshift(found);
  return isCurrent ? found : null;
}

/** Binds the probe vector of a known plan; false if it needs another plan. */
function rebind<P>({ plan }: Known<P>, options: unknown): boolean {
  return (plan as Rebindable).rebind?.((options as { vector: unknown }).vector) === true;
}

/** Copies options; the vector of a plan that accepts others is not compared. */
function copyOptions(options: object, plan: Rebindable): PlainObject | null {
  const { vector } = options as { vector?: unknown };
  const isAnyVector = plan.rebind !== undefined && typeof vector === "object" && vector !== null;
  if (!isAnyVector || !isPlain(options)) {
    return copyOf(options, { left: MAX_VALUES });
  }
  const copy = copyOf({ ...options, vector: null }, { left: MAX_VALUES });
  if (copy === null) return null;
  const values = copy.names.map((name, at) => (name === "vector" ? PROBE : copy.values[at]));
  return { ...copy, values };
}

/** Returns whether a value equals a copy, members in the same order. */
function isSame(copy: PlainValue, value: unknown): boolean {
  if (copy === PROBE) return typeof value === "object" && value !== null;
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

/** Copies plain data; null for anything else, or if the meaning of a text may change. */
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
  // A copy cannot represent an array with holes or with members of its own.
  if (isArray && values.length !== value.length) return null;
  return { isArray, names, values };
}

/** Returns whether a value is a plain object or array, as of a literal or of JSON. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
