// Queries of the shop (test/runtime/graph/query/examples/shop.ts), as a client might write them:
// most of them are meaningful, and some parts of each are arbitrary.

import * as sortConstants from "../../../runtime/base/sort-constants.js";
import * as constants from "../../../runtime/graph/model/constants.js";
import type { Random } from "./random.js";

type Make = (random: Random, depth: number) => unknown;
type Members = Record<string, Make>;

const IDS = ["ann", "bo", "cy", "dee", "nord", "tent", "lamp", "rope", "mug", "zig", "nobody"];
const RELATIONSHIPS = ["knows", "bought", "rated", "viewed", "makes", "nothing"];
const TYPES = ["person", "item", "brand", "nothing"];
const KEYS = ["age", "city", "price", "nothing"];
const FIELD_NAMES = ["id", "type", "value", "degree", "properties", "created", "handle", "anchor"];
const NUMBERS = [
  ...[0, 1, 2, 5, 7, 12, 25.5, -1, -0.5, 256, 65_536, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 53],
  ...[1e300, -1e300, 1e-300, 4_102_444_799, 4_102_444_800],
];
const TEXTS = [
  ...["", "*", "a*", "*a", "a*n", "\\*", "Oslo", "Os*", "é", "\u0000", "\ud800", "9", "a b", "."],
  ...["__proto__", "constructor", "toString", "__related__", "__vertex__", "lock_", "D_OUT"],
  ...["0".repeat(32), "x".repeat(200), "y".repeat(140_000)],
];

/** Maximum nesting of conditions; deeper ones are leaves. */
const MAX_DEPTH = 5;
const HOSTILE_KEYS = ["__proto__", "constructor", "prototype", "length", "not", "id", "", "0"];

const byPrefix = (prefix: string, from: object = constants): Make => {
  const values = Object.entries(from)
    .filter(([name]) => name.startsWith(prefix))
    .map(([, value]) => value);
  return (random) => random.of(values);
};
const direction = byPrefix("D_");
const modifier = byPrefix("M_");
const comparison = byPrefix("V_");
const field = byPrefix("F_");
const format = byPrefix("R_");
const sortKey = byPrefix("S_", sortConstants);

const number: Make = (random) => (random.below(3) > 0 ? random.below(12) : random.of(NUMBERS));
const text: Make = (random) => random.of([...IDS, ...TEXTS]);
const flag: Make = (random) => random.of([true, false, null, 0, 1]);
const nothing: Make = (random) => random.of([null, undefined]);
const of =
  (...makes: readonly Make[]): Make =>
  (random, depth) =>
    random.of(makes)(random, depth);
const list =
  (...makes: readonly Make[]): Make =>
  (random, depth) =>
    makes.slice(0, 1 + random.below(makes.length)).map((make) => make(random, depth));
const combine =
  (...makes: readonly Make[]): Make =>
  (random, depth) =>
    makes.map((make) => make(random, depth));
/** Some members of an object, each with the same probability. */
const some =
  (members: Members, oneIn: number): Make =>
  (random, depth) => {
    const parts: Record<string, unknown> = {};
    for (const [name, make] of Object.entries(members)) {
      if (random.below(oneIn) === 0) parts[name] = make(random, depth + 1);
    }
    return parts;
  };
/** Nested parts, or none at the maximum depth. */
const nested =
  (make: Make): Make =>
  (random, depth) =>
    depth > MAX_DEPTH ? null : make(random, depth + 1);

const pickOneOf =
  (values: readonly unknown[]): Make =>
  (random) =>
    random.of(values);
const relationship = of(pickOneOf(RELATIONSHIPS), pickOneOf(["*", null]));
const bounds = combine(number, number);
const valueCondition = of(
  ...[number, text, nothing, combine(comparison, number), combine(comparison, text)],
  ...[
    combine(pickOneOf([constants.V_RANGE, constants.V_NRANGE]), bounds),
    combine(comparison, bounds),
  ],
);
const arcFilter: Make = of(
  ...[nothing, flag, direction, relationship],
  ...[list(relationship, direction, modifier, comparison, number)],
  ...[combine(relationship, direction, modifier, comparison, bounds)],
  combine(
    pickOneOf([true, false]),
    nested((random, depth) => arcFilter(random, depth)),
  ),
  some({ rel: relationship, dir: direction, mod: modifier, cond: comparison, value: number }, 2),
);
const collect = of(flag, arcFilter, pickOneOf([constants.C_SCAN]));
const negatable = (make: Make): Make => of(make, combine(pickOneOf([true, false]), make));
const times = some(
  { created: valueCondition, modified: valueCondition, expires: valueCondition },
  2,
);
const properties: Make = (random, depth) =>
  Object.fromEntries(
    random.list(3, () => [random.of([...KEYS, ...TEXTS]), valueCondition(random, depth)]),
  );
