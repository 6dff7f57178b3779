// A follower of a stream in memory, step by step: the messages that it passes to its replica, and
// when it reads the stream again.

import { setImmediate as turn } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SvcError } from "../../../runtime/base/errors.js";
import { FlowControl } from "../../../runtime/interconnect/flow-control.js";
import { serialBase } from "../../../runtime/interconnect/log/segment-format.js";
import type { Replica } from "../../../runtime/interconnect/replica.js";
import type { LogStream, StreamState } from "../../../runtime/interconnect/stream/log-stream.js";
import { StreamFollower } from "../../../runtime/interconnect/stream/stream-follower.js";
import { StreamWriter } from "../../../runtime/interconnect/stream/stream-messages.js";
import { MessageType } from "../../../runtime/interconnect/wire/messages.js";
import { PROTOCOL } from "../../../runtime/interconnect/wire/peer.js";
import type { Offer, SnapshotHead } from "../../../runtime/interconnect/wire/positions.js";
import { Traffic } from "../../../runtime/metrics/traffic.js";
import { until } from "./support/instance.js";
import { MemoryBroker } from "./support/memory-broker.js";

const URI = "memory://stream";
const [LOG, OTHER] = ["a".repeat(32), "b".repeat(32)] as [string, string];
const OFFER = {
  ...{ logId: LOG, isRoot: true, origin: LOG, epoch: 1, graphs: [], lastNumber: 0, erased: [] },
  ...{ goal: null, at: 5 },
};
const HEAD = { number: 1, identity: LOG, name: "g", path: "g", bytes: 8, values: 4, count: 1 };
const { setTimeout: realTimeout } = globalThis;

interface Context {
  broker: MemoryBroker;
  /** Calls of the replica. */
  steps: string[];
  /** Connections of the follower. */
  logs: LogStream[];
  lines: string[];
  traffic: Traffic;
  gate: FlowControl;
  /** Outcome of each offer; null: it is accepted. */
  refusal: Error | null;
  isNeeded: boolean;
  follower: StreamFollower;
  /** Set once it runs. */
  running: Promise<void>;
}

const test = suite<Context>("follower of a stream");

test.before.each((context) => {
  const traffic = new Traffic();
  Object.assign(context, {
    ...{ broker: new MemoryBroker(100), steps: [], logs: [], lines: [], traffic },
    ...{ gate: new FlowControl(), refusal: null, isNeeded: true, running: Promise.resolve() },
  });
  context.follower = new StreamFollower({
    ...{ uri: URI, traffic, gate: context.gate, replica: makeReplica(context) },
    warn: (line) => context.lines.push(line),
    open: async (isWriter) => {
      assert.is(isWriter, false);
      const log = context.broker.connect();
      context.logs.push(log);
      return log;
    },
  });
});

test.after.each(async ({ follower, broker, running }) => {
  globalThis.setTimeout = realTimeout;
  follower.stop();
  broker.disconnect();
  await running;
});

/** A replica that records calls. */
function makeReplica(context: Context): Replica {
  const { steps, traffic } = context;
  const replica: Partial<Record<keyof Replica, unknown>> = {
    origin: LOG,
    report: () => ({ state: "waiting", done: 0, of: 0 }),
    acceptFromStream: async ({ goal }: Offer, position: number) => {
      steps.push(`accept ${goal} at ${position}`);
      if (context.refusal !== null) throw context.refusal;
    },
    needsSnapshot: ({ name }: SnapshotHead) => name === "g" && context.isNeeded,
    receiveGraph: async () => steps.push("receive"),
    startFrames: () => steps.push("start"),
    applyFrame: async () => ({ header: { sn: 7, transactions: 2 }, records: 1 }),
    appliedSn: 8,
    refreshMarker: () => steps.push("mark"),
    providerLost: () => steps.push(`lose ${traffic.provider} "${traffic.providerDigest}"`),
    retire: async () => steps.push("retire"),
    settle: async () => steps.push("settle"),
  };
  return replica as unknown as Replica;
}

/** A new connection of the provider, which writes behind all messages. */
async function connect({ broker }: Context, log = LOG): Promise<StreamWriter> {
  const stream = broker.connect();
  await stream.readLastState();
  const state: StreamState = { log, epoch: 1, protocol: PROTOCOL, reached: null };
  return new StreamWriter(stream, state, () => undefined);
}

