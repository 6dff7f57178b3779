// The graphs of a log: changes that wait, are written, or may be removed from the log.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { requireIdentity } from "../../../runtime/graph/manager/logging-entry-points.js";
import { removeEverywhere } from "../../../runtime/graph/manager/track-graph.js";
import type { LoggedGraph } from "../../../runtime/interconnect/log/log-catalog.js";
import { LogChannel } from "../../../runtime/interconnect/log/log-channel.js";
import { loggedStore } from "../graph/support/logged-graph.js";
import { openStore } from "../graph/support/make-graph.js";
import { SimulatedDisk } from "./support/simulated-disk.js";

const test = suite("log channel");

test("forgets a closed graph once its last changes are written", async () => {
  const channel = new LogChannel(new SimulatedDisk(), "/log");
  const [closedStore, open] = [loggedStore(), loggedStore()];
  for (const store of [closedStore, open]) {
    channel.open(store, "g");
    openStore(store).createVertex("a");
  }
  removeEverywhere(closedStore);
  channel.release();
  assert.is(channel.stores().length, 2, "its change waits");
  assert.ok(channel.write(closedStore.memory.log!.clock) > 0);
  await channel.log.flush();
  channel.release();
  assert.is(channel.stores().length, 1);
  assert.is(channel.stores()[0], open);
  channel.log.close();
});

/** Creates a channel with a graph, and functions that write and flush its changes. */
function logged(disk = new SimulatedDisk(), ringWords?: number) {
  const channel = new LogChannel(disk, "/log");
  const store = loggedStore(ringWords);
  const graph = openStore(store);
  const { clock } = store.memory.log!;
  const flush = (): number => {
    const bytes = channel.write(clock);
    channel.log.flushNow();
    channel.release();
    return bytes;
  };
  /** Goes on in another segment. */
  const roll = async (): Promise<void> => {
    disk.faults.before = (operation) => {
      if (operation === "flush") throw new Error("EIO");
    };
    await channel.log.flush().catch(() => undefined);
    delete disk.faults.before;
    channel.reopen();
  };
  return { disk, channel, store, graph, clock, flush, roll };
}

test("counts pending bytes, and its own records as one", () => {
  const { channel, store, graph, flush } = logged();
  assert.is(channel.waitingBytes, 0);
  graph.createVertex("a");
  channel.open(store, "g");
  assert.is(channel.waitingBytes % 4, 1, "that it is open");
  assert.ok(flush() > 0);
  assert.equal([channel.waitingBytes, channel.log.last, flush()], [0, 2, 0]);
  graph.createVertex("b");
  assert.ok(channel.waitingBytes >= 16 && channel.waitingBytes % 4 === 0);
  flush();
  assert.equal([channel.waitingBytes, channel.log.last], [0, 3]);
});

test("writes the same frame again after a failure", async () => {
  const { disk, channel, store, graph, clock, flush, roll } = logged();
  channel.open(store, "g");
  graph.createVertex("a");
  disk.faults.before = (operation) => {
    if (operation === "write") throw Object.assign(new Error("full"), { code: "ENOSPC" });
  };
  assert.throws(() => channel.write(clock), /full/);
  delete disk.faults.before;
  graph.createVertex("later");
  const waiting = channel.waitingBytes;
  assert.is(waiting % 4, 1);
  flush();
  assert.is(channel.log.last, 2);
  graph.createVertex("b");
  channel.write(clock);
  // Two changes are written, and not durable.
  await roll();
  assert.equal([channel.log.last, channel.waitingBytes % 4], [2, 1]);
  flush();
  assert.equal([channel.log.last, channel.waitingBytes], [4, 0]);
  await roll();
  assert.equal([channel.log.last, channel.waitingBytes], [4, 0]);
  const again = new LogChannel(disk, "/log");
  assert.is(again.graphs.byIdentity(requireIdentity(store))!.after, store.operationCount);
});

test("does not rewrite frames that a dead thread has written", () => {
  const { disk, channel, store, graph, clock } = logged();
  channel.open(store, "g");
  graph.createVertex("a");
  channel.write(clock);
  channel.log.flushNow();
  const next = new LogChannel(disk, "/log");
  next.open(store, "g");
  assert.is(next.write(clock), 0);
  graph.createVertex("b");
  assert.ok(next.write(clock) > 0);
  assert.is(next.log.last, 3);
});

test("fills frames to the maximum length, and reports that more is pending", () => {
  const { channel, store, graph, clock, flush } = logged(undefined, 2 ** 22);
  channel.open(store, "g");
  const text = "x".repeat(100_000);
  for (let remaining = 100; remaining > 0; remaining--)
    graph.createVertex(`${remaining}`, { properties: { text } });
  const [first, isMore, second] = [flush(), channel.hasMore, flush()];
  assert.ok(first > 2 ** 23 - 200_000 && first <= 2 ** 23 + 32, `${first}`);
  assert.equal([isMore, channel.hasMore, channel.waitingBytes], [true, false, 0]);
  assert.ok(second > 0);
  assert.is(channel.graphs.all()[0]!.after, store.operationCount);
  assert.is(channel.write(clock), 0);
});

