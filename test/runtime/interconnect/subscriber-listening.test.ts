// Addresses that a subscriber listens on, peers that it accepts, and failures that it logs.

import { once } from "node:events";
import { syncBuiltinESMExports } from "node:module";
import net, { type AddressInfo, connect, createServer } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { encodeMessage, MessageType } from "../../../runtime/interconnect/wire/messages.js";
import { Peer, parseJsonBody } from "../../../runtime/interconnect/wire/peer.js";
import { SharedKey } from "../../../runtime/interconnect/wire/shared-key.js";
import { attached, EPOCH, ID, isLeft, subscriberWith } from "./support/attached-subscriber.js";
import { MemorySocket } from "./support/memory-socket.js";
import { type StoppedTime, withStoppedTime } from "./support/stopped-time.js";

const test = suite<{ time: StoppedTime }>("listening subscriber");
withStoppedTime(test);

/** Another address of this machine. */
const OTHER_ADDRESS = "127.0.0.2";
const OFFER = {
  ...{ logId: ID, isRoot: true, origin: ID, epoch: EPOCH, graphs: [], lastNumber: 0, erased: [] },
  goal: 0,
};

async function isReached(host: string, port: number): Promise<boolean> {
  const socket = connect(port, host);
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** A subscriber that does not listen yet, and its server. */
function withServer(parts: Parameters<typeof subscriberWith>[0]) {
  const { createServer: create } = net;
  const servers: net.Server[] = [];
  net.createServer = ((accept: () => void) => {
    servers.push(create(accept));
    return servers[0];
  }) as typeof net.createServer;
  syncBuiltinESMExports();
  try {
    return { subscriber: subscriberWith(parts), server: servers[0]! };
  } finally {
    net.createServer = create;
    syncBuiltinESMExports();
  }
}

test("listens on its address with a key, otherwise on loopback only", async () => {
  const key = new SharedKey(Buffer.alloc(16, 1));
  for (const [parts, expected] of [
    [{ key, ip: OTHER_ADDRESS }, [false, true]],
    [{ key, ip: null }, [true, true]],
    [{ ip: OTHER_ADDRESS }, [true, false]],
  ] as const) {
    const subscriber = subscriberWith(parts);
    const port = await subscriber.listen();
    const reached = [await isReached("127.0.0.1", port), await isReached(OTHER_ADDRESS, port)];
    assert.equal(reached, expected);
    subscriber.stop();
  }
});

test("cannot listen on a port that another process uses", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const outcome = await subscriberWith({ port })
    .listen()
    .catch((error) => error);
  assert.is(outcome.code, "SVC2530");
  assert.match(outcome.message, `replication: cannot listen on port ${port}: `);
  server.close();
});

test("keeps listening after a connection that could not be accepted", async () => {
  const logLines: string[] = [];
  const { subscriber, server } = withServer({ warn: (line) => logLines.push(line) });
  const port = await subscriber.listen();
  server.emit("error", new Error("EMFILE"));
  assert.equal(logLines, ["SVC2531: EMFILE"]);
  assert.is(await isReached("127.0.0.1", port), true);
  subscriber.stop();
});

test("refuses another machine without a key, however it has connected", async () => {
  const key = new SharedKey(Buffer.alloc(16, 1));
  for (const [parts, expected] of [
    [{}, ["SVC2531: replication: unauthenticated peer"]],
    [{ key }, []],
  ] as const) {
    const logLines: string[] = [];
    const { subscriber, server } = withServer({ ...parts, warn: (line) => logLines.push(line) });
    await subscriber.listen();
    const [localSocket, remoteSocket] = MemorySocket.pair();
    localSocket.remoteAddress = "10.0.0.1";
    server.emit("connection", localSocket);
    for (let turns = 0; turns < 20; turns++) await turn();
    assert.equal(logLines, expected);
    subscriber.stop();
    remoteSocket.destroy();
  }
});

test("does not listen without a replica", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const replica = async (): Promise<never> => {
    throw new Error("no marker");
  };
  const outcome = await subscriberWith({ port, replica })
    .listen()
    .catch((error) => error);
  assert.is(outcome.message, "no marker");
  assert.is(await isReached("127.0.0.1", port), false);
});