function run(context: Context): void {
  context.running = context.follower.run();
}

function has(context: Context, matches: (steps: readonly string[]) => boolean): Promise<void> {
  return until(
    () => matches(context.steps),
    () => [...context.steps, ...context.lines].join("\n"),
  );
}

function accepted(steps: readonly string[]): string[] {
  return steps.filter((step) => step.startsWith("accept"));
}

/** No wait ends by itself any more. */
async function stopTime(): Promise<void> {
  globalThis.setTimeout = ((run: () => void) => realTimeout(run, 2 ** 30)) as typeof setTimeout;
  for (let turns = 20; turns > 0; turns--) await turn();
}

test("shows its provider while it is connected", async (context) => {
  const { traffic, broker, follower, logs, lines } = context;
  await (await connect(context)).sendTable(OFFER);
  run(context);
  await has(context, (steps) => steps.length === 1);
  assert.is(traffic.provider, URI);
  traffic.providerDigest = "c".repeat(32);
  broker.disconnect();
  await has(context, (steps) => steps.length >= 3);
  assert.equal(context.steps.slice(0, 3), ["accept 5 at 5", "mark", 'lose null ""']);
  await has(context, (steps) => accepted(steps).length === 2);
  follower.onPromoted();
  await context.running;
  assert.ok(logs.every(({ isClosed }) => isClosed));
  assert.equal(lines.slice(0, 1), [`replication: following ${URI} (0 graphs)`]);
  assert.not.match(lines.join(), /SVC/, "a lost connection is no failure");
  await follower.retire();
  await follower.settle();
  assert.equal(context.steps.slice(-2), ["retire", "settle"]);
  assert.equal([follower.origin, follower.report().state], [LOG, "waiting"]);
});

test("saves its marker from time to time until it ends", async (context) => {
  const { setInterval: every, clearInterval: end } = globalThis;
  const timers: { readonly run: () => void; readonly timer: NodeJS.Timeout }[] = [];
  globalThis.setInterval = ((tick: () => void, ms: number) => {
    const timer = every(tick, ms);
    timers.push({ run: tick, timer });
    return timer;
  }) as typeof setInterval;
  const ended: unknown[] = [];
  globalThis.clearInterval = (timer) => {
    ended.push(timer);
    end(timer);
  };
  try {
    run(context);
    timers[0]!.run();
    assert.equal(context.steps, ["mark"]);
    context.follower.stop();
    await context.running;
    assert.is(ended[0], timers[0]!.timer);
  } finally {
    [globalThis.setInterval, globalThis.clearInterval] = [every, end];
  }
});

test("reads a stream that is empty again", async (context) => {
  run(context);
  await until(
    () => context.logs.length >= 2,
    () => "it waits for a first message",
  );
  assert.equal(accepted(context.steps), []);
});

test("reads a stream again at once on request", async (context) => {
  await stopTime();
  run(context);
  for (let turns = 20; turns > 0; turns--) await turn();
  assert.is(context.logs.length, 1);
  context.follower.wake();
  for (let turns = 20; turns > 0; turns--) await turn();
  assert.is(context.logs.length, 2);
});

test("reads snapshots again only if no graph has diverged since", async (context) => {
  const writer = await connect(context);
  await writer.sendTable(OFFER);
  context.refusal = new SvcError("SVC2532", "not now");
  run(context);
  await has(context, (steps) => accepted(steps).length >= 2);
  context.refusal = new SvcError("SVC3200", "it has diverged");
  const before = accepted(context.steps).length;
  await has(context, (steps) => accepted(steps).length > before);
  const [{ length: tries }, { length: connections }] = [accepted(context.steps), context.logs];
  await until(
    () => context.logs.length > connections + 1,
    () => "it does not connect again",
  );
  assert.is(accepted(context.steps).length, tries);
  await writer.sendTable(OFFER);
  await has(context, (steps) => accepted(steps).length > tries);
  assert.ok(context.logs.slice(0, 2).every(({ isClosed }) => isClosed));
});

