// A provider connects to a subscriber, and derives from its positions what to send or a refusal.

import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Incarnation } from "../../../runtime/interconnect/leadership/leadership.js";
import { MessageType } from "../../../runtime/interconnect/wire/messages.js";
import { parseJsonBody } from "../../../runtime/interconnect/wire/peer.js";
import type { Positions } from "../../../runtime/interconnect/wire/positions.js";
import { EPOCH } from "./support/graph-log.js";
import { ProvidedPeer, until } from "./support/provided-peer.js";
import { type StoppedTime, withStoppedTime } from "./support/stopped-time.js";

const test = suite<{ time: StoppedTime }>("handshake of a provider");
withStoppedTime(test);

const { Table, SnapshotBegin, SnapshotChunk, SnapshotEnd, Start, Frame, Status } = MessageType;
const [FORMER, OTHER] = ["e".repeat(32), "f".repeat(32)] as [string, string];
const MEMBER: Incarnation = ["S1", "1".repeat(32)];
/** Longer than a provider waits between two looks at its log. */
const LOOK_MS = 70;

test("reports no subscriber that never connected", async () => {
  const provided = await ProvidedPeer.create();
  const { provider } = provided;
  const { uri, txPort, ...rest } = provider.report();
  assert.is(uri, `svc://127.0.0.1:${txPort}`);
  assert.equal(rest, {
    ...{ host: "", ip: "", adminPort: 0, digest: "", serial: 0, lagMs: 0, lagTransactions: 4 },
    ...{ isConnected: false, isSynchronizing: false },
  });
  assert.equal(
    [provider.firstNeededSn, provider.hasAcknowledged(0)],
    [Number.POSITIVE_INFINITY, false],
  );
  assert.is(provider.isRepairing, false);
  await provided.stop();
});

test("waits until its log has an id, or until it ends", async () => {
  for (const hasId of [true, false]) {
    const provided = await ProvidedPeer.create();
    const timers = (): number =>
      process.getActiveResourcesInfo().filter((resource) => resource === "Timeout").length;
    const before = timers();
    provided.origin = { log: null };
    let isMet = false;
    const met = provided.accept().then((socket) => {
      isMet = true;
      return socket.destroy();
    });
    provided.run();
    assert.is(timers(), before, "the process may end meanwhile");
    await delay(LOOK_MS);
    assert.is(isMet, false);
    if (hasId) {
      provided.origin = {};
      await met;
    }
    await provided.stop();
  }
});

test("ends while it connects", async () => {
  const provided = await ProvidedPeer.create();
  provided.run();
  provided.provider.stop();
  const socket = await provided.accept();
  let bytes = 0;
  let isClosed = false;
  socket.on("data", (piece) => {
    bytes += piece.length;
  });
  void once(socket, "close").then(() => {
    isClosed = true;
  });
  await until(() => isClosed || bytes > 0);
  assert.is(bytes, 0);
  await provided.stop();
});

test("ends while it waits for positions", async () => {
  const provided = await ProvidedPeer.create();
  provided.run();
  const { peer } = await provided.meet();
  await provided.stop();
  assert.is(await peer.next().catch(() => null), null);
  assert.equal(provided.logLines, []);
});

test("closes and logs the connection of a subscriber without valid positions", async () => {
  const provided = await ProvidedPeer.create();
  provided.run();
  const subscriber = await provided.subscribe({ epoch: -1 });
  await subscriber.closed();
  await until(() => provided.logLines.length > 0);
  assert.match(provided.logLines[0]!, /^SVC2531: .*invalid epoch/);
  await provided.stop();
});

test("is fenced by a subscriber of a higher epoch, and ends", async () => {
  const provided = await ProvidedPeer.create();
  provided.run();
  await provided.subscribe({ epoch: EPOCH + 1 });
  await provided.ended();
  assert.equal(provided.fences, [EPOCH + 1]);
  assert.match(
    provided.logLines[0]!,
    /^SVC2535: .*superseded: .* follows epoch 6, but .* at epoch 5/,
  );
  await provided.stop();
});

test("serves a subscriber of its own epoch", async () => {
  const provided = await ProvidedPeer.create();
  provided.run();
  const subscriber = await provided.subscribe();
  await subscriber.first(Start);
  assert.equal(provided.fences, []);
  await provided.stop();
});

const GRAPHS = [{ identity: OTHER, count: 1, digest: null }];
/** It has followed a former leader for longer than this provider has. */
const AHEAD = { log: { id: FORMER, sn: 9, chain: 1 }, origin: OTHER, epoch: 2, graphs: GRAPHS };
const ANCESTORS = [OTHER, FORMER].map((id) => ({ id, sn: 3, chain: 1 }));
const UNKNOWN = { ...AHEAD, log: { ...AHEAD.log, id: "7".repeat(32) } };

test("refuses a subscriber that cannot catch up, but lets members discard changes", async () => {
  const past = "replica has changes past the point 3 where its former provider was superseded";
  const copied = "replica was copied from another instance";
  const unknown = `it has a graph that is not here (identity ${OTHER})`;
  for (const [positions, reason, refusal] of [
    [AHEAD, past, past],
    [{ ...AHEAD, member: MEMBER }, past, { ahead: past, end: ANCESTORS[1] }],
    [{ ...UNKNOWN, member: MEMBER }, copied, { ahead: copied, end: null }],
    [{ graphs: GRAPHS, member: MEMBER }, unknown, unknown],
  ] as [Partial<Positions>, string, unknown][]) {
    const provided = await ProvidedPeer.create();
    provided.origin = { ancestors: ANCESTORS };
    provided.run();
    const subscriber = await provided.subscribe(positions);
    const { body } = await subscriber.first(MessageType.Refusal);
    assert.equal(parseJsonBody(body), refusal);
    await subscriber.closed();
    await until(() => provided.logLines.length > 0);
    assert.match(provided.logLines[0]!, `has diverged: ${reason}`);
    assert.match(provided.logLines[0]!, /^SVC2532/);
    await provided.stop();
  }
});

