// Arcs that expressions collect into the result, by closures and by compiled loops: the same arcs
// in the same order, together with the matching ones.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  D_BOTH,
  D_OUT,
  F_ARC,
  F_ID,
  F_MOD,
  F_VAL,
  M_FLT,
  M_INT,
  R_LIST,
} from "../../../../runtime/graph/model/constants.js";
import { makeGraph } from "../support/make-graph.js";

const test = suite("collected arcs");
const graph = makeGraph();
const ARCS = 700;
/** Evaluations until a loop is compiled: three times the arcs suffice. */
const TIMES = 5;

for (let to = 0; to < ARCS; to++) {
  graph.connect("hub", ["real", M_FLT, (to % 90) / 8 - 3], `item${to}`);
  graph.connect("hub", ["int", M_INT, to - 300], `item${to}`);
  graph.connect(`item${to}`, ["leads", M_INT, to], "end");
}

for (const tail of ["bo", "cy"]) {
  graph.connect("ann", ["pair", M_INT, 1], tail);
  graph.connect(tail, ["pair", M_INT, 1], "ann");
}

const QUERIES = [
  "collect(.arc.value * 10)",
  "collect(.arc.value / 4)",
  "collect(.arc.value + 1e300)",
  "add(R1, .arc.value); collect(.arc.value - 1)",
  "collect(next.deg)",
];

for (const text of QUERIES) {
  for (const arc of ["real", "int"]) {
    test(`collects with ${text} over arcs of kind ${arc}`, () => {
      const fields = F_ARC | F_ID | F_MOD | F_VAL;
      const options = { arc: [arc, D_OUT] as const, fields, result: R_LIST } as const;
      // Another template, which is not used enough for a loop.
      const slowly = graph.neighborhood("hub", { ...options, filter: `0;${text}` });
      for (let time = 0; time < TIMES; time++) {
        const collected = graph.neighborhood("hub", { ...options, filter: text });
        assert.is(collected.length, 2 * ARCS);
        assert.equal(collected, slowly, `time ${time}`);
        const few = graph.neighborhood("hub", { ...options, filter: text, hits: 5 });
        assert.is(few.length, 5);
      }
    });
  }
}

test("attaches arcs of two levels to the right tails", () => {
  const traverse = { arc: D_OUT, filter: "collect(.arc.value * 2)", collect: true };
  const options = { arc: ["int", D_OUT], collect: false, neighbor: { traverse } };
  const fields = { fields: F_VAL | F_ID, result: R_LIST };
  const collected = graph.neighborhood("hub", { ...options, ...fields } as object);
  const expected = Array.from({ length: ARCS }, (_, to) => [2 * to, to]).flat();
  assert.equal(
    (collected as unknown as unknown[][]).map((row) =>
      row.find((value) => typeof value === "number"),
    ),
    expected,
  );
});

for (const direction of [D_OUT, D_BOTH]) {
  test(`counts the head of a matching and of a collected arc once, direction ${direction}`, () => {
    const arc = ["pair", direction] as const;
    const { counts } = graph.neighborhood("ann", { arc: ["pair", D_OUT], counts: true });
    assert.equal(counts, { neighbors: 2, arcs: 2 });
    const both = graph.neighborhood("ann", { arc, filter: "collect(7)", counts: true });
    assert.equal(both.counts, { neighbors: 2, arcs: 4 });
  });
}

test.run();
