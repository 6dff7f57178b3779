// Graphs of larger precision: records, snapshots, conversion while searches run, indexes that move
// along, and arithmetic on their vectors.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { PRECISIONS } from "../../../../runtime/base/precisions.js";
import type { Graph } from "../../../../runtime/graph/api/graph.js";
import type { NearestResult } from "../../../../runtime/graph/api/public-names.js";
import { convertVectors } from "../../../../runtime/graph/changes/vector-settings.js";
import { loadGraph } from "../../../../runtime/graph/manager/snapshot/load-graph.js";
import { saveGraph } from "../../../../runtime/graph/manager/snapshot/save-graph.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { computeDigest } from "../../../../runtime/graph/store/verify-digest.js";
import { IndexProcessor } from "../../../../runtime/graph/vectors/index-processor.js";
import { Vector } from "../../../../runtime/graph/vectors/vector.js";
import { Random, SEED } from "../../../property/support/random.js";
import { checkStore } from "../support/check-store.js";
import { loggedStore, replayTo } from "../support/logged-graph.js";
import { openStore, TEST_THREAD } from "../support/make-graph.js";

/** Precisions for any vector of numbers. */
const DIGITS = PRECISIONS.filter((precision) => precision !== "binary");

const test = suite<{ folder: string }>("precision of a graph");

test.before.each((context) => {
  context.folder = mkdtempSync(join(tmpdir(), "svc-precision-"));
});

test.after.each(({ folder }) => {
  rmSync(folder, { recursive: true });
});

function randomVector(random: Random, length = 64): number[] {
  const scale = 10 ** (random.below(8) - 4);
  return Array.from({ length }, () => Math.fround((random.below(2001) / 1000 - 1) * scale));
}

function fill(graph: Graph, random: Random, count: number): number[][] {
  return Array.from({ length: count }, (_, index) => {
    const vector = randomVector(random);
    graph.createVertex(`v${index}`, { vector });
    return vector;
  });
}

/** Vectors by id, as components. */
function contents(graph: Graph): Map<string, readonly number[]> {
  return new Map(graph.vertices().map((id) => [id, graph.getVertex(id).vector]));
}

test(`replicas and snapshots have the same vectors (seed ${SEED})`, ({ folder }) => {
  const random = new Random();
  const store = loggedStore();
  const graph = openStore(store);
  const copy = loggedStore();
  copy.memory.log!.isOn = false;
  for (let round = 0; round < 60; round++) {
    if (round % 10 === 0) graph.setVectorSettings({ precision: random.of(DIGITS) });
    const id = `v${random.below(30)}`;
    const kind = random.below(10);
    if (kind === 0) graph.deleteVertex(id);
    else if (kind === 1) for (const _ of convertVectors(store));
    else {
      const isZero = random.below(10) === 0;
      graph.createVertex(id, { vector: isZero ? [0] : randomVector(random) });
    }
    replayTo(store, copy);
  }
  checkStore(store);
  checkStore(copy);
  assert.equal(contents(openStore(copy)), contents(graph));
  assert.equal(computeDigest(copy), computeDigest(store));
  assert.equal(openStore(copy).vectorSettings, graph.vectorSettings);
  saveGraph(store, folder, {});
  const loadedStore = loadGraph("test", folder, TEST_THREAD, { warn: assert.unreachable })!;
  checkStore(loadedStore);
  assert.equal(contents(openStore(loadedStore)), contents(graph));
  assert.equal(openStore(loadedStore).vectorSettings, graph.vectorSettings);
});

test("one changed component changes the digest", () => {
  const digests = [1, Math.fround(1 + 2 ** -20)].map((component) => {
    const store = loggedStore();
    const graph = openStore(store);
    graph.setVectorSettings({ precision: "float32" });
    graph.createVertex("a", { vector: [5, component] });
    return computeDigest(store)[0];
  });
  assert.is.not(digests[0], digests[1]);
});

