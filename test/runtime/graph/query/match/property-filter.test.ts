// Filtering many arcs by the properties of their heads: the same as for each head alone, in any
// order, with repeated heads and property groups without properties.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ARC_WORDS } from "../../../../../runtime/graph/memory/layout.js";
import { PropertyCondition } from "../../../../../runtime/graph/query/match/property-condition.js";
import { GraphStore } from "../../../../../runtime/graph/store/graph-store.js";
import { openStore, TEST_THREAD } from "../../support/make-graph.js";

const test = suite("property filter");
const VERTICES = 300;
/** More than the vertices fill. */
const GROUPS = 64;

type Properties = Readonly<Record<string, unknown>>;

/** Conditions, and their naive implementations. */
const CONDITIONS: readonly (readonly [object, (of: Properties) => boolean])[] = [
  [{ price: { gt: 50 } }, ({ price }) => Number(price ?? 0) > 50],
  [
    { price: { gt: 20 }, stock: { eq: 1 } },
    ({ price, stock }) => Number(price ?? 0) > 20 && stock === 1,
  ],
  [{ name: "n1*" }, ({ name }) => String(name).startsWith("n1")],
  [{ nobody: 1 }, () => false],
  [{ price: null }, ({ price }) => price !== undefined],
];

let state = 7;
function below(end: number): number {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 2 ** 32) * end);
}

const store = GraphStore.create("test", TEST_THREAD);
const graph = openStore(store);
for (let index = 0; index < VERTICES; index++) {
  const vertex = graph.newVertex(`v${index}`);
  // Some groups have none of a key, some all.
  if (index % 64 < 32 || index % 3 === 0) vertex.setProperty("price", below(100));
  if (below(2) === 0) vertex.setProperty("stock", below(3));
  if (below(4) === 0) vertex.setProperty("name", `n${below(20)}`);
  vertex.close();
}

const LISTS: Record<string, () => number[]> = {
  "in order": () => Array.from({ length: VERTICES }, (_, index) => index + 1),
  "in reverse order": () => Array.from({ length: VERTICES }, (_, index) => VERTICES - index),
  "in random order, some twice": () => Array.from({ length: 500 }, () => 1 + below(VERTICES)),
  "with one repeated many times": () => new Array<number>(40).fill(1 + below(VERTICES)),
  none: () => [],
};

for (const [order, list] of Object.entries(LISTS)) {
  test(`filters heads ${order}`, () => {
    for (const [condition, passes] of CONDITIONS) {
      const compiled = new PropertyCondition(store, condition);
      for (const isNegated of [false, true]) {
        const heads = list();
        const arcs = Uint32Array.from(heads.flatMap((head, index) => [head, index, index * 2]));
        const end = compiled.filter(arcs, 0, arcs.length, isNegated);
        const expected = heads.flatMap((head, index) =>
          passes(store.properties.all(head)) === isNegated ? [] : [head, index, index * 2],
        );
        assert.is(end, expected.length);
        assert.is(end % ARC_WORDS, 0);
        assert.equal([...arcs.subarray(0, end)], expected);
      }
    }
  });
}

test("finds the matching vertices of groups, and none behind the last vertex", () => {
  for (const [condition, passes] of CONDITIONS) {
    const compiled = new PropertyCondition(store, condition);
    // The second call takes remembered bits.
    for (const begin of [0, 0, 64, 32 * GROUPS]) {
      const into = new Uint32Array(GROUPS).fill(0xffff_ffff);
      compiled.findMatching(begin, GROUPS, into);
      const passing = [...into].flatMap((bits, group) =>
        Array.from(
          { length: 32 },
          (_, index) => ((bits >>> index) & 1) * (begin + group * 32 + index),
        ),
      );
      const handles = Array.from({ length: VERTICES }, (_, index) => index + 1);
      const expected = handles.filter(
        (vertex) => vertex >= begin && passes(store.properties.all(vertex)),
      );
      assert.equal(
        passing.filter((handle) => handle !== 0),
        expected,
      );
    }
  }
});

test.run();
