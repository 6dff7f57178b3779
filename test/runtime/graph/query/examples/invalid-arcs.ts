// Invalid arc filters and their messages.

import * as C from "../../../../../runtime/graph/model/constants.js";
import type { RejectedCall } from "./rejected-call.js";

export const INVALID_ARCS: readonly RejectedCall[] = [
  [
    (shop) => shop.neighborhood("ann", { neighbor: { traverse: { arc: ["knows", 7] } } }),
    "QueryError: Invalid arc direction",
    "neighbor.traverse.arc[1] is 7; expected: D_OUT, D_IN, D_ANY, D_BOTH, or by name in " +
      '{ dir: "out" }',
  ],
  [
    (shop) => shop.neighborhood("ann", { arc: [5] }),
    "QueryError: Invalid arc",
    "arc[0] is 5; expected: the name of a relationship, or null for any",
  ],
  [
    (shop) => shop.neighborhood("ann", { arc: "9k" }),
    "SearchError: invalid relationship: '9k'",
    'arc is "9k"; expected: a letter, then letters, digits and _.#$%@',
  ],
  [
    (shop) => shop.neighborhood("ann", { arc: { rel: "knows", dir: "up" } }),
    "QueryError: Invalid arc direction",
    'arc.dir is "up"; expected: D_OUT, D_IN, D_ANY, D_BOTH, or by name in { dir: "out" }',
  ],
  [
    (shop) => shop.neighborhood("ann", { arc: { rel: "knows", mod: "inte" } }),
    "QueryError: Invalid arc modifier",
    'arc.mod is "inte"; expected: M_INT and its like, or by name in { mod: "int" }: ' +
      "stat, lsh, int, uint, cnt, tmc, tmm, tmx, sim, dist, flt, acc, float",
  ],
  [
    (shop) => shop.neighborhood("ann", { arc: { relation: "knows" } }),
    "QueryError: Invalid arc: 'relation' is not one of rel, dir, mod, cond, value",
    'arc.relation is "knows"; expected: rel, dir, mod, cond, value',
  ],
  [
    (shop) => shop.neighborhood("ann", { arc: [false, [false, ["knows", 7]]] }),
    "QueryError: Invalid arc direction",
    'arc[1][1][1] is 7; expected: D_OUT, D_IN, D_ANY, D_BOTH, or by name in { dir: "out" }',
  ],
  [
    (shop) => shop.neighborhood("ann", { arc: [false, 1, 2] }),
    "QueryError: Invalid arc",
    "arc is [false, 1, 2]; expected: [boolean, <filter>]",
  ],
  [
    (shop) => shop.neighborhood("ann", { arc: [1, 2, 3, 4, 5, 6] }),
    "QueryError: Invalid arc: too many values",
    'arc is [1, 2, 3, 4, ...]; expected: null, "rel", [rel, dir, mod, cond, value], { ' +
      "rel, dir, mod, value }, or [false, <filter>]",
  ],
  [
    (shop) => shop.neighborhood("ann", { arc: ["knows", C.D_OUT, null, C.V_GT, 5] }),
    "QueryError: Invalid arc: value condition not supported without modifier",
    'arc[2] is null; expected: M_INT and its like, or by name in { mod: "int" }: ' +
      "stat, lsh, int, uint, cnt, tmc, tmm, tmx, sim, dist, flt, acc, float",
  ],
  [
    (shop) => shop.neighborhood("ann", { arc: ["knows", C.D_OUT, C.M_INT, C.V_GT] }),
    "QueryError: Arc comparator requires value",
    "arc[4] is undefined; expected: a number or two",
  ],
  [
    (shop) => shop.neighborhood("ann", { arc: ["knows", C.D_OUT, C.M_INT, C.V_GT, "x"] }),
    "QueryError: Invalid modifier value",
    'arc[4] is "x"; expected: a number',
  ],
  [
    (shop) => shop.neighborhood("ann", { arc: [false, ["knows", C.D_OUT, C.M_INT, C.V_GT, "x"]] }),
    "QueryError: Invalid modifier value",
    'arc[1][4] is "x"; expected: a number',
  ],
  [
    (shop) => shop.neighborhood("ann", { arc: { rel: "knows", mod: "int", value: { gt: "x" } } }),
    "QueryError: Invalid modifier value",
    'arc.value.gt is "x"; expected: a number',
  ],
  [
    (shop) =>
      shop.neighborhood("ann", { arc: { rel: "knows", mod: "int", value: { between: [1] } } }),
    "QueryError: Invalid arc value range: Must be 2-tuple",
    "arc.value.between is [1]; expected: [least, greatest]",
  ],
  [
    (shop) => shop.neighborhood("ann", { arc: { rel: "knows", mod: "int", value: { above: 1 } } }),
    "QueryError: invalid condition {above}: exactly one of gt, gte, lt, lte, eq, ne, " +
      "between, outside, in",
    "arc.value is {above: 1}; expected: { gt: 5 }, { between: [1, 9] }, { in: [1, 2] }",
  ],
  [
    (shop) => shop.neighborhood("ann", { arc: { rel: "knows", mod: "int", value: { in: [1] } } }),
    "QueryError: Invalid arc: `in` compares properties only",
    "arc.value.in is [1]; expected: gt, gte, lt, lte, eq, ne, between, outside",
  ],
  [
    (shop) => shop.neighborhood("ann", { arc: { rel: "knows", mod: "int", value: "5" } }),
    "QueryError: Invalid arc value",
    'arc.value is "5"; expected: 5, { gt: 5 }, { between: [1, 9] }; or cond: V_GT, value: 5',
  ],
  [
    (shop) => shop.neighborhood("ann", { arc: ["knows", C.D_OUT, C.M_INT, 99, 5] }),
    "QueryError: Invalid arc value comparison code",
    "arc[3] is 99; expected: V_GT and its like, and a value to compare with",
  ],
  [
    (shop) => shop.neighborhood("ann", { arc: ["knows", C.D_OUT, C.M_STAT, C.V_GT, 5] }),
    "QueryError: Invalid modifier value",
    "arc[3] is 6; expected: no comparison: arcs of this modifier have no value",
  ],
  [
    (shop) => shop.neighborhood("ann", { arc: ["knows", C.D_OUT, C.M_LSH, C.V_LT, 5] }),
    "QueryError: Invalid arc value comparison code",
    "arc[3] is 10; expected: V_LTE and V_GT for distances, V_EQ, V_NEQ",
  ],
  [
    (shop) => shop.neighborhood("ann", { arc: ["knows", C.D_OUT, C.M_LSH, C.V_LTE, [5, 99]] }),
    "QueryError: LSH hamming distance must be 0 - 15",
    "arc[4][1] is 99; expected: 0 to 15",
  ],
  [
    (shop) =>
      shop.neighborhood("ann", {
        neighbor: { arc: ["knows", C.D_OUT, C.M_INT, C.V_DYN_DELTA, 5] },
      }),
    "QueryError: Invalid arc value range: Must be 2-tuple",
    "neighbor.arc[4] is 5; expected: [least, greatest]",
  ],
  [
    (shop) => shop.neighborhood("ann", { arc: ["knows", C.D_OUT, C.M_INT, C.V_DYN_LT] }),
    "QueryError: Invalid arc: there is no previous arc to compare with on this level",
    "arc is 29; expected: comparisons with a value: V_GT and its like",
  ],
];
