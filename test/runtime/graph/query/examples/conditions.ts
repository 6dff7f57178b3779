// Worked examples 43 to 87: vertex conditions, deeper levels, and arcs collected from them.

import * as S from "../../../../../runtime/base/sort-constants.js";
import * as C from "../../../../../runtime/graph/model/constants.js";
import type {
  ArcFilterItems,
  VertexCondition,
} from "../../../../../runtime/graph/query/parse/query-options.js";
import { type Example, gives, givesAll, throws } from "./example.js";
import { makeShopWithLevels } from "./shop.js";

/** Vertices that meet a condition, by id. */
function vertices(number: number, condition: VertexCondition, ids: string[]): Example {
  return gives(number, (g) => g.vertices({ condition, sortby: S.S_ID }), ids);
}

/** A condition that is rejected. */
function rejectedExample(number: number, condition: object, message: string): Example {
  return throws(number, (g) => g.vertices({ condition }), "QueryError", message);
}

const ANCHOR_ID = { fields: C.F_ANCHOR | C.F_ID, result: C.R_LIST, sortby: S.S_ID } as const;
const BOUGHT = { arc: ["bought", C.D_OUT] } as const;

/** Levels whose values are compared with each other. */
function levels(number: number, code: number, value: unknown[], ids: string[]): Example {
  const arc = ["f", C.D_OUT, C.M_INT, code, ...value] as unknown as ArcFilterItems;
  return gives(
    number,
    () =>
      makeShopWithLevels().neighborhood("x0", {
        ...{ arc: ["e", C.D_OUT, C.M_INT], collect: C.C_NONE, sortby: S.S_VAL | S.S_ASC },
        neighbor: { arc, collect: true },
      }),
    ids,
  );
}

