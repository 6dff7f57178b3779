// Worked examples 88 to 134: sums, lists, arcs of the whole graph, selection, prepared queries, and
// queries that see changes.

import * as S from "../../../../../runtime/base/sort-constants.js";
import { nowSeconds } from "../../../../../runtime/graph/memory/time.js";
import * as C from "../../../../../runtime/graph/model/constants.js";
import { makeGraph } from "../../support/make-graph.js";
import { type Example, gives, givesAll, parsed, throws } from "./example.js";

const BUYERS = { arc: ["bought", C.D_IN, C.M_CNT] } as const;

function aggregating(number: number, mode: string, rest: object, entries: unknown[]): Example {
  return gives(
    number,
    (g) =>
      g.neighborhood("nord", {
        ...{ arc: "makes", collect: C.C_NONE, neighbor: { ...BUYERS, collect: true } },
        ...{ fields: C.F_ID | C.F_MOD | C.F_VAL, result: C.R_LIST, sortby: S.S_VAL },
        aggregate: { mode, ...rest } as object,
      }),
    entries,
  );
}

export const AGGREGATIONS: readonly Example[] = [
  gives(
    88,
    (g) =>
      g.neighborhood("ann", {
        ...{ arc: "knows", collect: C.C_NONE },
        ...{ neighbor: { arc: ["*", C.D_OUT], collect: true }, aggregate: { mode: "count" } },
        ...{ fields: C.F_ID | C.F_VAL, result: C.R_LIST, sortby: S.S_VAL, hits: 1 },
      }),
    [[2, "dee"]],
  ),
  aggregating(89, "sum", {}, [
    ["M_INTAGGR", 6, "bo"],
    ["M_INTAGGR", 2, "ann"],
  ]),
  aggregating(90, "max", {}, [
    ["M_INTAGGR", 5, "bo"],
    ["M_INTAGGR", 2, "ann"],
  ]),
  aggregating(91, "average", {}, [
    ["M_FLTAGGR", 3, "bo"],
    ["M_FLTAGGR", 2, "ann"],
  ]),
  aggregating(92, "sum", { arc: ["*", C.D_ANY, C.M_INTAGGR, C.V_GT, 3] }, [["M_INTAGGR", 6, "bo"]]),
  givesAll(
    93,
    (g) =>
      g.neighborhood("ann", {
        ...{ aggregate: { mode: "sum" }, fields: C.F_ID | C.F_MOD | C.F_VAL },
        ...{ result: C.R_LIST, sortby: S.S_ID },
      }),
    [
      ["M_FLTAGGR", 4.5, "lamp"],
      ["M_INTAGGR", 0, "bo"],
      ["M_INTAGGR", 0, "cy"],
      ["M_INTAGGR", 1, "mug"],
      ["M_INTAGGR", 2, "lamp"],
    ],
  ),
  throws(
    94,
    (g) => g.neighborhood("ann", { aggregate: { mode: "median" } as object }),
    "QueryError",
    "Invalid aggregation mode: 'median'",
  ),
  gives(
    95,
    (g) =>
      g.neighborhood("ann", {
        ...{ arc: "knows", nest: 1, neighbor: { arc: ["bought", C.D_OUT] }, sortby: S.S_ID },
      }),
    [
      {
        arc: ["knows", 1],
        id: "bo",
        next: [
          { arc: ["bought", 5], id: "lamp", next: [] },
          { arc: ["bought", 1], id: "tent", next: [] },
        ],
      },
      { arc: ["knows", 1], id: "cy", next: [{ arc: ["bought", 1], id: "rope", next: [] }] },
    ],
  ),

  gives(96, (g) => g.aggregate("ann"), { neighbors: 4, arcs: 5 }),
  gives(97, (g) => g.aggregate("lamp", BUYERS), { neighbors: 2, arcs: 2, predicator_value: 7 }),
  gives(98, (g) => g.aggregate("lamp", { arc: ["bought", C.D_IN, C.M_CNT, C.V_GT, 2] }), {
    neighbors: 1,
    arcs: 1,
    predicator_value: 5,
  }),
  gives(99, (g) => g.aggregate("lamp", { ...BUYERS, fields: C.F_DEGREES }), {
    neighbors: 2,
    arcs: 2,
    degree: 10,
    indegree: 1,
    outdegree: 9,
  }),
  gives(100, (g) => g.aggregate("lamp", { ...BUYERS, result: 0 }), 7),
  gives(
    101,
    (g) =>
      g.aggregate("ann", {
        ...{ arc: ["knows", C.D_OUT, C.M_STAT], collect: C.C_NONE, fields: C.F_VAL },
        neighbor: { arc: ["bought", C.D_OUT, C.M_CNT], collect: true },
      }),
    { neighbors: 3, arcs: 3, predicator_value: 7 },
  ),
  throws(
    102,
    (g) => g.aggregate("lamp", { arc: ["bought", C.D_IN], fields: C.F_VAL }),
    "QueryError",
    "modifier filter required to aggregate on predicator value",
  ),
  gives(
    103,
    (g) => [
      g.degree("ann"),
      g.degree("lamp", "bought"),
      g.degree("lamp", ["bought", C.D_IN, C.M_CNT, C.V_GT, 2]),
    ],
    [5, 2, 1],
  ),
  gives(
    104,
    (g) => [
      g.arcValue("ann", ["bought", C.D_OUT, C.M_CNT], "lamp"),
      g.arcValue("lamp", ["bought", C.D_IN, C.M_CNT], "ann"),
      g.arcValue("ann", "knows", "bo"),
    ],
    [2, 2, null],
  ),
  throws(105, (g) => g.arcValue("ann", "knows", "dee"), "SearchError", "no arc"),
  throws(
    106,
    (g) => g.arcValue("ann", ["bought", C.D_OUT, C.M_CNT, C.V_GT, 1], "lamp"),
    "QueryError",
    "Unsupported arc condition for this function",
  ),
  gives(
    107,
    (g) => [
      g.adjacent("ann"),
      g.adjacent("tent"),
      g.adjacent("tent", C.D_ANY),
      g.adjacent("ann", "knows", "dee"),
      g.adjacent("ann", null, { type: "item" }),
      g.adjacent("ann", "knows", "zz"),
    ],
    [true, false, true, false, true, false],
  ),
];

