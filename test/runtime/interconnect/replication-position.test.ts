// Positions of graphs, as they are sent to other instances and noted in backups.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { GraphManager } from "../../../runtime/graph/manager/graph-manager.js";
import { requireIdentity } from "../../../runtime/graph/manager/logging-entry-points.js";
import { GraphStore } from "../../../runtime/graph/store/graph-store.js";
import {
  knownPositions,
  mismatchedDigests,
  operationCounts,
  replicationPosition,
} from "../../../runtime/interconnect/replication-position.js";
import { loggedStore } from "../graph/support/logged-graph.js";
import { openStore, TEST_THREAD } from "../graph/support/make-graph.js";

const test = suite("replication position");

/** A graph with a digest, and one that has none without a log; each has a vertex. */
function stores() {
  const plainStore = GraphStore.create("plain", TEST_THREAD, {});
  const storesOfGraphs = { logged: loggedStore(), plain: plainStore };
  for (const store of Object.values(storesOfGraphs)) openStore(store).createVertex("a");
  const manager = {
    replicated: () => new Map(Object.entries(storesOfGraphs)),
  } as unknown as GraphManager;
  return { ...storesOfGraphs, manager };
}

test("has a digest only if the graph has one", () => {
  const { logged, plain: unloggedStore, manager } = stores();
  const [identity, otherIdentity] = [logged, unloggedStore].map(requireIdentity) as [
    string,
    string,
  ];
  const position = replicationPosition(logged);
  assert.equal([position.identity, position.count], [identity, 1]);
  assert.match(position.digest!, /^[0-9a-f]{32}$/);
  assert.equal(replicationPosition(unloggedStore), {
    identity: otherIdentity,
    count: 1,
    digest: null,
  });
  assert.equal(knownPositions(manager), [position]);
  assert.equal(operationCounts(manager), { [identity]: 1, [otherIdentity]: 1 });
});

test("lists the graphs whose contents differ from their digest", () => {
  const { logged, manager } = stores();
  assert.equal(mismatchedDigests(manager), []);
  logged.digest.isMaintained = false;
  openStore(logged).createVertex("b");
  logged.digest.isMaintained = true;
  assert.equal(mismatchedDigests(manager), ["test"]);
});

test.run();
