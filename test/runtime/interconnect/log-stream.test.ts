// Replication through a stream in memory: any `LogStream` can be a log transport.

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { LogLine } from "../../../runtime/base/log-settings.js";
import { GraphManager } from "../../../runtime/graph/manager/graph-manager.js";
import { CommitClock } from "../../../runtime/graph/manager/logging-entry-points.js";
import { GraphStore } from "../../../runtime/graph/store/graph-store.js";
import { DurableLog } from "../../../runtime/interconnect/durable-log.js";
import { FlowControl } from "../../../runtime/interconnect/flow-control.js";
import { realDisk } from "../../../runtime/interconnect/log/disk.js";
import { Replica } from "../../../runtime/interconnect/replica.js";
import type { LogStream } from "../../../runtime/interconnect/stream/log-stream.js";
import { StreamFollower } from "../../../runtime/interconnect/stream/stream-follower.js";
import { StreamProvider } from "../../../runtime/interconnect/stream/stream-provider.js";
import { PROTOCOL } from "../../../runtime/interconnect/wire/peer.js";
import { Traffic } from "../../../runtime/metrics/traffic.js";
import { comparable } from "../../property/support/comparable.js";
import { openStore, TEST_THREAD } from "../graph/support/make-graph.js";
import { until } from "./support/instance.js";
import { MemoryBroker } from "./support/memory-broker.js";

interface Context {
  folder: string;
  log: DurableLog;
  provider: GraphManager;
  subscriber: GraphManager;
  replica: Replica;
}

const test = suite<Context>("log stream");
const SETTINGS = { events: false, saveEvery: 0, txPort: null, followStream: null };
const warn = (): void => undefined;

