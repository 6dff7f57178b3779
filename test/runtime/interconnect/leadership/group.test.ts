// Groups of instances that choose their leader, over real connections in one process.
// limit: 120 s

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openChanges } from "../../../../runtime/graph/api/change-feed.js";
import type { Graph } from "../../../../runtime/graph/api/graph.js";
import type { GraphChange } from "../../../../runtime/graph/log/graph-change.js";
import type { GraphSource } from "../../../../runtime/graph/manager/graph-source.js";
import { installThreadGraphs } from "../../../../runtime/graph/manager/installed-graphs.js";
import { findThreadGraphs, ThreadGraphs } from "../../../../runtime/graph/manager/thread-graphs.js";
import { encodeRecord } from "../../../../runtime/interconnect/leadership/leadership.js";
import { setAside } from "../../../../runtime/interconnect/leadership/set-aside.js";
import * as transactions from "../../../../runtime/interconnect/log/graph-transactions.js";
import { TEST_THREAD } from "../../graph/support/make-graph.js";
import { freePort, type Instance, same, until } from "../support/instance.js";
import {
  begin,
  end,
  type InstancesContext,
  rejectionCode,
  withInstances,
} from "../support/instances.js";
import { MemoryEngine } from "../support/memory-engine.js";
import { TestGroup, TTL_MS } from "../support/test-group.js";

const test = suite<InstancesContext>("groups with a leader");
withInstances(test);

