// Messages between two ends that trust each other: order, backpressure, silence and the end.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Message, MessageType } from "../../../runtime/interconnect/wire/messages.js";
import { Peer, type PeerLimits } from "../../../runtime/interconnect/wire/peer.js";
import { SharedKey } from "../../../runtime/interconnect/wire/shared-key.js";
import { MemorySocket } from "./support/memory-socket.js";
import { settle } from "./support/provided-stream.js";
import { type StoppedTime, withStoppedTime } from "./support/stopped-time.js";

const test = suite<{ time: StoppedTime }>("messages of peers");
withStoppedTime(test);

const { Ack, Alive, Frame, Status } = MessageType;
const LIMITS = { handshakeMs: 5_000, silenceMs: 30_000, heartbeatMs: 2_000 };
const KEY = new SharedKey(null);
const NOTHING = Buffer.alloc(0);
const MIB = 2 ** 20;
const LOST = "replication: the connection was lost";
const SILENT = "replication: peer timed out";

/** Two ends after their handshake. */
async function connect(limits: PeerLimits = LIMITS) {
  const [localSocket, remoteSocket] = MemorySocket.pair();
  const [peer, remotePeer] = [
    new Peer(localSocket.asSocket, limits),
    new Peer(remoteSocket.asSocket, LIMITS),
  ];
  const shaken = remotePeer.handshake("subscriber", KEY);
  await peer.handshake("provider", KEY);
  await shaken;
  return { localSocket, remoteSocket, peer, remote: remotePeer };
}

function rejectionMessage(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => "none",
    ({ message }: Error) => message,
  );
}

