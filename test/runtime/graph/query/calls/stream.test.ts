// Streams of vertices and arcs: all matches, each once, despite queries and changes in between.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  D_IN,
  D_OUT,
  M_INT,
  R_COUNTS,
  V_GT,
} from "../../../../../runtime/graph/model/constants.js";
import { makeGraph } from "../../support/make-graph.js";

const test = suite("query streams");
const MANY = 10_000;

test("yield the result of `vertices`, one slice at a time", () => {
  const graph = makeGraph();
  for (let n = 0; n < MANY; n++) {
    graph.createVertex(`v${n}`, { type: n % 3 === 0 ? "third" : "other", properties: { n } });
  }
  for (const condition of [
    { type: "third" },
    { property: { n: [V_GT, 4000] } } as const,
    { filter: "vertex['n'] % 7 == 0" },
    { id: ["v5", "v7", "nobody"] },
    "v99*",
    null,
  ]) {
    const scanned = [...graph.scan({ condition })];
    assert.equal(scanned.sort(), graph.vertices({ condition }).sort(), JSON.stringify(condition));
  }
  assert.is([...graph.scan()].length, MANY);
});

test("support the fields, forms and selections of `vertices` and `arcs`", () => {
  const graph = makeGraph();
  for (let n = 0; n < 3000; n++) {
    graph.createVertex(`v${n}`, { type: n % 3 === 0 ? "third" : "other", properties: { n } });
    graph.connect(`v${n}`, ["next", M_INT, n], `v${(n + 1) % 3000}`);
    graph.connect(`v${n}`, "hub", "hub");
  }
  const rows = (entries: Iterable<unknown>) =>
    [...entries].map((entry) => JSON.stringify(entry)).sort();
  const condition = { type: "third" } as const;
  for (const result of ["simple", "str", "list", "dict"] as const) {
    const fields = ["id", "type", "outdegree"] as const;
    const vertex = { condition, fields, result, select: "n; twice: vertex['n'] * 2" };
    assert.equal(rows(graph.scan(vertex)), rows(graph.vertices(vertex)), result);
    const arc = {
      condition: { type: "third", traverse: { arc: ["next", D_OUT] } },
      result,
    } as const;
    const shown = { ...arc, fields: ["anchor", "relationship", "value", "id"] } as const;
    assert.equal(rows(graph.scanArcs(shown)), rows(graph.arcs(shown)), result);
    assert.is(rows(graph.scanArcs(shown)).length, 1000);
  }
  const collecting = { traverse: { arc: ["next", D_OUT], collect: true }, type: "third" } as const;
  assert.equal(rows(graph.scan({ condition: collecting })), rows(graph.vertices({ condition })));
  assert.equal(rows(graph.scanArcs()), rows(graph.arcs()));
  const inward = { condition: { id: "hub", traverse: { arc: ["hub", D_IN] } } } as const;
  assert.equal(rows(graph.scanArcs(inward)), rows(graph.arcs(inward)));
  const [first] = graph.scan({ condition: "v7", fields: ["id", "type"], result: "dict" });
  const typed: { id: string; type: string } = first!;
  assert.equal(typed, { id: "v7", type: "other" });
});

test("allow other queries and changes in between", () => {
  const graph = makeGraph();
  for (let n = 0; n < MANY; n++) graph.createVertex(`v${n}`, { properties: { n } });
  const ids = new Set<string>();
  for (const id of graph.scan({ condition: { filter: "vertex['n'] >= 0" } })) {
    assert.not(ids.has(id));
    ids.add(id);
    if (ids.size % 100 === 0) assert.equal(graph.vertices({ condition: id }), [id]);
    graph.deleteVertex(id);
  }
  assert.equal([ids.size, graph.order], [MANY, 0]);
  for (const id of graph.scan()) assert.unreachable(id);
});

test("reject invalid options before reading anything", () => {
  const graph = makeGraph();
  assert.throws(
    () => graph.scan({ condition: { nothing: 1 } as never }),
    /Invalid vertex condition/,
  );
  assert.throws(() => graph.scan({ result: R_COUNTS }), /nothing beside its entries/);
  assert.throws(() => graph.scanArcs({ fields: ["x" as never] }), /invalid fields parameter: 'x'/);
  assert.throws(() => graph.scan({ hits: 1 } as never), /'hits' is an invalid keyword/);
});

test.run();
