// Conditions on arcs to a known vertex, of vertices with few arcs and with many: alone, negated,
// and combined in both orders.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { S_ID } from "../../../../runtime/base/sort-constants.js";
import {
  D_ANY,
  D_BOTH,
  D_IN,
  D_OUT,
  M_INT,
  V_GTE,
} from "../../../../runtime/graph/model/constants.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { openStore, TEST_THREAD } from "../support/make-graph.js";

const test = suite("named neighbors");
/** Numbers of further arcs: around the limit up to which all are compared. */
const FURTHER = [0, 1, 14, 15, 16, 17, 70];
const HUBS = ["red", "blue"];
const NAMES = ["likes", "has"];
const SIDES = ["out", "in"];

type Arc = readonly [from: string, name: string, to: string];

/** Vertices with each combination of arcs to or from the hubs. */
function makeGraph() {
  const graph = openStore(GraphStore.create("test", TEST_THREAD));
  const arcs: Arc[] = [];
  for (const hub of HUBS) graph.createVertex(hub);
  for (let index = 0; index < 9; index++) graph.createVertex(`other${index}`);
  const kinds = HUBS.flatMap((hub) =>
    NAMES.flatMap((name) => SIDES.map((side) => ({ hub, name, side }))),
  );
  for (const further of FURTHER) {
    for (let chosen = 0; chosen < 2 ** kinds.length; chosen += 1 + (chosen % 7)) {
      const id = `v${further}-${chosen}`;
      graph.createVertex(id);
      for (let count = 0; count < further; count++) {
        arcs.push([id, `${NAMES[count % 2]}${count % 3}`, `other${count % 9}`]);
      }
      for (const [index, { hub, name, side }] of kinds.entries()) {
        if ((chosen >>> index) % 2 === 1)
          arcs.push(side === "out" ? [id, name, hub] : [hub, name, id]);
      }
    }
  }
  for (const [from, name, to] of arcs) graph.connect(from, name, to);
  return { graph, arcs };
}

const { graph, arcs } = makeGraph();
const ids = graph.vertices({ sortby: S_ID });

/** Ids of the vertices with such an arc to a hub, in order. */
function idsWith(hub: string, direction: number, name: string | null): Set<string> {
  const ends = (from: number, to: number) =>
    arcs.flatMap((arc) => (arc[to] === hub && (name ?? arc[1]) === arc[1] ? arc[from]! : []));
  const [out, back] = [new Set(ends(0, 2)), new Set(ends(2, 0))];
  if (direction === D_OUT) return out;
  if (direction === D_IN) return back;
  if (direction === D_ANY) return new Set([...out, ...back]);
  return new Set([...out].filter((id) => back.has(id)));
}

const find = (condition: object) => graph.vertices({ condition, sortby: S_ID });

for (const direction of [D_OUT, D_IN, D_ANY, D_BOTH]) {
  for (const name of [...NAMES, null]) {
    const arc = name === null ? direction : ([name, direction] as const);
    test(`are found by arcs ${JSON.stringify(arc)}`, () => {
      const [red, blue] = HUBS.map((hub) => ({ adjacent: { arc, neighbor: hub } }));
      const [withRed, withBlue] = HUBS.map((hub) => idsWith(hub, direction, name)) as [
        Set<string>,
        Set<string>,
      ];
      assert.equal(
        find(red!),
        ids.filter((id) => withRed.has(id)),
      );
      assert.equal(
        find({ not: red }),
        ids.filter((id) => !withRed.has(id)),
      );
      // Twice, since members change places.
      for (const members of [
        [red, blue],
        [blue, red],
        [red, blue],
      ]) {
        const both = ids.filter((id) => withRed.has(id) && withBlue.has(id));
        assert.equal(find({ and: members }), both);
        const either = ids.filter((id) => withRed.has(id) || withBlue.has(id));
        assert.equal(find({ or: members }), either);
      }
    });
  }
}

test("are found by the values of arcs", () => {
  const valued = openStore(GraphStore.create("test", TEST_THREAD));
  for (const [id, further] of [
    ["few", 0],
    ["many", 40],
  ] as const) {
    for (const value of [1, 5]) {
      for (let count = 0; count < further; count++) {
        valued.connect(`${id}${value}`, ["likes", M_INT, 9], `other${count}`);
      }
      valued.connect(`${id}${value}`, ["likes", M_INT, value], "red");
    }
  }
  const arc = ["likes", D_OUT, M_INT, V_GTE, 3] as const;
  const condition = { adjacent: { arc, neighbor: "red" } } as const;
  assert.equal(valued.vertices({ condition, sortby: S_ID }), ["few5", "many5"]);
  assert.is(valued.vertices({ condition: { not: condition } }).includes("many1"), true);
});

test("may be several", () => {
  const [withRed, withBlue] = HUBS.map((hub) => idsWith(hub, D_OUT, "likes"));
  const either = ids.filter((id) => withRed!.has(id) || withBlue!.has(id));
  const adjacent = { arc: ["likes", D_OUT] as const, neighbor: { id: HUBS } };
  assert.equal(find({ adjacent }), either);
  assert.equal(
    find({ not: { adjacent } }),
    ids.filter((id) => !either.includes(id)),
  );
});

test("are tested in the order of the members if expressions have effects", () => {
  const memory = graph.memory(8);
  const counts = { filter: "inc(0); load(0) > 0" };
  const and = [counts, { adjacent: { neighbor: "green" } }];
  const or = [{ and }, { and: [counts, { not: { id: "none" } }] }];
  // A negated condition has no candidates: each vertex is tested.
  for (const not of [{ and }, { or }]) graph.vertices({ condition: { not }, memory });
  assert.is(graph.evaluate("load(0)", { memory }), 3 * graph.order);
});

test("that do not exist have no arcs", () => {
  assert.equal(find({ adjacent: { neighbor: "green" } }), []);
  assert.equal(find({ not: { adjacent: { neighbor: "green" } } }), ids);
  assert.equal(find({ not: { adjacent: { arc: "hates", neighbor: "red" } } }), ids);
});

test.run();
