// A provider finds a stream that it, or another instance, has written to before.

import { setImmediate as turn } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { FlowControl } from "../../../runtime/interconnect/flow-control.js";
import { LogChannel } from "../../../runtime/interconnect/log/log-channel.js";
import type { StreamState } from "../../../runtime/interconnect/stream/log-stream.js";
import { StreamProvider } from "../../../runtime/interconnect/stream/stream-provider.js";
import { PROTOCOL } from "../../../runtime/interconnect/wire/peer.js";
import { Traffic } from "../../../runtime/metrics/traffic.js";
import { loggedStore } from "../graph/support/logged-graph.js";
import { openStore } from "../graph/support/make-graph.js";
import { MemoryBroker } from "./support/memory-broker.js";
import { SimulatedDisk } from "./support/simulated-disk.js";

const test = suite("provider of a stream");
const EPOCH = 5;

/** A log with three frames of a graph. */
function makeLog() {
  const disk = new SimulatedDisk();
  const channel = new LogChannel(disk, "/log");
  channel.log.epoch = EPOCH;
  const store = loggedStore();
  channel.open(store, "g");
  const ends: { readonly sn: number; readonly chain: number }[] = [];
  const write = (id: string): void => {
    openStore(store).createVertex(id);
    channel.write(store.memory.log!.clock);
    channel.log.flushNow();
    channel.release();
    ends.push({ sn: channel.log.last, chain: channel.log.chain });
  };
  for (const id of ["a", "b", "c"]) write(id);
  /** Goes on in another segment. */
  const roll = async (): Promise<void> => {
    disk.faults.before = (what) => {
      if (what === "flush") throw new Error("EIO");
    };
    await channel.log.flush().catch(() => undefined);
    delete disk.faults.before;
    channel.reopen();
  };
  const erase = (): void => channel.erase(channel.graphs.all()[0]!.identity);
  return { disk, channel, ends, write, roll, erase };
}

/** A provider and its broker. */
async function setUp() {
  const { disk, channel, ends, write, roll, erase } = makeLog();
  const broker = new MemoryBroker(1000);
  const [said, fences]: [string[], number[]] = [[], []];
  let flushed = (): void => undefined;
  const digest = "0".repeat(32);
  const snapshots: string[] = [];
  const traffic = new Traffic();
  const provider = new StreamProvider({
    ...{ uri: "memory://stream", open: async () => broker.connect(), gate: new FlowControl() },
    log: {
      ...{ disk, channel },
      onFlushed: (call) => {
        flushed = call;
        return () => undefined;
      },
    },
    ...{ traffic, warn: (line) => said.push(line) },
    snapshots: {
      saveNow: async (name) => {
        snapshots.push(`${name}, ${traffic.synchronizing} of all`);
        throw new Error("no snapshot");
      },
    },
    origin: () => ({ isRoot: true, log: channel.log.logId, ancestors: [], isCaughtUp: true }),
    status: () => ({ at: 0, host: "", adminPort: 0, serial: 0, digest, graphs: [], goal: null }),
    fenced: (epoch) => fences.push(epoch),
  });
  const found = async (state: Partial<StreamState>): Promise<void> => {
    const writer = broker.connect();
    await writer.last();
    const part = { part: 1, parts: 1, bytes: Buffer.from("former") };
    const own = { log: channel.log.logId, epoch: EPOCH, protocol: PROTOCOL, reached: ends[1]! };
    await writer.append("table", part, { ...own, ...state });
  };
  const running: Promise<void>[] = [];
  /** Runs until the provider has said something, or has written to the stream. */
  const attempt = async (): Promise<string> => {
    running.push(provider.run());
    for (let turns = 0; turns < 1000 && said.length === 0; turns++) await turn();
    return said.join("\n");
  };
  const stop = async (): Promise<void> => {
    provider.stop();
    await Promise.all(running);
    channel.log.close();
    assert.is(disk.openFiles, 0);
  };
  const flush = (): void => flushed();
  return {
    ...{ provider, channel, broker, ends, said, fences, snapshots, traffic },
    ...{ found, attempt, stop, roll, erase, write, flush },
  };
}

const REFUSALS: Record<string, [state: Partial<StreamState>, said: RegExp]> = {
  "transactions of another instance": [
    { log: "f".repeat(32) },
    /^SVC3363: .*memory:\/\/stream contains the transactions of another instance/,
  ],
  "more than its log": [
    { reached: { sn: 9, chain: 1 } },
    /^SVC3364: .* has changes up to 9, the log here ends at 4/,
  ],
  "another end than its log": [
    { reached: { sn: 4, chain: 1 } },
    /^SVC3364: .* has changes up to 4, which are not those of this log/,
  ],
  "an end within a frame": [
    { reached: { sn: 1, chain: 1 } },
    /^SVC3364: .* has changes up to 1, which are not those of this log/,
  ],
  "messages of a later release": [
    { protocol: PROTOCOL + 1 },
    /^SVC2532: .* messages of the stream/,
  ],
};

for (const [what, [state, expected]] of Object.entries(REFUSALS)) {
  test(`adds nothing to ${what}`, async () => {
    const { found, attempt, broker, provider, fences, stop } = await setUp();
    await found(state);
    assert.match(await attempt(), expected);
    assert.equal([broker.parts, fences], [1, []]);
    assert.equal([provider.keptSn, provider.has(0)], [Number.POSITIVE_INFINITY, false]);
    assert.equal([provider.report().isConnected, provider.report().lagUnits], [false, 4]);
    await stop();
  });
}

