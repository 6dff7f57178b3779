// Vectors in queries: sorting, showing, conditions and expressions give the results of a naive
// list.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  S_ASC,
  S_DESC,
  S_HAM,
  S_ID,
  S_RANK,
  S_SIM,
} from "../../../../runtime/base/sort-constants.js";
import type { Graph } from "../../../../runtime/graph/api/graph.js";
import {
  D_ANY,
  D_OUT,
  F_ANCHOR,
  F_HAM,
  F_ID,
  F_RANK,
  F_SIM,
  F_VAL,
  F_VEC,
  M_INT,
  R_LIST,
  V_GT,
  V_LTE,
  V_RANGE,
} from "../../../../runtime/graph/model/constants.js";
import { QueryError } from "../../../../runtime/graph/model/errors.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { Vector } from "../../../../runtime/graph/vectors/vector.js";
import { makeGraph, openStore, TEST_THREAD } from "../support/make-graph.js";

const test = suite<{ graph: Graph }>("vectors in queries");
const PROBE = [1, 0.5];
const VECTORS: readonly (readonly [string, readonly number[]])[] = [
  ["near", [1, 0.5]],
  ["close", [1, 0.45]],
  ["across", [0.5, -1]],
  ["far", [-1, 0.5]],
  ["against", [-1, -0.5]],
];

test.before.each((context) => {
  const graph = makeGraph();
  for (const [id, vector] of VECTORS) {
    graph.createVertex(id, { type: "item", vector });
    graph.connect("root", "has", id);
  }
  graph.createVertex("bare", { type: "item" });
  graph.connect("root", "has", "bare");
  context.graph = graph;
});

const similarity = (id: string): number => {
  const vector = new Map(VECTORS).get(id);
  return vector === undefined ? -1 : new Vector(vector).cosine(PROBE);
};
const BEST = ["near", "close", "across", "far", "against", "bare"];

test("select vectors as numbers, and as an empty list without a vector", ({ graph }) => {
  const shown = graph.vertices({
    ...{ condition: ["near", "bare"], sortby: S_ID },
    ...{ select: ".vector; twice: vertex.vector", result: "dict" },
  });
  const numbers = new Vector([1, 0.5]).external;
  assert.equal(shown, [
    { properties: { ".vector": [], twice: [] } },
    { properties: { ".vector": numbers, twice: numbers } },
  ]);
});

test("sort hits by similarity, those without a vector last", ({ graph }) => {
  const condition = { type: "item" };
  const query = { condition, vector: PROBE };
  assert.equal(graph.vertices({ ...query, sortby: S_SIM }), BEST);
  assert.equal(graph.vertices({ ...query, sortby: S_SIM, hits: 2, offset: 1 }), BEST.slice(1, 3));
  assert.equal(graph.vertices({ ...query, sortby: S_SIM, hits: 6 }), BEST);
  const ascending = graph.vertices({ ...query, sortby: S_SIM | S_ASC });
  assert.equal(ascending, [...BEST.slice(0, 5).reverse(), "bare"]);
  const bits = graph.vertices({ ...query, sortby: S_HAM });
  assert.equal([bits[0], bits[1], bits[5]], ["near", "close", "bare"]);
  assert.is(graph.vertices({ ...query, sortby: S_HAM | S_DESC })[5], "bare");
  const around = graph.neighborhood("root", {
    vector: PROBE,
    sortby: S_SIM,
    fields: ["id"],
    hits: 3,
  });
  assert.equal(around, BEST.slice(0, 3));
  assert.is(graph.vertices({ condition, sortby: S_SIM }).length, 6);
});

test("show vectors and similarities in fields", ({ graph }) => {
  const fields = F_ID | F_SIM | F_HAM | F_RANK;
  const query = {
    vector: PROBE,
    sortby: S_SIM,
    fields,
    result: "list",
    condition: { type: "item" },
  };
  const rows = graph.vertices(query as object) as unknown as [string, number, number, number][];
  for (const [id, rank, score, bits] of rows) {
    const expected = similarity(id);
    assert.equal([score, rank], [expected, expected], id);
    const vector = new Map(VECTORS).get(id);
    assert.is(bits, vector === undefined ? 64 : new Vector(vector).hammingDistance(PROBE));
  }
  const shown = { fields: F_VEC | F_SIM, result: "dict", condition: "near" } as const;
  const [near] = graph.vertices(shown) as unknown as { vector: number[]; similarity: number }[];
  assert.equal(near!.vector, new Vector(PROBE).external);
  assert.is(near!.similarity, -1);
});

