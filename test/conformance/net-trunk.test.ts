// Multiplexed connections of dispatchers: each stream is served like a connection of its own, and a
// protocol violation closes the connection without affecting the server. SEED and ROUNDS select
// other and longer runs.
// limit: 60 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  CLIENT_CONNECTION_RESERVE,
  IDENT_LINE_TIMEOUT_MS,
  MAX_CONNECTIONS_PER_PORT,
} from "../../runtime/base/limits.js";
import {
  enableRecentLog,
  type RecentLogEntry,
  recentLogEntries,
} from "../../runtime/base/recent-log.js";
import { NetServer } from "../../runtime/http/net/transport.js";
import { FRAME, FrameReader, frameHeader, TRUNK_LINE } from "../../runtime/trunk/frames.js";
import { rounds } from "../support/rounds.js";
import { IDLE_TIMEOUT_MS, LARGE_BYTES, serverOptions, TestEngine } from "./engine.js";
import { generator } from "./mutations.js";
import { RawClient } from "./raw-client.js";

const SEED = Number(process.env.SEED ?? 20261123);
const ROUNDS = rounds(150);
const HOST = "Host: a\r\n";
const IDENT = "XSVCIDENT 1 1 1 0 0 0 1\r\n";

interface Context {
  server: NetServer;
  engine: TestEngine;
}

const test = suite<Context>("net trunk");

test.before(enableRecentLog);
test.before.each(async (context) => {
  context.engine = new TestEngine();
  context.server = new NetServer(serverOptions(), context.engine);
  await context.server.listen(0, "127.0.0.1");
});
test.after.each(async ({ server, engine }) => {
  RawClient.closeAll();
  for (const exchange of engine.heldExchanges) exchange.respond(200, "text/plain", "over");
  await server.close();
  assert.equal([server.budget.used, server.responses.held], [0, 0]);
  assert.equal([server.clients.size, engine.open], [0, 0]);
});

function data(id: number, content: string): string {
  return frameHeader(id, FRAME.data, content.length) + content;
}

function requestText(id: number, path: string, method = "GET", body = ""): string {
  const length = method === "POST" ? `Content-Length: ${body.length}\r\n` : "";
  return data(id, `${IDENT}${method} ${path} HTTP/1.1\r\n${HOST}${length}\r\n${body}`);
}

/** Log lines about protocol violations. */
function logEntries(): readonly RecentLogEntry[] {
  return recentLogEntries(0).lines.filter(({ text }) => text.includes("protocol violation"));
}