test("the first member leads, and a change waits for a synced member", async (context) => {
  const group = await TestGroup.create(context, ["B1", "S1", "S2"]);
  const first = await group.start("B1");
  await until(
    () => first.clock.group.role === "refusing",
    () => group.log,
  );
  const graph = first.graph();
  graph.createVertex("a");
  const confirmed = first.isConfirmed();
  await first.isFlushed();
  let isOver = false;
  void confirmed.then(() => {
    isOver = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  assert.not.ok(isOver, "no other member has it");
  const follower = await group.start("S1");
  assert.ok(await confirmed);
  assert.is(follower.store().operationCount, first.store().operationCount);
  assert.is((await group.leader())[0], "B1");
  assert.throws(() => follower.graph().createVertex("b"), /readonly/);
  await group.start("S2");
  await group.synced(3);
  await until(
    () => first.shown.group?.synced.length === 2,
    () => group.log,
  );
});

test("the first member founds its group even after a start without engine", async (context) => {
  const group = await TestGroup.create(context, ["B1", "S1"]);
  group.engine.unreachableFor.add("B1");
  const first = await group.start("B1");
  await until(
    () => /SVC3408: .*does not respond.*this instance follows/.test(first.log),
    () => group.log,
  );
  await group.stop("B1");
  group.engine.unreachableFor.clear();
  const follower = await group.start("S1");
  await until(
    () => group.engine.reads > 3,
    () => group.log,
  );
  const restartedInstance = await group.start("B1");
  await until(
    () => restartedInstance.clock.group.role !== "following",
    () => group.log,
  );
  await group.leader();
  assert.not.match(restartedInstance.log + follower.log, /SVC3402/, "there was no leader before");
});

/** The next change of a graph, in the log of an instance. */
async function nextChange({ folder }: InstancesContext, graph: Graph): Promise<GraphChange> {
  const previousGraphs = findThreadGraphs();
  const source = { find: () => null, names: () => [] } as unknown as GraphSource;
  const open = transactions.createTransactionOpener(join(folder, "B1"));
  installThreadGraphs(new ThreadGraphs(TEST_THREAD, source, open));
  const reader = openChanges(graph, {});
  installThreadGraphs(previousGraphs);
  for (;;) {
    const change = reader.pull();
    if (change !== null) return change;
    await reader.wait();
  }
}

test("a feed of changes waits for the members that a change needs", async (context) => {
  const group = await TestGroup.create(context, ["B1", "S1"]);
  const first = await group.start("B1");
  await until(
    () => first.clock.group.role === "refusing",
    () => group.log,
  );
  const graph = first.graph();
  let change: GraphChange | null = null;
  const changed = nextChange(context, graph).then((received) => {
    change = received;
  });
  graph.createVertex("a");
  // Often enough for a reader of the log of a single server.
  for (let round = 0; round < 20; round++) {
    await first.isFlushed();
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.is(change, null);
  await group.start("S1");
  await changed;
  assert.is((change as GraphChange | null)?.kind, "vertexCreated");
});

test("another member leads after a stop, and the former leader follows it", async (context) => {
  const group = await TestGroup.create(context, ["B1", "S1", "S2"]);
  for (const id of ["B1", "S1", "S2"]) await group.start(id);
  await group.synced(3);
  const [, first] = await group.leader();
  for (let n = 0; n < 20; n++) first.graph().createVertex(`a${n}`);
  assert.ok(await first.isConfirmed());
  await group.stop("B1");
  const [id, next] = await group.leader();
  assert.is.not(id, "B1");
  assert.is(next.store().operationCount, 20);
  next.graph().createVertex("b");
  assert.ok(await next.isConfirmed());
  const previousInstance = await group.start("B1");
  await group.synced(3);
  await same(next, previousInstance);
  assert.throws(() => previousInstance.graph().createVertex("c"), /readonly/);
});

test("a handover keeps all changes, and leads back", async (context) => {
  const group = await TestGroup.create(context, ["B1", "S1"]);
  const instance = await group.start("B1");
  const follower = await group.start("S1");
  await group.synced(2);
  assert.is(
    await rejectionCode(follower.control({ do: "handOver", to: "B1", timeoutMs: 1 })),
    "SVC3403",
  );
  assert.is(
    await rejectionCode(instance.control({ do: "handOver", to: "S9", timeoutMs: 1 })),
    "SVC3403",
  );
  group.engine.unreachableFor.add("B1");
  assert.is(
    await rejectionCode(instance.control({ do: "handOver", to: "S1", timeoutMs: 1 })),
    "SVC3408",
  );
  let changes = 0;
  instance.graph().createVertex(`a${changes++}`);
  assert.ok(await instance.isConfirmed(), "it leads on");
  group.engine.unreachableFor.clear();
  for (const [from, to, id] of [
    [instance, follower, "S1"],
    [follower, instance, "B1"],
  ] as const) {
    await until(
      () => from.clock.group.role === "leading",
      () => group.log,
    );
    from.graph().createVertex(`a${changes++}`);
    await from.control({ do: "handOver", to: id, timeoutMs: 30_000 });
    await until(
      () => to.clock.group.role === "leading",
      () => group.log,
    );
    to.graph().createVertex(`a${changes++}`);
    assert.ok(await to.isConfirmed());
    await same(to, from);
  }
  assert.is(instance.store().operationCount, changes);
});

test("a leader without its engine continues; without its members it refuses", async (context) => {
  const group = await TestGroup.create(context, ["B1", "S1"]);
  const first = await group.start("B1");
  await group.start("S1");
  await group.synced(2);
  await group.leader();
  for (const id of ["B1", "S1"]) group.engine.unreachableFor.add(id);
  const { beat } = group.engine.record!;
  const since = performance.now();
  await until(
    () => performance.now() - since > 3 * TTL_MS,
    () => group.log,
  );
  assert.is(group.engine.record!.beat, beat);
  assert.match(first.log, /SVC3408: .*this instance leads on while all synced members/);
  first.graph().createVertex("a");
  assert.ok(await first.isConfirmed());
  // On a busy machine a member is late, and the leader refuses changes until it has responded.
  await until(
    () => first.clock.group.role === "leading",
    () => group.log,
  );
  await group.stop("S1");
  await until(
    () => first.clock.group.role === "refusing",
    () => group.log,
  );
});

test("an instance that provided before, and its replicas, join a group", async (context) => {
  const group = await TestGroup.create(context, ["B1", "S1"]);
  const before = await begin(context, "B1", { durability: "full" });
  before.graph().createVertex("a");
  await before.isFlushed();
  await end(before);
  await group.start("B1");
  const follower = await group.start("S1");
  await group.synced(2);
  await same((await group.leader())[1], follower);
});

/** A former leader with a change that the next one lacks, and does not reach the engine yet. */
async function succeed(group: TestGroup) {
  const first = await group.start("B1");
  const follower = await group.start("S1");
  await group.synced(2);
  await group.leader();
  first.graph().createVertex("a");
  assert.ok(await first.isConfirmed());
  await follower.control({ do: "suspend", what: "input" });
  first.graph().createVertex("lost");
  const lost = first.isConfirmed();
  group.engine.unreachableFor.add("B1");
  await until(
    () => follower.clock.group.role !== "following",
    () => group.log,
  );
  return { first, follower, lost };
}

test("changes that only a former leader has are never confirmed", async (context) => {
  const group = await TestGroup.create(context, ["B1", "S1"]);
  const { first, follower, lost } = await succeed(group);
  assert.not.ok(await lost);
  assert.throws(() => first.graph().createVertex("b"), /readonly/);
  group.engine.unreachableFor.clear();
  await until(
    () => /SVC3404/.test(first.log),
    () => group.log,
  );
  await group.stop("B1");
  const root = join(context.folder, "B1");
  const aside = setAside(root)!;
  assert.equal(readdirSync(aside.folder).sort(), [
    "_lineage.json",
    "_member.json",
    "_replica.json",
    "_txlog",
  ]);
  assert.match(aside.line, /; rewound to transaction \d+$/);
  assert.is(setAside(root), null);
  const rewound = await group.start("B1");
  assert.is(rewound.store().operationCount, 1, "before it meets its leader");
  await same(follower, rewound);
  await group.synced(2);
  follower.graph().createVertex("c");
  assert.ok(await follower.isConfirmed());
});

test("a former leader that discards changes leads only after its restart", async (context) => {
  const group = await TestGroup.create(context, ["B1", "S1"]);
  const blocked = join(context.folder, "B1", "_ahead.json.tmp");
  const { first } = await succeed(group);
  mkdirSync(blocked);
  await until(
    () => /SVC3404: .*cannot be set aside: EISDIR/.test(first.log),
    () => group.log,
  );
  assert.is.not(first.shown.replica.state, "rewinding", "the request is not stored");
  rmSync(blocked, { recursive: true });
  await until(
    () => first.shown.replica.state === "rewinding",
    () => group.log,
  );
  group.engine.unreachableFor.clear();
  assert.ok(
    group.engine.record!.synced.some(([id]) => id === "B1"),
    "the record still names it",
  );
  await group.stop("S1");
  const { epoch } = group.engine.record!;
  const since = performance.now();
  await until(
    () => performance.now() - since > 4 * TTL_MS,
    () => group.log,
  );
  assert.equal([group.engine.record!.epoch, first.clock.group.role], [epoch, "following"]);
});

test("an emptied data folder cannot lead, and a lost record is reported", async (context) => {
  const group = await TestGroup.create(context, ["B1", "S1"]);
  await group.start("B1");
  await group.start("S1");
  await group.synced(2);
  await group.stop("S1");
  await group.stop("B1");
  const emptied = await group.start("S1", "another");
  await until(
    () => emptied.clock.group.epoch > 0,
    () => group.log,
  );
  group.engine.clear();
  await until(
    () => /SVC3402/.test(emptied.log),
    () => group.log,
  );
  const { reads } = group.engine;
  await until(
    () => group.engine.reads >= reads + 3,
    () => group.log,
  );
  assert.is(emptied.log.match(/SVC3402/g)!.length, 1, "once");
  assert.is(emptied.clock.group.role, "following");
});

test("an operator who accepts the loss promotes a member that may not lead", async (context) => {
  const group = await TestGroup.create(context, ["B1", "S1"]);
  await group.start("B1");
  const follower = await group.start("S1");
  await group.synced(2);
  await group.stop("S1");
  await group.stop("B1");
  const emptied = await group.start("S1", "another");
  await until(
    () => emptied.clock.group.epoch > 0,
    () => group.log,
  );
  assert.is(await rejectionCode(emptied.control({ do: "promote" })), "SVC3402");
  const epoch = await emptied.control({ do: "promote", acceptsLoss: true });
  assert.is(group.engine.record?.epoch, epoch);
  assert.equal(
    group.engine.record?.synced.map(([id]) => id),
    ["S1"],
  );
  assert.is(follower.log.length > 0, true);
});

test("a member with partly replaced graphs does not lead", async (context) => {
  const group = await TestGroup.create(context, ["B1", "S1"]);
  await group.start("B1");
  await group.start("S1");
  await group.synced(2);
  await group.stop("S1");
  await group.stop("B1");
  const file = join(context.folder, "S1", "_replica.json");
  writeFileSync(
    file,
    JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), isFetching: true }),
  );
  const { epoch } = group.engine.record!;
  const loneInstance = await group.start("S1");
  const { reads } = group.engine;
  await until(
    () => group.engine.reads > reads + 40,
    () => group.log,
  );
  assert.is(group.engine.record!.epoch, epoch);
  await group.start("B1");
  await group.synced(2);
  await until(
    () => JSON.parse(readFileSync(file, "utf8")).isFetching === false,
    () => loneInstance.log,
  );
});

