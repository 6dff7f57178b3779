// Streams to a back-end over real sockets: the bytes that it receives, and the outcome of requests
// when it declines the protocol, drops a stream or closes the connection.

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { BackEnd } from "../../../runtime/dispatch/back-end.js";
import type { Channel, ChannelUser } from "../../../runtime/dispatch/channel.js";
import { Connector } from "../../../runtime/dispatch/connector.js";
import { FRAME, FrameReader, frameHeader, TRUNK_LINE } from "../../../runtime/trunk/frames.js";
import { responseText, until } from "./support/fake-back-end.js";

const HEAD = "GET /a HTTP/1.1\r\n\r\n";
const PLACE = { partition: 0, replica: 0, width: 1, height: 1, isPrimary: true };
const CONNECT_MS = 300;

/** One connection to the fake back-end and its streams. */
class Link {
  readonly streams = new Map<number, string>();
  readonly ends: string[] = [];
  readonly #reader = new FrameReader({
    data: (id, bytes) => {
      this.streams.set(id, (this.streams.get(id) ?? "") + bytes.toString("latin1"));
      return true;
    },
    onEnd: (id, type) => this.ends.push(`${id} ${type}`) > 0,
  });
  line = "";

  constructor(
    readonly socket: Socket,
    agrees: boolean,
  ) {
    socket.on("error", () => {});
    socket.on("data", (chunk: Buffer) => {
      const missing = TRUNK_LINE.length - this.line.length;
      this.line += chunk.toString("latin1", 0, missing);
      if (this.line !== TRUNK_LINE) return;
      if (missing > 0 && agrees) socket.write(TRUNK_LINE);
      assert.ok(this.#reader.feed(chunk.subarray(missing)));
    });
  }

  send(id: number, text: string): void {
    this.socket.write(frameHeader(id, FRAME.data, text.length) + text, "latin1");
  }

  end(id: number, type: number): void {
    this.socket.write(frameHeader(id, type, 0), "latin1");
  }
}

class User implements ChannelUser {
  outcome = "";

  onResponse(_: Channel, { status, body }: { status: number; body: Buffer }): void {
    this.outcome += `${status} ${body}`;
  }

  onFailure(_: Channel, fault: string, reason: string): void {
    this.outcome += `${fault}: ${reason}`;
  }

  async end(): Promise<string> {
    await until(() => this.outcome !== "", "outcome");
    return this.outcome;
  }
}

interface Context {
  server: Server;
  backEnd: BackEnd;
  links: Link[];
  agrees: boolean;
}

const test = suite<Context>("trunk connector");

test.before.each(async (context) => {
  context.links = [];
  context.agrees = true;
  context.server = createServer((socket) => {
    context.links.push(new Link(socket, context.agrees));
  }).listen(0, "127.0.0.1");
  await once(context.server, "listening");
  const { port } = context.server.address() as AddressInfo;
  const row = { channels: 8, priority: 1 };
  context.backEnd = new BackEnd({ host: "127.0.0.1", port }, row, PLACE, CONNECT_MS);
  context.backEnd.markUp(true);
});

test.after.each(async ({ server, backEnd, links }) => {
  backEnd.leave();
  for (const { socket } of links) socket.destroy();
  server.close();
  if (server.listening) await once(server, "close");
});

function send(backEnd: BackEnd, body: string | Uint8Array | null = null) {
  const channel = backEnd.takeChannel();
  const user = new User();
  channel.send(HEAD, body, user);
  return { channel, user };
}

async function streams({ links }: Context, count: number): Promise<Link> {
  await until(() => links[0]?.streams.size === count, `${count} streams`);
  return links[0]!;
}