test("is fenced by a stream of a higher epoch, and ends", async () => {
  const { found, provider, said, fences, broker, stop } = await setUp();
  await found({ epoch: EPOCH + 1, log: "f".repeat(32) });
  await provider.run();
  assert.match(
    said.join(),
    /^SVC2535: .*superseded: memory:\/\/stream is of epoch 6, this is epoch 5/,
  );
  assert.equal([fences, broker.parts], [[EPOCH + 1], 1]);
  await stop();
});

test("continues where the stream ends", async () => {
  const { found, attempt, provider, broker, ends, snapshots, stop } = await setUp();
  await found({});
  assert.match(await attempt(), /replication: memory:\/\/stream attached/);
  for (let turns = 0; turns < 1000 && !provider.has(ends[2]!.sn); turns++) await turn();
  assert.equal([provider.keptSn, provider.report().lagUnits], [5, 0]);
  const { isConnected, isSynchronizing } = provider.report();
  assert.equal([isConnected, isSynchronizing, snapshots, broker.parts], [true, false, [], 3]);
  assert.equal([provider.has(4), provider.has(5)], [true, false]);
  await stop();
  assert.is(provider.report().isConnected, false);
});

test("tells its state once it has sent all, and seldom", async () => {
  const { found, attempt, provider, broker, write, flush, stop } = await setUp();
  const { now } = performance;
  let time = 1_000_000;
  performance.now = () => time;
  try {
    await found({});
    await attempt();
    const sent = async (sn: number): Promise<number> => {
      flush();
      for (let turns = 0; turns < 1000 && !provider.has(sn); turns++) await turn();
      for (let turns = 0; turns < 50; turns++) await turn();
      return broker.parts;
    };
    assert.is(await sent(4), 3, "the former message, a frame and the state");
    write("d");
    assert.is(await sent(5), 4, "a frame");
    time += 2_000;
    assert.equal([await sent(5), await sent(5)], [5, 5], "the state");
    time += 2_000;
    assert.is(await sent(5), 5, "nothing has changed");
  } finally {
    performance.now = now;
    await stop();
  }
});

test("repairs by new snapshots at once, unless it ends", async () => {
  const { found, attempt, provider, broker, erase, stop } = await setUp();
  await found({ reached: null });
  erase();
  await attempt();
  for (let turns = 0; turns < 50; turns++) await turn();
  const stream = broker.connect();
  const before = (await stream.first())!;
  assert.is(provider.isRepairing, false);
  provider.repair("different");
  assert.is(provider.isRepairing, true);
  for (let turns = 0; turns < 1000 && provider.isRepairing; turns++) await turn();
  assert.is(provider.isRepairing, false);
  assert.ok((await stream.first())! > before);
  provider.repair("all");
  provider.repair(null);
  assert.is(provider.isRepairing, false);
  provider.repair("all");
  const stopped = stop();
  assert.is(provider.isRepairing, false);
  await stopped;
});

for (const [what, state] of Object.entries({
  "was replaced before": { reached: null },
  "is of an earlier protocol": { protocol: PROTOCOL - 1 },
  "is of a former provider": { log: "f".repeat(32), epoch: EPOCH - 1 },
}) as [string, Partial<StreamState>][]) {
  test(`begins again with snapshots when the stream ${what}`, async () => {
    const { found, attempt, provider, channel, broker, erase, stop } = await setUp();
    await found(state);
    erase();
    assert.match(await attempt(), /memory:\/\/stream attached/);
    const stream = broker.connect();
    // Its messages have taken the place of the former ones.
    assert.is(await stream.first(), 2);
    const { log, epoch, reached } = (await stream.last())!;
    assert.equal([log, epoch], [channel.log.logId, EPOCH]);
    assert.is(reached?.sn, channel.log.last);
    assert.is(provider.keptSn, channel.log.last + 1);
    const first = await stream.read(0).next();
    assert.is.not(Buffer.from(first.value!.bytes).toString(), "former", "it is removed");
    assert.is(provider.report().isSynchronizing, false);
    await stop();
  });
}

test("begins again when the log has no longer what the stream lacks", async () => {
  const { found, attempt, provider, channel, roll, ...parts } = await setUp();
  const { write, broker, snapshots, traffic, stop } = parts;
  await found({});
  await roll();
  write("d");
  channel.trim(() => 9);
  assert.is(channel.log.first, 5);
  assert.match(await attempt(), /no snapshot/);
  assert.equal([snapshots[0], broker.parts, traffic.synchronizing], ["test, 1 of all", 2, 0]);
  assert.is(provider.report().isSynchronizing, false);
  await stop();
});

test("a flush hurries no attempt after a failure", async () => {
  const { found, attempt, broker, flush, stop } = await setUp();
  await found({ log: "f".repeat(32) });
  await attempt();
  let attempts = 0;
  const connect = broker.connect.bind(broker);
  broker.connect = () => {
    attempts++;
    return connect();
  };
  flush();
  for (let turns = 0; turns < 20; turns++) await turn();
  assert.is(attempts, 0);
  await stop();
});

test.run();
