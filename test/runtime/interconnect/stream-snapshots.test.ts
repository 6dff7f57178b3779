// A provider replaces the contents of a stream by snapshots, and by what followed them.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Message, MessageType } from "../../../runtime/interconnect/wire/messages.js";
import { parseJsonBody } from "../../../runtime/interconnect/wire/peer.js";
import { parseStart } from "../../../runtime/interconnect/wire/positions.js";
import type { MemoryBroker } from "./support/memory-broker.js";
import { messagesIn, provideStream, settle } from "./support/provided-stream.js";
import { type StoppedTime, withStoppedTime } from "./support/stopped-time.js";

const test = suite<{ time: StoppedTime }>("snapshots in a stream");
withStoppedTime(test);
const { Table, SnapshotBegin, SnapshotChunk, SnapshotEnd, Start, Frame, Status } = MessageType;
const SNAPSHOT = [SnapshotBegin, SnapshotChunk, SnapshotEnd];

function messageTypes(messages: readonly Message[]): number[] {
  return messages.map(({ type }) => type);
}

/** Returns the position after which frames follow the snapshots. */
function startIn(messages: readonly Message[]) {
  return parseStart(parseJsonBody(messages.find(({ type }) => type === Start)!.body));
}

/** Returns the first message of a stream; null: it is one of before. */
async function readHead(broker: MemoryBroker): Promise<number | null> {
  const first = await broker.connect().read(0).next();
  return Buffer.from(first.value!.bytes).toString() === "former" ? null : Table;
}

test("begin an empty stream with the contents at that time", async () => {
  const { log, run, provider, broker, traffic, stop } = provideStream();
  const saved: unknown[] = [];
  log.saving = (name) => {
    const { isSynchronizing, isConnected } = provider.report();
    saved.push([name, traffic.synchronizing, isSynchronizing, isConnected, provider.firstNeededSn]);
  };
  assert.is(await run(), "replication: memory://stream attached");
  assert.equal(saved, [["test", 1, true, false, Number.POSITIVE_INFINITY]]);
  const messages = await messagesIn(broker);
  assert.equal(messageTypes(messages), [Table, ...SNAPSHOT, Start, Status]);
  assert.is((parseJsonBody(messages[0]!.body) as { at: number }).at, 4);
  assert.equal(startIn(messages), log.ends[2]);
  assert.equal([provider.firstNeededSn, traffic.synchronizing], [5, 0]);
  assert.is(provider.report().isSynchronizing, false);
  await stop();
});

test("are followed by all transactions written while they were taken", async () => {
  const { log, run, broker, stop } = provideStream();
  log.saving = () => log.write("d");
  await run();
  const messages = await messagesIn(broker);
  assert.equal(startIn(messages), log.ends[2]);
  assert.equal(messageTypes(messages).slice(-3), [Start, Frame, Status]);
  await stop();
});

test("start over when the log no longer covers what the stream lacks", async () => {
  const { log, receiveState, run, provider, broker, traffic, stop } = provideStream();
  await receiveState();
  await log.roll();
  log.write("d");
  log.trim();
  assert.is(log.channel.log.first, 5);
  log.saving = () => {
    throw new Error("no snapshot");
  };
  assert.match(await run(), /no snapshot/);
  assert.is(traffic.synchronizing, 0);
  assert.equal([provider.report().isSynchronizing, await readHead(broker)], [false, null]);
  await stop();
});

test("are followed by whole segments of the log, from the first one needed", async () => {
  const { log, run, broker, stop } = provideStream();
  await log.roll();
  log.write("d");
  log.trim();
  // No snapshot has its changes.
  log.erase();
  await run();
  const messages = await messagesIn(broker);
  assert.equal(messageTypes(messages), [Table, Start, Frame, Status]);
  assert.equal(startIn(messages), log.ends[2]);
  await stop();
});

test("replace previous contents once they are stored", async () => {
  const { receiveState, run, broker, hooks, stop } = provideStream();
  await receiveState({ reached: null });
  let store = (): void => undefined;
  const stored = new Promise<void>((resolve) => {
    store = resolve;
  });
  hooks.opened = async (log) => {
    const append = log.append.bind(log);
    log.append = async (kind, part, state) => {
      const seq = await append(kind, part, state);
      if (kind !== "table") await stored;
      return seq;
    };
  };
  assert.is(await run(), "");
  assert.is(await readHead(broker), null);
  store();
  await settle();
  assert.is(await readHead(broker), Table);
  await stop();
});

test("fill a stream again that has lost everything", async () => {
  const { log, receiveState, run, provider, broker, stop } = provideStream();
  await receiveState();
  await run();
  assert.ok(provider.hasAcknowledged(4));
  const had: unknown[] = [];
  log.saving = () => had.push([provider.hasAcknowledged(0), provider.firstNeededSn]);
  broker.clear();
  broker.disconnect();
  for (let times = 0; times < 2; times++) {
    provider.wake();
    await settle();
  }
  assert.equal(had, [[false, Number.POSITIVE_INFINITY]]);
  assert.ok(provider.hasAcknowledged(4));
  await stop();
});

test("are repeated after a number of bytes", async () => {
  const { log, receiveState, run, broker, stop } = provideStream({ checkpointFrames: 1 });
  await receiveState();
  await run();
  const first = async (): Promise<number | null> => broker.connect().findSnapshotTable();
  assert.is(await first(), 1, "one frame is not too much");
  const then = async (id: string): Promise<number | null> => {
    log.write(id);
    await settle();
    return first();
  };
  const second = await then("d");
  assert.ok(second! > 1);
  assert.is(await then("e"), second);
  assert.ok((await then("f"))! > second!);
  await stop();
});

test("repair a stream at once, unless the provider ends", async () => {
  const { log, receiveState, run, provider, broker, gate, logLines, stop } = provideStream();
  await receiveState({ reached: null });
  log.erase();
  await run();
  const before = (await broker.connect().findSnapshotTable())!;
  gate.isOpen = false;
  assert.is(provider.isRepairing, false);
  provider.repair("different");
  assert.is(provider.isRepairing, true);
  await settle();
  assert.is(provider.isRepairing, false);
  assert.ok((await broker.connect().findSnapshotTable())! > before);
  assert.equal(startIn(await messagesIn(broker)), { sn: 0, chain: 0 });
  assert.equal(
    [provider.hasAcknowledged(4), provider.firstNeededSn],
    [true, 5],
    "the broker had it before",
  );
  gate.isOpen = true;
  provider.wake();
  await settle();
  assert.equal(messageTypes(await messagesIn(broker)).slice(0, 5), [
    Table,
    Start,
    Frame,
    Frame,
    Frame,
  ]);
  assert.equal(logLines, ["replication: memory://stream attached"]);
  provider.repair("all");
  provider.repair(null);
  assert.is(provider.isRepairing, false);
  provider.repair("all");
  const stopped = stop();
  assert.is(provider.isRepairing, false);
  await stopped;
});

test.run();
