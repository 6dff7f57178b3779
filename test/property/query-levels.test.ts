// Groups of arcs, nested results, and comparison with the previous arc, against models over lists
// of arcs. SEED=n repeats a run, ROUNDS=n runs more.
// limit: 60 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { S_ID } from "../../runtime/base/sort-constants.js";
import type { Graph } from "../../runtime/graph/api/graph.js";
import * as C from "../../runtime/graph/model/constants.js";
import { makeGraph } from "../runtime/graph/support/make-graph.js";
import { rounds } from "../support/rounds.js";
import { Random, SEED } from "./support/random.js";

const test = suite("query levels");
const ROUNDS = rounds(40);
const IDS = ["a", "b", "c", "d", "e"];
const RELATIONSHIPS = ["near", "far"];
const MODIFIERS = [C.M_INT, C.M_FLT, C.M_CNT, C.M_STAT];

interface Arc {
  readonly tail: string;
  readonly head: string;
  readonly rel: string;
  readonly mod: number;
  readonly value: number;
}

function fill(graph: Graph, random: Random): Arc[] {
  const arcs = new Map<string, Arc>();
  for (let index = 0; index < 40; index++) {
    const [tail, head, rel, mod] = [
      random.of(IDS),
      random.of(IDS),
      random.of(RELATIONSHIPS),
      random.of(MODIFIERS),
    ];
    const key = `${tail} ${rel} ${mod} ${head}`;
    if (arcs.has(key)) continue;
    const value = valueFor(random, mod);
    if (mod === C.M_STAT) graph.connect(tail, [rel, mod], head);
    else graph.connect(tail, [rel, mod, value], head);
    arcs.set(key, { tail, head, rel, mod, value });
  }
  return [...arcs.values()];
}

function valueFor(random: Random, mod: number): number {
  if (mod === C.M_STAT) return 0;
  if (mod === C.M_CNT) return 1 + random.below(9);
  const value = random.below(21) - 10;
  return mod === C.M_FLT ? value / 2 : value;
}

const isFloat = (mod: number): boolean => mod === C.M_FLT;
const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

const MODES: Record<string, (values: readonly number[]) => number> = {
  max: (values) => Math.max(...values),
  min: (values) => Math.min(...values),
  average: (values) => Math.fround(sum(values) / values.length),
  count: (values) => values.length,
  sum,
  sqsum: (values) => sum(values.map((value) => value * value)),
  product: (values) => values.reduce((a, b) => a * b, 1),
};

test(`group like a list (seed ${SEED})`, () => {
  const random = new Random();
  for (let round = 0; round < ROUNDS; round++) {
    const graph = makeGraph();
    const arcs = fill(graph, random);
    const deep = arcs
      .filter(({ tail }) => tail === "a")
      .flatMap(({ head }) => arcs.filter(({ tail }) => tail === head));
    for (const [mode, of] of Object.entries(MODES)) {
      const groups = new Map<string, Arc[]>();
      for (const arc of deep) {
        const valueClass = mode === "count" ? "" : isFloat(arc.mod);
        const key = `${arc.head} ${arc.rel} ${valueClass}`;
        groups.set(key, [...(groups.get(key) ?? []), arc]);
      }
      const floats = (group: readonly Arc[]): boolean =>
        mode === "average" || (mode !== "count" && isFloat(group[0]!.mod));
      const expected = [...groups.values()].map((group) => [
        ...["D_ANY", group[0]!.rel, floats(group) ? "M_FLTAGGR" : "M_INTAGGR"],
        stored(floats(group), of(group.map(({ value }) => value))),
        group[0]!.head,
      ]);
      const result = graph.neighborhood("a", {
        ...{ collect: C.C_NONE, neighbor: { arc: ["*", C.D_OUT], collect: true } },
        ...{ aggregate: { mode } as object, result: "list" },
        fields: ["direction", "relationship", "modifier", "value", "id"],
      });
      assert.equal(sorted(result), sorted(expected), `seed ${SEED}: ${mode}`);
    }
  }
});

/** As an arc stores it: ints end at 32 bits. */
function stored(isFloatValue: boolean, value: number): number {
  if (isFloatValue) return Math.fround(value);
  return Math.max(-(2 ** 31), Math.min(2 ** 31 - 1, value)) + 0;
}

