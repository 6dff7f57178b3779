// Forms of results: fields by mask and by name, all shapes, paths of deeper levels, orders,
// selections, counts and times.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as S from "../../../../runtime/base/sort-constants.js";
import * as C from "../../../../runtime/graph/model/constants.js";
import { floatText } from "../../../../runtime/graph/query/render/render-text.js";
import { makeGraph } from "../support/make-graph.js";
import { makeShop } from "./examples/shop.js";

const test = suite("result forms");
const shop = makeShop();
const BOUGHT = { arc: "bought", sortby: S.S_ID } as const;

test("show the same fields by name and by mask, in display order", () => {
  const names = ["id", "value", "relationship", "anchor"] as const;
  const mask = C.F_ID | C.F_VAL | C.F_REL | C.F_ANCHOR;
  for (const result of ["simple", "str", "list", "dict"] as const) {
    const byName = shop.neighborhood("bo", { ...BOUGHT, fields: names, result });
    assert.equal(byName, shop.neighborhood("bo", { ...BOUGHT, fields: mask, result }));
  }
  const list = shop.neighborhood("bo", { ...BOUGHT, fields: names, result: "list" });
  assert.equal(list as unknown, [
    ["bo", "bought", 5, "lamp"],
    ["bo", "bought", 1, "tent"],
  ]);
  const simple = shop.neighborhood("bo", { ...BOUGHT, fields: names, result: "simple" });
  assert.equal(simple as unknown, ["bo", "bo"]);
});

/** R_STR of bo's arc to the lamp, by fields. */
const TEXTS: readonly (readonly [fields: number, text: string])[] = [
  [C.F_ID, "lamp"],
  [C.F_VAL, "5"],
  [C.F_REL, "bought"],
  [C.F_MOD, "M_CNT"],
  [C.F_ARCDIR, "->"],
  [C.F_DEG, "4"],
  [C.F_ANCHOR | C.F_ID, "( bo )-[ ]-( lamp )"],
  [C.F_ARCDIR | C.F_ID, "(  )-[ ]->( lamp )"],
  [C.F_REL | C.F_MOD, "(  )-[ bought <M_CNT> ]->(  )"],
  [C.F_AARC, "( bo )-[ bought <M_CNT> 5 ]->( lamp )"],
  [C.F_ID | C.F_TYPE, '{"id":"lamp","type":"item"}'],
  [C.F_PROP, '{"price":25.5}'],
];
for (const [fields, text] of TEXTS) {
  test(`fields ${fields}: ${text}`, () => {
    assert.equal(shop.neighborhood("bo", { ...BOUGHT, fields, hits: 1 }), [text]);
  });
}

test("show defaults for vector fields without vectors", () => {
  const fields = ["vector", "similarity", "hamming-distance"] as const;
  const [entry] = shop.neighborhood("bo", { ...BOUGHT, fields, result: "list" });
  assert.equal(entry as unknown, [[], -1, 64]);
});

test("draw the path to deeper levels, with reversed arcs pointing back", () => {
  const makes = { arc: ["makes", C.D_IN], collect: true } as const;
  const bought = { arc: ["bought", C.D_OUT], collect: C.C_SCAN, neighbor: makes } as const;
  const options = { arc: "knows", collect: C.C_NONE, neighbor: bought, fields: C.F_AARC } as const;
  const texts = shop.neighborhood("ann", { ...options, sortby: S.S_ANCHOR });
  assert.equal(texts, [
    "( ann )-[...]-(1)-[...]-( lamp )<-[ makes <M_STAT> 1 ]-( nord )",
    "( ann )-[...]-(1)-[...]-( rope )<-[ makes <M_STAT> 1 ]-( zig )",
    "( ann )-[...]-(1)-[...]-( tent )<-[ makes <M_STAT> 1 ]-( nord )",
  ]);
});

test("merge arcs of both directions, and mark forward-only ones", () => {
  const graph = makeGraph();
  graph.connect("a", "to", "b");
  graph.connect("b", "to", "a");
  graph.connect("a", ["to", C.M_INT | C.M_FWDONLY, 7], "c");
  const both = graph.neighborhood("a", { arc: C.D_BOTH, fields: C.F_AARC });
  assert.equal(both, ["( a )-[ to <M_STAT> 1 ]-( b )"]);
  const modifiers = { arc: ["to", C.D_OUT, C.M_INT], fields: C.F_MOD } as const;
  assert.equal(graph.neighborhood("a", modifiers), ["M_INT|M_FWDONLY"]);
});