export const VERTEX_CONDITIONS: readonly Example[] = [
  vertices(43, { type: "item" }, ["lamp", "mug", "rope", "tent"]),
  vertices(44, "l*", ["lamp"]),
  vertices(45, { type: "person", property: { city: "B*" } }, ["bo", "dee"]),
  vertices(46, { property: { city: "Oslo", age: [C.V_LT, 40] } }, ["ann"]),
  vertices(47, { property: { age: [C.V_RANGE, [19, 27]] } }, ["bo", "dee"]),
  vertices(48, { property: { price: null } }, ["lamp", "mug", "rope", "tent"]),
  vertices(49, { property: { age: "34" } }, []),
  vertices(50, { property: { price: 7 } }, ["mug"]),
  vertices(51, { type: "person", property: [false, { city: "Oslo", age: [C.V_LT, 40] }] }, [
    "bo",
    "cy",
    "dee",
  ]),
  vertices(52, { indegree: [C.V_GTE, 3] }, ["lamp", "rope", "tent"]),
  vertices(53, { indegree: ["bought", 2] }, ["lamp"]),
  vertices(
    54,
    {
      degree: [
        ["bought", C.D_IN, C.M_CNT, C.V_GT, 1],
        [C.V_GTE, 1],
      ],
    },
    ["lamp"],
  ),
  rejectedExample(
    55,
    { indegree: [["bought", C.D_OUT], 2] },
    "Arc direction mismatch for degree condition",
  ),
  vertices(56, { adjacent: "lamp" }, ["ann", "bo", "nord"]),
  vertices(
    57,
    {
      type: "person",
      adjacent: { ...BOUGHT, neighbor: { adjacent: { arc: ["makes", C.D_IN], neighbor: "nord" } } },
    },
    ["ann", "bo"],
  ),
  vertices(58, { type: "person", adjacent: { ...BOUGHT, assert: true } }, [
    "ann",
    "bo",
    "cy",
    "dee",
  ]),
  vertices(59, { arc: ["makes", C.D_OUT] }, ["nord", "zig"]),
  vertices(60, { filter: "vertex['age'] > 30" }, ["ann", "cy"]),
  rejectedExample(
    61,
    { filter: "next.deg > 1" },
    "traversal not allowed in vertex condition local filter",
  ),
  vertices(62, { virtual: true }, []),
  rejectedExample(63, { foo: 1 }, "Invalid vertex condition: 'foo'"),
  rejectedExample(64, { id: "a*n" }, "Unsupported wildcard: a*n"),

  gives(65, (g) => g.neighborhood("ann", { neighbor: { type: "item" }, sortby: S.S_ID }), [
    "lamp",
    "lamp",
    "mug",
  ]),
  gives(66, (g) => g.neighborhood("ann", { neighbor: ["mug", "bo"], sortby: S.S_ID }), [
    "bo",
    "mug",
  ]),
  gives(67, (g) => g.neighborhood("ann", { neighbor: [false, { type: "item" }], sortby: S.S_ID }), [
    "bo",
    "cy",
  ]),
  givesAll(
    68,
    (g) => g.neighborhood("ann", { filter: "next.arc.value > 1", fields: C.F_ARC, sortby: S.S_ID }),
    ["(  )-[ bought <M_CNT> 2 ]->( lamp )", "(  )-[ rated <M_FLT> 4.50000 ]->( lamp )"],
  ),
  gives(
    69,
    (g) => g.neighborhood("ann", { arc: "knows", neighbor: { ...BOUGHT, neighbor: "tent" } }),
    ["bo"],
  ),
  gives(
    70,
    (g) =>
      g.neighborhood("ann", {
        ...{ arc: "knows", collect: C.C_NONE, neighbor: { ...BOUGHT, collect: true } },
        ...{ fields: C.F_AARC, sortby: S.S_ID },
      }),
    [
      "( ann )-[...]-( bo )-[ bought <M_CNT> 5 ]->( lamp )",
      "( ann )-[...]-( cy )-[ bought <M_CNT> 1 ]->( rope )",
      "( ann )-[...]-( bo )-[ bought <M_CNT> 1 ]->( tent )",
    ],
  ),
  gives(
    71,
    (g) =>
      g.neighborhood("ann", {
        ...{ arc: "knows", neighbor: { ...BOUGHT, collect: true } },
        ...{ fields: C.F_ANCHOR | C.F_ID | C.F_VAL, result: C.R_DICT, sortby: S.S_ID },
      }),
    [
      { anchor: "ann", arc: { value: 1 }, distance: 1, id: "bo" },
      { anchor: "ann", arc: { value: 1 }, distance: 1, id: "cy" },
      { anchor: "bo", arc: { value: 5 }, distance: 2, id: "lamp" },
      { anchor: "cy", arc: { value: 1 }, distance: 2, id: "rope" },
      { anchor: "bo", arc: { value: 1 }, distance: 2, id: "tent" },
    ],
  ),
  ...viewedByAcquaintances(),
  gives(75, (g) => g.neighborhood("ann", { arc: "rated", collect: "bought", fields: C.F_AARC }), [
    "( ann )-[ bought <M_CNT> 2 ]->( lamp )",
  ]),
  gives(
    76,
    (g) =>
      g.neighborhood("lamp", {
        ...{ arc: ["bought", C.D_IN], collect: ["rated", C.D_IN], fields: C.F_AARC },
      }),
    ["( lamp )<-[ rated <M_FLT> 4.50000 ]-( ann )"],
  ),
  gives(
    77,
    (g) => g.neighborhood("lamp", { arc: ["bought", C.D_IN], collect: ["rated", C.D_OUT] }),
    [],
  ),
  gives(
    78,
    (g) =>
      g.neighborhood("ann", {
        ...{ arc: "knows", collect: C.C_NONE, ...ANCHOR_ID },
        neighbor: {
          ...{ arc: ["rated", C.D_OUT], collect: C.C_SCAN },
          neighbor: { arc: ["makes", C.D_IN], collect: true },
        },
      }),
    [
      ["tent", "nord"],
      ["rope", "zig"],
    ],
  ),
  givesAll(
    79,
    (g) =>
      g.neighborhood("ann", {
        ...{ arc: "knows", collect: C.C_NONE, ...ANCHOR_ID },
        neighbor: {
          ...{ ...BOUGHT, collect: C.C_SCAN },
          neighbor: { arc: ["makes", C.D_IN], collect: true },
        },
      }),
    [
      ["lamp", "nord"],
      ["rope", "zig"],
      ["tent", "nord"],
    ],
  ),
  gives(
    80,
    (g) =>
      g.neighborhood("lamp", {
        arc: ["bought", C.D_IN],
        neighbor: [false, { ...BOUGHT, neighbor: "tent" }],
      }),
    ["ann"],
  ),
  gives(
    81,
    (g) =>
      g.neighborhood("ann", {
        ...{ arc: "knows", collect: C.C_NONE, ...ANCHOR_ID },
        neighbor: {
          adjacent: { arc: ["rated", C.D_OUT, C.M_FLT, C.V_GTE, 3] },
          traverse: { ...BOUGHT, collect: true },
        },
      }),
    [
      ["bo", "lamp"],
      ["bo", "tent"],
    ],
  ),
  gives(
    82,
    (g) =>
      g.neighborhood("ann", {
        ...{ arc: "knows", collect: C.C_NONE },
        neighbor: { arc: ["knows", C.D_OUT], collect: true },
      }),
    ["dee", "dee"],
  ),
  gives(83, (g) => g.neighborhood("ann", { arc: "knows", pre: "vertex['age'] > 40" }), []),
  levels(84, C.V_DYN_LT, [], ["y8", "y15"]),
  levels(85, C.V_DYN_EQ, [2], ["y12"]),
  levels(86, C.V_DYN_DELTA, [[-2, 2]], ["y8", "y10", "y12", "y20"]),
  levels(87, C.V_DYN_RATIO, [[1.1, 2]], ["y12", "y40"]),
];

/** The same query three times with different values of `assert` on the second level. */
function viewedByAcquaintances(): Example[] {
  const viewed = (number: number, rule: object, entries: string[][]): Example =>
    gives(
      number,
      (g) =>
        g.neighborhood("ann", {
          ...{ arc: "knows", ...ANCHOR_ID },
          neighbor: { arc: ["viewed", C.D_OUT], collect: true, ...rule },
        }),
      entries,
    );
  return [
    viewed(72, {}, [
      ["ann", "cy"],
      ["cy", "rope"],
    ]),
    viewed(73, { assert: true }, [
      ["ann", "bo"],
      ["ann", "cy"],
      ["cy", "rope"],
    ]),
    viewed(74, { assert: false }, [["cy", "rope"]]),
  ];
}
