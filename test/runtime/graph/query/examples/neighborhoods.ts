// Worked examples 1 to 42: one level with its filters, order, page and result form.

import * as S from "../../../../../runtime/base/sort-constants.js";
import * as C from "../../../../../runtime/graph/model/constants.js";
import { type Example, gives, givesAll, parsed, throws } from "./example.js";

const BUYERS = { arc: ["bought", C.D_IN, C.M_CNT], sortby: S.S_VAL } as const;
const ID_VAL = { fields: C.F_ID | C.F_VAL } as const;

export const NEIGHBORHOODS: readonly Example[] = [
  gives(1, (g) => g.neighborhood("ann", { sortby: S.S_ID }), ["bo", "cy", "lamp", "lamp", "mug"]),
  gives(2, (g) => g.neighborhood("ann", { arc: "knows", sortby: S.S_ID }), ["bo", "cy"]),
  gives(3, (g) => g.neighborhood("ann", { arc: C.D_IN }), []),
  givesAll(4, (g) => g.neighborhood("dee", { arc: C.D_ANY, fields: C.F_ARC, sortby: S.S_ID }), [
    "(  )-[ viewed <M_INT> 3 ]->( tent )",
    "(  )<-[ knows <M_STAT> 1 ]-( bo )",
    "(  )<-[ knows <M_STAT> 1 ]-( cy )",
  ]),
  gives(
    5,
    (g) => g.neighborhood("bo", { arc: ["knows", C.D_ANY], fields: C.F_ARC, sortby: S.S_ID }),
    ["(  )<-[ knows <M_STAT> 1 ]-( ann )", "(  )-[ knows <M_STAT> 1 ]->( dee )"],
  ),
  gives(6, (g) => g.neighborhood("ann", { arc: "rated", fields: C.F_AARC }), [
    "( ann )-[ rated <M_FLT> 4.50000 ]->( lamp )",
  ]),
  gives(7, (g) => g.neighborhood("lamp", { ...BUYERS, ...ID_VAL, result: C.R_LIST }), [
    [5, "bo"],
    [2, "ann"],
  ]),
  gives(8, (g) => g.neighborhood("lamp", { ...BUYERS, ...ID_VAL, result: C.R_DICT }), [
    { arc: { value: 5 }, distance: 1, id: "bo" },
    { arc: { value: 2 }, distance: 1, id: "ann" },
  ]),
  gives(9, (g) => g.neighborhood("lamp", { ...BUYERS, ...ID_VAL, result: C.R_SIMPLE }), [5, 2]),
  gives(10, (g) => g.neighborhood("lamp", { ...BUYERS, ...ID_VAL, result: C.R_STR }), [
    "(  )<-[ 5 ]-( bo )",
    "(  )<-[ 2 ]-( ann )",
  ]),
  gives(11, (g) => g.neighborhood("lamp", { ...BUYERS, fields: C.F_VAL }), ["5", "2"]),
  gives(
    12,
    (g) => parsed(g.neighborhood("lamp", { ...BUYERS, fields: C.F_ID | C.F_VAL | C.F_TYPE })),
    [
      { arc: "(  )<-[ 5 ]-( bo )", type: "person" },
      { arc: "(  )<-[ 2 ]-( ann )", type: "person" },
    ],
  ),
  gives(
    13,
    (g) =>
      g.neighborhood("lamp", {
        ...{ arc: ["bought", C.D_IN], sortby: S.S_ID },
        ...{ fields: C.F_ID | C.F_DEGREES, result: C.R_DICT },
      }),
    [
      { id: "ann", degree: 5, indegree: 0, outdegree: 5 },
      { id: "bo", degree: 5, indegree: 1, outdegree: 4 },
    ],
  ),
  gives(
    14,
    (g) =>
      g.neighborhood("ann", {
        ...{ arc: "knows", fields: C.F_PROP, result: C.R_DICT, sortby: S.S_ID },
      }),
    [{ properties: { age: 27, city: "Bergen" } }, { properties: { age: 41, city: "Oslo" } }],
  ),
  gives(
    15,
    (g) =>
      g.neighborhood("ann", {
        ...{ arc: "knows", fields: C.F_AARC, result: C.R_DICT, hits: 1, sortby: S.S_ID },
      }),
    [
      {
        anchor: "ann",
        arc: { direction: "D_OUT", relationship: "knows", modifier: "M_STAT", value: 1 },
        distance: 1,
        id: "bo",
      },
    ],
  ),
  throws(16, (g) => g.neighborhood("zzz"), "KeyError", "Object does not exist: 'zzz'"),

  gives(17, (g) => g.neighborhood("ann", { hits: 2, sortby: S.S_ID }), ["bo", "cy"]),
  gives(18, (g) => g.neighborhood("ann", { hits: 2, offset: 2, sortby: S.S_ID }), ["lamp", "lamp"]),
  gives(19, (g) => g.neighborhood("ann", { offset: 50 }), []),
  gives(20, (g) => g.neighborhood("ann", { hits: 0 }), []),
  gives(
    21,
    (g) => g.neighborhood("ann", { hits: 2, sortby: S.S_ID, result: C.R_STR + C.R_COUNTS }),
    { neighborhood: ["bo", "cy"], counts: { neighbors: 4, arcs: 5 } },
  ),
  gives(
    22,
    (g) =>
      g.vertices({
        ...{ condition: { type: "person" }, hits: 1, sortby: S.S_ID },
        result: C.R_STR + C.R_COUNTS,
      }),
    { vertices: ["ann"], counts: { vertices: 4 } },
  ),
  gives(
    23,
    (g) =>
      g.arcs({
        ...{ hits: 1, sortby: S.S_ID, condition: { arc: ["makes", C.D_OUT] } },
        ...{ result: C.R_STR + C.R_COUNTS, fields: C.F_ID },
      }),
    { arcs: ["lamp"], counts: { arcs: 4 } },
  ),

  gives(
    24,
    (g) =>
      g.neighborhood("ann", {
        ...{ sortby: S.S_VAL | S.S_ASC, fields: C.F_VAL, result: C.R_SIMPLE },
      }),
    [1, 1, 1, 2, 4.5],
  ),
  gives(25, (g) => g.neighborhood("ann", { arc: "bought", sortby: S.S_ID | S.S_DESC }), [
    "mug",
    "lamp",
  ]),
  gives(
    26,
    (g) =>
      g.neighborhood("ann", {
        ...{ sortby: S.S_RANK, rank: "next['price']", neighbor: { type: "item" }, arc: "bought" },
        ...{ fields: C.F_ID | C.F_RANK, result: C.R_LIST },
      }),
    [
      ["lamp", 25.5],
      ["mug", 7],
    ],
  ),
  gives(
    27,
    (g) =>
      g.vertices({
        ...{ condition: { type: "person" }, sortby: S.S_RANK | S.S_ASC, rank: "vertex['age']" },
        ...{ fields: C.F_ID | C.F_RANK, result: C.R_LIST },
      }),
    [
      ["dee", 19],
      ["bo", 27],
      ["ann", 34],
      ["cy", 41],
    ],
  ),
  gives(
    28,
    (g) =>
      g.vertices({
        ...{ condition: { type: "item" }, sortby: S.S_IDEG, hits: 2 },
        ...{ fields: C.F_IDEG, result: C.R_SIMPLE },
      }),
    [4, 4],
  ),
  throws(
    29,
    (g) => g.neighborhood("ann", { sortby: S.S_RANK }),
    "QueryError",
    "rank sorting requires ranking formula",
  ),
  throws(
    30,
    (g) => g.neighborhood("ann", { sortby: S.S_VAL | S.S_ID }),
    "QueryError",
    "invalid sortby parameter",
  ),
  throws(
    31,
    (g) => g.vertices({ sortby: S.S_VAL }),
    "QueryError",
    "Invalid sortby specified: predicator value not available in this context",
  ),
  throws(
    32,
    (g) => g.terminals("ann", { sortby: S.S_VAL }),
    "QueryError",
    "Sort by arc value not supported for this method",
  ),

  gives(33, (g) => g.neighborhood("lamp", { arc: ["rated", C.D_IN, C.M_FLT, C.V_GT, 3] }), ["ann"]),
  gives(
    34,
    (g) => g.neighborhood("lamp", { arc: ["bought", C.D_IN, C.M_CNT, C.V_RANGE, [2, 4]] }),
    ["ann"],
  ),
  gives(
    35,
    (g) => g.neighborhood("lamp", { arc: ["bought", C.D_IN, C.M_CNT, C.V_NRANGE, [3, 9]] }),
    ["ann"],
  ),
  gives(36, (g) => g.neighborhood("ann", { arc: [false, ["knows", C.D_OUT]], sortby: S.S_ID }), [
    "lamp",
    "lamp",
    "mug",
  ]),
  givesAll(
    37,
    (g) =>
      g.neighborhood("ann", {
        arc: [false, ["bought", C.D_OUT, C.M_CNT, C.V_GT, 1]],
        ...{ fields: C.F_ARC, sortby: S.S_ID },
      }),
    [
      "(  )-[ bought <M_CNT> 1 ]->( mug )",
      "(  )-[ knows <M_STAT> 1 ]->( bo )",
      "(  )-[ knows <M_STAT> 1 ]->( cy )",
      "(  )-[ rated <M_FLT> 4.50000 ]->( lamp )",
    ],
  ),
  gives(38, (g) => g.neighborhood("ann", { arc: "nope" }), []),
  throws(
    39,
    (g) => g.neighborhood("lamp", { arc: ["bought", C.D_IN, C.M_ANY, C.V_GT, 1] }),
    "QueryError",
    "Invalid arc: value condition not supported without modifier",
  ),
  throws(
    40,
    (g) => g.neighborhood("lamp", { arc: ["bought", C.D_IN, C.M_CNT, C.V_GT] }),
    "QueryError",
    "Arc comparator requires value",
  ),
  throws(
    41,
    (g) => g.neighborhood("ann", { arc: "kno*" }),
    "SearchError",
    "invalid relationship: 'kno*'",
  ),
  throws(42, (g) => g.neighborhood("ann", { arc: 7 }), "QueryError", "Invalid arc direction"),
];
