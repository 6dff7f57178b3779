// Projections: the anchors of a vector against the rule in plain arithmetic, and the anchors of a
// graph.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Graph } from "../../../../runtime/graph/api/graph.js";
import { D_OUT, M_LSH, V_LTE } from "../../../../runtime/graph/model/constants.js";
import { ValueError } from "../../../../runtime/graph/model/errors.js";
import { arcBits, type ProjectionKeySize } from "../../../../runtime/graph/vectors/projections.js";
import { Vector } from "../../../../runtime/graph/vectors/vector.js";
import { makeGraph } from "../support/make-graph.js";
import { fingerprintModel, lowConfidenceModel } from "../support/vector-model.js";

const test = suite("projections");
let graph: Graph;

test.before.each(() => {
  graph = makeGraph();
});

function expectRejection(run: () => unknown, text: RegExp): void {
  assert.throws(run, (error: Error) => error instanceof ValueError && text.test(error.message));
}

/** The same by strings: digits of the fingerprint, rotated; the last ones are the key. */
function anchorsModel(lsh: bigint, size: ProjectionKeySize, seed: string): string[] {
  const digits = lsh.toString(2).padStart(64, "0");
  const step = size === 10 ? 5 : 4;
  return Array.from({ length: { 8: 16, 10: 12, 12: 15 }[size] }, (_, index) => {
    const by = step * index;
    const rotated = digits.slice(64 - by) + digits.slice(0, 64 - by);
    const key = Number.parseInt(rotated.slice(-size), 2);
    const bucket = (index * 2 ** size + key).toString(16).toUpperCase();
    return `_${bucket.padStart(4, "0")}|${seed}`;
  });
}

test("map keys of the fingerprint to anchors, for each size and seed", () => {
  const numbers = [3, -1, 4, 1, -5, 9, 2, -6];
  const vector = new Vector(numbers);
  for (const size of [8, 10] as const) {
    assert.equal(graph.sim.createProjectionSets(2, size), [0, 1087]);
    const { lsh, lcm, anchors } = graph.sim.projections(numbers);
    assert.is(lsh, vector.fingerprint);
    assert.is(lsh, fingerprintModel([...vector.internal]));
    assert.is(lcm, lowConfidenceModel([...vector.internal]));
    assert.equal(anchors, anchorsModel(lsh, size, "000"));
    for (const anchor of anchors) assert.ok(graph.hasVertex(anchor), anchor);
    const otherProjections = graph.sim.projections(vector, { seed: 1087 });
    assert.is(otherProjections.lsh, graph.sim.fingerprint(vector, 1087));
    assert.equal(otherProjections.anchors, anchorsModel(otherProjections.lsh, size, "43F"));
    assert.is(
      graph.sim.deleteProjectionSets(),
      graph.order === 0 ? 1 + 2 + 2 * countAnchors(size) : -1,
    );
  }
});

function countAnchors(size: ProjectionKeySize): number {
  return { 8: 4096, 10: 12_288, 12: 61_440 }[size];
}

test("omit or vary keys of low confidence", () => {
  graph.sim.createProjectionSets(1, 8);
  const lsh = 0x0123456789abcdefn;
  const projections = graph.sim.projections([1], { lsh, lcm: 0n });
  assert.is(projections.anchors.length, 16);
  // Bits 0 and 9 belong to two keys each, one of them to both.
  const lcm = (1n << 0n) | (1n << 9n);
  const reduced = graph.sim.projections([1], { lsh, lcm, reduce: true });
  assert.equal(
    projections.anchors.filter((anchor) => !reduced.anchors.includes(anchor)),
    [0, 1, 2, 15].map((index) => projections.anchors[index]),
  );
  const expanded = graph.sim.projections([1], { lsh, lcm, expand: true });
  assert.is(expanded.anchors.length, 16 + 4);
  // The lowest eight bits are EF; with the lowest flipped, EE.
  assert.equal(expanded.anchors.slice(0, 2), ["_00EF|000", "_00EE|000"]);
  expectRejection(() => graph.sim.projections([1], { lsh: -1n }), /lsh must be a bigint/);
});

test("store the bits next to the key in arcs from an anchor", () => {
  assert.is(arcBits("_0300|000", 8, 0x123456789abcdef0n), 0x456789ab);
  graph.sim.createProjectionSets(1, 8);
  graph.createVertex("item", { vector: [1, 2, 3] });
  const { lsh, anchors } = graph.sim.projections([1, 2, 3]);
  for (const id of anchors) {
    using anchor = graph.openVertex(id);
    graph.connect(anchor, ["holds", M_LSH, anchor.arcLSH(lsh)], "item");
    const near: [string, number, number, number, [number, number]] = [
      ...(["holds", D_OUT, M_LSH, V_LTE] as [string, number, number, number]),
      [anchor.arcLSH(lsh ^ (1n << 63n)), 1],
    ];
    assert.equal(graph.neighborhood(id, { arc: near }), ["item"]);
  }
  using item = graph.openVertex("item", "r");
  expectRejection(() => item.arcLSH(lsh), /'item' is no anchor/);
});

test("create sets once, of one size, and complete interrupted ones", () => {
  expectRejection(() => graph.sim.projections([1]), /no projection sets/);
  expectRejection(() => graph.sim.createProjectionSets(0, 8), /nseeds must be 1 - 8/);
  expectRejection(
    () => graph.sim.createProjectionSets(1, 9 as ProjectionKeySize),
    /ksize must be 8, 10 or 12/,
  );
  graph.sim.createProjectionSets(1, 8);
  const { order, size } = graph;
  expectRejection(() => graph.sim.createProjectionSets(1, 10), /ksize 8 exist: delete them/);
  expectRejection(
    () => graph.sim.projections([1], { seed: 1087 }),
    /no projection set of seed 1087/,
  );
  expectRejection(() => graph.sim.projections([]), /null vector/);
  graph.sim.createProjectionSets(1, 8);
  assert.equal([graph.order, graph.size], [order, size]);
  // An interrupted call leaves anchors without the arc that marks them complete.
  graph.disconnect("_|", "subset");
  expectRejection(() => graph.sim.projections([1]), /no projection sets/);
  graph.sim.createProjectionSets(1, 8);
  assert.equal([graph.order, graph.size], [order, size]);
  assert.is(graph.sim.deleteProjectionSets(), order);
  assert.is(graph.sim.deleteProjectionSets(), 0);
});

test.run();
