// Graphs with a transaction log, in one process: replay of logged changes, readonly graphs after a
// log failure, removal of segments that snapshots cover.
// limit: 60 s
// takes 5 s

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { runTransaction } from "../../../runtime/graph/changes/transaction.js";
import { CommitClock } from "../../../runtime/graph/memory/commit-clock.js";
import { GraphStore } from "../../../runtime/graph/store/graph-store.js";
import { openLog } from "../../../runtime/interconnect/durable-log.js";
import {
  isReplicaRoot,
  readLineage,
  writeReplicaMarker,
} from "../../../runtime/interconnect/lineage.js";
import { type Disk, realDisk } from "../../../runtime/interconnect/log/disk.js";
import { replayLog } from "../../../runtime/interconnect/log/replay-log.js";
import { SegmentLog } from "../../../runtime/interconnect/log/segment-log.js";
import { comparable } from "../../property/support/comparable.js";
import { openStore, TEST_THREAD } from "../graph/support/make-graph.js";
import { changedDisk } from "./support/changed-disk.js";
import {
  begin,
  isFlushed,
  keep,
  type LoggedFolder,
  makeFolder,
  removeFolder,
  request,
} from "./support/logged-folder.js";

const test = suite<LoggedFolder>("graphs with a transaction log");
test.before.each(makeFolder);
test.after.each(removeFolder);

/** A disk that counts the flushes of each log folder. */
function countingDisk(flushes: Map<string, number>): Disk {
  return changedDisk((file, path) => {
    const count = (): void => {
      flushes.set(dirname(path), (flushes.get(dirname(path)) ?? 0) + 1);
    };
    return {
      flush: () => {
        count();
        return file.flush();
      },
      flushNow: () => {
        count();
        file.flushNow();
      },
    };
  });
}

test("flushes the logs of replicated and of local graphs at once", async (context) => {
  const flushes = new Map<string, number>();
  const { interconnect, clock } = begin(context, countingDisk(flushes));
  const { root } = context;
  const local = interconnect.keep({ ...request(root, "here"), isLocal: true }).share;
  const here = openStore(GraphStore.attach(local, TEST_THREAD + 1));
  const sharedGraph = openStore(keep(context, interconnect));
  here.createVertex("a");
  sharedGraph.createVertex("a");
  assert.ok(await isFlushed(clock));
  assert.is(flushes.size, 2);
  for (const flush of [() => isFlushed(clock), () => interconnect.erase("none")]) {
    here.createVertex(`b${flushes.size}`);
    sharedGraph.createVertex(`b${flushes.size}`);
    flushes.clear();
    await flush();
    assert.is(flushes.size, 2, `${[...flushes]}`);
  }
});

test("replays flushed transactions", async (context) => {
  const { interconnect, clock } = begin(context);
  const store = keep(context, interconnect);
  const graph = openStore(store);
  for (let index = 0; index < 500; index++) graph.connect("hub", ["to", 5, index], `v${index}`);
  graph.deleteVertex("v7");
  graph.createVertex("p", { type: "thing", properties: { n: 1, text: "é", list: [1, 2] } });
  assert.ok(await isFlushed(clock));
  const reopenedStore = keep(context, begin(context).interconnect);
  assert.equal(comparable(reopenedStore), comparable(store));
  assert.match(context.lines.join("\n"), /log: replayed 502 transactions in \d/);
});

test("leaves a graph alone after a failed transaction", async (context) => {
  const { interconnect, clock } = begin(context);
  const store = keep(context, interconnect);
  const graph = openStore(store);
  for (const id of ["a", "b", "c"]) graph.createVertex(id);
  assert.ok(await isFlushed(clock));
  const options = { table: () => Buffer.alloc(0) };
  const { log } = SegmentLog.open(realDisk, join(context.root, "_txlog"), options, () => undefined);
  try {
    const replay = (broken: Set<GraphStore>): readonly [number, number] => {
      const copy = GraphStore.create("g", TEST_THREAD, {});
      const failures = { reasons: new Map(), broken: new Set([...broken].map(() => copy)) };
      const units = replayLog(log, new Map([[1, copy]]), failures, () => undefined);
      return [units, copy.operationCount];
    };
    assert.equal(replay(new Set()), [3, store.operationCount]);
    assert.equal(replay(new Set([store])), [0, 0]);
  } finally {
    log.close();
  }
});