test.before.each((context) => {
  const folder = mkdtempSync(join(tmpdir(), "svc-log-stream-"));
  const [root, subscriberRoot] = [join(folder, "p"), join(folder, "s")];
  mkdirSync(root);
  mkdirSync(subscriberRoot);
  const clock = new CommitClock();
  const log = new DurableLog({ root, mode: "async", clock, warn, disk: realDisk });
  const provider = new GraphManager(TEST_THREAD, SETTINGS, warn, log);
  const subscriber = new GraphManager(
    TEST_THREAD + 1,
    { ...SETTINGS, followStream: "memory" },
    warn,
  );
  const replica = new Replica({
    root: subscriberRoot,
    stores: () => subscriber.replicated(),
    open: ({ name, identity }) => subscriber.open({ ...request(subscriberRoot, name), identity }),
    remove: async (name, isErased) => subscriber.drop(name, isErased),
    epoch: 1,
    nextTicket: () => 1,
    drainIfFull: () => undefined,
    flushed: async () => true,
  });
  Object.assign(context, { folder, log, provider, subscriber, replica });
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

type Open = () => Promise<LogStream>;

function createSender({ log, provider }: Context, open: Open, warnLine: LogLine = warn) {
  const digest = "0".repeat(32);
  return new StreamProvider({
    ...{ uri: "memory://stream", open, log, warn: warnLine },
    ...{ traffic: new Traffic(), gate: new FlowControl() },
    snapshots: { saveNow: (name) => provider.saveNow(name, 60_000) },
    origin: () => ({ isRoot: true, log: log.channel.log.logId, ancestors: [], isCaughtUp: true }),
    status: () => ({ at: 0, host: "", adminPort: 0, serial: 0, digest, graphs: [], goal: null }),
    onFenced: () => undefined,
  });
}

function createFollower(
  { replica }: Context,
  open: Open,
  warnLine: LogLine = warn,
): StreamFollower {
  return new StreamFollower({
    ...{ uri: "memory://stream", open, replica, warn: warnLine },
    ...{ traffic: new Traffic(), gate: new FlowControl() },
  });
}

test("carries snapshots and transactions, also after lost connections", async (context) => {
  const { folder, provider, subscriber, log } = context;
  const store = GraphStore.attach(
    provider.open(request(join(folder, "p"), "g")).share,
    TEST_THREAD + 2,
  );
  const graph = openStore(store);
  for (let index = 0; index < 20; index++) graph.connect("all", "has", `before${index}`);
  // Its external value follows the snapshot; a reconnecting follower skips both.
  const keptVertex = graph.newVertex("kept");
  keptVertex.setProperty("long", "x".repeat(1000), true);
  graph.closeVertex(keptVertex);
  const broker = new MemoryBroker(100);
  const sender = createSender(context, async () => broker.connect());
  const follower = createFollower(context, async () => broker.connect());
  const running = [sender.run(), follower.run()];
  const replicated = (): GraphStore | undefined => subscriber.replicated().get("g");
  try {
    for (let round = 0; round < 3; round++) {
      for (let index = 0; index < 10; index++) graph.connect("all", "has", `${round}.${index}`);
      await log.settled();
      const label = (): string => `round ${round}`;
      await until(() => replicated()?.operationCount === store.operationCount, label);
      const { graph: copy, vertices } = comparable(replicated()!) as {
        graph: object;
        vertices: unknown;
      };
      assert.equal({ graph: { ...copy, isReadonly: false }, vertices }, comparable(store));
      broker.disconnect();
    }
    assert.ok(sender.hasAcknowledged(log.channel.log.durableSn));
    // Messages are sent as a whole or not at all: the broker rejects parts that are sent twice.
    assert.ok(broker.parts > 10);
  } finally {
    sender.stop();
    follower.stop();
    broker.disconnect();
    await Promise.all(running);
  }
});

test("a follower has caught up at the end of the stream, not of its snapshots", async (c) => {
  const { folder, provider, replica, log } = c;
  const { share } = provider.open(request(join(folder, "p"), "g"));
  const graph = openStore(GraphStore.attach(share, TEST_THREAD + 2));
  graph.createVertex("a");
  await log.settled();
  const broker = new MemoryBroker(100);
  const sender = createSender(c, async () => broker.connect());
  const sending = sender.run();
  const isSent = (): boolean => sender.hasAcknowledged(log.channel.log.durableSn);
  await until(isSent, () => "snapshots");
  graph.createVertex("b");
  await log.settled();
  await until(isSent, () => "a change behind them");
  const goals: (number | null)[] = [];
  const accept = replica.acceptFromStream.bind(replica);
  replica.acceptFromStream = (offer, position) => {
    goals.push(offer.goal! - position);
    return accept(offer, position);
  };
  const follower = createFollower(c, async () => broker.connect());
  const following = follower.run();
  await until(
    () => replica.report().state === "caught-up",
    () => replica.report().state,
  );
  assert.ok(goals[0]! > 0, String(goals));
  sender.stop();
  follower.stop();
  broker.disconnect();
  await Promise.all([sending, following]);
});

test("a repair is sent at once, not at the next status", async (context) => {
  const { folder, provider, subscriber, log } = context;
  const { share } = provider.open(request(join(folder, "p"), "g"));
  const store = GraphStore.attach(share, TEST_THREAD + 2);
  openStore(store).createVertex("a");
  await log.settled();
  const broker = new MemoryBroker(100);
  const sender = createSender(context, async () => broker.connect());
  const follower = createFollower(context, async () => broker.connect());
  const running = [sender.run(), follower.run()];
  const count = (): number | undefined => subscriber.replicated().get("g")?.operationCount;
  const real = globalThis.setTimeout;
  try {
    await until(
      () => count() === store.operationCount,
      () => `${count()}`,
    );
    await new Promise((resolve) => setImmediate(resolve));
    // From now on, no interval of a second or more elapses.
    const endless = (run: () => void, ms = 0): NodeJS.Timeout =>
      real(run, ms >= 1000 ? 2 ** 30 : ms);
    globalThis.setTimeout = endless as typeof setTimeout;
    openStore(store).createVertex("b");
    await log.settled();
    await until(
      () => count() === store.operationCount,
      () => `${count()}`,
    );
    sender.repair("all");
    await until(
      () => !sender.isRepairing,
      () => "the repair is pending",
    );
  } finally {
    globalThis.setTimeout = real;
    sender.stop();
    follower.stop();
    broker.disconnect();
    await Promise.all(running);
  }
});

test("rejects messages of a later release, and starts over after earlier ones", async (c) => {
  const { folder, log, provider } = c;
  const store = GraphStore.attach(
    provider.open(request(join(folder, "p"), "g")).share,
    TEST_THREAD + 2,
  );
  openStore(store).connect("all", "has", "a");
  await log.settled();
  const { logId, epoch, durableSn: sn, chain } = log.channel.log;
  const broker = new MemoryBroker(100);
  const writer = broker.connect();
  const append = async (protocol: number): Promise<void> => {
    await writer.readLastState();
    const part = { part: 1, parts: 1, bytes: Buffer.from("later") };
    await writer.append("table", part, { log: logId, epoch, protocol, reached: { sn, chain } });
  };
  await append(PROTOCOL + 1);
  const logLines: string[] = [];
  const open = async () => broker.connect();
  const [sender, follower] = [
    createSender(c, open, (line) => logLines.push(line)),
    createFollower(c, open, (line) => logLines.push(line)),
  ];
  const running = [sender.run(), follower.run()];
  const refusal = `SVC2532: replication: messages of the stream: format ${PROTOCOL + 1}`;
  await until(
    () => logLines.filter((line) => line.startsWith(refusal)).length === 2,
    () => logLines.join("\n"),
  );
  assert.is(broker.parts, 1);
  await append(PROTOCOL - 1);
  follower.stop();
  sender.wake();
  await until(
    () => broker.parts > 2,
    () => logLines.join("\n"),
  );
  sender.stop();
  broker.disconnect();
  await Promise.all(running);
});

test("a second writer is refused", async () => {
  const broker = new MemoryBroker(100);
  const [first, second] = [broker.connect(), broker.connect()];
  const state = { log: "0".repeat(32), epoch: 1, protocol: PROTOCOL, reached: null };
  const part = { part: 1, parts: 1, bytes: Buffer.from("a") };
  await first.readLastState();
  await second.readLastState();
  await first.append("data", part, state);
  let error: Error | null = null;
  await second.append("data", part, state).catch((reason: Error) => {
    error = reason;
  });
  assert.match(String(error), /wrong last sequence/);
});

test.run();
