// The two logs of a data folder: the choice of the log for a graph, when each one is on, and the
// segments and changes that they drop.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { CommitClock } from "../../../runtime/graph/memory/commit-clock.js";
import { GraphStore } from "../../../runtime/graph/store/graph-store.js";
import { type Durability, DurableLog, openLog } from "../../../runtime/interconnect/durable-log.js";
import { LogChannel } from "../../../runtime/interconnect/log/log-channel.js";
import { loggedStore } from "../graph/support/logged-graph.js";
import { openStore, TEST_THREAD } from "../graph/support/make-graph.js";
import { SimulatedDisk } from "./support/simulated-disk.js";

const test = suite("rules of the durable log");

const ROOT = "/no/such/folder";
const [SHARED, LOCAL] = ["_txlog", "_txlog/local"] as const;
const SEGMENT_BYTES = 2 ** 26;

function open(mode: Durability, disk = new SimulatedDisk(), retainedBytes?: number) {
  const lines: string[] = [];
  const clock = new CommitClock();
  const warn = (line: string): number => lines.push(line);
  const log = new DurableLog({ root: ROOT, mode, clock, warn, disk, retainedBytes });
  /** Opens a graph, whose changes are logged if the log is on. */
  const keep = (name: string, isLocal = false): GraphStore => {
    const share = log.share(name);
    const store =
      share === null ? loggedStore() : GraphStore.create(name, TEST_THREAD, { log: share });
    log.open(store, name, isLocal);
    return store;
  };
  const isFlushed = (): Promise<boolean> => clock.wait(clock.nextFlush);
  return { log, clock, lines, disk, keep, isFlushed };
}

/** Fills segments of a log with changes of one graph; returns the identity of the graph. */
function fill(disk: SimulatedDisk, folder: string, segments: number): string {
  const channel = new LogChannel(disk, `${ROOT}/${folder}`);
  const store = loggedStore();
  const { identity } = channel.open(store, "path");
  const { clock } = store.memory.log!;
  for (let remaining = segments; remaining > 0; remaining--) {
    openStore(store).createVertex(`${remaining}`);
    channel.write(clock);
    channel.log.flushNow();
    channel.release();
    if (remaining > 1) roll(disk, channel);
  }
  channel.log.close();
  return identity;
}

/** Goes on in another segment. */
function roll(disk: SimulatedDisk, channel: LogChannel): void {
  disk.faults.before = (operation) => {
    if (operation === "flush") throw new Error("EIO");
  };
  assert.throws(() => channel.log.flushNow());
  delete disk.faults.before;
  channel.reopen();
}

/** The number of segments of a log. */
function segmentsIn(disk: SimulatedDisk, folder: string): number {
  return disk.names(`${ROOT}/${folder}`).filter((name) => name.endsWith(".seg")).length;
}

test("exists if it is enabled or was before", async () => {
  const disk = new SimulatedDisk();
  const options = { root: ROOT, clock: new CommitClock(), warn: () => undefined, disk };
  assert.is(openLog({ ...options, mode: "off" }), null);
  const created = openLog({ ...options, mode: "async" })!;
  assert.equal([created.isOn, created.disk === disk], [true, true]);
  await created.close();
  const { log, keep } = open("async", disk);
  assert.is(log.isOn, true);
  openStore(keep("g")).createVertex("a");
  await log.close();
  assert.is(disk.openFiles, 0);
  const off = openLog({ ...options, mode: "off" })!;
  assert.equal([off.isOn, off.share("g")], [false, null]);
  await off.close();
});

test("has system and local graphs in a log of their own", async () => {
  const { log, keep, isFlushed } = open("async");
  const stores = [keep("g"), keep("here", true), keep("_system")];
  for (const store of stores) openStore(store).createVertex("a");
  await isFlushed();
  const graph = (name: string, isLocal: boolean) => ({ name, path: name, isLocal });
  assert.equal(log.graphs(), [graph("g", false), graph("here", true), graph("_system", true)]);
  assert.equal(
    log.channel.graphs.all().map(({ name }) => name),
    ["g"],
  );
  for (const { name, memory } of stores) {
    assert.equal([typeof log.identityOf(name), memory.log!.waiting], ["string", 0], name);
  }
  assert.is(log.identityOf("unknown"), undefined);
  const sizes = ["g", "_system"].map(
    (name) => (log.share(name)!.ring as SharedArrayBuffer).byteLength,
  );
  assert.ok(sizes[0]! > sizes[1]!);
  await log.close();
});

test("an erased graph stays erased, also without durability", async () => {
  const disk = new SimulatedDisk();
  const first = open("async", disk);
  const stores = [first.keep("g"), first.keep("here", true)];
  const identities = ["g", "here"].map((name) => first.log.identityOf(name)!);
  await first.log.close();
  assert.equal(
    stores.map((store) => first.log.isErased(store)),
    [false, false],
  );
  const off = open("off", disk);
  for (const identity of identities) off.log.erase(identity);
  await off.log.close();
  const { log } = open("off", disk);
  assert.equal([log.graphs(), stores.map((store) => log.isErased(store))], [[], [true, true]]);
  await log.close();
});

