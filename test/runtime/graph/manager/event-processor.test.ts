// Expiry of vertices and arcs: removal, reasons for delay, and reporting.

import { setImmediate as nextTurn } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Graph } from "../../../../runtime/graph/api/graph.js";
import {
  eventBacklog,
  eventParameters,
} from "../../../../runtime/graph/api/status/event-status.js";
import { Session } from "../../../../runtime/graph/changes/sessions/session.js";
import { EventProcessor } from "../../../../runtime/graph/manager/event-processor.js";
import { KEY_LIFESPAN_SECONDS } from "../../../../runtime/graph/manager/key-expiry-clock.js";
import { REQUESTS_GRAPH } from "../../../../runtime/graph/manager/system-graph.js";
import { nowSeconds } from "../../../../runtime/graph/memory/time.js";
import { M_INT, M_TMX, T_NEVER } from "../../../../runtime/graph/model/constants.js";
import { AccessError } from "../../../../runtime/graph/model/errors.js";
import { EventPause, setEventsEnabled } from "../../../../runtime/graph/store/event-switches.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { openStore, TEST_THREAD } from "../support/make-graph.js";

const test = suite<{ store: GraphStore; graph: Graph; events: EventProcessor }>("event processor");

test.before.each((context) => {
  context.store = GraphStore.create("events", TEST_THREAD);
  context.graph = openStore(context.store);
  context.events = new EventProcessor({
    store: context.store,
    session: new Session(context.store),
  });
});

/** Runs the processor as if n seconds had passed. */
function runLater(events: EventProcessor, seconds: number): number {
  return events.run(nowSeconds() + seconds);
}

test("keeps a vertex until its second and removes it after", ({ store, graph, events }) => {
  graph.createVertex("a", { lifespan: 100 });
  assert.is(runLater(events, 90), 0);
  assert.ok(graph.hasVertex("a"));
  assert.is(runLater(events, 110), 1);
  assert.not.ok(graph.hasVertex("a"));
  assert.is(store.expiry.count, 0);
});

test("keeps a vertex without a lifespan", ({ graph, events }) => {
  graph.createVertex("a");
  graph.createVertex("b", { lifespan: 10 });
  assert.is(runLater(events, 10 ** 9), 1);
  assert.ok(graph.hasVertex("a"));
});

test("makes an expired vertex with inarcs virtual", ({ graph, events }) => {
  graph.connect("a", "likes", "b");
  graph.createVertex("b", { lifespan: 5, properties: { age: 1 } });
  graph.connect("b", "likes", "c");
  assert.is(runLater(events, 6), 1);
  assert.equal([graph.order, graph.size], [2, 1]);
  const vertex = graph.openVertex("b", "r");
  assert.ok(vertex.virtual);
  assert.is(vertex.tmx, T_NEVER);
});

test("uses the last lifespan that was set", ({ store, graph, events }) => {
  graph.createVertex("later", { lifespan: 10 });
  graph.createVertex("later", { lifespan: 1000 });
  graph.createVertex("sooner", { lifespan: 1000 });
  graph.createVertex("sooner", { lifespan: 10 });
  graph.createVertex("never", { lifespan: 10 });
  const never = graph.openVertex("never");
  never.clearExpiration();
  never.close();
  assert.is(runLater(events, 20), 3);
  assert.equal(
    ["later", "sooner", "never"].map((id) => graph.hasVertex(id)),
    [true, false, true],
  );
  assert.is(store.expiry.count, 1);
  assert.is(runLater(events, 2000), 1);
  assert.equal([graph.order, store.expiry.count], [1, 0]);
});

test("expires all arcs of a relationship together and keeps others", ({ store, graph, events }) => {
  graph.createVertex("b");
  graph.connect("a", ["gone", M_INT, 3], "b", { lifespan: 10 });
  graph.connect("a", ["gone", M_INT, 3], "c", { lifespan: 500 });
  graph.connect("a", ["stays", M_INT, 4], "b");
  assert.is(graph.size, 9);
  assert.is(runLater(events, 5), 0);
  assert.is(runLater(events, 20), 1);
  assert.is(graph.size, 5);
  assert.equal(graph.terminals("a").sort(), ["b", "c"]);
  assert.is(runLater(events, 1000), 1);
  assert.is(graph.size, 1);
  assert.not.ok(graph.hasVertex("c"), "virtual, and nothing leads to it");
  assert.is(store.expiry.count, 0);
});

test("applies a changed expiry of an arc", ({ graph, events }) => {
  graph.connect("a", "soon", "b", { lifespan: 10 });
  graph.connect("a", ["soon", M_TMX], "b");
  assert.is(runLater(events, 20), 1);
  assert.is(graph.size, 4);
});

test("keeps a locked vertex until its release", ({ store, graph, events }) => {
  graph.createVertex("a", { lifespan: 10 });
  const heldVertex = graph.openVertex("a");
  const now = nowSeconds() + 20;
  assert.is(events.run(now), 1);
  assert.ok(graph.hasVertex("a"));
  assert.is(store.expiry.count, 1);
  heldVertex.close();
  assert.is(events.run(now), 0, "not tried all the time");
  assert.is(events.run(now + 2), 1);
  assert.not.ok(graph.hasVertex("a"));
});

