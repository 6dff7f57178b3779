// Vectors of named features: encoding of weights and similarity measures against reference values
// and a naive model over Maps; the settings of a graph; snapshots, records and queries. ROUNDS=n
// runs more of it, SEED=n repeats a run.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { S_HAM, S_SIM } from "../../../../runtime/base/sort-constants.js";
import type { Graph } from "../../../../runtime/graph/api/graph.js";
import { applyTransaction } from "../../../../runtime/graph/log/apply-transaction.js";
import { F_ID, F_SIM, R_DICT } from "../../../../runtime/graph/model/constants.js";
import { DataError, ValueError } from "../../../../runtime/graph/model/errors.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { type Feature, isFeatureList } from "../../../../runtime/graph/vectors/features.js";
import { getParts, Vector } from "../../../../runtime/graph/vectors/vector.js";
import { Random, SEED } from "../../../property/support/random.js";
import { rounds } from "../../../support/rounds.js";
import { checkStore } from "../support/check-store.js";
import { loggedStore, makeUnit, packed, replayTo } from "../support/logged-graph.js";
import { openStore, TEST_THREAD } from "../support/make-graph.js";

interface Context {
  store: GraphStore;
  graph: Graph;
}

const ROUNDS = rounds(300);
const A: Feature[] = [
  ["a", 1],
  ["b", 0.5],
  ["c", 0.25],
];
const B: Feature[] = [
  ["a", 1],
  ["b", 1],
  ["d", 0.3],
];

const test = suite<Context>("feature vectors");

test.before.each((context) => {
  const store = loggedStore();
  Object.assign(context, { store, graph: openStore(store) });
});

test.after.each(({ store }) => {
  checkStore(store);
});

const isValueError = (error: Error): boolean => error instanceof ValueError;
const isDataError = (error: Error): boolean => error instanceof DataError;

function weightKept(weight: number): number {
  return new Vector([["x", weight]]).features[0]![1];
}

test("store weights with an exponent and three binary digits", () => {
  const input = [0.3, 0.9, 1.1, 2, -1, 1, 0.001, 0, 0.0078125, 1.875, 1e30];
  const stored = [
    0.28125, 0.875, 1, 1.875, 1.875, 1, 0.0078125, 0.0078125, 0.0078125, 1.875, 1.875,
  ];
  assert.equal(input.map(weightKept), stored);
});

test("compute the reference similarities", () => {
  const a = new Vector(A);
  assert.is(a.cosine(B), 0.90625);
  assert.is(a.jaccard(B), 0.59375);
  assert.is(a.euclideanDistance(B), Number.POSITIVE_INFINITY);
  assert.is(a.cosine(A), 1);
  assert.is(a.jaccard(A), 1);
  assert.is(a.cosine([["z", 1]]), 0);
  assert.is(a.cosine([]), 0);
  assert.is(a.cosine([1, 2]), -1);
  assert.ok(Math.abs(a.magnitude - Math.sqrt(1.3125)) < 1e-9);
  assert.is(a.hammingDistance(A), 0);
  assert.not.equal(a.fingerprint, new Vector(B).fingerprint);
});

test("expose their features in unspecified order", () => {
  const vector = new Vector(A);
  assert.equal([...vector.features].sort(), A);
  assert.is(vector.length, 3);
  assert.equal(JSON.parse(JSON.stringify(vector)), vector.features);
  const { type, external, internal, scale } = vector.asDict();
  assert.equal([type, external, scale], ["feature", vector.features, 1]);
  assert.equal([...(internal as number[][])].map(([, code]) => code).sort(), [40, 48, 56]);
  const longVector = new Vector([["€".repeat(10), 1]]);
  assert.is(longVector.features[0]![0], "€".repeat(9));
  assert.is(new Vector([["", 1]]).features[0]![0], "");
  const odd = ["__proto__", "constructor", "\u0000", "👍"].map((name): Feature => [name, 1]);
  assert.equal(new Set(new Vector(odd).features.map(([name]) => name)).size, 4);
});

test("report the position of an invalid feature", () => {
  const expectRejection = (elements: unknown, text: RegExp): void => {
    assert.throws(() => new Vector(elements as Feature[]), text);
  };
  expectRejection([["a", Number.NaN]], /vector\[0\] is NaN/);
  expectRejection(
    [
      ["a", 1],
      ["b", Number.POSITIVE_INFINITY],
    ],
    /vector\[1\] is Infinity/,
  );
  expectRejection(
    [
      ["a", 1],
      ["a", 2],
    ],
    /two features 'a'/,
  );
  expectRejection([["a", 1], 2], /vector\[1\] must be a name and a weight/);
  expectRejection([["a"]], /vector\[0\] must be a name and a weight/);
  expectRejection([[1, "a"]], /vector\[0\] must be a name and a weight/);
  expectRejection([1, ["a", 1]], /vector\[1\]: either all are numbers/);
  const many = Array.from({ length: 49 }, (_, index): Feature => [`f${index}`, 1]);
  expectRejection(many, /49 features: 48 at most/);
  assert.is(new Vector(many.slice(1)).length, 48);
});

