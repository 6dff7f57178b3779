// A replica fed with frames of a provider's transaction log, in one process: graphs that are erased
// and created again under the same name, and graphs opened locally before the provider's arrive.

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Graph } from "../../../runtime/graph/api/graph.js";
import { runTransaction } from "../../../runtime/graph/changes/transaction.js";
import { JOINED_TRANSACTION } from "../../../runtime/graph/log/transaction-format.js";
import { GraphManager } from "../../../runtime/graph/manager/graph-manager.js";
import type { GraphSource } from "../../../runtime/graph/manager/graph-source.js";
import { installThreadGraphs } from "../../../runtime/graph/manager/installed-graphs.js";
import {
  CommitClock,
  requireIdentity,
} from "../../../runtime/graph/manager/logging-entry-points.js";
import { loadGraph } from "../../../runtime/graph/manager/snapshot/load-graph.js";
import { findThreadGraphs, ThreadGraphs } from "../../../runtime/graph/manager/thread-graphs.js";
import { GraphStore } from "../../../runtime/graph/store/graph-store.js";
import { readReplicaInput } from "../../../runtime/graph/store/input-serial.js";
import { planCatchUp } from "../../../runtime/interconnect/catch-up-plan.js";
import { DurableLog } from "../../../runtime/interconnect/durable-log.js";
import { readReplicaMarker } from "../../../runtime/interconnect/lineage.js";
import { realDisk } from "../../../runtime/interconnect/log/disk.js";
import { LogTailer } from "../../../runtime/interconnect/log/log-tailer.js";
import { FRAME_HEADER_BYTES } from "../../../runtime/interconnect/log/segment-format.js";
import { Replica } from "../../../runtime/interconnect/replica.js";
import type { Offer } from "../../../runtime/interconnect/wire/positions.js";
import { comparable } from "../../property/support/comparable.js";
import { openStore, TEST_THREAD } from "../graph/support/make-graph.js";

interface Context {
  folder: string;
  log: DurableLog;
  clock: CommitClock;
  provider: GraphManager;
  subscriber: GraphManager;
  replica: Replica;
  /** Whether the applied transactions are durable on the replica's disk. */
  flushed: () => Promise<boolean>;
}

const test = suite<Context>("replica");
const SETTINGS = { events: false, saveEvery: 0, txPort: null, followStream: null };

test.before.each((context) => {
  const folder = mkdtempSync(join(tmpdir(), "svc-replica-"));
  const [root, subscriberRoot] = [join(folder, "p"), join(folder, "s")];
  mkdirSync(root);
  mkdirSync(subscriberRoot);
  const warn = (): void => undefined;
  const clock = new CommitClock();
  const options = { root, mode: "async", clock, warn, disk: realDisk } as const;
  const log = new DurableLog(options);
  const provider = new GraphManager(TEST_THREAD, SETTINGS, warn, log);
  const subscriber = new GraphManager(TEST_THREAD + 1, { ...SETTINGS, txPort: 1 }, warn);
  const replica = new Replica({
    root: subscriberRoot,
    stores: () => subscriber.replicated(),
    open: ({ name, identity }) => subscriber.open({ ...request(subscriberRoot, name), identity }),
    remove: async (name, isErased) => subscriber.drop(name, isErased),
    epoch: 1,
    nextTicket: () => 1,
    drainIfFull: () => undefined,
    flushed: () => context.flushed(),
  });
  context.flushed = async () => true;
  Object.assign(context, { folder, log, clock, provider, subscriber, replica });
});

test.after.each(async ({ folder, log, provider, subscriber }) => {
  for (const manager of [provider, subscriber]) {
    for (const name of manager.names()) manager.drop(name, false);
  }
  await log.close();
  rmSync(folder, { recursive: true });
});

function request(root: string, name: string) {
  const isAny = { isStorable: true, isLocal: false, isReadonly: false };
  return { name, path: name, folder: join(root, name), ...isAny };
}

function openGraph(manager: GraphManager, folder: string, name: string): GraphStore {
  return GraphStore.attach(manager.open(request(folder, name)).share, TEST_THREAD + 2);
}

