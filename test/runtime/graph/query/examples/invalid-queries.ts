// Invalid conditions and options, and their messages.

import * as C from "../../../../../runtime/graph/model/constants.js";
import type { RejectedCall } from "./rejected-call.js";

export const INVALID_QUERIES: readonly RejectedCall[] = [
  [
    (shop) => shop.vertices({ condition: { typ: "x" } }),
    "QueryError: Invalid vertex condition: 'typ'",
    'condition.typ is "x"; expected: virtual, type, degree, indegree, outdegree, id, ' +
      "abstime, reltime, property, similarity, text, filter, post, adjacent, traverse, and, or, " +
      "not, arc, neighbor, collect, assert, has_arc, has_neighbor",
  ],
  [
    (shop) => shop.vertices({ condition: 5 }),
    "QueryError: Invalid vertex condition",
    "condition is 5; expected: an id, a list of ids, { type, property, ... }, or [false, " +
      "<condition>]",
  ],
  [
    (shop) => shop.vertices({ condition: [false, { not: { type: 5 } }] }),
    "QueryError: Invalid vertex condition: 'type'",
    "condition[1].not.type is 5; expected: the name of a type",
  ],
  [
    (shop) => shop.vertices({ condition: { virtual: "yes" } }),
    "QueryError: Invalid vertex condition: 'virtual' must be true or false",
    'condition.virtual is "yes"; expected: true, false',
  ],
  [
    (shop) => shop.vertices({ condition: { type: [C.V_GT, "x"] } }),
    "QueryError: Invalid vertex condition: 'type' must be a name or (V_EQ|V_NEQ, name)",
    'condition.type is [6, "x"]; expected: "person", [V_NEQ, "person"]',
  ],
  [
    (shop) => shop.vertices({ condition: { type: "1x" } }),
    "SearchError: invalid vertex type: '1x'",
    'condition.type is "1x"; expected: a letter, then letters, digits and _.#$%@',
  ],
  [
    (shop) => shop.vertices({ condition: { degree: -1 } }),
    "QueryError: Invalid degree condition: must be integer >= 0",
    "condition.degree is -1; expected: whole numbers of 0 to 9007199254740991",
  ],
  [
    (shop) => shop.vertices({ condition: { indegree: { between: [1, "x"] } } }),
    "QueryError: invalid condition, must be <value> or (comparison, <value>) or " +
      "(range_comparison, (<low>,<high>) )",
    'condition.indegree.between is "x"; expected: a number, a text or a boolean',
  ],
  [
    (shop) => shop.vertices({ condition: { outdegree: [{ rel: "knows", dir: "in" }, 5] } }),
    "QueryError: Arc direction mismatch for degree condition",
    'condition.outdegree[0] is {rel: "knows", dir: "in"}; expected: the direction of the ' +
      "condition, or none",
  ],
  [
    (shop) => shop.vertices({ condition: { outdegree: ["9k", 5] } }),
    "SearchError: invalid relationship: '9k'",
    'condition.outdegree[0] is "9k"; expected: a letter, then letters, digits and _.#$%@',
  ],
  [
    (shop) => shop.vertices({ condition: ["a", 5] }),
    "QueryError: Invalid vertex condition: ids must be strings",
    "condition[1] is 5; expected: an id, or a vertex",
  ],
  [
    (shop) => shop.vertices({ condition: { id: ["a", null] } }),
    "QueryError: Invalid vertex condition: ids must be strings",
    "condition.id[1] is null; expected: an id, or a vertex",
  ],
  [
    (shop) => shop.vertices({ condition: { id: "a*b" } }),
    "QueryError: Unsupported wildcard: a*b",
    'condition.id is "a*b"; expected: one "*", at the end; "\\*" is a star',
  ],
  [
    (shop) => shop.vertices({ condition: { id: 7 } }),
    "QueryError: Invalid vertex condition: 'id'",
    'condition.id is 7; expected: an id, "prefix*", a list of ids',
  ],
  [
    (shop) => shop.vertices({ condition: { abstime: { tmq: 5 } } }),
    "QueryError: Invalid time condition: 'tmq'",
    "condition.abstime.tmq is 5; expected: created, modified, expires",
  ],
  [
    (shop) => shop.vertices({ condition: { abstime: { tmc: "now" } } }),
    "QueryError: Invalid time condition: 'tmc'",
    'condition.abstime.tmc is "now"; expected: created, modified, expires',
  ],
  [
    (shop) => shop.vertices({ condition: { reltime: 5 } }),
    "QueryError: Invalid time condition",
    "condition.reltime is 5; expected: { created, modified, expires }",
  ],
  [
    (shop) => shop.vertices({ condition: { property: "age" } }),
    "QueryError: invalid property condition, must be { key: <value condition>, ... }",
    'condition.property is "age"; expected: { age: { gt: 5 }, name: "a*" }',
  ],
  [
    (shop) => shop.vertices({ condition: { property: { age: [C.V_GT] } } }),
    "QueryError: condition must be 2-tuple",
    "condition.property.age is [6]; expected: a value, [V_GT, value], [V_RANGE, [low, " +
      "high]], { gt: value }, { in: [...] }",
  ],
  [
    (shop) => shop.vertices({ condition: { property: { age: [77, 1] } } }),
    "QueryError: invalid value comparison code",
    "condition.property.age[0] is 77; expected: V_EQ, V_GT and their like",
  ],
  [
    (shop) => shop.vertices({ condition: { property: { age: { gt: 1, lt: 2 } } } }),
    "QueryError: invalid condition {gt,lt}: exactly one of gt, gte, lt, lte, eq, ne, " +
      "between, outside, in",
    "condition.property.age is {gt: 1, lt: 2}; expected: { gt: 5 }, { between: [1, 9] }, " +
      "{ in: [1, 2] }",
  ],
  [
    (shop) => shop.vertices({ condition: { property: { age: { between: 5 } } } }),
    "QueryError: range comparison requires value tuple (min, max)",
    "condition.property.age.between is 5; expected: [least, greatest]",
  ],
  [
    (shop) => shop.vertices({ condition: { similarity: 5 } }),
    "QueryError: Invalid similarity condition",
    "condition.similarity is 5; expected: { vector, score, hamdist }",
  ],
  [
    (shop) => shop.vertices({ condition: { similarity: {} } }),
    "QueryError: Invalid similarity condition: vector is required",
    "condition.similarity.vector is undefined; expected: a vector, or numbers",
  ],
  [
    (shop) => shop.vertices({ condition: { similarity: { vector: [1, 2], score: { gt: 5 } } } }),
    "QueryError: Invalid similarity condition: score must be -1 to 1",
    "condition.similarity.score is {gt: 5}; expected: numbers of -1 to 1, comparisons with them",
  ],
  [
    (shop) => shop.vertices({ condition: { similarity: { vector: [1, 2], near: 1 } } }),
    "QueryError: Invalid similarity condition: 'near'",
    "condition.similarity.near is 1; expected: { vector, score, hamdist }",
  ],
  [
    (shop) => shop.vertices({ condition: { traverse: 5 } }),
    "QueryError: Invalid traverse condition",
    "condition.traverse is 5; expected: { arc, filter, neighbor, assert, repeat, through, " +
      "collect }, an arc filter, a vertex condition",
  ],
  [
    (shop) => shop.vertices({ condition: { adjacent: { collect: true } } }),
    "QueryError: Invalid adjacency condition parameter: 'collect'",
    "condition.adjacent.collect is true; expected: arc, filter, neighbor, assert, repeat, through",
  ],
  [
    (shop) => shop.vertices({ condition: { traverse: { assert: "yes" } } }),
    "QueryError: assert must be boolean, integer or null",
    'condition.traverse.assert is "yes"; expected: true, false, null',
  ],
  [
    (shop) => shop.vertices({ condition: { traverse: { collect: ["knows", 9] } } }),
    "QueryError: Invalid arc direction",
    "condition.traverse.collect[1] is 9; expected: D_OUT, D_IN, D_ANY, D_BOTH, or by " +
      'name in { dir: "out" }',
  ],
  [
    (shop) => shop.vertices({ condition: { traverse: ["knows", 9] } }),
    "QueryError: Invalid arc direction",
    "condition.traverse[1] is 9; expected: D_OUT, D_IN, D_ANY, D_BOTH, or by name in { " +
      'dir: "out" }',
  ],
  [
    (shop) => shop.vertices({ condition: { traverse: { arc: "knows" }, arc: "likes" } }),
    "QueryError: traverse arc re-definition",
    'condition.arc is "likes"; expected: one of both: it is at traverse.arc, too',
  ],
  [
    (shop) =>
      shop.vertices({ condition: { has_neighbor: { traverse: { neighbor: { type: 5 } } } } }),
    "QueryError: Invalid vertex condition: 'type'",
    "condition.has_neighbor.traverse.neighbor.type is 5; expected: the name of a type",
  ],
  [
    (shop) => shop.vertices({ condition: { or: [] } }),
    "QueryError: Invalid vertex condition: 'or' must be a list of conditions",
    "condition.or is []; expected: at least one condition in [...]",
  ],
  [
    (shop) => shop.vertices({ condition: { or: ["a", { and: new Array(64).fill("a") }] } }),
    "QueryError: too many members of 'and' and 'or'",
    'condition.or[1].and is ["a", "a", "a", "a", ...]; expected: 64 in all',
  ],
  [
    (shop) => shop.vertices({ condition: { or: ["a", { type: 5 } as never] } }),
    "QueryError: Invalid vertex condition: 'type'",
    "condition.or[1].type is 5; expected: the name of a type",
  ],
  [
    (shop) => shop.vertices({ facets: { size: 5 } }),
    "QueryError: unknown property: 'size'",
    'facets.size is "size"; expected: .type, age, city, price',
  ],
  [
    (shop) => shop.vertices({ facets: { all: { property: "price", stats: ["age", "x"] } } }),
    "QueryError: unknown property: 'x'",
    'facets.all.stats[1] is "x"; expected: .type, age, city, price',
  ],
  [
    (shop) => shop.vertices({ facets: { price: { ranges: [2, 1] } } }),
    "QueryError: invalid ranges",
    "facets.price.ranges is [2, 1]; expected: 1 to 64 ascending numbers",
  ],
  [
    (shop) => shop.neighborhood("ann", { facets: { city: 10_001 } }),
    "QueryError: invalid number of values",
    "facets.city.top is 10001; expected: an integer of 1 to 10000",
  ],
  [
    (shop) => shop.vertices({ facets: {} }),
    "QueryError: invalid number of facets: 0",
    "facets is {}; expected: 1 to 16 facets",
  ],
  [
    (shop) => shop.vertices({ facets: { city: { to: 5 } as never } }),
    "QueryError: unknown member: 'to'",
    "facets.city.to is 5; expected: property, top, ranges, arc, stats, distinct",
  ],
  [
    (shop) => shop.vertices({ groupBy: "size" }),
    "QueryError: unknown property: 'size'",
    'groupBy is "size"; expected: .type, age, city, price',
  ],
  [
    (shop) => shop.vertices({ groupBy: { key: "city", top: 5 } as never }),
    "QueryError: unknown member: 'top'",
    "groupBy.top is 5; expected: key, stats, distinct",
  ],
  [
    (shop) => shop.neighborhood("ann", { groupBy: "city", nest: 1 }),
    "QueryError: groupBy is not for nested results",
    'groupBy is "city"; expected: 0 levels',
  ],
  [
    (shop) => shop.vertices({ sortby: 3 }),
    "QueryError: invalid sortby parameter",
    "sortby is 3; expected: S_VAL, S_ID and their like, with S_ASC or S_DESC",
  ],
  [
    (shop) => shop.vertices({ result: "csv" }),
    "QueryError: invalid result parameter",
    'result is "csv"; expected: R_STR and its like, or the name of a format',
  ],
  [
    (shop) => shop.vertices({ fields: ["id", "nom"] }),
    "QueryError: invalid fields parameter: 'nom'",
    'fields[1] is "nom"; expected: anchor, anchor-internalid, direction, relationship, ' +
      "modifier, value, id, internalid, type, degree, indegree, outdegree, vector, " +
      "properties, rankscore, similarity, hamming-distance, text, created, modified, expires, " +
      "descriptor, address, handle, raw-vertex",
  ],
  [
    (shop) => shop.vertices({ hits: "10" }),
    "QueryError: invalid hits parameter",
    'hits is "10"; expected: an integer',
  ],
  [
    (shop) => shop.vertices({ timeout: "10" }),
    "QueryError: invalid timeout parameter",
    'timeout is "10"; expected: milliseconds',
  ],
  [
    (shop) => shop.vertices({ select: 5 }),
    "QueryError: select must be string",
    'select is 5; expected: "name; age: .arc.value"',
  ],
  [
    (shop) => shop.neighborhood("ann", { aggregate: { mode: "median" } }),
    "QueryError: Invalid aggregation mode: 'median'",
    'aggregate.mode is "median"; expected: first, max, min, average, count, sum, sqsum, product',
  ],
  [
    (shop) => shop.neighborhood("ann", { aggregate: { arc: ["knows", 9] } }),
    "QueryError: Invalid arc direction",
    'aggregate.arc[1] is 9; expected: D_OUT, D_IN, D_ANY, D_BOTH, or by name in { dir: "out" }',
  ],
  [
    (shop) => shop.neighborhood("ann", { nest: 99 }),
    "QueryError: Vertex condition recursion limit reached",
    "nest is 99; expected: 0 to 14",
  ],
  [
    (shop) => shop.neighborhood("ann", { nest: 1, arc: ["knows", 9] }),
    "QueryError: Invalid arc direction",
    "neighbor.traverse.arc[1] is 9; expected: D_OUT, D_IN, D_ANY, D_BOTH, or by name in " +
      '{ dir: "out" }',
  ],
  [
    (shop) => shop.neighborhood("ann", { nest: 1, neighbor: { arc: ["knows", 9] } }),
    "QueryError: Invalid arc direction",
    "neighbor.traverse.arc[1] is 9; expected: D_OUT, D_IN, D_ANY, D_BOTH, or by name in " +
      '{ dir: "out" }',
  ],
  [
    (shop) => shop.disconnect("ann", ["knows", 9]),
    "QueryError: Invalid arc direction",
    'arc[1] is 9; expected: D_OUT, D_IN, D_ANY, D_BOTH, or by name in { dir: "out" }',
  ],
  [
    (shop) => shop.disconnect("ann", "knows", { type: "x" }),
    "QueryError: Vertex conditions other than exact ID match not allowed",
    'neighbor is {type: "x"}; expected: an id, a vertex, { id: "..." }',
  ],
  [
    (shop) => shop.connect("ann", "knows", "bo", { condition: [false, ["knows", 9]] }),
    "QueryError: Invalid arc direction",
    'condition[1][1] is 9; expected: D_OUT, D_IN, D_ANY, D_BOTH, or by name in { dir: "out" }',
  ],
  [
    (shop) => shop.adjacent("ann", ["knows", 9]),
    "QueryError: Invalid arc direction",
    'arc[1] is 9; expected: D_OUT, D_IN, D_ANY, D_BOTH, or by name in { dir: "out" }',
  ],
  [
    (shop) => shop.adjacent("ann", undefined, { type: 5 }),
    "QueryError: Invalid vertex condition: 'type'",
    "neighbor.type is 5; expected: the name of a type",
  ],
  [
    (shop) => shop.arcValue("ann", ["knows", 9], "bo"),
    "QueryError: Invalid arc direction",
    'arc[1] is 9; expected: D_OUT, D_IN, D_ANY, D_BOTH, or by name in { dir: "out" }',
  ],
  [
    (shop) => shop.degree("ann", ["knows", 9]),
    "QueryError: Invalid arc direction",
    'arc[1] is 9; expected: D_OUT, D_IN, D_ANY, D_BOTH, or by name in { dir: "out" }',
  ],
  [
    (shop) => shop.terminals("ann", { neighbor: { type: 5 } }),
    "QueryError: Invalid vertex condition: 'type'",
    "neighbor.type is 5; expected: the name of a type",
  ],
  [
    (shop) => shop.shortestPath("ann", "bo", { arc: ["knows", 9] }),
    "QueryError: Invalid arc direction",
    'arc[1] is 9; expected: D_OUT, D_IN, D_ANY, D_BOTH, or by name in { dir: "out" }',
  ],
  [
    (shop) => shop.pageRank({ arc: ["knows", 9], hits: "x" }),
    "QueryError: Invalid arc direction",
    'arc[1] is 9; expected: D_OUT, D_IN, D_ANY, D_BOTH, or by name in { dir: "out" }',
  ],
  [
    (shop) => shop.vertices({ vector: [1, 2], approximate: { ef: 0 } }),
    "QueryError: ef must be an integer of 8 to 4096",
    "approximate.ef is 0; expected: an integer of 8 to 4096",
  ],
  [
    (shop) => shop.openNeighbor("ann", ["knows", 9]),
    "QueryError: Invalid arc direction",
    'arc[1] is 9; expected: D_OUT, D_IN, D_ANY, D_BOTH, or by name in { dir: "out" }',
  ],
  [
    (shop) => shop.outarcs("ann", { hits: "x" }),
    "QueryError: invalid hits parameter",
    'hits is "x"; expected: an integer',
  ],
];
