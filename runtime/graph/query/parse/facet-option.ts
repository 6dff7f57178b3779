// Parses `facets` and `groupBy`.
//
//   facets: { brand: 10, price: { ranges: [50, 100] }, ".type": 5, shop: { arc: "sold_by" } }
//   groupBy: "model", { key: "model", stats: "price", distinct: "color" }

import { MAX_FACET_VALUES } from "../../../base/limits.js";
import { isPlainRecord } from "../../model/check-argument.js";
import { D_ANY, D_BOTH } from "../../model/constants.js";
import { atArgumentPath, inMember, invalidArgument } from "../../model/invalid-argument.js";
import type { GraphStore } from "../../store/graph-store.js";
import type { Facet } from "../hits/facet-counters.js";
import type { Grouping } from "../hits/hit-groups.js";
import type { TotalsOption } from "../hits/slot-totals.js";
import { compileArcFilter } from "./arc-filter.js";
import type { ArcFilter } from "./query-options.js";

const MAX_FACETS = 16;
const MAX_LIMITS = 64;
const MAX_TOTALS = 8;
const DEFAULT_TOP = 10;
const TYPE = ".type";
/** Names in a message about unknown keys. */
const MAX_NAMES = 20;

const MEMBERS = ["property", "top", "ranges", "arc", "stats", "distinct"];
const GROUP_MEMBERS = ["key", "stats", "distinct"];
const FITS = `a number of values, or { ${MEMBERS.join(", ")} }`;

/** Where the properties of an option are looked up. */
export interface KeySource {
  readonly store: GraphStore;
  /** Receives unknown properties, which other partitions may have; null to refuse them. */
  readonly unknown: Set<string> | null;
}

/**
 * Returns the facets; null if there are none.
 * @throws QueryError, SearchError
 */
export function parseFacets(source: KeySource, option: unknown): readonly Facet[] | null {
  if (option === undefined || option === null) return null;
  if (!isPlainRecord(option)) {
    throw invalidArgument("invalid facets parameter", option, `{ name: ${FITS} }`, ".facets");
  }
  const facets = Object.entries(option).filter(([, facet]) => facet !== undefined);
  if (facets.length === 0 || facets.length > MAX_FACETS) {
    const fits = `1 to ${MAX_FACETS} facets`;
    throw invalidArgument(`invalid number of facets: ${facets.length}`, option, fits, ".facets");
  }
  return facets.map(([name, facet]) => {
    try {
      return parseFacet(source, name, facet);
    } catch (error) {
      throw atArgumentPath(error, `.facets${inMember(name)}`);
    }
  });
}

function parseFacet(source: KeySource, name: string, option: unknown): Facet {
  const facet = typeof option === "number" ? { top: option } : option;
  if (!isPlainRecord(facet)) throw invalidArgument("invalid facet", option, FITS);
  const { property, top, ranges, arc, ...totals } = membersOf(facet, MEMBERS);
  const shared = { name, ...parseTotals(source, totals) };
  if (arc !== undefined) {
    if (property !== undefined || ranges !== undefined) {
      throw invalidArgument("invalid facet", option, "`arc` without `property` and `ranges`");
    }
    return { ...shared, kind: "arcs", arc: parseArc(source.store, arc), top: parseTop(top) };
  }
  const at = property === undefined ? "" : ".property";
  const key = parseKey(source, property ?? name, at);
  if (ranges !== undefined) {
    if (key === null || top !== undefined) {
      throw invalidArgument("invalid facet", option, "`ranges` of a property, without `top`");
    }
    return { ...shared, kind: "ranges", key, limits: parseLimits(ranges) };
  }
  if (key === null) return { ...shared, kind: "type", top: parseTop(top) };
  return { ...shared, kind: "values", key, top: parseTop(top) };
}

/**
 * Returns how hits are grouped; null if they are not.
 * @throws QueryError
 */