/** A graph of the provider with some vertices. */
function fill({ provider, folder }: Context, name: string, vertices: number): GraphStore {
  const store = openGraph(provider, join(folder, "p"), name);
  const graph = openStore(store);
  for (let index = 0; index < vertices; index++) graph.connect("all", "has", `v${index}`);
  return store;
}

/** Returns the present offer of the provider to the replica. */
function offer({ log, replica }: Context): Offer {
  const origin = { isRoot: true, log: log.channel.log.logId, ancestors: [], isCaughtUp: true };
  const plan = planCatchUp(log.channel, replica.positions(), origin);
  if (typeof plan === "string") throw new Error(plan);
  return plan.offer;
}

/** Reconnects the provider and sends from the first transaction on. */
async function follow(context: Context): Promise<void> {
  const { clock, replica } = context;
  assert.ok(await clock.wait(clock.nextFlush));
  await replica.accept(offer(context));
  replica.startFrames({ sn: 0, chain: 0 });
  await stream(context);
}

async function stream(context: Context, from = 1): Promise<void> {
  for (const bytes of await readFrames(context, from)) await context.replica.applyFrame(bytes);
}

async function readFrames({ log, clock }: Context, from: number): Promise<Buffer[]> {
  assert.ok(await clock.wait(clock.nextFlush));
  const follower = new LogTailer(realDisk, log.channel.log, from);
  const frames: Buffer[] = [];
  for (let frame = follower.next(); frame !== null; frame = follower.next()) {
    const bytes = Buffer.allocUnsafeSlow(frame.bytes.length);
    frame.bytes.copy(bytes);
    frames.push(bytes);
  }
  follower.close();
  return frames;
}

function isSame({ subscriber, folder }: Context, store: GraphStore): void {
  const copy = openGraph(subscriber, join(folder, "s"), store.name);
  assert.is(requireIdentity(copy), requireIdentity(store));
  const { graph, vertices } = comparable(copy) as { graph: object; vertices: unknown };
  assert.equal({ graph: { ...graph, isReadonly: false }, vertices }, comparable(store));
}

test("follows transactions over several graphs", async (c) => {
  const stores = ["g", "h"].map((name) => fill(c, name, 3));
  const parts = stores.map((store) => ({ store, isLocal: false }));
  const graphs = stores.map(openStore);
  for (let round = 0; round < 3; round++) {
    runTransaction(parts, () => {
      for (const graph of graphs) graph.createVertex(`joint ${round}`);
    });
  }
  await follow(c);
  for (const store of stores) isSame(c, store);
  const kinds: number[] = [];
  for (const bytes of await readFrames(c, 1)) {
    const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
    let offset = FRAME_HEADER_BYTES / 4;
    while (offset < words.length) {
      kinds.push(words[offset]! & 0xff);
      offset += words[offset]! >>> 8;
    }
  }
  assert.is(kinds.filter((kind) => kind === JOINED_TRANSACTION).length, 3);
});

test("continues when its marker cannot be written, and writes it later", async (c) => {
  let flush = (): void => undefined;
  c.flushed = () => new Promise((resolve) => (flush = () => resolve(true)));
  const store = fill(c, "g", 3);
  await follow(c);
  const root = join(c.folder, "s");
  const obstacle = join(root, "_replica.json.tmp");
  mkdirSync(obstacle);
  c.flushed = async () => true;
  flush();
  await new Promise(setImmediate);
  assert.is(c.replica.report().state, "caught-up");
  assert.not(readReplicaMarker(root)?.isCaughtUp);
  const reached = c.replica.durableSn!;
  openStore(store).createVertex("later");
  await stream(c, reached + 1);
  await new Promise(setImmediate);
  assert.ok(c.replica.durableSn! > reached);
  rmSync(obstacle, { recursive: true });
  c.replica.refreshMarker();
  assert.ok(readReplicaMarker(root)?.isCaughtUp);
});

test("distinguishes graphs of one name from any log position", async (c) => {
  for (let round = 0; round < 3; round++) {
    fill(c, "more", 4 + round);
    if (round === 1) await follow(c);
    c.provider.drop("more", true);
  }
  // Opened but empty: it is offered, with no position in the log of its predecessors.
  const last = fill(c, "more", 0);
  await follow(c);
  openStore(last).createVertex("new");
  await follow(c);
  isSame(c, last);
  openStore(last).createVertex("newer");
  await follow(c);
  isSame(c, last);
});

