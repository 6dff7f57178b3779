// Connections to an instance, or between two, whose peer misbehaves: sends nothing, sends byte by
// byte, or sends what it has no permission for.
// limit: 60 s
// takes 7 s

import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { encodeMessage, MessageType } from "../../../runtime/interconnect/wire/messages.js";
import { Peer, type PeerLimits } from "../../../runtime/interconnect/wire/peer.js";
import { SharedKey } from "../../../runtime/interconnect/wire/shared-key.js";
import { Instance, until } from "./support/instance.js";

const KEY = new SharedKey(null);
const NOTHING = Buffer.alloc(0);
const LONG: PeerLimits = { handshakeMs: 600_000, silenceMs: 600_000 };
const SILENT = /peer timed out/;

interface Context {
  folder: string;
  sockets: Socket[];
  servers: Server[];
  instances: Instance[];
}

const test = suite<Context>("connections");

test.before.each((context) => {
  context.folder = mkdtempSync(join(tmpdir(), "svc-peer-"));
  context.sockets = [];
  context.servers = [];
  context.instances = [];
});

test.after.each(async ({ folder, sockets, servers, instances }) => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers) server.close();
  for (const instance of instances) await instance.stop();
  rmSync(folder, { recursive: true });
});

async function dial({ sockets }: Context, port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1").on("error", () => undefined);
  sockets.push(socket);
  await once(socket, "connect");
  return socket;
}

/** Both ends of a connection. */
async function pair(context: Context): Promise<[Socket, Socket]> {
  const server = createServer().listen(0, "127.0.0.1");
  context.servers.push(server);
  await once(server, "listening");
  const accepted = once(server, "connection") as Promise<[Socket]>;
  const localSocket = await dial(context, (server.address() as AddressInfo).port);
  const [remoteSocket] = await accepted;
  context.sockets.push(remoteSocket);
  return [localSocket, remoteSocket];
}

async function friends(
  context: Context,
  ofProvider: PeerLimits,
  ofSubscriber: PeerLimits,
): Promise<[Peer, Peer]> {
  const [localSocket, remoteSocket] = await pair(context);
  const [provider, subscriber] = [
    new Peer(localSocket, ofProvider),
    new Peer(remoteSocket, ofSubscriber),
  ];
  const shaken = subscriber.handshake("subscriber", KEY);
  await provider.handshake("provider", KEY);
  await shaken;
  return [provider, subscriber];
}

async function listening(context: Context): Promise<{ instance: Instance; port: number }> {
  const instance = await Instance.start(join(context.folder, "a"));
  context.instances.push(instance);
  for (;;) {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    try {
      await instance.control({ do: "bind", port });
      return { instance, port };
    } catch (error) {
      // Another process took the port first.
      if ((error as { code?: string }).code !== "SVC2530") throw error;
    }
  }
}

async function rejectionText(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => "none",
    (error: Error) => error.message,
  );
}

test("rejects a greeting without protocol or nonce", async (context) => {
  const valid = { protocol: 4, nonce: "0".repeat(64), node: 20 };
  for (const [message, fault] of [
    [{ protocol: undefined }, /greeting without a protocol/],
    [{ protocol: "4" }, /greeting without a protocol/],
    [{ oldest: 3.5 }, /greeting without a protocol/],
    [{ nonce: undefined }, /greeting without a nonce/],
    [{ nonce: "0".repeat(63) }, /greeting without a nonce/],
  ] as const) {
    const [localSocket, remoteSocket] = await pair(context);
    const outcome = rejectionText(new Peer(localSocket, LONG).handshake("subscriber", KEY));
    const hello = Buffer.from(JSON.stringify({ ...valid, ...message }));
    remoteSocket.write(encodeMessage(MessageType.Hello, hello));
    assert.match(await outcome, fault);
  }
});

test("detects a silent peer even while writing to it", async (context) => {
  const [provider] = await friends(context, { ...LONG, silenceMs: 200 }, LONG);
  const failure = rejectionText(provider.next());
  const writing = setInterval(() => {
    void provider.send(MessageType.Status, NOTHING).catch(() => undefined);
  }, 10);
  assert.match(await failure, SILENT);
  clearInterval(writing);
  assert.ok(provider.isClosed);
});

test("distinguishes an idle peer from a silent one", async (context) => {
  const limits = { ...LONG, silenceMs: 1_000 };
  const [provider, subscriber] = await friends(context, limits, limits);
  const heard = [provider.next(), subscriber.next()];
  await delay(3 * limits.silenceMs);
  await provider.send(MessageType.Status, NOTHING);
  await subscriber.send(MessageType.Ack, NOTHING);
  const types = (await Promise.all(heard)).map((message) => message?.type);
  assert.equal(types, [MessageType.Ack, MessageType.Status]);
});