test("removes nothing while either switch disables events", ({ store, graph, events }) => {
  graph.createVertex("a", { lifespan: 0 });
  setEventsEnabled(store, false);
  setEventsEnabled(store, false, EventPause.System);
  assert.is(runLater(events, 10), 0);
  setEventsEnabled(store, true);
  assert.is(runLater(events, 10), 0);
  assert.match(eventBacklog(store), "<PAUSED>");
  setEventsEnabled(store, true, EventPause.System);
  assert.match(eventBacklog(store), "<RUNNING>");
  assert.is(runLater(events, 10), 1);
});

test("removes nothing from a readonly graph", ({ store, graph, events }) => {
  graph.createVertex("a", { lifespan: 0 });
  graph.setGraphReadonly();
  assert.is(runLater(events, 10), 0);
  assert.equal(eventParameters(store).state, { running: false, paused: true });
  assert.throws(
    () => graph.eventEnable(),
    (error: Error) =>
      error instanceof AccessError &&
      error.message === "Event processor cannot be enabled for readonly graph",
  );
  graph.clearGraphReadonly();
  assert.is(runLater(events, 10), 1);
  assert.is(graph.order, 0);
});

test("removes a limited number at a time until all are done", ({ store, graph, events }) => {
  for (let vertex = 0; vertex < 1000; vertex++) graph.createVertex(`v${vertex}`, { lifespan: 0 });
  const first = runLater(events, 1);
  assert.ok(first > 0 && first < 1000, `${first}`);
  assert.is(graph.order, 1000 - first);
  let rest = 0;
  for (let done = -1; done !== 0; rest += done) done = runLater(events, 1);
  assert.is(rest, 1000 - first);
  assert.is(graph.order, 0);
  assert.is(eventParameters(store).executor.completed, 1000);
});

test("continues after an internal error in one removal", ({ store, graph, events }) => {
  graph.createVertex("bad", { lifespan: 0 });
  graph.createVertex("good", { lifespan: 1 });
  const { remove } = store.ids;
  store.ids.remove = () => {
    store.ids.remove = remove;
    throw new RangeError("defect");
  };
  assert.throws(() => runLater(events, 10), /defect/);
  assert.is(runLater(events, 10), 1);
  assert.equal([graph.hasVertex("bad"), graph.hasVertex("good")], [true, false]);
  assert.is(runLater(events, 100), 1);
  assert.is(graph.order, 0);
});

test("runs by itself from start to stop", async ({ graph, events }) => {
  for (let vertex = 0; vertex < 600; vertex++) graph.createVertex(`v${vertex}`, { lifespan: 0 });
  events.start();
  events.start();
  while (graph.order > 0) await nextTurn();
  events.stop();
  graph.createVertex("last", { lifespan: 0 });
  await new Promise((resolve) => setTimeout(resolve, 600));
  assert.is(graph.order, 1);
});

class SteppedProcessor extends EventProcessor {
  step(): void {
    this.slice();
  }
}

test("idempotency keys neither follow the system clock nor that of another instance", () => {
  const store = GraphStore.create(REQUESTS_GRAPH, TEST_THREAD);
  const keys = openStore(store);
  const events = new SteppedProcessor({ store, session: new Session(store) });
  const [{ now: systemClock }, { now: monotonic }] = [Date, performance];
  let [steps, elapsedMs] = [0, 0];
  Date.now = () => systemClock() + steps + elapsedMs;
  performance.now = () => monotonic.call(performance) + elapsedMs;
  try {
    events.step();
    keys.createVertex("step", { lifespan: KEY_LIFESPAN_SECONDS });
    steps = 3_600_000;
    events.step();
    for (const remaining of [1, 1, 0]) {
      assert.is(keys.order, remaining);
      elapsedMs += KEY_LIFESPAN_SECONDS * 1000;
      events.step();
    }
    assert.is(keys.order, 0);
    setEventsEnabled(store, false, EventPause.Replica);
    events.step();
    setEventsEnabled(store, true, EventPause.Replica);
    steps = 0;
    keys.createVertex("by another clock", { lifespan: KEY_LIFESPAN_SECONDS });
    steps = 3_600_000;
    events.step();
    assert.is(keys.order, 1);
  } finally {
    Date.now = systemClock;
    performance.now = monotonic;
  }
});

test("reports the backlog by due time", ({ store, graph }) => {
  for (const lifespan of [10, 20, 100, 1000, 2000, 3000, 100_000]) {
    graph.createVertex(`v${lifespan}`, { lifespan });
  }
  assert.is(
    eventBacklog(store),
    "Event Processor Backlog(events): " +
      "IN[ 0 ] -> SCH[ {L:1 M:3 S:1} -> X:2 ] -> EXEC[ 0 ] <RUNNING>",
  );
  const { long, medium, short, executor } = eventParameters(store);
  const items = [long, medium, short, executor].map((stage) => stage.items);
  assert.equal(items, [1, 3, 1, 2]);
});

test.run();
