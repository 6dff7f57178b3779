// The positions of graphs that instances compare: with a digest, where there is one.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { GraphManager } from "../../../runtime/graph/manager/graph-manager.js";
import { requireIdentity } from "../../../runtime/graph/manager/logging-entry-points.js";
import { GraphStore } from "../../../runtime/graph/store/graph-store.js";
import {
  knownPositions,
  operationCounts,
  replicationPosition,
} from "../../../runtime/interconnect/replication-position.js";
import { loggedStore } from "../graph/support/logged-graph.js";
import { openStore, TEST_THREAD } from "../graph/support/make-graph.js";

const test = suite("replication position");

test("has a digest of graphs with a log only", () => {
  const [logged, other] = [loggedStore(), GraphStore.create("other", TEST_THREAD)];
  for (const store of [logged, other]) openStore(store).createVertex("a");
  const { digest, ...position } = replicationPosition(logged);
  assert.equal(position, { identity: requireIdentity(logged), count: 1 });
  assert.match(String(digest), /^[0-9a-f]{32}$/);
  const none = { identity: requireIdentity(other), count: 1, digest: null };
  assert.equal(replicationPosition(other), none);
  const all = new Map([logged, other].map((store) => [store.name, store]));
  const manager = { replicated: () => all } as unknown as GraphManager;
  assert.equal(knownPositions(manager), [{ ...position, digest }]);
  const counts = { [position.identity]: 1, [none.identity]: 1 };
  assert.equal(operationCounts(manager), counts);
});

test.run();