test("a flush completes once all frames are written", async (context) => {
  const { interconnect, clock } = begin(context);
  const store = keep(context, interconnect);
  const graph = openStore(store);
  const text = "x".repeat(100_000);
  // More than one frame, before the log thread has a turn.
  for (let index = 0; index < 100; index++)
    graph.createVertex(`v${index}`, { properties: { text } });
  assert.ok(await isFlushed(clock));
  assert.is(store.memory.log!.waiting, 0);
});

test("a torn log has all changes of a joint transaction or none", async (context) => {
  const { interconnect, clock } = begin(context);
  const stores = ["a", "b"].map((name) => keep(context, interconnect, name));
  const graphs = stores.map(openStore);
  const parts = stores.map((store) => ({ store, isLocal: false }));
  const folder = join(context.root, "_txlog");
  const segment = (): string =>
    join(folder, readdirSync(folder).filter((name) => name.endsWith(".seg"))[0]!);
  const sizes: number[] = [];
  for (let round = 0; round < 4; round++) {
    for (const graph of graphs) graph.createVertex(`single ${round}`);
    runTransaction(parts, () => {
      for (const graph of graphs) graph.createVertex(`joint ${round}`, { properties: { round } });
    });
    assert.ok(await isFlushed(clock));
    sizes.push(lastByte(segment()));
  }
  await interconnect.closeLog();
  context.running.length = 0;
  const complete = readFileSync(segment());
  // From the end of one frame to the middle of the next.
  for (let size = sizes[2]!; size <= sizes[3]!; size += 24) {
    writeFileSync(segment(), complete.subarray(0, size));
    for (const name of ["a", "b"])
      rmSync(join(context.root, name), { recursive: true, force: true });
    const again = begin(context);
    const [a, b] = ["a", "b"].map((name) => openStore(keep(context, again.interconnect, name)));
    assert.is(a!.hasVertex("joint 2"), true);
    assert.is(a!.hasVertex("joint 3"), b!.hasVertex("joint 3"), `${size} bytes`);
    await again.interconnect.closeLog();
    context.running.length = 0;
  }
});

/** Position behind the last byte of a file that is not 0, as space is reserved behind it. */
function lastByte(file: string): number {
  const bytes = readFileSync(file);
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end--;
  return end;
}

test("counts the time between two writes from the start of the first", async (c) => {
  const flushMs = 6;
  const disk = changedDisk((file) => ({ flush: () => file.flush().then(() => delay(flushMs)) }));
  const { interconnect, clock } = begin(c, disk);
  const graph = openStore(keep(c, interconnect));
  await isFlushed(clock);
  const pauses: number[] = [];
  const { pause } = clock;
  clock.pause = (ms) => {
    pauses.push(ms);
    return pause.call(clock, ms);
  };
  for (let index = 0; index < 20; index++) {
    graph.createVertex(`v${index}`);
    // During a flush as well as between two of them.
    await delay(1 + (index % 5));
  }
  await isFlushed(clock);
  // A slow machine needs no pause at all.
  assert.ok(Math.max(0, ...pauses) <= 10 - flushMs, `${pauses.join()} ms`);
});

test("recovers logged graphs before they are opened", async (context) => {
  const { interconnect, clock } = begin(context);
  for (const name of ["a", "b"]) openStore(keep(context, interconnect, name)).createVertex(name);
  await isFlushed(clock);
  const { graphs, failures } = begin(context).interconnect.recover(true);
  assert.equal(
    graphs.map(({ share }) => share.name),
    ["a", "b"],
  );
  assert.equal(failures, []);
});

test("recovers the other graphs when one snapshot is missing", async (context) => {
  const first = begin(context);
  const store = keep(context, first.interconnect);
  openStore(keep(context, first.interconnect, "other")).createVertex("x");
  // A change that is not in the log.
  store.memory.log!.isOn = false;
  openStore(store).createVertex("unlogged");
  store.memory.log!.isOn = true;
  openStore(store).createVertex("logged");
  await isFlushed(first.clock);
  const { interconnect } = begin(context);
  const { graphs, failures } = interconnect.recover(true);
  assert.equal(
    graphs.map(({ share }) => share.name),
    ["other"],
  );
  const text = /"g" cannot be recovered from the log: log continues at operation 1 of graph "g"/;
  assert.match(failures[0]![1], text);
  assert.throws(
    () => keep(context, interconnect),
    (error: Error & { code?: string }) => error.code === "SVC2503" && text.test(error.message),
  );
});