test("reports a lost member, but no other subscriber, to its group once", async () => {
  const lost: Incarnation[] = [];
  const rest = { maxDelayMs: 1, ackMs: 1000, onAcknowledged: () => undefined };
  const provided = await ProvidedPeer.create({ ...rest, onLost: (member) => lost.push(member) });
  provided.run();
  const connect = async (positions: Partial<Positions>): Promise<void> => {
    const subscriber = await provided.subscribe(positions);
    await subscriber.first(Status);
    subscriber.leave();
    provided.provider.repair(null);
  };
  await connect({});
  await connect({ member: MEMBER });
  const { peer } = await provided.meet();
  peer.close();
  provided.provider.repair(null);
  await (await provided.subscribe()).first(Status);
  assert.equal(lost, [MEMBER]);
  await provided.stop();
});

test("sends all of the log that a subscriber needs", async () => {
  const provided = await ProvidedPeer.create();
  provided.run();
  const subscriber = await provided.subscribe();
  await until(() => subscriber.messages.length === 6);
  assert.equal(subscriber.types, [Table, Status, Start, Frame, Frame, Frame]);
  const start = await subscriber.first(Start);
  assert.equal(parseJsonBody(start.body), { sn: 0, chain: 0 });
  assert.equal([provided.provider.firstNeededSn, provided.provider.hasAcknowledged(0)], [1, false]);
  await provided.stop();
});

test("sends whole segments, from the first one that a subscriber needs", async () => {
  const provided = await ProvidedPeer.create();
  await provided.log.roll();
  provided.log.write("d");
  provided.log.trim();
  // No snapshot has its changes.
  provided.log.erase();
  provided.run();
  const subscriber = await provided.subscribe();
  const start = await subscriber.first(Start);
  assert.equal(parseJsonBody(start.body), provided.log.ends[2]);
  assert.is(provided.provider.firstNeededSn, 5);
  await until(() => subscriber.messages.length === 4);
  assert.equal(subscriber.types, [Table, Status, Start, Frame]);
  await provided.stop();
});

test("sends snapshots for transactions that the log lacks, then the log", async () => {
  const provided = await ProvidedPeer.create();
  const { log, provider, traffic } = provided;
  await log.roll();
  log.write("d");
  log.trim();
  await log.roll();
  log.write("e");
  const saved: unknown[] = [];
  log.saving = (name) => {
    const { isSynchronizing } = provider.report();
    saved.push([name, isSynchronizing, traffic.synchronizing, provider.firstNeededSn]);
    log.write("f");
  };
  provided.run();
  const subscriber = await provided.subscribe();
  await subscriber.first(Frame);
  const types = [Table, SnapshotBegin, SnapshotChunk, SnapshotEnd, Status, Start, Frame];
  assert.equal(subscriber.types, types);
  assert.equal(saved, [["test", true, 1, 5]]);
  // Changes written while the snapshot was taken follow it again.
  const start = await subscriber.first(Start);
  assert.equal(parseJsonBody(start.body), log.ends[4]);
  assert.equal([provider.firstNeededSn, provider.report().isSynchronizing], [7, false]);
  assert.is(traffic.synchronizing, 0);
  await provided.stop();
});

test("repairs at once and until the subscriber has acknowledged", async () => {
  const provided = await ProvidedPeer.create();
  const { provider, log } = provided;
  provided.run();
  const first = await provided.subscribe();
  await first.first(Start);
  await first.acknowledge(4);
  await until(() => provider.hasAcknowledged(4));
  provider.repair("all");
  assert.is(provider.isRepairing, true);
  await first.closed();
  const second = await provided.subscribe();
  await second.first(SnapshotEnd);
  await second.first(Start);
  assert.equal(
    [provider.isRepairing, provider.hasAcknowledged(4), provider.firstNeededSn],
    [true, false, 5],
  );
  assert.is(provider.report().lagTransactions, 4);
  await second.acknowledge(log.channel.log.last);
  await until(() => provider.hasAcknowledged(4));
  assert.is(provider.isRepairing, false);
  await provided.stop();
});

test("forgets a repair that is cancelled, or not done when it ends", async () => {
  const provided = await ProvidedPeer.create();
  const { provider } = provided;
  provider.repair("all");
  provider.repair(null);
  assert.is(provider.isRepairing, false);
  provided.run();
  const subscriber = await provided.subscribe();
  await subscriber.first(Frame);
  assert.not(subscriber.types.includes(SnapshotBegin));
  provider.repair("all");
  const stopped = provided.stop();
  assert.is(provider.isRepairing, false);
  await stopped;
});

test("does not count a repair as done that was requested while snapshots were sent", async () => {
  const provided = await ProvidedPeer.create();
  const { provider, log } = provided;
  provided.run();
  const first = await provided.subscribe();
  await first.first(Start);
  provider.repair("different");
  const second = await provided.subscribe();
  await second.first(Start);
  await second.acknowledge(4);
  await until(() => !provider.isRepairing);
  assert.not(second.types.includes(SnapshotBegin));
  log.saving = () => provider.repair("different");
  provider.repair("all");
  const third = await provided.subscribe();
  await third.closed();
  log.saving = () => undefined;
  const fourth = await provided.subscribe();
  await fourth.first(Start);
  assert.is(provider.isRepairing, true);
  await provided.stop();
});

test.run();