const degree = of(valueCondition, combine(arcFilter, valueCondition));
const neighbor: Make = nested((random, depth) => vertexCondition(random, depth));
const rule = of(
  some({ arc: arcFilter, neighbor, collect, assert: flag, filter: nothing }, 2),
  ...[text, list(text, text, text), list(relationship, direction)],
);
const conditionMembers: Members = {
  virtual: flag,
  type: of(pickOneOf([...TYPES, "*", null]), combine(comparison, pickOneOf(TYPES))),
  degree,
  indegree: degree,
  outdegree: degree,
  id: of(text, list(text, text), some({ id: text }, 1)),
  abstime: negatable(times),
  reltime: negatable(times),
  property: negatable(properties),
  adjacent: rule,
  traverse: rule,
  arc: arcFilter,
  neighbor,
  collect,
  assert: flag,
  has_arc: arcFilter,
  has_neighbor: neighbor,
  not: neighbor,
  and: list(neighbor, neighbor),
  or: list(neighbor, neighbor, neighbor),
  filter: nothing,
  similarity: nothing,
  text: (random, depth) => searchedText(random, depth),
};
const vertexCondition: Make = of(
  ...[text, nothing, list(text, text, text)],
  ...[some(conditionMembers, 9), some(conditionMembers, 9), some(conditionMembers, 5)],
  negatable(nested((random, depth) => vertexCondition(random, depth))),
);

const resultMembers: Members = {
  result: of(format, format, pickOneOf(["simple", "str", "list", "dict", "other"]), number),
  fields: of(field, field, number, list(...FIELD_NAMES.map((name) => pickOneOf([name])))),
  select: pickOneOf([
    "age",
    "age, city",
    "*",
    "price ? 5",
    ".id, .type",
    "a: b",
    "",
    ",",
    "?",
    "'x",
  ]),
  sortby: of(sortKey, sortKey, number),
  counts: flag,
  timing: flag,
};
const pageMembers: Members = { hits: number, offset: number };
const key = pickOneOf(KEYS);
/** Values that an option accepts, and sometimes others. */
const option = (...values: readonly unknown[]): Make =>
  of(pickOneOf(values), pickOneOf(values), pickOneOf(values), number, text, nothing);
const aggregates: Members = { stats: of(key, list(key, key)), distinct: key };
const facet: Make = of(
  ...[option(1, 5), option(1, 5)],
  some({ property: key, top: number, ...aggregates }, 2),
  some({ property: key, ranges: list(number, number), arc: arcFilter }, 2),
);
const byKey =
  (make: Make): Make =>
  (random, depth) =>
    Object.fromEntries(random.list(3, () => [random.of(KEYS), make(random, depth + 1)]));
const searchWords: Members = {
  in: option("text", null),
  keys: of(list(key, key), byKey(option(1, 0.5, 0, -1))),
  match: option("all", "any", 1, 2),
  fuzzy: option(0, 1, 2, "auto"),
  prefix: flag,
  language: option(null, "en"),
};
const searchMembers: Members = {
  ...searchWords,
  facets: byKey(facet),
  groupBy: of(key, some({ key, ...aggregates }, 2)),
  highlight: of(list(key), byKey(option(20, 0))),
  rerank: option(10, -1),
  fuse: of(flag, some({ rrf: number, candidates: number }, 2)),
  vector: option(null, [1, 2], [], "v"),
  cursor: option(true, true, "c3abc"),
  statistics: of(flag, some({ documents: number, lengths: list(number), terms: list(text) }, 1)),
  counts: flag,
};
const searchedText: Make = (random, depth) => ({
  query: text(random, depth),
  ...(some(searchWords, 6)(random, depth) as object),
});

/** Generators of the arguments of each call, by name. */
export const QUERIES = {
  neighborhood: some(
    { ...resultMembers, ...pageMembers, arc: arcFilter, neighbor: vertexCondition, collect },
    2,
  ),
  global: some({ ...resultMembers, ...pageMembers, condition: vertexCondition }, 2),
  search: some(
    { ...resultMembers, ...pageMembers, ...searchMembers, condition: vertexCondition },
    8,
  ),
  aggregate: some(
    {
      ...{ arc: arcFilter, neighbor: vertexCondition, collect, counts: flag },
      ...{ fields: resultMembers.fields!, result: resultMembers.result! },
    },
    2,
  ),
  adjacent: some({ arc: arcFilter, neighbor: vertexCondition }, 1),
  list: some({ neighbor: vertexCondition, sortby: sortKey, hits: number }, 2),
  degree: some({ arc: arcFilter }, 1),
} as const;

/** Returns a value of any type. */
export function randomValue(random: Random, depth = 0): unknown {
  switch (random.below(depth > 3 ? 3 : 6)) {
    case 0:
      return number(random, depth);
    case 1:
      return text(random, depth);
    case 2:
      return random.of([null, undefined, true, false]);
    case 3:
      return random.list(4, () => randomValue(random, depth + 1));
    case 4:
      return vertexCondition(random, depth + 1);
    default:
      return createObject(
        random.list(3, () => [randomKey(random), randomValue(random, depth + 1)]),
      );
  }
}

/** Returns the value with a few parts replaced. */
export function mutateQuery(random: Random, value: unknown, oneIn: number): unknown {
  if (random.below(oneIn) === 0) return randomValue(random);
  if (Array.isArray(value)) {
    const items = value.map((item) => mutateQuery(random, item, oneIn));
    return random.below(oneIn) === 0 ? items.slice(1) : items;
  }
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, item]): [string, unknown] => [
    random.below(oneIn) === 0 ? randomKey(random) : name,
    mutateQuery(random, item, oneIn),
  ]);
  return createObject(members);
}

function randomKey(random: Random): string {
  return random.of([...HOSTILE_KEYS, ...KEYS, ...Object.keys(conditionMembers)]);
}

/** Like JSON.parse: `__proto__` is a plain member. */
function createObject(members: readonly (readonly [string, unknown])[]): object {
  const created = {};
  for (const [name, value] of members) {
    Object.defineProperty(created, name, {
      ...{ value, enumerable: true, configurable: true, writable: true },
    });
  }
  return created;
}