/** The definition in vector.md, over Maps. */
function naive(a: readonly Feature[], b: readonly Feature[]) {
  const integers = (features: readonly Feature[]) =>
    new Map(features.map(([name, weight]) => [name, Math.round(136 * weightKept(weight))]));
  const [x, y] = [integers(a), integers(b)];
  const sum = (of: (name: string) => number) =>
    [...new Set([...x.keys(), ...y.keys()])].reduce((total, name) => total + of(name), 0);
  const [left, right] = [(name: string) => x.get(name) ?? 0, (name: string) => y.get(name) ?? 0];
  const cut = (value: number): number => {
    const view = new DataView(new ArrayBuffer(4));
    view.setFloat32(0, value);
    view.setUint16(2, 0);
    return view.getFloat32(0);
  };
  const size = (of: (name: string) => number) => Math.sqrt(sum((name) => of(name) ** 2) / 18496);
  const product = cut(sum((name) => left(name) * right(name)) / 18496);
  const minimum = cut(sum((name) => Math.min(left(name), right(name))) / 136);
  const maximum = cut(sum((name) => Math.max(left(name), right(name))) / 136);
  return {
    cosine: Math.min(1, cut(product / cut(size(left) * size(right)))),
    jaccard: Math.min(1, cut(minimum / maximum)),
    common: sum((name) => (x.has(name) && y.has(name) ? 1 : 0)),
  };
}

function randomFeatures(random: Random): Feature[] {
  const names = Array.from({ length: 1 + random.below(48) }, () => `name ${random.below(60)}`);
  return [...new Set(names)].map((name) => [name, random.below(2001) / 1000]);
}

test(`compute the similarities of a naive model (seed ${SEED})`, ({ graph }) => {
  const random = new Random();
  for (let round = 0; round < ROUNDS; round++) {
    const [a, b] = [randomFeatures(random), randomFeatures(random)];
    const { cosine, jaccard, common } = naive(a, b);
    assert.is(graph.sim.cosine(a, b), cosine, `round ${round}`);
    assert.is(graph.sim.jaccard(a, b), jaccard, `round ${round}`);
    graph.sim.min_isect = 1 + random.below(48);
    const expected = common < graph.sim.min_isect && graph.sim.min_isect > 1 ? 0 : cosine;
    assert.is(graph.sim.similarity(a, b), expected, `round ${round}`);
    assert.ok(isFeatureList(getParts(new Vector(a)).bytes));
  }
});

test("use a graph's similarity settings in queries and expressions", ({ graph }) => {
  graph.createVertex("a", { vector: A });
  graph.createVertex("b", { vector: B });
  graph.sim.jaccard_exp = 0.5;
  assert.equal([graph.sim.cosine_exp, graph.sim.asDict().jaccard_exp], [0.5, 0.5]);
  const mixed = graph.sim.similarity(A, B);
  assert.is(mixed, Math.trunc(Math.sqrt(0.59375 * 0.90625) * 256) / 256);
  const of = (text: string) => graph.evaluate(text, { tail: "a", head: "b" });
  assert.is(of("sim(vertex.vector, next.vector)"), mixed);
  assert.is(of("cosine(vertex.vector, next.vector)"), 0.90625);
  assert.is(of("jaccard(vertex.vector, next.vector)"), 0.59375);
  assert.is(of("'d' in next.vector"), 1);
  assert.is(of("'d' in vertex.vector"), 0);
  assert.is(of("len(vertex.vector)"), 3);
  assert.is(of("vertex.vector == next.vector"), 0);
  const probe = { vector: A, fields: F_ID | F_SIM, result: R_DICT };
  const ranked = graph.vertices({ ...probe, sortby: S_SIM });
  assert.equal(ranked, [
    { id: "a", similarity: 1 },
    { id: "b", similarity: mixed },
  ]);
  graph.sim.sim_threshold = 0.5;
  graph.sim.hamming_threshold = 64;
  assert.is(of("vertex.vector == next.vector"), 1);
  graph.sim.hamming_threshold = 0;
  assert.is(of("vertex.vector == next.vector"), 0);
  graph.sim.min_jaccard = 0.6;
  assert.is(graph.sim.similarity(A, B), 0);
  graph.sim.min_cosine = 1;
  graph.sim.cosine_exp = 1;
  assert.is(graph.sim.similarity(A, B), 0);
  const sim = graph.sim as { min_isect: unknown };
  for (const value of [0, 49, 1.5, Number.NaN]) {
    assert.throws(() => Object.assign(sim, { min_isect: value }), /min_isect must be an integer/);
  }
  assert.throws(() => Object.assign(sim, { min_isect: "2" }), /min_isect must be a number/);
  assert.throws(() => Object.assign(sim, { sim_threshold: 1.1 }), isValueError);
});