test("reports the start of a snapshot for a graph, and the loss of its provider", async (c) => {
  const store = fill(c, "g", 3);
  await follow(c);
  await new Promise(setImmediate);
  const states: string[] = [];
  c.replica.onReadiness = () => states.push(c.replica.report().state);
  const head = { number: 1, identity: requireIdentity(store), name: "g", path: "g" };
  const expect = async (): Promise<never> => {
    throw new Error("the connection was lost");
  };
  const receiving = c.replica.receiveGraph({ expect }, { ...head, bytes: 8, count: 9 });
  const outcome = await receiving.catch(({ message }: Error) => message);
  assert.match(String(outcome), /the connection was lost/);
  assert.is(states.length, 1);
  c.replica.providerLost();
  assert.is(states.length, 2);
});

test("needs all snapshots of a stream that continues another log", async (c) => {
  const store = fill(c, "g", 3);
  await follow(c);
  const [identity, count] = [requireIdentity(store), store.operationCount];
  const snapshot = { number: 1, identity, name: "g", path: "g", bytes: 8, count };
  await c.replica.acceptFromStream(offer(c), 0);
  assert.not(c.replica.needsSnapshot(snapshot), "it is as recent");
  await c.replica.acceptFromStream({ ...offer(c), logId: "f".repeat(32), epoch: 9 }, 0);
  assert.ok(c.replica.needsSnapshot(snapshot), "its changes may be others");
  const another = { ...offer(c), logId: "e".repeat(32), origin: "e".repeat(32) };
  const { epoch } = c.replica;
  const refusal = await c.replica
    .acceptFromStream({ ...another, epoch }, 0)
    .catch((error) => error);
  assert.is(refusal.code, "SVC2532", "nor is it a later epoch");
});

test("rejects bytes that are not a frame", async (c) => {
  fill(c, "g", 1);
  await follow(c);
  const outcome = await c.replica
    .applyFrame(Buffer.alloc(256))
    .catch(({ message }: Error) => message);
  assert.match(String(outcome), /corrupt frame/);
});

test("does not open a graph again that the provider has erased meanwhile", async (c) => {
  fill(c, "gone", 3);
  fill(c, "kept", 3);
  await follow(c);
  const frames = await readFrames(c, 1);
  c.provider.drop("gone", true);
  await c.replica.accept(offer(c));
  c.replica.startFrames({ sn: 0, chain: 0 });
  assert.equal(c.subscriber.names(), ["kept"]);
  // From before it was erased.
  for (const bytes of frames) await c.replica.applyFrame(bytes);
  assert.equal(c.subscriber.names(), ["kept"]);
});

test("reports serial and transaction count in status and snapshots", async (c) => {
  const store = fill(c, "counted", 3);
  await follow(c);
  const copy = openGraph(c.subscriber, join(c.folder, "s"), "counted");
  const { serial, count } = readReplicaInput(copy);
  assert.ok(count > 0 && count <= store.operationCount);
  assert.ok(serial > Date.now() * 500, "microseconds since 1970, at first");
  openStore(store).createVertex("one more");
  await follow(c);
  assert.equal(readReplicaInput(copy), { serial: serial + 1, count: count + 1 });
  // The operation count prevents a second application.
  assert.is(openStore(copy).resetSerial(5), 5);
  await follow(c);
  assert.equal(readReplicaInput(copy), { serial: 5, count: count + 1 });
  const folder = await c.subscriber.saveNow("counted", 1000);
  const loaded = loadGraph("counted", folder, TEST_THREAD + 5);
  assert.equal(readReplicaInput(loaded!), { serial: 5, count: count + 1 });
  isSame(c, store);
});

test("replaces a graph that was opened locally before its transfer", async (c) => {
  const earlyStore = openGraph(c.subscriber, join(c.folder, "s"), "early");
  const store = fill(c, "early", 5);
  await follow(c);
  assert.ok(earlyStore.memory.isRemoved);
  isSame(c, store);
});

