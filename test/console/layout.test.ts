// Drawings of graphs: positions of vertices, and omission of vertices beyond the maximum.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { layoutPositions } from "../../console/graph/layout.js";
import type { Neighbor } from "../../console/graph/neighbors.js";
import { buildSubgraph } from "../../console/graph/subgraph.js";

const test = suite("console layout");

const ids = Array.from({ length: 60 }, (_, index) => `v${index}`);
const tree = ids.slice(1).map((id, index) => [ids[Math.floor(index / 3)]!, id] as const);

test("places every vertex at a position of its own, near its neighbors", () => {
  const positions = layoutPositions(ids, tree, new Map());
  assert.equal([...positions.keys()], ids);
  const distance = (a: string, b: string): number => {
    const [from, to] = [positions.get(a)!, positions.get(b)!];
    return Math.hypot(from.x - to.x, from.y - to.y);
  };
  for (const { x, y } of positions.values()) assert.ok(Number.isFinite(x) && Number.isFinite(y));
  let pairs = 0;
  let sum = 0;
  for (const a of ids) {
    for (const b of ids) {
      if (a >= b) continue;
      assert.ok(distance(a, b) > 0.05, `${a} and ${b} are in one place`);
      pairs++;
      sum += distance(a, b);
    }
  }
  const near = tree.reduce((total, [a, b]) => total + distance(a, b), 0) / tree.length;
  assert.ok(near < sum / pairs / 1.5, `${near} against ${sum / pairs}`);
});

test("is deterministic and keeps existing positions nearly unchanged", () => {
  const first = layoutPositions(ids, tree, new Map());
  assert.equal([...layoutPositions(ids, tree, new Map())], [...first]);
  const more = [...ids, "new"];
  const second = layoutPositions(more, [...tree, ["v0", "new"]], first);
  assert.ok(second.has("new"));
  assert.equal(layoutPositions([], [], new Map()).size, 0);
  const [only] = layoutPositions(["a"], [["a", "a"]], new Map()).values();
  assert.ok(Number.isFinite(only!.x));
});

const neighbor = (id: string, direction = "D_OUT"): Neighbor => ({
  ...{ id, direction, type: "", relationship: "r", value: 1, degree: 1 },
});

test("merges an arc seen from both ends, and removes the oldest beyond the maximum", () => {
  const neighbors = new Map([
    ["a", [neighbor("b")]],
    ["b", [neighbor("a", "D_IN"), neighbor("c")]],
  ]);
  const { ids: drawn, arcs, left } = buildSubgraph(neighbors);
  assert.equal([[...drawn].sort(), arcs.length, left], [["a", "b", "c"], 2, 0]);
  const many = (mark: string) =>
    Array.from({ length: 500 }, (_, index) => neighbor(`${mark}${index}`));
  const crowd = buildSubgraph(
    new Map([
      ["old", many("o")],
      ["new", many("n")],
    ]),
  );
  assert.is(crowd.ids.length, 600);
  assert.is(crowd.left, 402);
  assert.ok(crowd.ids.includes("n499") && crowd.ids.includes("old"));
});

test.run();
