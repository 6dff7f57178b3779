// All names of the language. Parser, types, suggestions, documentation and completion read these
// tables.

import * as C from "../model/constants.js";
import { STATIC_CODE } from "../model/modifiers.js";
import { ARC_ATTRIBUTES, OTHER_ATTRIBUTES, VERTEX_ATTRIBUTES } from "./attributes.js";
import { CASTS } from "./functions/casts.js";
import { COLLECT } from "./functions/collect.js";
import { CONTROL } from "./functions/control.js";
import { GEO } from "./functions/geo.js";
import { MATH } from "./functions/math.js";
import { MEMORY } from "./functions/memory.js";
import { RANGE_CELLS } from "./functions/range-cells.js";
import { RANGE_ORDER } from "./functions/range-order.js";
import { RANGES } from "./functions/ranges.js";
import type { FunctionRow, StaticType } from "./functions/row.js";
import { SETS } from "./functions/sets.js";
import { SYNTHETIC } from "./functions/synthetic.js";
import { TEXTS } from "./functions/texts.js";
import { VECTORS } from "./functions/vectors.js";
import type { Value } from "./values.js";

export interface Constant {
  readonly type: StaticType;
  readonly value: Value;
}

export const FUNCTIONS: ReadonlyMap<string, FunctionRow> = new Map(
  [
    ...CONTROL,
    ...MATH,
    ...CASTS,
    ...TEXTS,
    ...MEMORY,
    ...RANGES,
    ...RANGE_CELLS,
    ...RANGE_ORDER,
    ...SETS,
    ...GEO,
    ...COLLECT,
    ...SYNTHETIC,
    ...VECTORS,
  ].map((row) => [row.name, row]),
);

/** Known functions that are not supported, each with an alternative. */
export const UNSUPPORTED_FUNCTIONS: ReadonlyMap<string, string> = new Map([
  ...["cpukill", "memkill"].map(
    (name) => [name, "unsupported: it would monopolize shared resources"] as const,
  ),
  ...["probealtarray", "probearray", "probesuperarray"].map(
    (name) => [name, "use msumprodobj or msubsetobj"] as const,
  ),
  ...["", "_256", "_512"].flatMap((size): [string, string][] => [
    [`dp_pi8${size}`, "use v * w"],
    [`cos_pi8${size}`, "use cosine"],
    [`ecld_pi8${size}`, "use euclidean"],
    [`ham_pi8${size}`, "use hamdist"],
  ]),
  ["ssq_pi8", "use v * v"],
  ["rsqrtssq_pi8", "use 1 / abs(v)"],
]);

function int(value: number): Constant {
  return { type: "int", value };
}

function real(value: number): Constant {
  return { type: "real", value };
}

/** Directions, modifiers of arcs, and times. */
const GRAPH_CONSTANTS = Object.entries(C).flatMap(([name, value]) => {
  const isKnown = /^([DT]_|M_[A-Z]+$)/.test(name) && !/AGGR|AUTO|FWD/.test(name);
  if (!isKnown || typeof value !== "number") return [];
  return [[name, name === "M_STAT" ? STATIC_CODE : value] as const];
});

export const CONSTANTS: ReadonlyMap<string, Constant> = new Map<string, Constant>([
  ["null", { type: "null", value: null }],
  ["true", int(1)],
  ["false", int(0)],
  ["nan", real(Number.NaN)],
  ["inf", real(Number.POSITIVE_INFINITY)],
  ...[1, 2, 3, 4].map((number) => [`R${number}`, int(-number)] as const),
  ...[1, 2, 3, 4].map((number) => [`C${number}`, int(number - 1)] as const),
  ["pi", real(Math.PI)],
  ["e", real(Math.E)],
  ["root2", real(Math.SQRT2)],
  ["root3", real(Math.sqrt(3))],
  ["root5", real(Math.sqrt(5))],
  ["phi", real(1.618033988749895)],
  ["zeta3", real(1.2020569031595942)],
  ["googol", real(1e100)],
  ...GRAPH_CONSTANTS.map(([name, value]) => [name, int(value)] as const),
]);

export const VERTEX_WORDS = ["vertex", "next", "prev"] as const;
export type VertexWord = (typeof VERTEX_WORDS)[number];

/** Yields every name that can be a value, as written. */
export function* valueNames(): Generator<string> {
  yield* CONSTANTS.keys();
  yield* OTHER_ATTRIBUTES.keys();
  for (const vertex of [...VERTEX_WORDS, ""]) {
    if (vertex !== "") yield vertex;
    for (const name of VERTEX_ATTRIBUTES.keys()) yield `${vertex}.${name}`;
    if (vertex === "vertex") continue;
    for (const name of ARC_ATTRIBUTES.keys()) yield `${vertex}.arc.${name}`;
  }
}