test("keeps a record of a later release, and reads one of the first release", async (context) => {
  const group = await TestGroup.create(context, ["B1", "S1"]);
  const record = { holder: "S1", epoch: 5, beat: 1, synced: [], next: null };
  const later = JSON.stringify({ format: 2, ...record });
  group.engine.store(later);
  const first = await group.start("B1");
  await until(
    () => /SVC3400: .*format 2 is of a later release, this one reads up to 1/.test(first.log),
    () => group.log,
  );
  assert.is(group.engine.text, later);
  assert.is(first.clock.group.role, "following");
  const incarnation = JSON.parse(readFileSync(join(context.folder, "B1", "_member.json"), "utf8"));
  const synced = [["B1", incarnation.incarnation]];
  group.engine.store(JSON.stringify({ ...record, synced }));
  await until(
    () => (group.engine.record?.epoch ?? 0) > 5,
    () => group.log,
  );
  assert.is(JSON.parse(group.engine.text!).format, 1);
});

test("a member follows no leader of a lower epoch than that of the record", async (context) => {
  const engine = new MemoryEngine();
  engine.store(encodeRecord({ holder: "S9", epoch: 9, beat: 1, synced: [], next: null }));
  const rules = { ttl: TTL_MS, minSynced: 1, whenAlone: "refuse" as const };
  const members = { S9: "127.0.0.1:1" };
  const leadership = { engine: "memory:", ...rules, group: "S9", id: "S1", members };
  const txPort = await freePort();
  const settings = { txPort, durability: "full" as const, leadership };
  const openEngine = () => engine.open("S1");
  const member = await begin(context, "S1", { ...settings, openEngine });
  await until(
    () => member.clock.group.epoch === 9,
    () => member.log,
  );
  const previousInstance = await begin(context, "former", { attach: [`127.0.0.1:${txPort}`] });
  previousInstance.graph().createVertex("a");
  await rejectedBy(member);
  // After its restart, no record tells.
  await end(member);
  engine.unreachableFor.add("S1");
  await rejectedBy(await begin(context, "S1", { ...settings, openEngine }));

  async function rejectedBy(instance: Instance): Promise<void> {
    const isRejected = () => instance.log.includes("stale epoch 1; this instance is at epoch 9");
    await until(isRejected, () => instance.log);
    assert.not.ok(instance.readiness.includes(null));
  }
});

test("an unknown engine, or an invalid member file, ends the start", async (context) => {
  const members = { S1: "127.0.0.1:1" };
  const rules = { ttl: TTL_MS, minSynced: 1, whenAlone: "refuse" as const };
  const leadership = { engine: "ftp://x", ...rules, group: "B1", id: "B1", members };
  const start = begin(context, "B1", { txPort: await freePort(), leadership });
  assert.is(await rejectionCode(start), "SVC3400");
  const engine = new MemoryEngine();
  writeFileSync(join(context.folder, "B1", "_member.json"), "{");
  const again = begin(context, "B1", {
    ...{ txPort: await freePort(), leadership, openEngine: () => engine.open("B1") },
  });
  assert.is(await rejectionCode(again), "SVC3400");
});

test.run();