test("match a condition on similarity", ({ graph }) => {
  const ids = (similarity: object): string[] =>
    graph.vertices({ condition: { type: "item", similarity: similarity as never } }).sort();
  assert.equal(ids({ vector: PROBE, score: 0.99 }), ["close", "near"]);
  assert.equal(ids({ vector: PROBE, score: [V_GT, 0.9999] }), ["near"]);
  assert.equal(ids({ vector: PROBE, score: [V_RANGE, [-0.9, 0.1]] }), ["across", "far"]);
  assert.equal(ids({ vector: PROBE, hamdist: 2 }), ["close", "near"]);
  assert.equal(ids({ vector: PROBE, hamdist: [V_LTE, 0], score: 0 }), ["near"]);
  assert.is(ids({ vector: PROBE }).length, 6);
  using nearVertex = graph.getVertex("near");
  assert.equal(ids({ vector: nearVertex, score: 0.99 }), ["close", "near"]);
  const negated = { condition: { similarity: [false, { vector: PROBE, score: 0.99 }] as never } };
  assert.not(graph.vertices(negated).includes("near"));
  const nearest = graph.nearest(PROBE, {
    condition: { similarity: { vector: [1, -1], score: 0 } },
  });
  assert.equal(
    nearest.map(({ id }) => id),
    ["near", "close", "across"],
  );
});

test("reject invalid conditions", ({ graph }) => {
  const expectRejection = (similarity: unknown, text: RegExp): void => {
    assert.throws(
      () => graph.vertices({ condition: { similarity: similarity as never } }),
      (error: Error) => text.test(error.message) && error instanceof QueryError,
    );
  };
  expectRejection({}, /vector is required/);
  expectRejection(7, /Invalid similarity condition/);
  expectRejection({ vector: PROBE, scor: 1 }, /'scor'/);
  expectRejection({ vector: PROBE, score: 2 }, /score must be -1 to 1/);
  expectRejection({ vector: PROBE, score: "a" }, /score must be/);
  expectRejection({ vector: PROBE, hamdist: 65 }, /hamdist must be 0 to 64/);
  assert.throws(() => graph.vertices({ vector: [Number.NaN] }), /vector\[0\] is NaN/);
  assert.throws(() => graph.vertices({ vector: ["a"] as never }), /vector\[0\] must be a number/);
  const approximate = { approximate: 3 as never };
  assert.throws(
    () => graph.vertices({ vector: PROBE, sortby: S_SIM, ...approximate }),
    /approximate/,
  );
});

test("compare vectors in expressions", ({ graph }) => {
  const query = { vector: PROBE, sortby: S_RANK, fields: ["id"] } as const;
  const ranked = graph.neighborhood("root", { ...query, rank: "1 + cosine(vector, next.vector)" });
  assert.equal(ranked.slice(0, 2), ["near", "close"]);
  assert.is(ranked.length, 6);
  const positive = graph.neighborhood("root", { ...query, rank: "cosine(vector, next.vector)" });
  assert.not(positive.includes("far"));
  const filter = "hamdist(vector, next.vector) < 3";
  assert.equal(graph.neighborhood("root", { vector: PROBE, filter, fields: ["id"] }).sort(), [
    "close",
    "near",
  ]);
  const longest = { filter: "asreal(next.vector) > 1.1 && len(next.vector) == 32", fields: ["id"] };
  assert.is(graph.neighborhood("root", longest as { filter: string; fields: ["id"] }).length, 4);
});

test("compare by the measure of the graph, although a query was prepared before", ({ graph }) => {
  const ranked = {
    ...{ vector: PROBE, sortby: S_RANK, rank: "sim(vector, next.vector)" },
    ...{ fields: F_ID | F_RANK, result: R_LIST },
  };
  const query = graph.newNeighborhoodQuery("root", ranked);
  const before = query.execute();
  graph.setVectorSettings({ measure: "dot" });
  const after = query.execute();
  assert.equal(after, graph.neighborhood("root", ranked));
  assert.not.equal(after, before);
});

test("compare vectors again in each execution", ({ graph }) => {
  const query = graph.newVerticesQuery({
    condition: { type: "item" },
    vector: PROBE,
    sortby: S_SIM,
  });
  // Too few have a vector to be found by it alone.
  assert.is(query.execute({ hits: 6 })[0], "near");
  graph.createVertex("against", { vector: [1, 0.4] });
  assert.equal(query.execute({ hits: 3 }), ["near", "close", "against"]);
});

/** A vertex with 40 neighbors, and 15 arcs from each: both levels and sides, most with a vector. */
function growTwoLevels(graph: Graph): void {
  for (let index = 0; index < 100; index++) {
    const vector = [Math.sin(index), Math.cos(index * 7), (index % 5) - 2];
    graph.createVertex(`leaf${index}`, {
      type: `type_${index % 3}`,
      ...(index % 9 > 0 && { vector }),
    });
  }
  for (let middle = 0; middle < 40; middle++) {
    graph.createVertex(`middle${middle}`, { vector: [middle - 20, 3, middle % 7] });
    if (middle % 2 === 0) graph.connect("top", ["to", M_INT, middle], `middle${middle}`);
    else graph.connect(`middle${middle}`, ["to", M_INT, middle], "top");
    for (let index = 0; index < 15; index++) {
      const leaf = `leaf${(middle * 31 + index * 7) % 100}`;
      graph.connect(`middle${middle}`, ["to", M_INT, index], leaf);
    }
  }
}