test("replaces a snapshot only when the log has flushed its transactions", async (c) => {
  let isSlow = false;
  let goOn: () => void = () => undefined;
  const disk = changedDisk((file) => ({
    flush: async () => {
      if (isSlow) await new Promise<void>((resolve) => (goOn = resolve));
      await file.flush();
    },
  }));
  const { interconnect, clock } = begin(c, disk);
  const store = keep(c, interconnect);
  openStore(store).createVertex("a");
  await isFlushed(clock);
  assert.ok(await interconnect.save(0));
  const folder = join(c.root, "g");
  const before = readdirSync(folder);
  isSlow = true;
  openStore(store).createVertex("b");
  let isSaved = false;
  const saving = Promise.resolve(interconnect.save(0)).then((saved) => (isSaved = saved));
  const isWritten = () => readdirSync(folder).some((name) => !before.includes(name));
  while (!isWritten()) await delay(1);
  // The flush of the log is in progress, and the snapshot is read back by then.
  for (let turn = 0; turn < 50; turn++) await delay(1);
  assert.ok(isWritten(), "it is still beside the previous one");
  assert.not.ok(isSaved);
  isSlow = false;
  while (!isSaved) {
    goOn();
    await delay(1);
  }
  await saving;
  assert.ok(openStore(keep(c, begin(c).interconnect)).hasVertex("b"));
});

test("removes segments that two snapshots cover", async (context) => {
  const { interconnect, clock } = begin(context);
  const store = keep(context, interconnect);
  const folder = join(context.root, "_txlog");
  const segments = (): string[] => readdirSync(folder).filter((name) => name.endsWith(".seg"));
  const graph = openStore(store);
  const text = "x".repeat(130_000);
  for (let round = 0; round < 6; round++) {
    for (let index = 0; index < 100; index++) {
      graph.createVertex(`v${index}`, { properties: { text: `${round}${text}` } });
      // This thread also writes the log.
      if (index % 50 === 0) await isFlushed(clock);
    }
    await isFlushed(clock);
  }
  assert.is(segments().length, 2);
  await interconnect.save(0);
  assert.is(segments().length, 2);
  graph.createVertex("more");
  await interconnect.save(0);
  assert.is(segments().length, 1);
  assert.equal(comparable(keep(context, begin(context).interconnect)), comparable(store));
});

test("a process that starts ends following, a thread that takes over does not", async (context) => {
  const { root } = context;
  const first = begin(context);
  const shared = first.interconnect.keep(request(root, "g"));
  await isFlushed(first.clock);
  const log = { id: "0".repeat(32), sn: 1, chain: 1 };
  const noAncestors = { ancestors: [], isCaughtUp: true, isFetching: false };
  writeReplicaMarker(root, { log, origin: null, epoch: 5, ...noAncestors });
  begin(context).interconnect.adopt([shared]);
  assert.ok(isReplicaRoot(root));
  begin(context).interconnect.recover(true);
  assert.not(isReplicaRoot(root));
  assert.is(readLineage(root).epoch, 6);
});

test("opens no log without durability, unless one is there", async (context) => {
  const { root } = context;
  const [clock, warn] = [new CommitClock(), (): void => undefined];
  const options = { root, clock, mode: "off", disk: realDisk, warn } as const;
  assert.is(openLog(options), null);
  const { interconnect, clock: logged } = begin(context);
  keep(context, interconnect);
  await isFlushed(logged);
  await interconnect.closeLog();
  const again = openLog(options);
  assert.not.equal(again, null);
  await again!.close();
});

test("keeps no log in a readonly data folder", async (context) => {
  mkdirSync(join(context.root, "g"));
  const { interconnect } = begin(context);
  const shared = interconnect.keep({ ...request(context.root, "g"), isStorable: false });
  assert.is(shared.share.log, null);
  assert.not.ok(readdirSync(context.root).includes("_txlog"));
});

test.run();