test("multiplexes all requests on one connection", async (context) => {
  const { backEnd } = context;
  const sent = [1, 2, 3].map(() => send(backEnd, "body"));
  const link = await streams(context, 3);
  assert.is(link.line, TRUNK_LINE);
  assert.equal(
    [...link.streams],
    [0, 1, 2].map((n) => [n + 1, `XSVCIDENT 1 1 8 0 0 ${n} 1\r\n${HEAD}body`]),
  );
  assert.equal(
    sent.map(({ channel }) => channel.state),
    ["RECV_INITIAL", "RECV_INITIAL", "RECV_INITIAL"],
  );
  const text = responseText(200, "third");
  link.send(3, text.slice(0, 30));
  link.send(1, responseText(200, "first"));
  assert.is(await sent[0]!.user.end(), "200 first");
  link.send(3, text.slice(30));
  assert.is(await sent[2]!.user.end(), "200 third");
  // An idle stream is reused without another identification.
  backEnd.returnChannel(sent[0]!.channel, -1);
  const again = send(backEnd);
  await until(() => link.streams.get(1)!.endsWith(`body${HEAD}`), "request");
  assert.is(again.channel.bytesReceived, responseText(200, "first").length);
  link.send(1, responseText(200, "again"));
  assert.is(await again.user.end(), "200 again");
  assert.is(context.links.length, 1);
});

test("resets the stream of an aborted request without affecting others", async (context) => {
  const [first, second] = [send(context.backEnd), send(context.backEnd)];
  const link = await streams(context, 2);
  first.channel.abort();
  await until(() => link.ends.length > 0, "reset");
  assert.equal(link.ends, [`1 ${FRAME.reset}`]);
  link.send(1, responseText(200, "late"));
  link.end(1, FRAME.end);
  link.send(2, responseText(200, "second"));
  assert.is(await second.user.end(), "200 second");
  assert.is(first.user.outcome, "");
});

test("reports streams that end early and one that was refused", async (context) => {
  const sent = [1, 2, 3, 4].map(() => send(context.backEnd));
  const link = await streams(context, 4);
  link.end(1, FRAME.end);
  link.end(2, FRAME.reset);
  link.end(3, FRAME.refuse);
  link.send(4, responseText(200, ""));
  assert.match(await sent[0]!.user.end(), /^no-answer: connection closed by the back-end/);
  assert.match(await sent[1]!.user.end(), /^no-answer: connection reset/);
  assert.match(await sent[2]!.user.end(), /^unconnected: connection refused/);
  assert.is(await sent[3]!.user.end(), "200 ");
});

const ENDINGS: [string, (link: Link) => void, RegExp, RegExp][] = [
  ["closed", ({ socket }) => socket.end(), /^no-answer: connection closed/, /^bad-answer: conn/],
  ["reset", ({ socket }) => socket.resetAndDestroy(), /^no-answer: read/, /^bad-answer: read/],
  ["garbage", ({ socket }) => socket.write("x".repeat(9)), /^bad-answer: inv/, /^bad-answer: inv/],
  // Otherwise a request that was executed would be sent to another replica.
  ["a late refusal", (link) => link.end(2, FRAME.refuse), /^bad-answer: inv/, /^bad-answer: inv/],
  ["an unknown stream", (link) => link.send(9, "x"), /^bad-answer: inv/, /^bad-answer: inv/],
];
for (const [name, end, untouched, begun] of ENDINGS) {
  test(`fails all streams of a connection that ends: ${name}`, async (context) => {
    const { backEnd } = context;
    const sent = [1, 2].map(() => send(backEnd));
    const link = await streams(context, 2);
    link.send(2, "HTTP/1.1 200 OK\r\n");
    await until(() => sent[1]!.channel.state === "RECV_HEADERS", "the beginning");
    end(link);
    assert.match(await sent[0]!.user.end(), untouched);
    assert.match(await sent[1]!.user.end(), begun);
    for (const { channel } of sent) assert.is(channel.isOpen, false);
    // Trunk support has to be probed again for the next connection.
    assert.is(backEnd.takesTrunk, null);
  });
}