/** A multiplexed connection, and the data received per stream. */
class TrunkClient {
  readonly received = new Map<number, string>();
  /** Frames in order of arrival: stream ids, and their ends. */
  readonly order: (number | string)[] = [];
  #read = TRUNK_LINE.length;
  readonly #reader = new FrameReader({
    data: (id, bytes) => {
      this.received.set(id, (this.received.get(id) ?? "") + bytes.toString("latin1"));
      if (this.order.at(-1) !== id) this.order.push(id);
      return true;
    },
    onEnd: (id, type) => this.order.push(`${id} ${type}`) > 0,
  });

  private constructor(readonly raw: RawClient) {}

  static async open(port: number): Promise<TrunkClient> {
    const raw = await RawClient.open(port);
    raw.send(TRUNK_LINE);
    await raw.until(() => raw.received.length >= TRUNK_LINE.length, "the line");
    assert.is(raw.received, TRUNK_LINE);
    return new TrunkClient(raw);
  }

  /** Waits until a stream has so much data, after reading the input. */
  async until(condition: () => boolean, label: string): Promise<void> {
    await this.raw.until(() => {
      const text = this.raw.received.slice(this.#read);
      this.#read = this.raw.received.length;
      assert.ok(this.#reader.feed(Buffer.from(text, "latin1")), "frames");
      return condition();
    }, label);
  }

  async body(id: number): Promise<string> {
    let body = "";
    await this.until(() => {
      const [head, content] = (this.received.get(id) ?? "").split("\r\n\r\n");
      const length = Number(/Content-Length: (\d+)/.exec(head!)?.[1] ?? Number.NaN);
      body = content ?? "";
      return content?.length === length;
    }, `answer on ${id}`);
    this.received.delete(id);
    return body;
  }
}

test("serves streams as they complete, each like a connection", async (context) => {
  const { server, engine } = context;
  const client = await TrunkClient.open(server.port);
  const body = "b".repeat(200);
  client.raw.send(
    requestText(1, "/hold") + requestText(2, "/echo") + requestText(3, "/late", "POST", body),
  );
  assert.is(await client.body(2), "GET|/echo|json 0 0 -1 1|1.1.1.0.0.0.1|none");
  assert.is(await client.body(3), "POST|/late|json 0 0 -1 2|1.1.1.0.0.0.1|200 bytes");
  assert.is(client.received.has(1), false);
  engine.heldExchanges[0]!.respond(200, "text/plain", "at last");
  assert.is(await client.body(1), "at last");
  // The same stream again, its request in two frames; it is identified once.
  client.raw.send(data(2, "GET /echo?2 HT") + data(1, "GET /ec"));
  client.raw.send(data(2, `TP/1.1\r\n${HOST}\r\n`) + data(1, `ho?1 HTTP/1.1\r\n${HOST}\r\n`));
  assert.match(await client.body(1), /^GET\|\/echo\?1\|.*\|1\.1\.1\.0\.0\.0\.1\|/);
  assert.match(await client.body(2), /^GET\|\/echo\?2\|.*\|1\.1\.1\.0\.0\.0\.1\|/);
  assert.is(server.connections().filter(({ ident }) => ident !== null).length, 3);
});

test("offers trunks to permitted dispatchers only", async ({ server }) => {
  const request = `GET /echo HTTP/1.1\r\n${HOST}X-SVC-Trunk: 1\r\n\r\n`;
  const parent = await RawClient.open(server.port);
  parent.send(`GET /echo HTTP/1.1\r\n${HOST}\r\n${request}`);
  const heads = (await parent.responses(2)).map(({ head }) => head);
  assert.equal(
    heads.map((head) => head.includes("\r\nX-SVC-Trunk: 1\r\n")),
    [false, true],
  );
  const untrustedClient = await RawClient.open(server.port, "127.0.0.1", "127.0.0.2");
  untrustedClient.send(request);
  assert.not.match((await untrustedClient.responses(1))[0]!.head, /X-SVC-Trunk/);
  untrustedClient.send(TRUNK_LINE + requestText(1, "/echo"));
  const [refusal] = await untrustedClient.responses(1);
  assert.is(refusal!.status, 403);
  assert.match(refusal!.body, "127.0.0.2 may not dispatch to this server");
  await untrustedClient.until(() => untrustedClient.isClosed, "the end");
  assert.is(untrustedClient.received, "");
});

test("offers its own protocol to dispatchers of later releases, and refuses theirs", async (c) => {
  const client = await RawClient.open(c.server.port);
  client.send(`GET /echo HTTP/1.1\r\n${HOST}X-SVC-Trunk: 2\r\n\r\n`);
  assert.match((await client.responses(1))[0]!.head, "\r\nX-SVC-Trunk: 1\r\n");
  client.send("XSVCTRUNK 2\r\n");
  assert.is((await client.responses(1))[0]!.status, 400);
});

test("does not block other streams behind a large response", async ({ server }) => {
  const client = await TrunkClient.open(server.port);
  client.raw.send(requestText(1, "/large") + requestText(2, "/echo") + requestText(3, "/bytes"));
  assert.is((await client.body(1)).length, LARGE_BYTES);
  assert.match(await client.body(2), /^GET/);
  assert.is(await client.body(3), "bytes\xff");
  assert.equal(client.order.slice(0, 4), [1, 2, 3, 1]);
});

test("drops the request of a reset stream and nothing else", async ({ server, engine }) => {
  const client = await TrunkClient.open(server.port);
  client.raw.send(requestText(1, "/hold") + requestText(2, "/hold") + requestText(3, "/empty"));
  // A response without content is the last one of its connection.
  await client.until(() => client.order.includes(`3 ${FRAME.end}`), "the end of a stream");
  client.raw.send(frameHeader(1, FRAME.reset, 0) + frameHeader(3, FRAME.reset, 0));
  await client.until(() => engine.heldExchanges[0]!.aborted, "the end of a request");
  assert.is(engine.heldExchanges[1]!.aborted, false);
  // Data for a reset stream comes late.
  client.raw.send(data(1, "GET /echo") + requestText(4, "/echo"));
  assert.match(await client.body(4), /^GET/);
  engine.heldExchanges[1]!.respond(200, "text/plain", "held");
  assert.is(await client.body(2), "held");
  assert.is(engine.open, 3);
  client.raw.close();
  await client.raw.until(() => engine.open === 0, "the end of all streams");
});

test("closes a stream with invalid data, and accepts no trunk within a stream", async ({
  server,
}) => {
  const client = await TrunkClient.open(server.port);
  client.raw.send(data(1, "nonsense\r\n\r\n") + data(2, TRUNK_LINE) + requestText(3, "/echo"));
  assert.match(await client.body(1), "Invalid HTTP request line");
  assert.match(await client.body(2), "Invalid HTTP request line");
  assert.match(await client.body(3), /^GET/);
  const ends = [`1 ${FRAME.end}`, `2 ${FRAME.end}`];
  await client.until(() => ends.every((end) => client.order.includes(end)), "ends");
});

for (const [name, bytes] of [
  ["stream 0", data(0, "a")],
  ["an unknown frame", frameHeader(1, 9, 0)],
  ["oversized content", frameHeader(2, FRAME.data, 65_537)],
  ["an end frame, which only servers send", frameHeader(1, FRAME.end, 0)],
  ["an end of an unknown stream", frameHeader(7, FRAME.reset, 0)],
  ["HTTP", `GET /echo HTTP/1.1\r\n${HOST}\r\n`],
] as const) {
  test(`closes the connection and its requests on ${name}`, async ({ server, engine }) => {
    const client = await TrunkClient.open(server.port);
    client.raw.send(requestText(1, "/hold"));
    await client.until(() => engine.heldExchanges.length > 0, "request");
    client.raw.send(bytes + requestText(9, "/echo"));
    await client.raw.until(() => client.raw.isClosed && engine.open === 0, "the end");
    assert.is(engine.heldExchanges[0]!.aborted, true);
    assert.is(engine.requests, 1);
    // Repetitions within a second are only counted.
    assert.ok(logEntries().length > 0, "the operator is told");
  });
}

test("rejects a trunk on a connection with other requests", async ({ server }) => {
  const client = await RawClient.open(server.port);
  client.send(`${IDENT}${TRUNK_LINE}`);
  assert.is((await client.responses(1))[0]!.status, 400);
});

test("counts streams as connections of dispatchers", async ({ server, engine }) => {
  const limit = MAX_CONNECTIONS_PER_PORT - CLIENT_CONNECTION_RESERVE - 1;
  const client = await TrunkClient.open(server.port);
  for (let id = 1; id <= limit + 2; id++) client.raw.send(requestText(id, "/echo"));
  const refusedFrames = [`${limit + 1} ${FRAME.refuse}`, `${limit + 2} ${FRAME.refuse}`];
  await client.until(() => refusedFrames.every((end) => client.order.includes(end)), "refusals");
  assert.match(await client.body(limit), /^GET/);
  assert.is(engine.open, limit + 1);
  client.raw.send(frameHeader(5, FRAME.reset, 0));
  await client.until(() => engine.open === limit, "the end of a stream");
  client.raw.send(requestText(limit + 3, "/echo"));
  assert.match(await client.body(limit + 3), /^GET/);
});

test("limits the queued data of all streams of a client together", async (context) => {
  await context.server.close();
  const memory = 4_000_000;
  const server = new NetServer(serverOptions({ bodyMemoryBytes: memory }), context.engine);
  context.server = server;
  await server.listen(0, "127.0.0.1");
  const client = await TrunkClient.open(server.port);
  const waits = `POST /echo HTTP/1.1\r\n${HOST}Expect: 100-continue\r\nContent-Length: 1\r\n\r\n`;
  for (let id = 1; id <= 6; id++) {
    client.raw.send(requestText(id, "/hold") + data(id, waits));
    for (let piece = 0; piece < 15; piece++) client.raw.send(data(id, "x".repeat(60_000)));
  }
  client.raw.send(requestText(7, "/echo"));
  // Streams beyond the limit are reset, without effect on others.
  assert.match(await client.body(7), /^GET/);
  const resets = client.order.filter((end) => String(end).endsWith(` ${FRAME.reset}`));
  assert.ok(resets.length >= 3 && resets.length < 6, resets.join());
  assert.ok(server.budget.used > 0 && server.budget.used <= memory / 2, `${server.budget.used}`);
  client.raw.close();
  await client.raw.until(() => server.budget.used === 0, "the end");
});

test("closes idle connections and silent streams", async (context) => {
  const { server, engine } = context;
  const client = await TrunkClient.open(server.port);
  client.raw.send(data(1, "X") + requestText(2, "/hold"));
  await client.until(() => engine.heldExchanges.length > 0, "request");
  const now = performance.now();
  server.sweep(now + IDENT_LINE_TIMEOUT_MS + 100);
  await client.until(() => client.order.some((end) => String(end).startsWith("1 ")), "an end");
  server.sweep(now + 2 * IDLE_TIMEOUT_MS);
  assert.is(engine.open, 2);
  engine.heldExchanges[0]!.respond(200, "text/plain", "held");
  assert.is(await client.body(2), "held");
  client.raw.send(frameHeader(2, FRAME.reset, 0));
  await client.until(() => engine.open === 1, "the end of the stream");
  server.sweep(now + 4 * IDLE_TIMEOUT_MS);
  server.sweep(now + 6 * IDLE_TIMEOUT_MS);
  await client.raw.until(() => client.raw.isClosed, "the end");
});

test("completes requests during a drain and accepts no further streams", async (context) => {
  const { server, engine } = context;
  const client = await TrunkClient.open(server.port);
  client.raw.send(requestText(1, "/hold") + requestText(2, "/echo"));
  await client.body(2);
  const drained = server.drain(5000);
  await client.until(() => client.order.includes(`2 ${FRAME.end}`), "the end of an idle stream");
  client.raw.send(requestText(3, "/echo"));
  await client.until(() => client.order.includes(`3 ${FRAME.refuse}`), "a refusal");
  engine.heldExchanges[0]!.respond(200, "text/plain", "held");
  assert.is(await client.body(1), "held");
  await client.raw.until(() => client.raw.isClosed, "the end");
  client.raw.close();
  await drained;
  assert.is(engine.requests, 2);
});

test(`survives arbitrary input (SEED=${SEED})`, async ({ server, engine }) => {
  const random = generator(SEED);
  const below = (end: number): number => Math.floor(random() * end);
  const paths = ["/echo", "/late", "/hold", "/large", "/empty", "/stream", "/gone"];
  for (let round = 0; round < ROUNDS; round++) {
    let bytes = "";
    for (let id = 1; id < 8; id++) {
      const body = "b".repeat(below(300));
      bytes += random() < 0.8 ? requestText(id, paths[below(paths.length)]!, "POST", body) : "";
      if (random() < 0.3) bytes += frameHeader(1 + below(8), 1 + below(4), 0);
    }
    const offset = below(bytes.length);
    const flipped = String.fromCharCode(below(256));
    if (random() < 0.7) bytes = bytes.slice(0, offset) + flipped + bytes.slice(offset + 1);
    const client = await RawClient.open(server.port);
    client.send(TRUNK_LINE + bytes.slice(0, offset));
    if (random() < 0.5) await new Promise(setImmediate);
    client.send(bytes.slice(offset));
    if (random() < 0.2) client.socket.end();
    if (round % 10 === 9) RawClient.closeAll();
  }
  RawClient.closeAll();
  const client = await TrunkClient.open(server.port);
  client.raw.send(requestText(1, "/echo"));
  assert.match(await client.body(1), /^GET/);
  await client.until(() => engine.open === 2, "the end of all others");
});

test.run();
