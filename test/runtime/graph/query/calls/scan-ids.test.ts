// Streams of vertices: all that match, each once, whatever is asked or changed in between.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { V_GT } from "../../../../../runtime/graph/model/constants.js";
import { makeGraph } from "../../support/make-graph.js";

const test = suite("streams of vertices");
const MANY = 10_000;

test("gives what `vertices` gives, a slice at a time", () => {
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
    const found = [...graph.scan({ condition })];
    assert.equal(found.sort(), graph.vertices({ condition }).sort(), JSON.stringify(condition));
  }
  assert.is([...graph.scan()].length, MANY);
});

test("other queries and changes may come in between", () => {
  const graph = makeGraph();
  for (let n = 0; n < MANY; n++) graph.createVertex(`v${n}`, { properties: { n } });
  const seen = new Set<string>();
  for (const id of graph.scan({ condition: { filter: "vertex['n'] >= 0" } })) {
    assert.not(seen.has(id));
    seen.add(id);
    if (seen.size % 100 === 0) assert.equal(graph.vertices({ condition: id }), [id]);
    graph.deleteVertex(id);
  }
  assert.equal([seen.size, graph.order], [MANY, 0]);
  for (const id of graph.scan()) assert.unreachable(id);
});

test("what makes no sense is refused before anything is looked at", () => {
  const graph = makeGraph();
  assert.throws(
    () => graph.scan({ condition: { nothing: 1 } as never }),
    /Invalid vertex condition/,
  );
  assert.throws(() => graph.scan({ hits: 1 } as never), /'hits' is an invalid keyword/);
});

test.run();