test("distinguishes a rejected protocol from a connection that closes", async (context) => {
  context.agrees = false;
  const { backEnd, links } = context;
  for (const [response, fault] of [
    ["HTTP/1.1 400 Bad Request\r\n\r\n", /^unconnected: connection refused by the back-end/],
    [TRUNK_LINE.replace("1", "2"), /^unconnected: connection refused by the back-end/],
    [TRUNK_LINE.slice(0, -2), /^no-answer: connection closed/],
  ] as const) {
    backEnd.takesTrunk = true;
    const { user } = send(backEnd, "body");
    await until(() => links.at(-1)?.streams.size === 1, "stream");
    const { socket } = links.pop()!;
    socket.end(response);
    assert.match(await user.end(), fault);
    assert.is(backEnd.takesTrunk, null);
  }
});

test("reports a refused connection", async (context) => {
  context.server.close();
  const users = [send(context.backEnd).user, send(context.backEnd).user];
  for (const user of users) assert.match(await user.end(), /^unconnected: connect ECONNREFUSED/);
});

test("opens another connection for requests after a timeout", async (context) => {
  const { backEnd, links } = context;
  const hung = send(backEnd);
  await streams(context, 1);
  backEnd.abandon(performance.now());
  const next = send(backEnd);
  await until(() => links[1]?.streams.size === 1, "another connection");
  links[1]!.send(1, responseText(200, "next"));
  assert.is(await next.user.end(), "200 next");
  links[0]!.send(1, responseText(200, "late"));
  assert.is(await hung.user.end(), "200 late");
  hung.channel.abort();
  await until(() => links[0]!.socket.readableEnded, "the end of the first connection");
});

test("closes the connection of a back-end that reads nothing", async (context) => {
  const { port } = context.server.address() as AddressInfo;
  const sockets: Socket[] = [];
  const connector = new Connector(null, "", ({ host }, onread) => {
    const socket = connect({ host, port, onread });
    sockets.push(socket);
    return socket;
  });
  const row = { channels: 8, priority: 1 };
  const address = { host: "127.0.0.1", port };
  const backEnd = new BackEnd(address, row, PLACE, CONNECT_MS, undefined, connector);
  backEnd.markUp(true);
  const { user } = send(backEnd);
  const { socket } = await streams(context, 1);
  // It was slow once and has recovered.
  sockets[0]!.emit("timeout");
  assert.is(user.outcome, "");
  socket.pause();
  const large = send(backEnd, Buffer.alloc(20_000_000));
  await until(() => {
    if (sockets[0]!.writableLength > 0) sockets[0]!.emit("timeout");
    return user.outcome !== "";
  }, "the end");
  assert.is(await user.end(), "no-answer: back-end accepts no trunk");
  assert.is(await large.user.end(), "no-answer: back-end accepts no trunk");
  backEnd.leave();
});

test("switches when a back-end stops or starts accepting trunks", async (context) => {
  const { backEnd, links } = context;
  const first = send(backEnd);
  const link = await streams(context, 1);
  link.send(1, responseText(200, "first"));
  await first.user.end();
  backEnd.returnChannel(first.channel, -1);
  backEnd.markUp(false);
  assert.is(first.channel.isOpen, false);
  await until(() => link.socket.readableEnded, "the end of the connection");
  const plainResponse = send(backEnd);
  await until(() => links[1]?.line.startsWith("XSVCIDENT") === true, "HTTP");
  links[1]!.socket.write(responseText(200, "plain"));
  await plainResponse.user.end();
  backEnd.markUp(true);
  backEnd.returnChannel(plainResponse.channel, -1);
  assert.is(plainResponse.channel.isOpen, false);
});

test("transfers large bodies completely", async (context) => {
  const body = Buffer.alloc(1_000_000, "0123456789");
  const { user } = send(context.backEnd, body);
  const small = send(context.backEnd);
  await until(() => (context.links[0]?.streams.get(1) ?? "").length > body.length, "body");
  const link = await streams(context, 2);
  assert.ok(link.streams.get(1)!.endsWith(HEAD + body.toString("latin1")));
  const response = responseText(200, body.toString("latin1"));
  for (let offset = 0; offset < response.length; offset += 65_536) {
    link.send(1, response.slice(offset, offset + 65_536));
    if (offset === 65_536) link.send(2, responseText(200, "small"));
  }
  assert.is(await small.user.end(), "200 small");
  assert.ok((await user.end()) === `200 ${body}`);
});

test.run();