/** Whether a promise has settled; it is asked after everything else that can happen. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let isOver = false;
  const note = (): void => {
    isOver = true;
  };
  promise.then(note, note);
  await settle();
  return isOver;
}

test("counts what it sends and receives, and notes when", async ({ time }) => {
  const { peer, remote } = await connect();
  const [written, read] = [peer.bytesWritten, remote.bytesRead];
  assert.is(written, read);
  const next = remote.next();
  time.pass(500);
  await peer.send(Status, Buffer.alloc(100));
  assert.is((await next)!.body.length, 100);
  const length = peer.bytesWritten - written;
  assert.ok(length > 100 && length < 150);
  assert.equal([remote.bytesRead - read, remote.heardAtMs], [length, performance.now()]);
});

test("sends more only after its peer has received earlier data", async () => {
  const { localSocket, peer } = await connect();
  localSocket.hold();
  const listeners = ["drain", "close"].map((name) => localSocket.listenerCount(name));
  const sent = peer.send(Frame, Buffer.alloc(MIB));
  assert.is(await isSettled(sent), false);
  localSocket.release();
  await sent;
  assert.equal(
    ["drain", "close"].map((name) => localSocket.listenerCount(name)),
    listeners,
  );
  localSocket.hold();
  const lost = peer.send(Frame, Buffer.alloc(MIB));
  peer.close();
  assert.is(await rejectionMessage(lost), LOST);
  assert.is(localSocket.listenerCount("drain"), listeners[0]);
  assert.is(await rejectionMessage(peer.send(Frame, NOTHING)), LOST);
});

test("reports that its peer has disconnected", async () => {
  const { peer, remote } = await connect();
  assert.is(peer.hasEnded, false);
  const next = peer.next();
  remote.close();
  assert.equal([await next, peer.hasEnded], [null, true]);
  assert.is(await rejectionMessage(peer.expect(Ack)), LOST);
});

test("expects a message of one type, or a refusal with its reason", async () => {
  const { peer, remote } = await connect();
  await remote.send(Ack, NOTHING);
  assert.is((await peer.expect(Ack)).length, 0);
  await remote.send(Ack, NOTHING);
  const expectedError = `replication: expected message ${Status}, got ${Ack}`;
  assert.is(await rejectionMessage(peer.expect(Status)), expectedError);
  const rejection = rejectionMessage(peer.expect(Status));
  await remote.refuse("x".repeat(501));
  assert.is(await rejection, `replication: rejected by the peer: ${"x".repeat(500)}`);
  assert.is(await peer.next(), null);
});

test("refuses quietly on a lost connection", async () => {
  const { peer } = await connect();
  peer.close();
  await peer.refuse("too late");
});

test("sends heartbeats, which are no messages, and none behind data that waits", async (c) => {
  const { localSocket, peer, remote } = await connect();
  const next = remote.next();
  const { bytesRead } = remote;
  c.time.pass(LIMITS.heartbeatMs);
  assert.is(await isSettled(next), false);
  assert.ok(remote.bytesRead > bytesRead);
  localSocket.hold();
  void rejectionMessage(peer.send(Frame, Buffer.alloc(MIB)));
  const { bytesWritten } = peer;
  c.time.pass(LIMITS.heartbeatMs);
  await settle();
  assert.is(peer.bytesWritten, bytesWritten);
  peer.close();
});

test("sends fifteen heartbeats in the time of silence, by default", async ({ time }) => {
  const { peer } = await connect({ handshakeMs: 5_000, silenceMs: 30_000 });
  const { bytesWritten } = peer;
  time.pass(1_999);
  assert.is(peer.bytesWritten, bytesWritten);
  time.pass(1);
  assert.ok(peer.bytesWritten > bytesWritten);
});

test("treats a heartbeat of an untrusted end as a message", async () => {
  const [localSocket, remoteSocket] = MemorySocket.pair();
  const [peer, remote] = [localSocket, remoteSocket].map((end) => new Peer(end.asSocket, LIMITS));
  await remote!.send(Alive, NOTHING);
  const expectedError = `replication: expected message ${MessageType.Hello}, got ${Alive}`;
  assert.is(await rejectionMessage(peer!.expect(MessageType.Hello)), expectedError);
});

test("gives up a silent end only while it waits for a message", async ({ time }) => {
  const { localSocket, remoteSocket, peer, remote } = await connect();
  // The other end sends no heartbeats.
  remoteSocket.hold();
  const next = peer.next();
  await settle();
  remoteSocket.release();
  await remote.send(Ack, NOTHING);
  await next;
  remoteSocket.hold();
  time.pass(LIMITS.silenceMs);
  await settle();
  assert.is(peer.isClosed, false, "nobody has listened");
  const silent = rejectionMessage(peer.next());
  await settle();
  time.pass(LIMITS.silenceMs - 1);
  await settle();
  assert.is(peer.isClosed, false);
  time.pass(1);
  assert.is(await silent, SILENT);
  assert.is(localSocket.destroyed, true);
});

test("reads received data before it gives up", async ({ time }) => {
  const { remoteSocket, peer, remote } = await connect();
  remoteSocket.hold();
  const next = peer.next();
  await settle();
  time.pass(LIMITS.silenceMs);
  remoteSocket.release();
  await remote.send(Ack, NOTHING);
  assert.is((await next)!.type, Ack);
  await settle();
  assert.is(peer.isClosed, false);
});

test("gives up a connection without any traffic", async () => {
  const { localSocket, peer } = await connect();
  assert.is(localSocket.idle!.ms, LIMITS.silenceMs);
  const next = rejectionMessage(peer.next());
  localSocket.idle!.run();
  assert.is(await next, SILENT);
});

test("limits the wait for a response, regardless of heartbeats", async ({ time }) => {
  const { peer, remote } = await connect();
  const { timers } = time;
  const acknowledgment = peer.expectInTime(Ack);
  await settle();
  await remote.send(Ack, NOTHING);
  await acknowledgment;
  assert.is(time.timers, timers, "it waits no more");
  const [late, heard] = [rejectionMessage(peer.expectInTime(Ack)), rejectionMessage(remote.next())];
  for (let passed = 0; passed < LIMITS.silenceMs; passed += LIMITS.heartbeatMs) {
    await settle();
    assert.is(peer.isClosed, false);
    time.pass(LIMITS.heartbeatMs);
  }
  assert.is(await late, SILENT);
  await heard;
});

test("accepts a response that arrives at the time limit", async ({ time }) => {
  const { peer, remote } = await connect();
  const acknowledgment = peer.expectInTime(Ack);
  await settle();
  time.pass(LIMITS.silenceMs);
  await remote.send(Ack, NOTHING);
  assert.is((await acknowledgment).length, 0);
  await settle();
  assert.is(peer.isClosed, false);
});

test("reads ahead until stopped, and delivers the messages later", async () => {
  const { localSocket, peer, remote } = await connect();
  let stop = (): void => undefined;
  const until = new Promise<void>((resolve) => {
    stop = resolve;
  });
  const reading = peer.readAhead(until);
  await remote.send(Ack, NOTHING);
  await remote.send(Status, NOTHING);
  assert.is(await isSettled(reading), false);
  stop();
  assert.is(await reading, true);
  const types = [await peer.next(), await peer.next()].map((message) => message?.type);
  assert.equal(types, [Ack, Status]);
  // An error while it reads ahead reaches the next reader.
  localSocket.destroy(new Error("reset"));
  await settle();
  assert.is(await rejectionMessage(peer.next()), "reset");
});

test("notices a lost connection while it reads ahead, up to a limit of memory", async () => {
  const { peer, remote } = await connect();
  const reading = peer.readAhead(new Promise(() => undefined));
  remote.close();
  assert.is(await reading, false);
  const full = await connect();
  let stop = (): void => undefined;
  const until = new Promise<void>((resolve) => {
    stop = resolve;
  });
  const stuck = full.peer.readAhead(until);
  for (let remaining = 64; remaining > 0; remaining--)
    await full.remote.send(Frame, Buffer.alloc(MIB));
  full.remote.close();
  assert.is(await isSettled(stuck), false);
  stop();
  assert.is(await stuck, true);
  let last: Message | null = null;
  for (let remaining = 64; remaining > 0; remaining--) last = await full.peer.next();
  assert.is(last!.body.length, MIB);
  assert.is(await full.peer.next(), null);
});

test.run();
