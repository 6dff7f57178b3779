// How two ends of a connection find out that they may speak with each other.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { encodeMessage, MessageType } from "../../../runtime/interconnect/wire/messages.js";
import { AheadError, Peer, peerRejected } from "../../../runtime/interconnect/wire/peer.js";
import { SharedKey } from "../../../runtime/interconnect/wire/shared-key.js";
import { describeFailure } from "./support/describe-failure.js";
import { MemorySocket } from "./support/memory-socket.js";
import { settle } from "./support/provided-stream.js";
import { type StoppedTime, withStoppedTime } from "./support/stopped-time.js";

const test = suite<{ time: StoppedTime }>("handshake of peers");
withStoppedTime(test);

const LIMITS = { handshakeMs: 5_000, silenceMs: 30_000 };
const KEY = new SharedKey(null);
const NODE = Number(process.versions.node.split(".")[0]);
const HELLO = { protocol: 4, oldest: 4, nonce: "0".repeat(64), node: NODE };

/** Returns the error of a handshake after a greeting; null: the handshake continues. */
async function greet(hello: unknown): Promise<string | null> {
  const [localSocket, remoteSocket] = MemorySocket.pair();
  let outcome: string | null = null;
  const shaken = new Peer(localSocket.asSocket, LIMITS).handshake("subscriber", KEY);
  void describeFailure(shaken).then((failure) => {
    outcome = failure;
  });
  remoteSocket.write(encodeMessage(MessageType.Hello, Buffer.from(JSON.stringify(hello))));
  await settle();
  remoteSocket.destroy();
  return outcome;
}

test("trusts its peer once that has proved that it has the key", async ({ time }) => {
  const [localSocket, remoteSocket] = MemorySocket.pair();
  const [provider, subscriber] = [localSocket, remoteSocket].map(
    (end) => new Peer(end.asSocket, LIMITS),
  );
  assert.equal([localSocket.isDelayed, remoteSocket.isDelayed], [false, false]);
  assert.equal([provider!.isTrusted, provider!.hasEnded], [false, false]);
  assert.equal([provider!.address, provider!.port], ["127.0.0.1", 7000]);
  const shaken = subscriber!.handshake("subscriber", KEY);
  await provider!.handshake("provider", KEY);
  await shaken;
  assert.equal([provider!.isTrusted, subscriber!.isTrusted], [true, true]);
  time.pass(LIMITS.handshakeMs);
  assert.equal([provider!.isClosed, subscriber!.isClosed], [false, false]);
  for (const peer of [provider!, subscriber!]) peer.close();
  await settle();
  assert.is(time.timers, 0);
});

test("reports no address of a lost connection", () => {
  const [localSocket] = MemorySocket.pair();
  [localSocket.remoteAddress, localSocket.remotePort] = [undefined, undefined];
  const peer = new Peer(localSocket.asSocket, LIMITS);
  assert.equal([peer.address, peer.port], ["", 0]);
});

test("ends a handshake that takes too long", async ({ time }) => {
  const [localSocket] = MemorySocket.pair();
  const peer = new Peer(localSocket.asSocket, { handshakeMs: 5_000, silenceMs: 1_000 });
  const failure = describeFailure(peer.handshake("provider", KEY));
  await settle();
  time.pass(4_999);
  await settle();
  assert.is(peer.isClosed, false, "an unknown end may be silent for longer");
  time.pass(1);
  assert.is(await failure, "SVC2531: replication: peer timed out");
  assert.is(time.timers, 0);
});

test("a connection that fails without a reader ends quietly", async ({ time }) => {
  const [localSocket] = MemorySocket.pair();
  const peer = new Peer(localSocket.asSocket, LIMITS);
  localSocket.destroy(new Error("reset"));
  await settle();
  assert.is(peer.isClosed, true);
  assert.is(time.timers, 0);
});

test("sends no heartbeats on a connection that was lost meanwhile", async ({ time }) => {
  const [localSocket, remoteSocket] = MemorySocket.pair();
  const [provider, subscriber] = [localSocket, remoteSocket].map(
    (end) => new Peer(end.asSocket, LIMITS),
  );
  const shaken = describeFailure(subscriber!.handshake("subscriber", KEY));
  // Its proof, the second message, waits.
  const write = localSocket.write.bind(localSocket) as (bytes: Buffer) => boolean;
  let writes = 0;
  localSocket.write = ((bytes: Buffer) => write(bytes) && ++writes < 2) as typeof localSocket.write;
  const shakenHere = describeFailure(provider!.handshake("provider", KEY));
  await settle();
  assert.is(writes, 2);
  // It is closed before anything else happens.
  setImmediate(() => {
    localSocket.emit("drain");
    localSocket.destroy();
  });
  await settle();
  assert.equal([await shakenHere, await shaken], ["none", "none"]);
  assert.is(time.timers, 1, "only the other end has not noticed it");
  subscriber!.close();
});