const THREE = [0.2, -1, 0.7];
const DEEP = {
  ...{ arc: ["to", D_ANY] as const, collect: true, vector: THREE },
  neighbor: { arc: ["to", D_OUT], collect: true },
  ...{ fields: F_ANCHOR | F_ID | F_VAL | F_SIM, result: R_LIST },
} as const;
type Found = [anchor: string, value: number, id: string, similarity: number];
const ID = 2;
const SIMILARITY = 3;

test("sort arcs of many vertices by similarity, and keep the order of ties", ({ graph }) => {
  growTwoLevels(graph);
  const ranking = graph.neighborhood("top", DEEP) as unknown as Found[];
  assert.ok(ranking.length > 600, "more than are compared at once");
  const order = (sign: number) => (a: Found, b: Found) => {
    // -1 stands for no vector here.
    const [left, right] = [a[SIMILARITY], b[SIMILARITY]];
    if (left === right) return 0;
    return left === -1 ? 1 : right === -1 ? -1 : (right - left) * sign;
  };
  for (const [sortby, sign] of [[S_SIM, 1] as const, [S_SIM | S_ASC, -1] as const]) {
    const sorted = ranking.toSorted(order(sign));
    const tail = (hits: number, offset: number): Found[] =>
      graph.neighborhood("top", { ...DEEP, sortby, hits, offset }) as unknown as Found[];
    const keys = (list: readonly Found[]): number[] => list.map((hit) => hit[SIMILARITY]);
    for (const [hits, offset] of [[10, 0] as const, [300, 7] as const, [2000, 0] as const]) {
      const page = tail(hits, offset);
      assert.equal(keys(page), keys(sorted.slice(offset, offset + hits)), `${hits} hits`);
      const rows = new Set(ranking.map((hit) => JSON.stringify(hit)));
      assert.ok(
        page.every((hit) => rows.has(JSON.stringify(hit))),
        "each with its own tail",
      );
    }
    assert.equal(
      tail(2000, 0).map(String).sort(),
      ranking.map(String).sort(),
      "each arc once, with its tail and value",
    );
  }
});

test("count, group and page the arcs of many vertices by similarity", ({ graph }) => {
  growTwoLevels(graph);
  const hits = graph.neighborhood("top", DEEP) as unknown as Found[];
  const query = { ...DEEP, sortby: S_SIM, hits: 5 };
  const { counts, facets } = graph.neighborhood("top", {
    ...{ ...query, counts: true },
    facets: { ".type": 3 },
  }) as unknown as { counts: { arcs: number }; facets: Record<string, { count: number }[]> };
  assert.is(counts.arcs, hits.length);
  const faceted = Object.values(facets)[0]!.reduce((sum, { count }) => sum + count, 0);
  assert.is(faceted, hits.filter(([, , id]) => id.startsWith("leaf")).length);
  const paged: Found[] = [];
  let cursor: string | null | true = true;
  while (cursor !== null) {
    const page = graph.neighborhood("top", { ...query, hits: 250, cursor } as never) as unknown as {
      neighborhood: Found[];
      cursor: string | null;
    };
    paged.push(...page.neighborhood);
    cursor = page.cursor;
  }
  assert.equal(paged.map(String).sort(), hits.map(String).sort());
});

test("read vectors that changed since the last search, or in the same batch", ({ graph }) => {
  growTwoLevels(graph);
  const query = { ...DEEP, sortby: S_SIM, hits: 1 };
  const best = (): Found => (graph.neighborhood("top", query) as unknown as Found[])[0]!;
  const first = best();
  assert.equal(best(), first, "of a graph at rest");
  const set = (vector: readonly number[]) => graph.createVertex("leaf3", { vector });
  set(THREE);
  assert.is(best()[ID], "leaf3");
  set(THREE.map((component) => -component));
  assert.equal(best(), first);
  graph.batch(() => {
    set(THREE);
    assert.is(best()[ID], "leaf3");
    set([1, 1, 1]);
    assert.is.not(best()[ID], "leaf3");
  });
  assert.equal(best(), first);
});

test("never give a vertex the score of a vector that took its slot meanwhile", () => {
  const store = GraphStore.create("test", TEST_THREAD);
  const graph = openStore(store);
  growTwoLevels(graph);
  const query = { ...DEEP, sortby: S_SIM, hits: 1 };
  const { vectors } = store;
  // As if another thread changed the graph between two reads of a search.
  let isChanged = true;
  const findSlots = vectors.findSlots.bind(vectors);
  let taker = 0;
  vectors.findSlots = (...args) => {
    findSlots(...args);
    if (isChanged) return;
    isChanged = true;
    graph.createVertex("leaf3", { vector: [-1, 1, taker] });
    graph.createVertex(`taker${taker++}`, { vector: THREE });
  };
  for (const searches of [0, 2]) {
    for (let search = 0; search < searches; search++) graph.neighborhood("top", query);
    isChanged = false;
    const [best] = graph.neighborhood("top", query) as unknown as Found[];
    assert.ok(isChanged);
    assert.is.not(best![ID], "leaf3", `after ${searches} searches of the same graph`);
  }
});

test.run();