const COMPARISONS: readonly (readonly [number, (v: number, p: number, n: number) => boolean])[] = [
  [C.V_DYN_LTE, (v, p, n) => v <= p + n],
  [C.V_DYN_GT, (v, p, n) => v > p + n],
  [C.V_DYN_GTE, (v, p, n) => v >= p + n],
  [C.V_DYN_LT, (v, p, n) => v < p + n],
  [C.V_DYN_EQ, (v, p, n) => v === p + n],
  [C.V_DYN_NEQ, (v, p, n) => v !== p + n],
];

test(`compare with the value of the previous arc (seed ${SEED})`, () => {
  const random = new Random();
  for (let round = 0; round < ROUNDS; round++) {
    const graph = makeGraph();
    const arcs = fill(graph, random);
    for (const mod of [C.M_INT, C.M_FLT, C.M_CNT]) {
      const [code, passes] = random.of(COMPARISONS);
      const offset = (random.below(9) - 4) / 2;
      const keep = random.below(3) > 0;
      const rule = ["*", C.D_OUT, mod, code, offset] as const;
      const result = graph.neighborhood("a", {
        ...{ collect: C.C_NONE, fields: ["anchor", "id"], result: "list" },
        neighbor: { traverse: { arc: keep ? rule : [false, rule], collect: true } },
      });
      const expected = arcs
        .filter(({ tail }) => tail === "a")
        .flatMap((before) =>
          arcs.filter((arc) => {
            const isLike = modifierKind(arc.mod) === modifierKind(before.mod) && arc.mod === mod;
            const isMatch = isLike && passes(arc.value, before.value, offset);
            return arc.tail === before.head && isMatch === keep;
          }),
        )
        .map(({ tail, head }) => [tail, head]);
      assert.equal(sorted(result), sorted(expected), `seed ${SEED}: ${JSON.stringify(rule)}`);
    }
  }
});

const modifierKind = (mod: number): string =>
  mod === C.M_FLT ? "float" : mod === C.M_INT ? "int" : mod === C.M_CNT ? "uint" : "unit";

test("reject trees that grow endlessly", () => {
  const graph = makeGraph();
  for (let from = 0; from < 40; from++) {
    for (let to = 0; to < 40; to++) graph.connect(`n${from}`, "to", `n${to}`);
  }
  const deep = { arc: ["to", C.D_OUT], nest: 14 } as const;
  assert.throws(() => graph.neighborhood("n0", deep), /nested result has more than 1000000 arcs/);
  assert.is(graph.neighborhood("n0", { ...deep, nest: 1 }).length, 40);
});

interface Node {
  readonly id: string;
  readonly rel: string;
  readonly next: Node[];
}

test(`nest the arcs of each head (seed ${SEED})`, () => {
  const random = new Random();
  for (let round = 0; round < ROUNDS; round++) {
    const graph = makeGraph();
    const arcs = fill(graph, random);
    const nest = random.below(3);
    const below = (id: string, levels: number): Node[] =>
      arcs
        .filter(({ tail }) => tail === id)
        .map(({ head, rel }) => ({
          id: head,
          rel,
          next: levels > 0 ? below(head, levels - 1) : [],
        }));
    const result = graph.neighborhood("a", {
      ...{ arc: C.D_OUT, nest: nest + 1, nestedHits: -1, sortby: S_ID },
    });
    assert.equal(shape(result), shape(below("a", nest + 1)), `seed ${SEED}`);
    const two = graph.neighborhood("a", { arc: C.D_OUT, nest: 1, hits: 2, nestedHits: 1 });
    for (const { next } of two) assert.ok(next.length <= 1);
    assert.ok(two.length <= 2);
  }
});

interface Shown {
  readonly id: string;
  readonly rel?: string;
  readonly arc?: readonly unknown[];
  readonly next: readonly Shown[];
}

/** A tree as strings that do not depend on the order of equal entries. */
function shape(nodes: readonly Shown[]): string {
  const shown = nodes.map(({ id, rel, arc, next }) => {
    const name = rel ?? arc![0];
    return `${id} ${name} (${shape(next)})`;
  });
  return shown.sort().join(", ");
}

function sorted(entries: readonly unknown[]): string[] {
  return entries.map((entry) => JSON.stringify(entry)).sort();
}

test.run();