test("objects of a replaced graph continue with the provider's graph", async (c) => {
  const previousGraphs = findThreadGraphs();
  const source: Partial<GraphSource> = { find: (name) => c.subscriber.find(name) };
  const graphs = new ThreadGraphs(TEST_THREAD + 2, source as GraphSource);
  installThreadGraphs(graphs);
  try {
    openGraph(c.subscriber, join(c.folder, "s"), "early");
    const graph = new Graph(graphs.find("early")!);
    const ofRequest = new Graph(graphs.createForRequest("early"));
    assert.is(graph.order, 0);
    const store = fill(c, "early", 5);
    await follow(c);
    assert.is(graph.order, store.order);
    assert.throws(() => ofRequest.order, /Graph cannot be accessed/);
    c.subscriber.drop("early", true);
    assert.throws(() => graph.order, /Graph cannot be accessed/);
  } finally {
    installThreadGraphs(previousGraphs);
  }
});

test("receives a graph again after it was dropped locally", async (c) => {
  const store = fill(c, "things", 5);
  await follow(c);
  c.subscriber.drop("things", true);
  openStore(store).createVertex("new");
  await stream(c);
  isSame(c, store);
});

test("acknowledges and marks only what is durable on its own disk", async (c) => {
  const store = fill(c, "things", 1);
  const flushes: ((isSafe: boolean) => void)[] = [];
  const disk = (isSafe: boolean): void => {
    for (const resolve of flushes.splice(0)) resolve(isSafe);
  };
  let calls = 0;
  c.flushed = () => new Promise((resolve) => flushes.push(resolve));
  c.replica.onDurable = () => calls++;
  await follow(c);
  const markedSn = (): number | undefined => {
    c.replica.writeMarker();
    return readReplicaMarker(join(c.folder, "s"))?.log?.sn;
  };
  isSame(c, store);
  assert.equal([c.replica.durableSn, markedSn(), calls], [null, 0, 0], "applied, not yet safe");
  // One flush for the start, and one for everything received meanwhile.
  for (let remaining = 2; remaining > 0; remaining--) {
    disk(true);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { last } = c.log.channel.log;
  assert.equal([c.replica.durableSn, markedSn()], [last, last]);
  openStore(store).createVertex("new");
  await stream(c, last + 1);
  // The disk fails: nothing further is acknowledged.
  disk(false);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal([c.replica.durableSn, markedSn()], [last, last]);
});

test("refuses a provider that another one has replaced", async (c) => {
  fill(c, "g", 1);
  await follow(c);
  const { replica } = c;
  await replica.accept({ ...offer(c), epoch: 3 });
  const error = await replica.accept({ ...offer(c), epoch: 2 }).catch((thrown) => thrown);
  assert.is(error.code, "SVC2535");
  assert.is(replica.positions().epoch, 3);
});

test("detects a lost frame of any graph", async (context) => {
  const { log, clock, replica } = context;
  fill(context, "a", 2);
  fill(context, "b", 2);
  await follow(context);
  const { last } = log.channel.log;
  for (const name of ["b", "a"]) {
    openStore(openGraph(context.provider, join(context.folder, "p"), name)).createVertex("new");
    assert.ok(await clock.wait(clock.nextFlush));
  }
  const [lost, next] = await readFrames(context, last + 1);
  const codes: string[] = [];
  await replica.applyFrame(next!).catch(({ code, message }) => codes.push(`${code}: ${message}`));
  assert.equal(codes, [`SVC2531: replication: missing transactions before ${last + 2}`]);
  assert.is(replica.durableSn, last);
  for (const frame of [lost!, lost!, next!]) await replica.applyFrame(frame);
  for (const name of ["a", "b"]) {
    isSame(context, openGraph(context.provider, join(context.folder, "p"), name));
  }
});

test("rejects frames before the start position is announced", async (context) => {
  const { replica, clock } = context;
  fill(context, "a", 2);
  assert.ok(await clock.wait(clock.nextFlush));
  await replica.accept(offer(context));
  const [first] = await readFrames(context, 1);
  const codes: string[] = [];
  await replica.applyFrame(first!).catch(({ code }) => codes.push(code));
  assert.equal(codes, ["SVC2531"]);
  assert.is(replica.durableSn, null);
});

test("rejects changes of an unannounced graph instead of losing them", async (c) => {
  fill(c, "things", 5);
  await follow(c);
  const lateStore = fill(c, "late", 0);
  assert.ok(await c.clock.wait(c.clock.nextFlush));
  const from = c.log.channel.log.last + 1;
  openStore(lateStore).createVertex("new");
  let code: unknown = "none";
  await stream(c, from).catch((error) => {
    code = error.code;
  });
  assert.is(code, "SVC2531");
});

test("keeps its position when frames are repeated", async (c) => {
  fill(c, "a", 2);
  await follow(c);
  openStore(fill(c, "a", 2)).createVertex("more");
  await stream(c);
  const { log } = c.replica.positions();
  const frames = await readFrames(c, 1);
  assert.ok(frames.length > 1);
  await c.replica.applyFrame(frames[0]!);
  assert.equal(c.replica.positions().log, log);
});

test("does not acknowledge a former provider's transactions to a new one", async (c) => {
  fill(c, "a", 2);
  const flushes: (() => void)[] = [];
  c.flushed = () => new Promise((resolve) => flushes.push(() => resolve(true)));
  await follow(c);
  const logId = "f".repeat(32);
  await c.replica.accept({ ...offer(c), logId });
  c.replica.startFrames({ sn: 1_000, chain: 7 });
  const acknowledged: (number | null)[] = [];
  c.replica.onDurable = () => acknowledged.push(c.replica.durableSn);
  // The flush that began with the former provider ends.
  while (flushes.length > 0) {
    flushes.shift()!();
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.equal(acknowledged, [1_000]);
  c.replica.writeMarker();
  assert.is(readReplicaMarker(join(c.folder, "s"))?.log?.id, logId);
});

test("acknowledges nothing to a new connection before its start position", async (c) => {
  fill(c, "a", 2);
  const flushes: (() => void)[] = [];
  c.flushed = () => new Promise((resolve) => flushes.push(() => resolve(true)));
  await follow(c);
  await c.replica.accept(offer(c));
  let acknowledged = 0;
  c.replica.onDurable = () => acknowledged++;
  // The flush that began with the previous connection ends.
  while (flushes.length > 0) {
    flushes.shift()!();
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.is(acknowledged, 0);
});

test("retains segments for a subscriber that lacks them", async (c) => {
  const store = fill(c, "a", 1);
  const graph = openStore(store);
  const text = "x".repeat(130_000);
  for (let index = 0; index < 600; index++) {
    graph.createVertex(`v${index % 50}`, { properties: { text: `${index}${text}` } });
    if (index % 50 === 0) await c.clock.wait(c.clock.nextFlush);
  }
  assert.ok(await c.clock.wait(c.clock.nextFlush));
  const { segments } = c.log.channel.log;
  assert.is(segments.length, 2);
  for (let round = 0; round < 2; round++) {
    graph.createVertex(`round ${round}`);
    await c.provider.saveNow("a", 10_000);
  }
  const second = segments[1]!.firstSn;
  // Up to the last transaction of the first segment.
  for (const firstNeededSn of [1, second - 1]) {
    c.log.firstNeededSn = () => firstNeededSn;
    c.log.trim();
    assert.is(segments.length, 2, `from ${firstNeededSn} on`);
  }
  c.log.firstNeededSn = () => second;
  c.log.trim();
  assert.is(segments.length, 1);
});

test("a folder is not complete while a graph is being replaced", async (context) => {
  const { replica, folder } = context;
  const identity = requireIdentity(fill(context, "g", 3));
  await follow(context);
  const isFetching = (): boolean | undefined => readReplicaMarker(join(folder, "s"))?.isFetching;
  const before = isFetching();
  const flags: unknown[] = [];
  const source = {
    expect: async () => {
      flags.push(isFetching());
      throw new Error("the provider is gone");
    },
  };
  const head = { ...{ number: 1, identity, name: "g", path: "g" }, bytes: 4, values: 0, count: 9 };
  const failed = await replica.receiveGraph(source, head).catch(({ message }: Error) => message);
  const states = [before, failed, flags, isFetching()];
  assert.equal(states, [false, "the provider is gone", [true], true]);
});

test.run();