test("needs no replica to announce the epoch that it leads in", async () => {
  const replica = async (): Promise<never> => {
    throw new Error("a leader has none");
  };
  const subscriber = subscriberWith({ replica });
  const port = await subscriber.listen(EPOCH);
  subscriber.rejectEpochsBelow(EPOCH + 1);
  assert.is(subscriber.origin, null);
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  const peer = new Peer(socket);
  await peer.handshake("provider", new SharedKey(null));
  const { epoch } = parseJsonBody(await peer.expect(MessageType.Positions)) as { epoch: number };
  assert.is(epoch, EPOCH);
  subscriber.stop();
  assert.ok(await isLeft(peer));
});

test("does not count connections that have ended", async () => {
  const { provider, dial, leave, stop } = await attached(true);
  for (let times = 0; times < 20; times++) {
    const peer = await dial();
    await peer.expect(MessageType.Positions);
    await leave(peer);
  }
  const last = await dial();
  await last.expect(MessageType.Positions);
  assert.not(provider.isClosed);
  stop();
});

test("reports a provider that left during its greeting, except one of its group", async () => {
  for (const isMember of [false, true]) {
    const { provider, subscriber, logLines, dial, leave, stop } = await attached(isMember);
    await leave(provider);
    while (subscriber.heardAtMs > 0) await turn();
    logLines.length = 0;
    const next = await dial();
    await next.expect(MessageType.Positions);
    await leave(next);
    for (let turns = 0; turns < 20; turns++) await turn();
    assert.equal(logLines, isMember ? [] : ["SVC2531: replication: the connection was lost"]);
    stop();
  }
});

test("reports each fault of a provider, also of one in its group", async () => {
  const { logLines, dial, stop } = await attached(true);
  logLines.length = 0;
  for (const type of [MessageType.Ack, MessageType.Start]) {
    const peer = await dial();
    await peer.expect(MessageType.Positions);
    await peer.send(type, Buffer.alloc(0));
    // The text of a fault may contain what the other end must not see.
    assert.is(await peer.next(), null);
  }
  assert.equal(
    logLines,
    [MessageType.Ack, MessageType.Start].map(
      (type) => `SVC2531: replication: expected message ${MessageType.Table}, got ${type}`,
    ),
  );
  stop();
});

test("reports a fault of an untrusted provider once a second", async ({ time }) => {
  const { logLines, port, stop } = await attached(true);
  logLines.length = 0;
  /** Each one has another fault. */
  const intrude = async (type: number): Promise<void> => {
    const socket = connect(port, "127.0.0.1").resume();
    socket.end(encodeMessage(type as typeof MessageType.Ack, Buffer.alloc(0)));
    await once(socket, "close");
    for (let turns = 0; turns < 20; turns++) await turn();
  };
  await intrude(MessageType.Ack);
  time.pass(999);
  await intrude(MessageType.Start);
  assert.is(logLines.length, 1);
  time.pass(1);
  await intrude(MessageType.Status);
  assert.is(logLines.length, 2);
  await intrude(MessageType.Resume);
  assert.is(logLines.length, 2);
  // The same for one that only leaves.
  time.pass(1_000);
  const socket = connect(port, "127.0.0.1").resume();
  await once(socket, "connect");
  socket.end();
  await once(socket, "close");
  for (let turns = 0; turns < 20; turns++) await turn();
  assert.is(logLines.at(-1), "SVC2531: replication: the connection was lost");
  stop();
});

test("reports a fault again after it followed a provider", async () => {
  const { provider, logLines, dial, leave, stop } = await attached(false);
  await leave(provider);
  const faults = (): number => logLines.filter((line) => line.startsWith("SVC2531")).length;
  const fail = async (): Promise<void> => {
    const peer = await dial();
    await peer.expect(MessageType.Positions);
    await peer.send(MessageType.Ack, Buffer.alloc(0));
    assert.ok(await isLeft(peer));
  };
  await fail();
  assert.is(faults(), 1);
  const next = await dial();
  await next.expect(MessageType.Positions);
  await next.sendJson(MessageType.Table, OFFER);
  await next.expect(MessageType.Status);
  await leave(next);
  await fail();
  assert.is(faults(), 2);
  stop();
});

test.run();