test("searches find every vector at each step of a conversion", () => {
  const random = new Random();
  const store = loggedStore();
  const graph = openStore(store);
  graph.setVectorSettings({ precision: "float32" });
  const vectors = fill(graph, random, 100);
  for (const precision of ["int8", "float16", "float32"] as const) {
    graph.setVectorSettings({ precision });
    let steps = 0;
    for (const converted of convertVectors(store)) {
      steps++;
      const index = random.below(vectors.length);
      assert.is(graph.nearest(vectors[index]!, { hits: 1 })[0]!.id, `v${index}`);
      assert.is(graph.nearest(vectors[index]!, { hits: -1 }).length, 100);
      assert.ok(converted <= 100);
    }
    assert.ok(steps > 3);
    assert.is(graph.getVertex("v0").getVector().precision, precision);
    checkStore(store);
  }
});

test("a conversion that ends early is completed by the next one", async () => {
  const random = new Random();
  const store = loggedStore();
  const graph = openStore(store);
  fill(graph, random, 50);
  graph.setVectorSettings({ precision: "float32" });
  convertVectors(store).next();
  assert.is(store.vectors.spaces().length, 2);
  const rest = await graph.rebuildVectors();
  assert.is(rest, 50 - 16);
  assert.is(await graph.rebuildVectors(), 0);
  checkStore(store);
});

test("a conversion ends if the precision changes meanwhile", () => {
  const store = loggedStore();
  const graph = openStore(store);
  fill(graph, new Random(), 50);
  graph.setVectorSettings({ precision: "float32" });
  const steps = convertVectors(store);
  assert.is(steps.next().value, 16);
  graph.setVectorSettings({ precision: "int8" });
  assert.is(steps.next().done, true);
});

test("a conversion from int8 keeps its digits; new vectors have all digits", () => {
  const store = loggedStore();
  const graph = openStore(store);
  graph.createVertex("a", { vector: [1, 0.3] });
  const before = graph.getVertex("a").vector;
  graph.setVectorSettings({ precision: "float32" });
  for (const _ of convertVectors(store));
  assert.equal(graph.getVertex("a").vector, before);
  graph.createVertex("a", { vector: [1, 0.3] });
  assert.is(graph.getVertex("a").vector[1], Math.fround(0.3));
});

test("an index moves along, and scores its hits exactly", () => {
  const random = new Random();
  const store = loggedStore();
  const graph = openStore(store);
  const build = (): void => {
    const processor = new IndexProcessor(store, assert.unreachable);
    while (processor.run(1000));
  };
  graph.index("vectors", { length: 64, ef: 40 });
  graph.setVectorSettings({ precision: "float32" });
  const vectors = fill(graph, random, 300);
  for (const _ of convertVectors(store));
  build();
  const states = graph.indexes();
  assert.equal(
    states.map(({ length, precision }) => [length, precision]),
    [[64, "float32"]],
  );
  assert.is(graph.indexes()[0]!.indexed, 300);
  for (const index of [1, 2, 3]) {
    const hits = graph.nearest(vectors[index]!, { approximate: { ef: 300 } });
    assert.equal(hits, graph.nearest(vectors[index]!));
    assert.ok(Math.abs(hits[0]!.similarity - 1) < 1e-15);
  }
  graph.setVectorSettings({ precision: "int8" });
  for (const _ of convertVectors(store));
  build();
  assert.equal(
    graph.indexes().map((state) => [state.precision, state.indexed, state.ef]),
    [["int8", 300, 40]],
  );
  assert.equal(
    graph.nearest(vectors[5]!, { approximate: { ef: 300 } }),
    graph.nearest(vectors[5]!),
  );
  checkStore(store);
});

test("expressions and values compute with all digits", () => {
  const store = loggedStore();
  const graph = openStore(store);
  graph.setVectorSettings({ precision: "float32" });
  graph.createVertex("a", { vector: [1, 0.3, 0.001] });
  graph.createVertex("b", { vector: [0.7, 0.1, 0.2] });
  const [a, b] = ["a", "b"].map((id) => graph.getVertex(id).getVector());
  const product = [0, 1, 2].reduce(
    (sum, index) => sum + a!.external[index]! * b!.external[index]!,
    0,
  );
  assert.is(a!.dot(b!), product);
  assert.is(graph.evaluate("next.vector * vector", { head: "a", vector: b! }), product);
  const cosine = product / (a!.magnitude * b!.magnitude);
  assert.ok(
    Math.abs(
      (graph.evaluate("cosine(next.vector, vector)", { head: "a", vector: b! }) as number) - cosine,
    ) < 1e-15,
  );
  assert.is(a!.add(b!).external[1], Math.fround(Math.fround(0.3) + Math.fround(0.1)));
  assert.ok(a!.equals([1, 0.3, 0.001]));
  assert.not(a!.equals([1, 0.3, 0.0011]));
  assert.is(a!.precision, "float32");
  assert.is(new Vector([1, 0.3]).precision, "int8");
});