export function parseGroupBy(source: KeySource, option: unknown): Grouping | null {
  if (option === undefined || option === null) return null;
  const group = typeof option === "string" ? { key: option } : option;
  if (!isPlainRecord(group)) {
    const fits = `a property, "${TYPE}", or { ${GROUP_MEMBERS.join(", ")} }`;
    throw invalidArgument("invalid groupBy parameter", option, fits, ".groupBy");
  }
  try {
    const { key, ...totals } = membersOf(group, GROUP_MEMBERS);
    const at = typeof option === "string" ? "" : ".key";
    return { key: parseKey(source, key, at), ...parseTotals(source, totals) };
  } catch (error) {
    throw atArgumentPath(error, ".groupBy");
  }
}

function membersOf(option: object, names: readonly string[]): Record<string, unknown> {
  const members: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(option)) {
    if (!names.includes(name)) {
      throw invalidArgument(`unknown member: '${name}'`, value, names.join(", "), inMember(name));
    }
    if (value !== undefined && value !== null) members[name] = value;
  }
  return members;
}

/** Returns a property of the graph, null for the type. An empty graph has any. */
function parseKey({ store, unknown }: KeySource, key: unknown, at: string): string | null {
  if (key === TYPE) return null;
  const isText = typeof key === "string";
  if (isText && (store.keys.codeOf(key) !== 0 || store.order === 0)) return key;
  if (isText && unknown !== null) {
    unknown.add(key);
    return key;
  }
  const known = Object.keys(store.keys.list()).sort();
  const more = known.length > MAX_NAMES ? ", ..." : "";
  const fits = `${TYPE}, ${known.slice(0, MAX_NAMES).join(", ")}${more}`;
  throw invalidArgument(`unknown property: '${String(key)}'`, key, fits, at);
}

function parseArc(store: GraphStore, arc: unknown): ReturnType<typeof compileArcFilter> {
  const test = compileArcFilter(store, arc as ArcFilter, D_ANY, ".arc");
  test.refuseDynamic(".arc");
  if (test.direction !== D_BOTH) return test;
  throw invalidArgument("invalid facet", test.direction, "D_OUT, D_IN, D_ANY", ".arc");
}

function parseTop(top: unknown): number {
  if (top === undefined) return DEFAULT_TOP;
  if (Number.isInteger(top) && Number(top) >= 1 && Number(top) <= MAX_FACET_VALUES)
    return Number(top);
  throw invalidArgument(
    "invalid number of values",
    top,
    `an integer of 1 to ${MAX_FACET_VALUES}`,
    ".top",
  );
}

function parseLimits(limits: unknown): number[] {
  const fits = `1 to ${MAX_LIMITS} ascending numbers`;
  const isList = Array.isArray(limits) && limits.length >= 1 && limits.length <= MAX_LIMITS;
  const isAscending =
    isList &&
    limits.every((limit: unknown, at) => {
      return (
        typeof limit === "number" && (at === 0 ? !Number.isNaN(limit) : limit > limits[at - 1])
      );
    });
  if (!isAscending) throw invalidArgument("invalid ranges", limits, fits, ".ranges");
  return [...limits] as number[];
}

function parseTotals(
  source: KeySource,
  { stats, distinct }: Record<string, unknown>,
): TotalsOption {
  return {
    stats: parseKeys(source, stats, ".stats"),
    distinct: parseKeys(source, distinct, ".distinct"),
  };
}

function parseKeys(source: KeySource, keys: unknown, at: string): readonly string[] {
  if (keys === undefined) return [];
  const list: unknown[] = Array.isArray(keys) ? keys : [keys];
  if (list.length > MAX_TOTALS) {
    throw invalidArgument("too many properties", keys, `at most ${MAX_TOTALS}`, at);
  }
  return list.map((key, index) => {
    const place = Array.isArray(keys) ? `${at}[${index}]` : at;
    const parsed = parseKey(source, key, place);
    if (parsed !== null) return parsed;
    throw invalidArgument("invalid property", key, "a property", place);
  });
}