test("sends heartbeats at the configured interval", async (context) => {
  const [, subscriber] = await friends(context, { ...LONG, heartbeatMs: 10 }, LONG);
  const next = rejectionText(subscriber.next());
  const since = subscriber.heardAtMs;
  while (subscriber.heardAtMs === since) await delay(10);
  subscriber.close();
  await next;
});

test("detects a missing reply of a live peer", async (context) => {
  const limits = { ...LONG, silenceMs: 1_000 };
  const [provider, subscriber] = await friends(context, limits, limits);
  const heard = rejectionText(subscriber.next());
  assert.match(await rejectionText(provider.expectInTime(MessageType.Positions)), SILENT);
  assert.is(await heard, "none", "the other one has heard of this one to the end");
  const [otherPeer, thirdPeer] = await friends(context, limits, limits);
  await thirdPeer.send(MessageType.Positions, NOTHING);
  assert.is((await otherPeer.expectInTime(MessageType.Positions)).length, 0);
});

test("ignores silence while it waits for nothing", async (context) => {
  const [provider] = await friends(context, { ...LONG, silenceMs: 1_000 }, LONG);
  const writing = setInterval(() => {
    void provider.send(MessageType.Status, NOTHING).catch(() => undefined);
  }, 20);
  await delay(3_000);
  clearInterval(writing);
  assert.not.ok(provider.isClosed);
});

test("reads ahead in order until stopped, and notices a disconnect meanwhile", async (context) => {
  const [provider, subscriber] = await friends(context, LONG, LONG);
  await subscriber.send(MessageType.Pause, NOTHING);
  assert.ok(await provider.readAhead(delay(100)));
  await subscriber.send(MessageType.Resume, NOTHING);
  assert.is((await provider.next())?.type, MessageType.Pause);
  assert.is((await provider.next())?.type, MessageType.Resume);
  const isConnected = provider.readAhead(new Promise(() => undefined));
  subscriber.close();
  assert.not(await isConnected);
});

test("limits the duration of the whole handshake, not of each byte", async (context) => {
  const [localSocket, remoteSocket] = await pair(context);
  const peer = new Peer(localSocket, { ...LONG, handshakeMs: 300 });
  const hello = encodeMessage(MessageType.Hello, Buffer.alloc(1_000, " "));
  let sent = 0;
  const writing = setInterval(() => remoteSocket.write(hello.subarray(sent, ++sent)), 20);
  remoteSocket.on("error", () => undefined);
  assert.match(await rejectionText(peer.handshake("subscriber", KEY)), SILENT);
  clearInterval(writing);
  assert.ok(sent < hello.length);
});

test("accepts a provider while unauthenticated peers hold all connections", async (context) => {
  const { port } = await listening(context);
  const strangers: Socket[] = [];
  for (let remaining = 16; remaining > 0; remaining--) strangers.push(await dial(context, port));
  const gone = once(strangers[0]!, "close");
  const provider = new Peer(await dial(context, port), LONG);
  await provider.handshake("provider", KEY);
  strangers[0]!.resume();
  await gone;
  // Nor do later peers.
  for (let remaining = 40; remaining > 0; remaining--) await dial(context, port);
  assert.is((await provider.next())?.type, MessageType.Positions);
  await provider.sendJson(MessageType.Refusal, "seen");
});

test("hides input of unauthenticated peers and coalesces their failures", async (context) => {
  const { instance, port } = await listening(context);
  const text = Buffer.from(JSON.stringify("forged line"));
  const failures = 200;
  const startedAt = performance.now();
  for (let index = 0; index < failures; index++) {
    const socket = await dial(context, port);
    // Each fails in a different way.
    const type = (index === 0 ? MessageType.Refusal : 1_000 + index) as 4;
    const closed = once(socket.resume(), "close");
    socket.write(encodeMessage(type, text));
    await closed;
  }
  await until(
    () => instance.log.includes("SVC2531"),
    () => instance.log,
  );
  const said = instance.lines.filter((line) => line.includes("SVC2531")).length;
  const maxPings = 1 + (performance.now() - startedAt) / 1_000;
  assert.ok(said <= maxPings, `${said} lines`);
  assert.not.match(instance.log, /forged/);
  assert.not.match(instance.log, /SVC2532/);
});

test.run();