test("rejects another key without details for an untrusted end", async () => {
  const [localSocket, remoteSocket] = MemorySocket.pair();
  const [provider, subscriber] = [localSocket, remoteSocket].map(
    (end) => new Peer(end.asSocket, LIMITS),
  );
  const otherKey = new SharedKey(Buffer.alloc(16, 1));
  const shaken = describeFailure(subscriber!.handshake("subscriber", otherKey));
  const failure = await describeFailure(provider!.handshake("provider", KEY));
  assert.is(failure, "SVC2533: replication: 127.0.0.1 uses a different key");
  assert.is(await shaken, "SVC2531: replication: rejected by the peer; see its log");
  assert.equal([provider!.isTrusted, subscriber!.isTrusted], [false, false]);
  await settle();
  assert.is(provider!.isClosed, true);
});

test("rejects a malformed greeting", async () => {
  for (const [hello, fault] of [
    [null, "without a protocol"],
    [{ ...HELLO, protocol: "4", oldest: 4 }, "without a protocol"],
    [{ ...HELLO, oldest: 3.5 }, "without a protocol"],
    [{ ...HELLO, nonce: [HELLO.nonce] }, "without a nonce"],
    [{ ...HELLO, nonce: "0".repeat(63) }, "without a nonce"],
    [{ ...HELLO, nonce: null }, "without a nonce"],
  ] as const) {
    assert.is(await greet(hello), `SVC2531: replication: greeting ${fault}`);
  }
});

test("communicates with every release that shares a protocol version", async () => {
  const { oldest: _none, ...without } = HELLO;
  for (const hello of [HELLO, without, { ...HELLO, protocol: 5 }, { ...HELLO, oldest: 3 }]) {
    assert.is(await greet(hello), null);
  }
  for (const [hello, versions] of [
    [{ ...HELLO, protocol: 3, oldest: 2 }, "2 to 3"],
    [{ ...HELLO, protocol: 6, oldest: 5 }, "5 to 6"],
  ] as const) {
    const fault = `one end speaks protocols ${versions}, the other 4 to 4`;
    assert.match(String(await greet(hello)), `SVC2532: replication: 127.0.0.1 rejected: ${fault}`);
  }
  const otherNode = await greet({ ...HELLO, node: NODE + 1 });
  assert.match(
    String(otherNode),
    `rejected: one end runs on Node ${NODE + 1}, the other on Node ${NODE}`,
  );
});

test("tells its peer the reason for a rejection", async () => {
  const [localSocket, remoteSocket] = MemorySocket.pair();
  void describeFailure(new Peer(localSocket.asSocket, LIMITS).handshake("subscriber", KEY));
  const otherPeer = new Peer(remoteSocket.asSocket, LIMITS);
  await otherPeer.sendJson(MessageType.Hello, { ...HELLO, protocol: 3, oldest: 3 });
  const refusal = (await otherPeer.next())!;
  assert.is(refusal.type, MessageType.Refusal);
  assert.match(refusal.body.toString(), /one end speaks protocols 3 to 3/);
  assert.is(await otherPeer.next(), null);
});

test("a rejection may report that the peer is ahead, and since when", () => {
  const end = { id: "a".repeat(32), sn: 7, chain: 1 };
  const read = (message: unknown): unknown[] => {
    const error = peerRejected(Buffer.from(JSON.stringify(message)));
    return [error.code, error.message, error instanceof AheadError ? error.end : "not ahead"];
  };
  assert.equal(read({ ahead: "more", end }), ["SVC3404", "more", end]);
  assert.equal(read({ ahead: "more", end: { ...end, sn: -1 } }), ["SVC3404", "more", null]);
  assert.equal(read({ ahead: "x".repeat(501), end }), ["SVC3404", "x".repeat(500), end]);
  for (const [message, text] of [
    ["no room", "no room"],
    [null, "null"],
    [{ ahead: 1 }, "[object Object]"],
  ] as const) {
    const failure = `replication: rejected by the peer: ${text}`;
    assert.equal(read(message), ["SVC2532", failure, "not ahead"]);
  }
});

test.run();