test("records the position from which it has all changes of a graph", () => {
  const { disk, channel, store, graph, flush } = logged();
  store.memory.log!.isOn = false;
  graph.createVertex("unlogged");
  store.memory.log!.isOn = true;
  const entry = channel.open(store, "g");
  assert.equal([entry.before, entry.after, entry.path], [1, 0, "g"]);
  graph.createVertex("a");
  flush();
  assert.equal([entry.before, entry.after], [1, 2]);
  assert.is(channel.open(store, "g"), entry);
  assert.equal([entry.before, channel.stores()], [1, [store]]);
  const next = new LogChannel(disk, "/log");
  const again = next.open(store, "g");
  assert.equal([again.number, again.before, again.after], [entry.number, 1, 2]);
  store.memory.log!.isOn = false;
  graph.createVertex("unlogged too");
  store.memory.log!.isOn = true;
  assert.is(next.open(store, "g").before, 3);
});

test("records once that a graph is erased", () => {
  const { disk, channel, store, flush } = logged();
  channel.erase("f".repeat(32));
  assert.is(channel.waitingBytes, 0);
  channel.open(store, "g");
  flush();
  const identity = requireIdentity(store);
  for (let times = 0; times < 2; times++) channel.erase(identity);
  assert.equal([channel.stores(), channel.graphs.all()], [[], []]);
  flush();
  assert.is(channel.log.last, 2);
  const again = new LogChannel(disk, "/log");
  assert.equal([again.graphs.all(), again.graphs.byIdentity(identity)?.isErased], [[], true]);
});

test("removes the segments that no graph needs", async () => {
  const { channel, store, graph, flush, roll } = logged();
  const otherStore = loggedStore();
  const [first, two] = [channel.open(store, "g"), channel.open(otherStore, "h")];
  const change = async (changed: typeof graph, id: string): Promise<void> => {
    changed.createVertex(id);
    flush();
    await roll();
  };
  assert.equal(
    channel.trim(() => 0),
    [],
    "nothing is written",
  );
  for (const id of ["a", "b"]) await change(graph, id);
  openStore(otherStore).createVertex("x");
  channel.write(otherStore.memory.log!.clock);
  channel.log.flushNow();
  const firsts = channel.log.segments.map(({ firstSn }) => firstSn);
  assert.equal(firsts, [1, 4, 5]);
  const counts = (...values: readonly number[]) =>
    new Map(values.map((count, index) => [index + 1, count]));
  const needed = [counts(), counts(0, 1), counts(1), counts(1, 1), counts(2), counts(2, 1)];
  assert.equal(
    needed.map((each) => channel.firstNeeded(each)),
    [1, 1, 4, 4, 5, 6],
  );
  const requests: string[] = [];
  const safe = (ofOne: number, ofTwo: number) => (loggedGraph: LoggedGraph) => {
    requests.push(loggedGraph.path);
    return loggedGraph === first ? ofOne : ofTwo;
  };
  assert.equal(channel.trim(safe(0, 0)), [first]);
  assert.equal(channel.trim(safe(1, 0), 3), [], "followers need it");
  assert.is(channel.log.first, 1);
  requests.length = 0;
  assert.equal(channel.trim(safe(1, 0), 4), [first]);
  assert.equal([channel.log.first, first.before, requests], [4, 1, ["g"]]);
  channel.erase(two.identity);
  assert.equal(channel.trim(safe(2, 0)), [], "the last one remains");
  assert.equal([channel.log.first, first.before, two.before], [5, 2, 0]);
});

test("a segment without changes of a graph is not needed", async () => {
  const { channel, store, graph, flush, roll } = logged();
  const otherStore = loggedStore();
  channel.open(store, "g");
  flush();
  // Only a record that it was opened.
  await roll();
  graph.createVertex("a");
  flush();
  await roll();
  channel.open(otherStore, "h");
  openStore(otherStore).createVertex("x");
  channel.write(otherStore.memory.log!.clock);
  channel.log.flushNow();
  assert.is(channel.firstNeeded(new Map()), 2);
  assert.equal(
    channel.trim(() => 1),
    [],
  );
  assert.is(channel.log.segments.length, 1);
  const late = new Map([[2, 1]]);
  assert.is(channel.firstNeeded(late), channel.log.last + 1, "the segment of g is gone");
});

test("records that changes without the log are missing in later segments", async () => {
  const { channel, store, graph, flush, roll } = logged();
  const entry = channel.open(store, "g");
  assert.is(entry.before, 0);
  graph.createVertex("a");
  flush();
  await roll();
  store.memory.log!.isOn = false;
  graph.createVertex("unlogged");
  store.memory.log!.isOn = true;
  channel.open(store, "g");
  assert.is(entry.before, 2);
  graph.createVertex("b");
  flush();
  channel.trim(() => 2);
  assert.equal([channel.log.segments.length, entry.before], [1, 2]);
});

test("reports how much of a torn write it discarded", () => {
  const { disk, channel, store, graph, flush } = logged();
  channel.open(store, "g");
  flush();
  graph.createVertex("a");
  const bytes = flush();
  assert.is(channel.tornBytes, 0);
  const file = disk.open(`/log/${channel.log.segments[0]!.name}`);
  file.truncate(file.size() - 4);
  assert.is(new LogChannel(disk, "/log").tornBytes, bytes - 4);
});

test.run();