test("print floats with six digits", () => {
  const graph = makeGraph();
  const texts = ["4.50000", "0.750000", "1.20000e+09", "5.00000e-05", "-2.00000", "0.00000"];
  for (const [index, text] of texts.entries()) {
    graph.connect("a", ["to", C.M_FLT, Number(text)], `b${index}`);
  }
  assert.equal(graph.neighborhood("a", { fields: C.F_VAL, sortby: S.S_ID }), texts);
});

test("print common floats as the general way does", () => {
  const edges = [0.1, 0.5000005, 1.000005, 9.999995, 9.9999951, 99_998.95, 0.9999996, 1234.565];
  const random = Array.from(
    { length: 2000 },
    (_, index) => ((index * 7919) % 100_000) / 10 ** (index % 6),
  );
  const small = [0.1, 0.01, 0.001, 1e-4].flatMap((edge) => [edge - 1e-9, edge + 1e-9, edge / 3]);
  const positive = [...edges, ...random, ...small].filter((number) => number >= 1e-4);
  for (const value of [0, ...positive, ...positive.map((number) => -number)]) {
    for (const number of [value, Math.fround(value)]) {
      if (Math.abs(number) < 1e-4 && number !== 0) continue;
      assert.is(floatText(number), number.toPrecision(6), String(number));
    }
  }
});

test("draw arcs of several tails, relationships, modifiers and levels", () => {
  const graph = makeGraph();
  graph.connect("a", ["to", C.M_INT, 1], "b");
  graph.connect("a", ["to", C.M_INT, 2], "c");
  graph.connect("a", ["to", C.M_CNT, 3], "c");
  graph.connect("b", ["at", C.M_INT, 4], "d");
  graph.connect("c", ["at", C.M_INT, 5], "d");
  graph.connect("d", ["to", C.M_INT, 6], "a");
  const query = { arc: C.D_ANY, neighbor: { arc: ["at", C.D_OUT], collect: true } } as const;
  const neighbors = graph.neighborhood("a", { ...query, collect: true, fields: C.F_AARC });
  assert.equal((neighbors as string[]).sort(), [
    "( a )-[ to <M_CNT> 3 ]->( c )",
    "( a )-[ to <M_INT> 1 ]->( b )",
    "( a )-[ to <M_INT> 2 ]->( c )",
    "( a )-[...]-( b )-[ at <M_INT> 4 ]->( d )",
    // Two arcs lead to c.
    ...new Array<string>(2).fill("( a )-[...]-( c )-[ at <M_INT> 5 ]->( d )"),
  ]);
  const inward = graph.neighborhood("a", { arc: C.D_IN, fields: C.F_AARC });
  assert.equal(inward, ["( a )<-[ to <M_INT> 6 ]-( d )"]);
});

test("draw the arcs of a vertex with a reused handle", () => {
  const graph = makeGraph();
  for (const id of ["a", "z"]) {
    graph.connect(id, ["to", C.M_INT, 1], "b");
    assert.equal(graph.neighborhood(id, { fields: C.F_AARC }), [
      `( ${id} )-[ to <M_INT> 1 ]->( b )`,
    ]);
    graph.deleteVertex(id);
  }
});

test("sort in both directions; an arc without a value sorts as 0 and shows 1", () => {
  const graph = makeGraph();
  graph.connect("a", ["int", C.M_INT, 3], "b");
  graph.connect("a", ["int", C.M_INT, -1], "c");
  graph.connect("a", ["float", C.M_FLT, 1.5], "d");
  graph.connect("a", "plain", "e");
  const by = (sortby: number): unknown =>
    graph.neighborhood("a", { sortby, fields: C.F_VAL, result: "simple" });
  assert.equal(by(S.S_VAL | S.S_ASC), [-1, 1, 1.5, 3]);
  assert.equal(by(S.S_VAL), [3, 1.5, 1, -1]);
});

test("sort ids by their UTF-8 bytes", () => {
  const graph = makeGraph();
  const ids = ["", "Z", "a", "é", "\u{ffee}", "\u{1f600}"].map((text) => `x${text}`);
  for (const id of [...ids].reverse()) graph.connect("a", "to", id);
  assert.equal(graph.neighborhood("a", { sortby: S.S_ID }), ids);
  assert.equal(graph.terminals("a", { sortby: S.S_ID | S.S_DESC }), [...ids].reverse());
  const internal = graph.vertices({ sortby: S.S_OBID, fields: ["internalid"], result: "simple" });
  assert.equal(internal, [...internal].sort());
});

test("return all hits or one page in random order", () => {
  const drawn = shop.vertices({ sortby: S.S_RANDOM });
  assert.equal([...drawn].sort(), [...shop.vertices()].sort());
  assert.is(new Set(shop.vertices({ sortby: S.S_RANDOM, hits: 4 })).size, 4);
});

