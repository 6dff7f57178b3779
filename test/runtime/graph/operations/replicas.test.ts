// Regression inputs for which a graph and the replay of its records once differed.
// limit: 60 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Session } from "../../../../runtime/graph/changes/sessions/session.js";
import { EventProcessor } from "../../../../runtime/graph/manager/event-processor.js";
import { readIdentity } from "../../../../runtime/graph/memory/graph-identity.js";
import { ReadonlyBy } from "../../../../runtime/graph/memory/layout.js";
import { M_INT } from "../../../../runtime/graph/model/constants.js";
import { recoverGraph } from "../../../../runtime/graph/operations/recover.js";
import { EventPause, setEventsEnabled } from "../../../../runtime/graph/store/event-switches.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { comparable } from "../../../property/support/comparable.js";
import { DyingStore } from "../../../property/support/dying-store.js";
import { checkStore } from "../support/check-store.js";
import { loggedStore, replayTo } from "../support/logged-graph.js";
import { openStore, TEST_THREAD } from "../support/make-graph.js";

const test = suite<{ store: GraphStore; copy: GraphStore }>("graphs and their replicas");
const DEAD = 120;

test.before.each((context) => {
  context.store = loggedStore();
  context.copy = GraphStore.create("test", TEST_THREAD);
});

function assertEqual(store: GraphStore, copy: GraphStore): void {
  replayTo(store, copy);
  checkStore(copy);
  checkStore(store);
  assert.equal(comparable(copy), comparable(store));
}

const CHANGES = {
  setProperty: (vertex: ReturnType<ReturnType<typeof openStore>["openVertex"]>) =>
    vertex.setProperty("p", 1),
  setType: (vertex) => vertex.setType("thing"),
  setExpiration: (vertex) => vertex.setExpiration(4_000_000_000),
  setRank: (vertex) => vertex.setRank(2, 3),
  removeProperties: (vertex) => vertex.removeProperties(),
} satisfies Record<
  string,
  (vertex: ReturnType<ReturnType<typeof openStore>["openVertex"]>) => unknown
>;

for (const [name, change] of Object.entries(CHANGES)) {
  test(`${name} of a vertex that is locked and deleted`, ({ store, copy }) => {
    const plugin = openStore(store);
    const vertex = plugin.openVertex("x", "w");
    plugin.deleteVertex("x");
    change(vertex);
    vertex.close();
    assert.ok(plugin.hasVertex("x"));
    assertEqual(store, copy);
  });
}

test("a locked vertex that goes with its last lock", ({ store, copy }) => {
  const plugin = openStore(store);
  const vertex = plugin.openVertex("x", "w");
  plugin.deleteVertex("x");
  const count = store.operationCount;
  vertex.close();
  assert.not.ok(plugin.hasVertex("x"));
  assert.is(store.operationCount, count);
  assertEqual(store, copy);
});

test("a locked vertex whose thread dies", ({ store, copy }) => {
  const deadStore = GraphStore.attach(store.share, DEAD);
  const plugin = openStore(deadStore);
  plugin.openVertex("x", "w");
  plugin.deleteVertex("x");
  recoverGraph(store, DEAD);
  assert.not.ok(openStore(store).hasVertex("x"));
  assertEqual(store, copy);
});

test("a record that deletes a vertex locked on the replica", ({ store, copy }) => {
  openStore(store).createVertex("x");
  replayTo(store, copy);
  const heldVertex = openStore(copy).openVertex("x", "r");
  openStore(store).deleteVertex("x");
  replayTo(store, copy);
  heldVertex.close();
  assertEqual(store, copy);
});

test("a thread that dies at each write while deleting a hub", () => {
  let point = 0;
  for (let isDead = true; isDead; point += 397) {
    const store = loggedStore();
    const plugin = openStore(store);
    for (let index = 0; index < 150; index++) plugin.connect("hub", ["to", M_INT, 1], `l${index}`);
    const before = store.operationCount;
    const dying = new DyingStore(store.share, DEAD);
    isDead = dying.run(point, () => openStore(dying.store).deleteVertex("hub"));
    recoverGraph(store, DEAD);
    const isDone = !plugin.hasVertex("hub");
    assert.is(store.operationCount, before + (isDone ? 1 : 0), `died after ${point}`);
    checkStore(store);
  }
  assert.ok(point > 397);
});

test("graphs of one name have different identities", ({ store, copy }) => {
  assert.match(readIdentity(store.memory)!, /^[0-9a-f]{32}$/);
  assert.is.not(readIdentity(store.memory), readIdentity(copy.memory));
});

test("a replica expires nothing by itself", ({ copy }) => {
  const vertex = openStore(copy).openVertex("x", "w");
  vertex.setExpiration(1);
  vertex.close();
  const events = new EventProcessor({ store: copy, session: new Session(copy) });
  copy.setReadonlyBy(ReadonlyBy.Replica, true);
  setEventsEnabled(copy, false, EventPause.Replica);
  assert.is(events.run(2_000_000_000), 0);
  assert.throws(() => openStore(copy).createVertex("y"), /Graph is readonly/);
  assert.throws(() => setEventsEnabled(copy, true), /readonly graph/);
  copy.setReadonlyBy(ReadonlyBy.Replica, false);
  assert.is(events.run(2_000_000_000), 0);
  setEventsEnabled(copy, true, EventPause.Replica);
  assert.is(events.run(2_000_000_000), 1);
  assert.not.ok(openStore(copy).hasVertex("x"));
});

test.run();