test("follows nothing once the stream in which a graph diverged is empty", async (context) => {
  const { broker, follower, logs } = context;
  await stopTime();
  await (await connect(context)).sendTable(OFFER);
  context.refusal = new SvcError("SVC3200", "it has diverged");
  run(context);
  for (let turns = 20; turns > 0; turns--) await turn();
  assert.is(accepted(context.steps).length, 1);
  broker.clear();
  follower.wake();
  for (let turns = 20; turns > 0; turns--) await turn();
  assert.equal([logs.length, logs.at(-1)!.isClosed], [2, true]);
});

test("waits while its input is suspended, and ends all the same", async (context) => {
  const { gate, traffic, follower } = context;
  gate.isOpen = false;
  const writer = await connect(context);
  await writer.sendTable(OFFER);
  run(context);
  await until(
    () => traffic.provider !== null,
    () => "it does not connect",
  );
  await stopTime();
  assert.equal(context.steps, []);
  gate.isOpen = true;
  follower.wake();
  await has(context, (steps) => steps.length === 1);
  gate.isOpen = false;
  await writer.sendTable(OFFER);
  for (let turns = 20; turns > 0; turns--) await turn();
  assert.is(accepted(context.steps).length, 1);
  follower.stop();
  await context.running;
});

test("rejects a table without its log position", async (context) => {
  const { at, ...rest } = OFFER;
  for (const table of [rest, { ...OFFER, at: 0.5 }, null]) {
    context.lines.length = 0;
    await (await connect(context)).sendTable(table as object);
    if (context.logs.length === 0) run(context);
    await until(
      () => /invalid offer in a stream/.test(context.lines.join()),
      () => context.lines.join("\n"),
    );
    context.refusal = null;
    await (await connect(context)).sendTable(OFFER);
    const { length } = accepted(context.steps);
    await has(context, (steps) => accepted(steps).length > length);
    context.broker.disconnect();
  }
  assert.is(at, 5);
});

test("has caught up at the end of the stream, if it is of the offered log", async (context) => {
  const reached = { sn: 9, chain: 0 };
  const end = async (log: string): Promise<void> => {
    const writer = await connect(context, log);
    await writer.sendTable(OFFER);
    await writer.sendLast(MessageType.Start, Buffer.from(JSON.stringify(reached)), reached);
  };
  await end(OTHER);
  run(context);
  await has(context, (steps) => accepted(steps).length === 1);
  await end(LOG);
  context.broker.disconnect();
  await has(context, (steps) => accepted(steps).includes("accept 9 at 5"));
  assert.is(accepted(context.steps)[0], "accept 5 at 5");
});

test("skips snapshots that the replica does not need", async (context) => {
  const writer = await connect(context);
  const snapshot = async (): Promise<void> => {
    await writer.sendJson(MessageType.SnapshotBegin, HEAD);
    for (const bytes of [8, 4]) await writer.send(MessageType.SnapshotChunk, Buffer.alloc(bytes));
    await writer.sendJson(MessageType.SnapshotEnd, {});
  };
  await writer.sendTable(OFFER);
  context.isNeeded = false;
  await snapshot();
  await writer.sendJson(MessageType.Start, { sn: 5, chain: 0 });
  run(context);
  await has(context, (steps) => steps.length >= 2);
  assert.equal(context.steps, ["accept 5 at 5", "start"]);
  context.isNeeded = true;
  await writer.sendJson(MessageType.SnapshotBegin, HEAD);
  await has(context, (steps) => steps.length >= 3);
  assert.is(context.steps[2], "receive");
});

test("shows the serial of the log that the stream offers", async (context) => {
  const writer = await connect(context);
  await writer.sendTable(OFFER);
  await writer.send(MessageType.Frame, Buffer.alloc(8));
  run(context);
  await until(
    () => context.traffic.serial === serialBase(LOG) + 8,
    () => `serial ${context.traffic.serial}`,
  );
});

test("logs the same failure again after a connection", async (context) => {
  const writer = await connect(context);
  await writer.sendTable(OFFER);
  await writer.send(MessageType.Ack, Buffer.alloc(8));
  run(context);
  await until(
    () => context.lines.filter((line) => /message 10 is not expected/.test(line)).length >= 2,
    () => context.lines.join("\n"),
  );
});

test.run();