test("use the sort key as the rank", () => {
  const fields = ["id", "rankscore"] as const;
  const options = { ...BOUGHT, sortby: S.S_VAL, fields, result: "list" } as const;
  assert.equal(shop.neighborhood("bo", options) as unknown, [
    ["lamp", 5],
    ["tent", 1],
  ]);
  const unsorted = shop.neighborhood("bo", { ...options, sortby: S.S_ID });
  assert.equal(unsorted as unknown, [
    ["lamp", 0],
    ["tent", 0],
  ]);
});

test("select items in every shape, with null or a default for missing ones", () => {
  const select = "price; never; never ? 3; never ? 'x', .id; .arc.value; .arc.dir";
  const entry = {
    ...{ price: 25.5, never: "x" },
    ...{ ".id": "lamp", ".arc.value": 5, ".arc.dir": "D_OUT" },
  };
  const query = (result: "simple" | "str" | "list" | "dict"): unknown =>
    shop.neighborhood("bo", { ...BOUGHT, select, result, hits: 1 })[0];
  assert.equal(query("dict"), { properties: entry });
  assert.equal(query("simple"), entry);
  assert.equal(JSON.parse(query("str") as string), entry);
  assert.equal(query("list"), [
    [
      ["price", 25.5],
      ["never", null],
      ["never", 3],
      ["never", "x"],
      [".id", "lamp"],
      [".arc.value", 5],
      [".arc.dir", "D_OUT"],
    ],
  ]);
});

test("draw items of every kind as JSON text, each key once", () => {
  const graph = makeGraph();
  const properties = {
    ...{ n: -0.5, none: null, inf: Number.POSITIVE_INFINITY, text: 'a "b"\n\\', list: [1, 2.5] },
    ...{ bytes: new TextEncoder().encode("héé"), map: new Map([[3, 1.5]]), other: { a: 1 } },
  };
  graph.createVertex("x", { properties });
  graph.connect("anchor", "to", "x");
  const texts = {
    ...{ n: "-0.5", none: "null", inf: "null", text: '"a \\"b\\"\\n\\\\"', list: "[1,2.5]" },
    ...{ bytes: '"héé"', map: '{"3":1.5}', other: '"<unknown>"' },
  };
  const draw = (fields: number, select: string): string =>
    graph.neighborhood("anchor", { fields, select, result: "str" })[0]!;
  for (const [key, text] of Object.entries(texts)) {
    assert.is(draw(C.F_PROP, key), `{"${key}":${text}}`);
  }
  const members = Object.entries(texts).map(([key, text]) => `"${key}":${text}`);
  assert.is(draw(C.F_PROP, Object.keys(texts).join(";")), `{${members.join()}}`);
  // Of equal keys the last value counts, in the place of the first one.
  assert.is(draw(C.F_PROP, "n; none; n ? 3; n: 7"), '{"n":7,"none":null}');
  const many = Array.from({ length: 9 }, (_, index) => `k${index}: ${index}`).join(";");
  assert.is(
    draw(C.F_PROP, many),
    JSON.stringify(
      Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`k${index}`, index])),
    ),
  );
  const otherDraw = draw(C.F_ID | C.F_TYPE | C.F_PROP | C.F_SIM, "n");
  assert.is(otherDraw, JSON.stringify(JSON.parse(otherDraw)));
  assert.equal(JSON.parse(otherDraw).properties, { n: -0.5 });
});

test("add counts and times next to the list", () => {
  const result = shop.neighborhood("bo", { ...BOUGHT, hits: 1, counts: true, timing: true });
  assert.equal(result.neighborhood, ["lamp"]);
  assert.equal(result.counts, { neighbors: 2, arcs: 2 });
  assert.equal(Object.keys(result.time), ["search", "result", "total"]);
  assert.ok(result.time.total >= result.time.search);
  const vertices = shop.vertices({ condition: { type: "item" }, hits: 0, counts: true });
  assert.equal(vertices, { vertices: [], counts: { vertices: 4 } });
  const sums = shop.aggregate("bo", { arc: "bought", timing: true });
  assert.equal(Object.keys(sums), ["aggregation", "time"]);
});

test("treat a key of Object.prototype like any other", () => {
  const [entry] = shop.neighborhood("bo", {
    ...{ ...BOUGHT, hits: 1, result: "dict" as const },
    select: "price; __proto__: 1 + 1; __proto__",
  });
  const { properties } = entry as unknown as { properties: object };
  assert.equal(Object.keys(properties), ["price", "__proto__"]);
  assert.is(Object.getPrototypeOf(properties), Object.prototype);
});

test.run();
