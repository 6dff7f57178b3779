// Queries for the best arcs of a hub by value against sorting all of its arcs, for random values,
// modifiers and filters.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as S from "../../../../runtime/base/sort-constants.js";
import type { Graph } from "../../../../runtime/graph/api/graph.js";
import {
  type ArcModifier,
  D_OUT,
  F_ID,
  F_VAL,
  M_FLT,
  M_INT,
  M_UINT,
  V_GTE,
  V_LT,
} from "../../../../runtime/graph/model/constants.js";
import type { Explanation } from "../../../../runtime/graph/query/render/typed-results.js";
import { Random, SEED } from "../../../property/support/random.js";
import { rounds } from "../../../support/rounds.js";
import { makeGraph } from "../support/make-graph.js";

const test = suite(`best values, SEED=${SEED}`);
const MAX_INT = 2 ** 31 - 1;
const MODIFIERS = [M_INT, M_UINT, M_FLT];
const FLOATS = [0, -0, 0.5, -0.5, 1e30, -1e30, 1e-30].map(Math.fround);

interface CursorPage {
  readonly neighborhood: readonly string[];
  readonly cursor: string | null;
}

interface Arc {
  readonly name: string;
  readonly modifier: number;
  readonly value: number;
}

function valueFor(modifier: number, random: Random, isNarrow: boolean): number {
  if (isNarrow) return random.below(4);
  if (modifier === M_UINT) return random.below(2 ** 32);
  if (modifier === M_INT) return random.below(2 ** 32) - MAX_INT - 1;
  return random.below(3) === 0 ? random.of(FLOATS) : Math.fround(random.below(1000) / 7 - 50);
}

/** Connects a hub to vertices `0`, `1`, ...; most arcs have the modifier `most`. */
function connectHub(graph: Graph, random: Random, kind: ArcModifier, isNarrow: boolean): Arc[] {
  const isMixed = random.below(3) === 0;
  const others = isMixed ? [M_INT, M_UINT, M_FLT] : [kind];
  return Array.from({ length: 500 + random.below(1500) }, (_, index) => {
    const modifier = random.below(50) === 0 ? random.of(others) : kind;
    const name = random.below(4) === 0 ? "likes" : "to";
    const arc = { name, modifier, value: valueFor(modifier, random, isNarrow) };
    const head = `${index}`;
    graph.createVertex(head, { type: index % 2 === 0 ? "even" : "odd" });
    graph.connect("hub", [name, modifier, arc.value], head);
    return arc;
  });
}

function pageThrough(graph: Graph, sortby: number): string[] {
  const hits: string[] = [];
  for (let cursor: string | true | null = true; cursor !== null; ) {
    const page: CursorPage = graph.neighborhood("hub", { sortby, hits: 10, cursor, fields: F_ID });
    hits.push(...page.neighborhood);
    cursor = page.cursor;
  }
  return hits;
}

const FILTERS = [
  [{}, () => true],
  [{ arc: ["to", D_OUT] }, ({ name }: Arc) => name === "to"],
  [{ arc: ["to", D_OUT, M_INT] }, (arc: Arc) => matchesArc(arc, M_INT)],
  [{ arc: ["to", D_OUT, M_FLT, V_LT, 0] }, (arc: Arc) => matchesArc(arc, M_FLT) && arc.value < 0],
  [
    { arc: ["to", D_OUT, M_UINT, V_GTE, 2] },
    (arc: Arc) => matchesArc(arc, M_UINT) && arc.value >= 2,
  ],
  [{ arc: ["to", D_OUT, M_INT, V_LT, 3] }, (arc: Arc) => matchesArc(arc, M_INT) && arc.value < 3],
  [{ neighbor: { type: "odd" } }, (_: Arc, index: number) => index % 2 === 1],
  [{ filter: ".arc.value < 2" }, ({ value }: Arc) => value < 2],
] as const;

function matchesArc({ name, modifier }: Arc, expected: number): boolean {
  return name === "to" && modifier === expected;
}

test("are the first of all sorted values", () => {
  for (let round = 0; round < rounds(60); round++) {
    const random = new Random(SEED + round);
    const graph = makeGraph();
    const isAscending = round % 2 === 0;
    const isNarrow = round % 4 < 2;
    const arcs = connectHub(graph, random, MODIFIERS[round % MODIFIERS.length]!, isNarrow);
    const sortby = S.S_VAL | (isAscending ? S.S_ASC : S.S_DESC);
    const [offset, hits] = [random.below(4), 1 + random.below(12)];
    for (const [filter, passes] of FILTERS) {
      const label = `round ${round}, ${JSON.stringify(filter)} ${isAscending} ${offset} ${hits}`;
      const query = { ...filter, sortby, fields: F_VAL, hits } as const;
      const passing = arcs.filter(passes);
      const sorted = passing.map(({ value }) => value).sort((a, b) => a - b);
      if (!isAscending) sorted.reverse();
      const page = { ...query, offset, explain: true, result: "list" } as const;
      const { neighborhood, explain } = graph.neighborhood("hub", page) as unknown as {
        readonly neighborhood: readonly (readonly [number])[];
        readonly explain: Pick<Explanation, "matched">;
      };
      // Adding 0 turns -0 into 0, which sorts equally.
      const values = neighborhood.map(([value]) => value + 0);
      const expected = sorted.slice(offset, offset + hits).map((value) => value + 0);
      assert.equal(values, expected, label);
      assert.is(explain.matched, passing.length, label);
      // More hits than any narrowing keeps.
      const neighbors = graph.neighborhood("hub", { ...query, fields: F_ID, hits: 3000 });
      const ids = graph.neighborhood("hub", { ...query, fields: F_ID, offset });
      assert.equal(ids, neighbors.slice(offset, offset + hits), label);
    }
  }
});

test("are the first page of a cursor", () => {
  const graph = makeGraph();
  // The 10 best are the only ones left of the first page.
  for (let index = 0; index < 700; index++) {
    const value = index % 8 === 0 && index < 80 ? 1000 : index;
    graph.connect("hub", ["to", M_INT, value], `${index}`);
  }
  assert.is(pageThrough(graph, S.S_VAL).length, 700);
});

test("are in one order with zeros of both signs, page by page", () => {
  for (const sortby of [S.S_VAL | S.S_ASC, S.S_VAL | S.S_DESC]) {
    const graph = makeGraph();
    const ids = Array.from({ length: 700 }, (_, index) => `${index}`);
    for (const [index, id] of ids.entries())
      graph.connect("hub", ["to", M_FLT, index % 3 ? 0 : -0], id);
    const hits: string[] = [];
    for (let cursor: string | true | null = true; cursor !== null; ) {
      const page: CursorPage = graph.neighborhood("hub", {
        sortby,
        hits: 10,
        cursor,
        fields: F_ID,
      });
      hits.push(...page.neighborhood);
      cursor = page.cursor;
    }
    assert.equal(hits.sort(), ids.sort());
  }
});

test.run();