test("reports torn writes and replayed changes", async () => {
  const disk = new SimulatedDisk();
  const first = open("async", disk);
  openStore(first.keep("g")).createVertex("a");
  const identity = first.log.identityOf("g")!;
  await first.log.close();
  assert.equal(first.lines, []);
  const second = open("async", disk);
  const copy = GraphStore.create("g", TEST_THREAD, { identity });
  assert.is(second.log.replay([copy]).size, 0);
  assert.is(second.log.replay([copy]).size, 0);
  assert.is(second.lines.length, 1);
  assert.match(second.lines[0]!, /^log: replayed 1 transactions in \d/);
  await second.log.close();
  const file = disk.open(`${ROOT}/_txlog/${second.log.channel.log.segments[0]!.name}`);
  file.truncate(file.size() - 4);
  file.close();
  const third = open("async", disk);
  assert.match(third.lines.join(), /^log: discarded \d+ bytes of a torn write$/);
  await third.log.close();
});

test("replays transactions that a previous thread left in its ring", async () => {
  const { log, keep } = open("async");
  openStore(keep("g")).createVertex("a");
  const copy = GraphStore.create("g", TEST_THREAD, { identity: log.identityOf("g")! });
  assert.equal([log.replay([copy]).size, copy.operationCount], [0, 1]);
  await log.close();
});

test("reports why a graph cannot be recovered", async () => {
  const disk = new SimulatedDisk();
  const { log, lines, keep, isFlushed } = open("async", disk);
  const store = keep("g");
  store.memory.log!.isOn = false;
  openStore(store).createVertex("unlogged");
  store.memory.log!.isOn = true;
  openStore(store).createVertex("a");
  assert.ok(await isFlushed());
  const identity = log.identityOf("g")!;
  const emptyStore = GraphStore.create("g", TEST_THREAD, { identity });
  const otherStore = GraphStore.create("h", TEST_THREAD, {});
  const failures = [...log.replay([emptyStore, otherStore, store])];
  assert.equal([failures.length, lines], [1, []]);
  const [failed, { message }] = failures[0]!;
  assert.is(failed, emptyStore);
  assert.match(
    message,
    /"g" cannot be recovered from the log: .*continues at operation 1 of graph/,
  );
  await log.close();
});

test("drains rings that one more transaction may fill", async () => {
  const { log, keep } = open("async");
  const store = keep("g");
  const text = "x".repeat(130_000);
  let vertices = 0;
  const grow = (bytes: number): void => {
    while (log.channel.waitingBytes < bytes) {
      openStore(store).createVertex(`${vertices++}`, { properties: { text } });
    }
  };
  grow(2 ** 20);
  log.drainIfFull();
  assert.ok(log.channel.waitingBytes >= 2 ** 20);
  grow(2 ** 21 + 4);
  log.drainIfFull();
  assert.is(log.channel.waitingBytes, 0);
  await log.close();
});

test("confirms only replicated changes, and publishes its role in the group", async () => {
  const { log, clock, keep, isFlushed } = open("async");
  const store = keep("g");
  log.confirmUpTo(() => 0);
  openStore(store).createVertex("a");
  const flush = clock.nextFlush;
  let isConfirmed: boolean | null = null;
  const confirmed = clock.waitConfirmed(flush).then((is) => (isConfirmed = is));
  assert.ok(await isFlushed());
  openStore(store).createVertex("b");
  assert.ok(await isFlushed());
  assert.is(isConfirmed, null);
  log.confirmUpTo(() => Number.POSITIVE_INFINITY);
  log.confirm();
  assert.is(await confirmed, true);
  log.setGroup("leading", 5);
  assert.equal(clock.group, { role: "leading", epoch: 5 });
  await log.close();
});

test("measures the space of the disk only while it is on", async () => {
  for (const mode of ["off", "async"] as const) {
    const disk = new SimulatedDisk();
    disk.freeBytes = () => 1;
    const { log, lines } = open(mode, disk);
    assert.is(log.isLow(), mode === "async");
    disk.freeBytes = () => Number.POSITIVE_INFINITY;
    assert.is(log.isLow(), false);
    assert.equal(
      lines,
      mode === "off"
        ? []
        : ["log: 0 MiB of disk space are left: of each graph only the current snapshot is kept"],
    );
    await log.close();
  }
});

test("keeps the segments that a graph needs, and has it saved if there are many", async () => {
  for (const [count, names] of [
    [8, []],
    [9, ["test"]],
  ] as const) {
    const disk = new SimulatedDisk();
    fill(disk, SHARED, count);
    const { log } = open("off", disk);
    assert.equal(log.trim(), names);
    assert.is(segmentsIn(disk, SHARED), count);
    await log.close();
  }
});

test("keeps the segments that a subscriber needs, unless they are too many", async () => {
  for (const [count, isKept] of [
    [128, true],
    [129, false],
  ] as const) {
    const disk = new SimulatedDisk();
    const identities = [fill(disk, SHARED, count), fill(disk, LOCAL, 5)];
    const { log } = open("off", disk);
    for (const identity of identities) log.erase(identity);
    const { firstSn } = log.channel.log.segments[3]!;
    log.firstNeededSn = () => firstSn;
    log.trim();
    assert.equal(
      [SHARED, LOCAL].map((folder) => segmentsIn(disk, folder)),
      [isKept ? count - 3 : 1, 1],
    );
    await log.close();
  }
});

test("keeps the last segments for change feeds, whatever subscribers need", async () => {
  const disk = new SimulatedDisk();
  const identities = [fill(disk, SHARED, 6), fill(disk, LOCAL, 5)];
  const { log } = open("off", disk, 2 * SEGMENT_BYTES);
  for (const identity of identities) log.erase(identity);
  log.trim();
  assert.equal(
    [SHARED, LOCAL].map((folder) => segmentsIn(disk, folder)),
    [3, 3],
  );
  await log.close();
});

test.run();