export const LISTS: readonly Example[] = [
  gives(108, (g) => g.terminals("ann", { sortby: S.S_ID }), ["bo", "cy", "lamp", "mug"]),
  gives(109, (g) => g.initials("lamp", { sortby: S.S_ID }), ["ann", "bo", "nord"]),
  givesAll(110, (g) => g.outarcs("bo"), [
    ["D_OUT", "bought", "M_CNT", 1, "tent"],
    ["D_OUT", "bought", "M_CNT", 5, "lamp"],
    ["D_OUT", "knows", "M_STAT", 1, "dee"],
    ["D_OUT", "rated", "M_FLT", 3, "tent"],
  ]),
  gives(111, (g) => g.inarcs("lamp", { hits: 1 }).length, 1),
  givesAll(112, (g) => g.verticesType("brand"), ["nord", "zig"]),

  gives(
    113,
    (g) =>
      g.arcs({
        condition: { arc: ["bought", C.D_OUT, C.M_CNT, C.V_GT, 1] },
        sortby: S.S_VAL,
      }),
    ["( bo )-[ bought <M_CNT> 5 ]->( lamp )", "( ann )-[ bought <M_CNT> 2 ]->( lamp )"],
  ),
  gives(
    114,
    (g) =>
      g.arcs({
        ...{ condition: { type: "brand" }, fields: C.F_ANCHOR | C.F_ID },
        ...{ result: C.R_LIST, sortby: S.S_ID },
      }),
    [
      ["nord", "lamp"],
      ["zig", "mug"],
      ["zig", "rope"],
      ["nord", "tent"],
    ],
  ),
  givesAll(
    115,
    (g) =>
      g.arcs({
        condition: {
          type: "person",
          traverse: {
            arc: C.D_OUT,
            neighbor: { type: "item", property: { price: [C.V_GT, 100] } },
          },
        },
        ...{ fields: C.F_ANCHOR | C.F_REL, result: C.R_LIST, sortby: S.S_ANCHOR },
      }),
    [
      ["bo", "bought"],
      ["bo", "rated"],
      ["dee", "viewed"],
    ],
  ),
];