test("vectors of features and shorter probes are compared as before", () => {
  const features = openStore(loggedStore());
  features.setVectorSettings({ precision: "float32" });
  features.createVertex("a", { vector: [["red", 1]] });
  assert.is(features.nearest([["red", 1]])[0]!.similarity, 1);
  const [exact, rounded] = (["float32", "int8"] as const).map((precision) => {
    const graph = openStore(loggedStore());
    graph.setVectorSettings({ precision });
    graph.createVertex("long", { vector: Array.from({ length: 100 }, (_, index) => index) });
    graph.createVertex("short", { vector: [1, 2, 3] });
    return graph.nearest([0, 1, 2, 3]);
  });
  for (const [index, { id, similarity }] of exact!.entries()) {
    assert.is(id, rounded![index]!.id);
    assert.ok(Math.abs(similarity - rounded![index]!.similarity) < 0.02);
  }
});

test("scores are equal with and without kernels, and over several chunks", () => {
  const random = new Random();
  for (const precision of ["float16", "float32"] as const) {
    for (const measure of ["dot", "l2"] as const) {
      const graph = openStore(GraphStore.create("test", TEST_THREAD));
      graph.setVectorSettings({ precision, measure });
      const vectors = Array.from({ length: 8 }, () => randomVector(random, 9000));
      const search = (): NearestResult[] => graph.nearest(vectors[3]!, { hits: 8 });
      const before = graph.batch(() => {
        for (const [index, vector] of vectors.entries())
          graph.createVertex(`v${index}`, { vector });
        return search();
      });
      graph.createVertex("other");
      for (const [index, { id, similarity }] of search().entries()) {
        assert.is(id, before[index]!.id);
        const difference = Math.abs(similarity - before[index]!.similarity);
        assert.ok(difference <= 1e-12 * Math.abs(similarity), `${precision} ${measure} ${id}`);
      }
    }
  }
});

test("a longer probe is compared by the components that both have", () => {
  const graph = openStore(GraphStore.create("test", TEST_THREAD));
  graph.setVectorSettings({ precision: "float32", measure: "l2" });
  const random = new Random();
  const vectors = [64, 32, 64, 32].map((length) => randomVector(random, length));
  for (const [index, vector] of vectors.entries()) graph.createVertex(`v${index}`, { vector });
  const probe = randomVector(random, 64);
  for (const { id, similarity } of graph.nearest(probe)) {
    const otherVector = vectors[Number(id.slice(1))]!;
    const distance = Math.hypot(
      ...otherVector.map((component, index) => component - probe[index]!),
    );
    assert.ok(Math.abs(similarity + distance) <= 1e-12 * distance, id);
  }
  graph.setVectorSettings({ measure: "cosine" });
  const norm = (of: readonly number[]): number => Math.hypot(...of);
  for (const { id, similarity } of graph.nearest(probe)) {
    const otherVector = vectors[Number(id.slice(1))]!;
    const product = otherVector.reduce(
      (sum, component, index) => sum + component * probe[index]!,
      0,
    );
    const cosine = product / norm(otherVector) / norm(probe.slice(0, otherVector.length));
    assert.ok(Math.abs(similarity - cosine) <= 1e-12, id);
  }
});

test("other names are rejected", () => {
  const graph = openStore(loggedStore());
  const set = (settings: object) => () => graph.setVectorSettings(settings);
  assert.throws(set({ precision: "float64" }), /invalid precision/);
  assert.throws(set({ measure: "manhattan" }), /invalid measure/);
  assert.throws(set({ digits: 3 }), /digits/);
});

test.run();
