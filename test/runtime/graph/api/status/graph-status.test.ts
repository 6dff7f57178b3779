// Statistics of a graph: they follow its contents, and reading them never blocks.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Graph } from "../../../../../runtime/graph/api/graph.js";
import { baseStatus, graphStatus } from "../../../../../runtime/graph/api/status/graph-status.js";
import { graphDigest, graphTotals } from "../../../../../runtime/graph/api/status/graph-totals.js";
import { memoryUsage, pooledBytes } from "../../../../../runtime/graph/api/status/memory-usage.js";
import { Session } from "../../../../../runtime/graph/changes/sessions/session.js";
import { GraphStore } from "../../../../../runtime/graph/store/graph-store.js";

const test = suite("graph status");

/** A graph, as two threads see it. */
function pair(): [graph: Graph, writer: GraphStore, reader: GraphStore] {
  const writer = GraphStore.create("g", 1);
  const access = { store: writer, session: new Session(writer), path: null, isLocal: false };
  return [new Graph(access), writer, GraphStore.attach(writer.share, 2)];
}

test("is empty for an empty graph, with the graph's age", () => {
  const [, , reader] = pair();
  const { base, time, op, memcost, memory, query } = graphStatus(reader, "/data/g");
  assert.equal(base, { name: "g", order: 0, size: 0, properties: 0, vectors: 0 });
  assert.ok(time.age >= 0 && time.age < 60, `age ${time.age}`);
  assert.equal([op.count, query.count, query.latency_ms], [0, 0, 0]);
  for (const cost of Object.values(memcost)) assert.is(cost.overhead, 0);
  assert.is(memory.event, 8);
});

test("follows each change of another thread", () => {
  const [graph, , reader] = pair();
  const before = memoryUsage(reader);
  for (let i = 0; i < 20_000; i++) {
    graph.createVertex(`vertex ${i}`, { properties: { n: `text ${i}` }, lifespan: 1000 });
    graph.connect(`vertex ${i}`, "next", `vertex ${i + 1}`);
  }
  const after = memoryUsage(reader);
  const growing = [
    "vertex.object",
    "vertex.arcvector",
    "vertex.property",
    "string",
    "index.global",
  ];
  for (const metric of [...growing.map((name) => `svc.${name}`), "svc.event.schedule"]) {
    assert.ok(after[metric]! > before[metric]! + 20_000, metric);
  }
  assert.is(after["svc.event.schedule"], 20_001 * 8);
  const sums = graphTotals([{ store: reader }]);
  assert.equal([sums.order, sums.size, sums.properties], [20_001, 20_000, 20_000]);
  assert.equal([sums.relationships, sums.types, sums.keys], [1, 1, 1]);
  assert.ok(pooledBytes(after) > 20_000 * 200);
});

test("is readable while a writer holds the mutex", () => {
  const [graph, writer, reader] = pair();
  graph.createVertex("a", "person", { properties: { age: 5 } });
  graph.connect("a", "knows", "b");
  const open = [{ store: reader, path: null, isLocal: false }];
  const digest = graphDigest(open);
  // A wait for the mutex in here would never end.
  writer.writer.mutate(() => {
    const { enum: names } = graphStatus(reader, null);
    assert.equal(names.relationship, { codec: { knows: [512, 1] }, count: 1 });
    assert.equal(names.vertex_type.codec, { __vertex__: [17, 1], person: [32, 1] });
    assert.is(names.property.key.count, 1);
    assert.is(baseStatus(reader, null).base.order, 2);
    assert.is(graphTotals(open).size, 1);
    assert.is(graphDigest(open), digest);
  });
});

test.run();