const MADE = { arc: "makes", sortby: S.S_ID, hits: 1 } as const;
const SELECT = "price; nope; stock ? 5; .id; twice: next['price'] * 2";
const SELECTED = { price: 7, nope: null, stock: 5, ".id": "mug", twice: 14 };
const SHORT = { fields: C.F_ID, select: "price; .type" } as const;

export const SELECTIONS: readonly Example[] = [
  gives(116, (g) => g.neighborhood("zig", { ...MADE, result: C.R_SIMPLE, select: SELECT }), [
    SELECTED,
  ]),
  gives(117, (g) => parsed(g.neighborhood("zig", { ...MADE, result: C.R_STR, select: SELECT })), [
    SELECTED,
  ]),
  gives(118, (g) => g.neighborhood("zig", { ...MADE, result: C.R_LIST, select: SELECT }), [
    [Object.entries(SELECTED)],
  ]),
  gives(119, (g) => g.neighborhood("zig", { ...MADE, result: C.R_DICT, select: SELECT }), [
    { properties: SELECTED },
  ]),
  gives(120, (g) => g.neighborhood("zig", { ...MADE, ...SHORT, result: C.R_DICT }), [
    { id: "mug", properties: { price: 7, ".type": "item" } },
  ]),
  gives(121, (g) => parsed(g.neighborhood("zig", { ...MADE, ...SHORT, result: C.R_STR })), [
    { id: "mug", properties: { price: 7, ".type": "item" } },
  ]),
  gives(
    122,
    (g) =>
      g.neighborhood("bo", {
        ...{ arc: "bought", sortby: S.S_ID, result: C.R_DICT, hits: 1 },
        select: ".arc.value; .arc.type; .arc.mod; .arc.dir; .arc.dist; who: vertex.id",
      }),
    [
      {
        properties: {
          ...{ ".arc.value": 5, ".arc.type": "bought", ".arc.mod": "M_CNT" },
          ...{ ".arc.dir": "D_OUT", ".arc.dist": 1, who: "bo" },
        },
      },
    ],
  ),
  gives(123, (g) => g.neighborhood("bo", { arc: "knows", select: "*", result: C.R_DICT }), [
    { properties: { age: 19, city: "Bergen" } },
  ]),
  throws(
    124,
    (g) => g.neighborhood("ann", { select: "" }),
    "QueryError",
    "one or more property fields required",
  ),
];

const FREQUENT = { arc: ["bought", C.D_IN, C.M_CNT, C.V_GTE, 3], sortby: S.S_ID } as const;

export const PREPARED_QUERIES: readonly Example[] = [
  gives(
    125,
    (g) => {
      const query = g.newNeighborhoodQuery("lamp", FREQUENT);
      return [query.execute(), query.arcval];
    },
    [["bo"], 3],
  ),
  gives(
    126,
    (g) => {
      const query = g.newNeighborhoodQuery("lamp", FREQUENT);
      query.arcval = 1;
      return [query.execute(), query.execute({ hits: 1, offset: 1 })];
    },
    [["ann", "bo"], ["bo"]],
  ),
  gives(
    127,
    (g) => {
      const query = g.newNeighborhoodQuery("lamp", FREQUENT);
      query.arcval = 1;
      query.id = "tent";
      return [query.id, query.type, query.execute()];
    },
    ["tent", "Neighborhood", ["bo"]],
  ),
  throws(
    128,
    (g) => g.newVerticesQuery({ hits: 5 } as object),
    "TypeError",
    "'hits' is an invalid keyword argument for this function",
  ),
];