test("are found by nearest-neighbor queries, and cannot be mixed with other kinds", ({ graph }) => {
  graph.createVertex("a", { vector: A });
  graph.createVertex("b", { vector: B });
  graph.createVertex("c");
  assert.equal(graph.nearest(A), [
    { id: "a", similarity: 1 },
    { id: "b", similarity: 0.90625 },
  ]);
  const best = { hits: 1, approximate: { ef: 16 } };
  assert.equal(graph.nearest(B, best), [{ id: "b", similarity: 1 }]);
  assert.equal(graph.vertices({ vector: B, sortby: S_HAM, hits: 1 }), ["b"]);
  const condition = { similarity: { vector: A, score: 0.95 } };
  assert.equal(graph.vertices({ condition }), ["a"]);
  const vertex = graph.openVertex("a");
  assert.equal(new Map(vertex.asDict().vector as Feature[]), new Map(A));
  assert.equal([...vertex.vector].sort(), [0.25, 0.5, 1]);
  assert.throws(() => vertex.setVector([1, 2]), /vector holds numbers, but the vectors of this/);
  assert.throws(() => graph.nearest([1]), isValueError);
  assert.throws(() => graph.vertices({ vector: [1], sortby: S_SIM }), /vectors of this graph hold/);
  assert.throws(() => graph.createVertex("d", { vector: [1] }), isValueError);
  assert.not(graph.hasVertex("d"));
  assert.throws(() => graph.sim.projections(A), isValueError);
  vertex.close();
  graph.truncate();
  graph.createVertex("d", { vector: [1] });
  assert.throws(() => graph.createVertex("e", { vector: A }), isValueError);
  assert.throws(() => Object.assign(graph.sim, { jaccard_exp: 0.1 }), /must be 0 for vectors/);
});

test("have feature vectors as sums, differences and centroids", ({ graph }) => {
  const sum = new Map(new Vector(A).add(B).features);
  assert.equal([sum.get("a"), sum.get("b"), sum.get("d")], [1.875, 1.5, 0.28125]);
  const rest = new Map(new Vector(A).subtract(B).features);
  assert.equal([...rest], [["c", 0.25]]);
  assert.equal(new Map(graph.sim.newCentroid([A, B]).features).get("b"), 0.75);
  assert.throws(() => new Vector(A).add([1]), /vectors of numbers and of features/);
  assert.ok(Number.isNaN(new Vector(A).dot(B)));
});

test(`replicate features and settings by records (seed ${SEED})`, ({ store, graph }) => {
  const random = new Random();
  const copy = GraphStore.create("copy", TEST_THREAD);
  for (let round = 0; round < 60; round++) {
    const id = `v${random.below(12)}`;
    const features = random.below(4) === 0 ? [] : randomFeatures(random);
    graph.createVertex(id, { vector: features });
    if (random.below(9) === 0) graph.deleteVertex(id);
  }
  graph.sim.min_isect = 3;
  replayTo(store, copy);
  checkStore(copy);
  const copiedGraph = openStore(copy);
  assert.equal(copiedGraph.sim.asDict(), graph.sim.asDict());
  assert.is(copiedGraph.objcnt.vectors, graph.objcnt.vectors);
  for (const id of graph.vertices()) {
    const [vertex, two] = [graph.getVertex(id), copiedGraph.getVertex(id)];
    assert.ok(two.getVector().equals(vertex.getVector()), id);
    vertex.close();
    two.close();
  }
});

test("are rejected in corrupt records", ({ store, graph }) => {
  graph.createVertex("a");
  const bytes = [...new Uint8Array(getParts(new Vector(A)).bytes)];
  const set = 14 | (2 << 8);
  const oneBits = new Uint32Array(Float32Array.of(1).buffer)[0]!;
  const expectRejection = (content: number[]): void => {
    const transaction = makeUnit(store.operationCount, [
      set,
      0,
      oneBits,
      ...packed("a"),
      ...packed(content),
    ]);
    assert.throws(() => applyTransaction(store, transaction, 0), isDataError);
  };
  for (let index = 0; index < bytes.length; index++) {
    const damaged = [...bytes];
    damaged[index]! ^= 0x81;
    if (!isFeatureList(Int8Array.from(damaged))) expectRejection(damaged);
  }
  expectRejection([...bytes, ...new Array(32).fill(0)]);
  expectRejection([]);
  expectRejection(new Array(4096).fill(1));
  for (const [setting, value] of [
    [9, oneBits],
    [7, new Uint32Array(Float32Array.of(4).buffer)[0]!],
    [8, new Uint32Array(Float32Array.of(0.5).buffer)[0]!],
  ] as const) {
    const transaction = makeUnit(store.operationCount, [19 | (setting << 16), 0, value]);
    assert.throws(() => applyTransaction(store, transaction, 0), isDataError);
  }
});

test.run();