export const CHANGES_SEEN: readonly Example[] = [
  gives(129, () => {
    const g = makeGraph();
    const created = [
      g.connect("A", ["v", C.M_CNT, 4], "C"),
      g.connect("A", ["v", C.M_INT, 1965], "C"),
      g.connect("A", ["v", C.M_CNT, 3], "C"),
    ];
    return [created, g.neighborhood("A", { fields: C.F_AARC })];
  }, [
    [1, 1, 0],
    ["( A )-[ v <M_CNT> 7 ]->( C )", "( A )-[ v <M_INT> 1965 ]->( C )"],
  ]),
  gives(130, () => {
    const g = makeGraph();
    g.connect("A", ["v", C.M_CNT, 7], "C");
    g.connect("A", ["v", C.M_INT, 1965], "C");
    const created = g.connect("A", ["v", C.M_INT, 7], "C");
    const value = g.arcValue("A", ["v", C.D_OUT, C.M_INT], "C");
    const [initial, terminal] = [g.getVertex("A"), g.getVertex("C")];
    return [created, value, [g.size, initial.odeg, terminal.ideg, terminal.virtual]];
  }, [0, 7, [2, 2, 2, true]]),
  gives(131, () => {
    const g = makeGraph();
    g.connect("A", ["v", C.M_CNT, 7], "C");
    return [
      ...[g.count("A", "v", "C"), g.count("A", "v", "C", -100)],
      ...[g.accumulate("A", "acc", "C", 2.5), g.accumulate("A", "acc", "C", -4)],
    ];
  }, [8, 0, 2.5, -1.5]),
  gives(132, () => {
    const g = makeGraph();
    const before = nowSeconds();
    const created = g.connect("L", ["e", C.M_INT, 5], "M", { lifespan: 50 });
    const shown = g.neighborhood("L", { fields: ["modifier", "value"], result: "list" });
    const after = nowSeconds();
    const times = new Map([
      ["M_TMC", 0],
      ["M_TMM", 0],
      ["M_TMX", 50],
    ]);
    return [
      created,
      shown.map(([modifier, value]) => {
        const offset = times.get(modifier);
        if (offset === undefined) return [modifier, value];
        const isNow = value >= before + offset && value <= after + offset;
        return [modifier, isNow ? `now+${offset}` : value];
      }),
    ];
  }, [
    4,
    [
      ["M_INT", 5],
      ["M_TMC", "now+0"],
      ["M_TMM", "now+0"],
      ["M_TMX", "now+50"],
    ],
  ]),
  gives(133, () => {
    const g = makeGraph();
    const score = ["score", C.M_FLT, 3.5] as const;
    return [
      g.connect("a", [...score], "b", { condition: ["score", C.D_OUT] }),
      g.connect("a", [...score], "b", { condition: [false, ["score", C.D_OUT]] }),
      g.connect("a", ["n", C.M_CNT], "b", {
        condition: ["score", C.D_OUT, C.M_FLT, C.V_GT, 2],
      }),
    ];
  }, [0, 1, 1]),
  gives(134, () => {
    const g = makeGraph();
    const isVirtual = (id: string): boolean => {
      using vertex = g.getVertex(id);
      return vertex.virtual;
    };
    g.connect("p", "to", "q");
    g.connect("q", "to", "r");
    const flags = ["p", "q", "r"].map(isVirtual);
    const deleted = g.deleteVertex("q");
    const left = g.vertices({ sortby: S.S_ID });
    return [
      ...[flags, deleted, left, isVirtual("q"), g.disconnect("p")],
      g.vertices({ sortby: S.S_ID }),
    ];
  }, [[false, false, true], 1, ["p", "q"], true, 1, ["p"]]),
];
