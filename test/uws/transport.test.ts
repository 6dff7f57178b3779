// The `uws` transport beyond the conformance cases: requests that must not run, memory, identity of
// clients, start and stop.

import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { LINGER_MS, MAX_CONNECTIONS_PER_PORT } from "../../runtime/base/limits.js";
import { loadTransport } from "../../runtime/http/load-transport.js";
import type { Exchange } from "../../runtime/http/transport.js";
import type { UwsServer } from "../../runtime/http/uws/server.js";
import { LARGE_BYTES, serverOptions, TestEngine } from "../conformance/engine.js";
import { generator, mutated } from "../conformance/mutations.js";
import { RawClient } from "../conformance/raw-client.js";

const HOST = "Host: a\r\n";
const GET = `GET /echo HTTP/1.1\r\n${HOST}\r\n`;
const OPTIONS = serverOptions({ maxBodyBytes: 8 * LARGE_BYTES, cors: "*" });
const SEED = Number(process.env.SEED ?? 20260708);
const { transport } = await loadTransport("uws", import.meta.dirname);

interface Context {
  engine: TestEngine;
  server: UwsServer;
}
let clients: RawClient[] = [];

const test = suite<Context>("uws transport");

test.before.each(async (context) => {
  context.engine = new TestEngine();
  context.server = await listen(context.engine);
});
test.after.each(async ({ server }) => {
  for (const client of clients) client.close();
  clients = [];
  await server.close();
});

async function connect(port: number, host?: string): Promise<RawClient> {
  const client = await RawClient.open(port, host);
  clients.push(client);
  return client;
}

async function listen(engine: TestEngine, port = 0, ip: string | null = null): Promise<UwsServer> {
  return (await transport.listen(port, ip, OPTIONS, engine)) as UwsServer;
}

async function until(condition: () => boolean, label: string): Promise<void> {
  const deadline = performance.now() + 4000;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`${label} did not happen`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

async function hold({ engine, server }: Context, request: string): Promise<[RawClient, Exchange]> {
  const before = engine.heldExchanges.length;
  const client = await connect(server.port);
  client.send(request);
  await until(() => engine.heldExchanges.length > before, "the request");
  return [client, engine.heldExchanges[before]!];
}

test("keeps the order of pipelined requests with immediate responses", async ({ server }) => {
  const client = await connect(server.port);
  client.send(
    Array.from({ length: 64 }, (_, index) => `GET /${index} HTTP/1.1\r\n${HOST}\r\n`).join(""),
  );
  for (const [index, { body }] of (await client.responses(64)).entries()) {
    assert.match(body, `GET|/${index}|`);
  }
});

test("sends no content in the last response to HEAD", async ({ server }) => {
  for (const fields of ["Connection: keep-alive, Close\r\n", "X-SVC-Bypass-SOUT: x\r\n"]) {
    const client = await connect(server.port);
    client.send(`HEAD /echo HTTP/1.1\r\n${HOST}${fields}\r\n`);
    const [response] = await client.responses(1, () => true);
    const { head } = response!;
    assert.ok(/\r\nConnection: close\r\n/.test(head), head);
    assert.ok(/\r\nContent-Length: \d+\r\n/.test(head), head);
    await client.until(() => client.isClosed, "the end");
    assert.is(client.received, "");
  }
});

test("closes only the connection of a request that precedes the response", async (context) => {
  const [client, exchange] = await hold(context, `GET /hold HTTP/1.1\r\n${HOST}\r\n`);
  client.send(GET);
  await client.until(() => client.isClosed, "the end");
  assert.ok(exchange.aborted);
  exchange.respond(200, "text/plain", "to nobody");
  assert.is(context.server.sending, 0);
  assert.is(context.engine.requests, 1, "the second one was not run");
  const otherClient = await connect(context.server.port);
  otherClient.send(GET);
  assert.is((await otherClient.responses(1))[0]!.status, 200);
});

for (const [label, fields, body] of [
  ["two lengths", "Content-Length: 3\r\nContent-Length: 4\r\n", "abc"],
  ["an unknown coding", "Transfer-Encoding: gzip\r\n", "3\r\nabc\r\n0\r\n\r\n"],
  ["an invalid chunk", "Transfer-Encoding: chunked\r\n", "3\r\nabcd\r\n0\r\n\r\n"],
] as const) {
  test(`runs nothing after ${label}`, async ({ engine, server }) => {
    const client = await connect(server.port);
    client.send(`POST /echo HTTP/1.1\r\n${HOST}${fields}\r\n${body}`);
    client.send(`GET /hold HTTP/1.1\r\n${HOST}\r\n`);
    await client.until(() => client.isClosed, "the end");
    assert.equal(engine.heldExchanges, []);
  });
}

test("marks an aborted request and releases its memory", async (context) => {
  const { engine, server } = context;
  const body = "x".repeat(200_000);
  const request = `POST /hold HTTP/1.1\r\n${HOST}Content-Length: ${body.length}\r\n\r\n`;
  const [client, exchange] = await hold(context, request + body);
  assert.ok(exchange.body instanceof Uint8Array);
  assert.ok(server.budget.used >= body.length);
  client.close();
  await until(() => exchange.aborted, "the mark");
  exchange.respond(200, "text/plain", "to nobody");
  assert.is(server.budget.used, 0);
  const unfinishedClient = await connect(server.port);
  unfinishedClient.send(request + body.slice(1));
  await until(() => server.budget.used > 0, "the arrival");
  unfinishedClient.close();
  await until(() => server.budget.used === 0, "the release");
  assert.is(engine.requests, 1);
});

test("limits the total size of bodies in progress", async (context) => {
  const { server } = context;
  const { limit, reserve } = server.budget;
  server.budget.used = limit - reserve - 150_000;
  const body = "x".repeat(100_000);
  const request = `POST /hold HTTP/1.1\r\n${HOST}Content-Length: 100000\r\n\r\n${body}`;
  const [first, exchange] = await hold(context, request);
  const second = await connect(server.port);
  second.send(request + GET);
  const responses = await second.responses(2);
  assert.equal([responses[0]!.status, responses[1]!.status], [503, 200]);
  exchange.respond(200, "text/plain", "done");
  await first.responses(1);
  assert.is(server.budget.used, limit - reserve - 150_000);
});

test("limits one client to a request rate, and to quotas of bodies and responses", async ({
  engine,
}) => {
  const memory = { bodyMemoryBytes: 8 * LARGE_BYTES, responseMemoryBytes: 8 * LARGE_BYTES };
  const limits = { connections: 0, requestsPerSecond: 20 };
  const options = serverOptions({ maxBodyBytes: 8 * LARGE_BYTES, limits, ...memory });
  const server = (await transport.listen(0, "127.0.0.1", options, engine)) as UwsServer;
  const open = async (from: string, text: string): Promise<RawClient> => {
    const client = await RawClient.open(server.port, "127.0.0.1", from);
    clients.push(client);
    client.send(text);
    return client;
  };
  const many = await (await open("127.0.0.2", GET.repeat(40))).responses(40);
  assert.equal(
    many.slice(0, 20).map(({ status }) => status),
    new Array(20).fill(200),
  );
  assert.ok(many.some(({ status }) => status === 429));

  // Three unread responses of 2 MiB exceed a client's quota of 8.
  const held: RawClient[] = [];
  for (let count = 0; count < 3; count++) {
    const client = await open("127.0.0.3", `GET /hold HTTP/1.1\r\n${HOST}\r\n`);
    await until(() => engine.heldExchanges.length > count, "the request");
    client.socket.pause();
    held.push(client);
  }
  const responseMemory = server.clients.at("127.0.0.3").responses;
  for (const exchange of engine.heldExchanges)
    exchange.respond(200, "text/plain", "x".repeat((16 * LARGE_BYTES) / 8));
  await until(() => responseMemory.held > 0, "an answer that waits");
  assert.ok(responseMemory.held <= 4 * LARGE_BYTES, `${responseMemory.held}`);
  held[2]!.socket.resume();
  assert.is((await held[2]!.responses(1))[0]!.status, 503);
  for (const client of held) client.close();
  await until(() => responseMemory.held === 0, "the end of the clients");

  const size = 4 * LARGE_BYTES + 1;
  const largeClient = await open(
    "127.0.0.4",
    `POST /echo HTTP/1.1\r\n${HOST}Content-Length: ${size}\r\n\r\n`,
  );
  assert.is((await largeClient.responses(1))[0]!.status, 413, "more than the share of a client");
  await server.close();
  assert.is(server.budget.used, 0);
});

test("pauses a stream while the client does not read", async (context) => {
  const [client, exchange] = await hold(context, `GET /hold HTTP/1.1\r\n${HOST}\r\n`);
  client.socket.pause();
  let chunks = 0;
  async function* source(): AsyncGenerator<Uint8Array> {
    for (; chunks < 64; chunks++) yield Buffer.alloc(LARGE_BYTES, chunks);
  }
  exchange.respondStream(200, "text/plain", 64 * LARGE_BYTES, source());
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.ok(chunks < 32, `${chunks} MiB were read ahead`);
  client.socket.resume();
  const [response] = await client.responses(1);
  for (let index = 0; index < 64; index++) {
    assert.is(response!.body.charCodeAt(index * LARGE_BYTES), index);
  }
  assert.is(response!.body.length, 64 * LARGE_BYTES);
});

test("sends a response completely at shutdown, also to a slow client", async (context) => {
  const [client, exchange] = await hold(context, `GET /hold HTTP/1.1\r\n${HOST}\r\n`);
  await connect(context.server.port);
  client.socket.pause();
  exchange.respond(200, "text/plain", Buffer.alloc(64 * LARGE_BYTES));
  const drained = context.server.drain(60_000);
  const lateMs = 2 * LINGER_MS;
  await Promise.race([drained, new Promise((resolve) => setTimeout(resolve, lateMs))]);
  assert.is(context.server.sending, 1);
  client.socket.resume();
  await drained;
  assert.ok(context.server.connections().length > 0, "does not wait for the idle connection");
  await context.server.close();
  const [response] = await client.responses(1);
  assert.is(response!.body.length, 64 * LARGE_BYTES);
  assert.is(context.server.sending, 0);
});

test("waits for a response at shutdown until the timeout", async (context) => {
  const [client, exchange] = await hold(context, `GET /hold HTTP/1.1\r\n${HOST}\r\n`);
  client.socket.pause();
  exchange.respond(200, "text/plain", Buffer.alloc(64 * LARGE_BYTES));
  await context.server.drain(20);
  assert.is(context.server.sending, 1);
});

test("ends a stream when the client disconnects", async (context) => {
  const [client, exchange] = await hold(context, `GET /hold HTTP/1.1\r\n${HOST}\r\n`);
  client.socket.pause();
  let isLeft = false;
  async function* source(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) yield Buffer.alloc(LARGE_BYTES);
    } finally {
      isLeft = true;
    }
  }
  exchange.respondStream(200, "text/plain", 1024 * LARGE_BYTES, source());
  client.close();
  await until(() => isLeft, "the end of the source");
  assert.is(context.server.sending, 0);
});

test("rejects connections beyond the limit, until one closes", async (context) => {
  const { engine, server } = context;
  for (let opened = 0; opened < 1100; opened++) await connect(server.port);
  for (const client of clients.slice(MAX_CONNECTIONS_PER_PORT)) {
    assert.is((await client.responses(1))[0]!.status, 429);
    await client.until(() => client.isClosed, "the end");
  }
  await until(() => engine.open === MAX_CONNECTIONS_PER_PORT, "the admissions");
  assert.is(server.connections().length, MAX_CONNECTIONS_PER_PORT);
  const admitted = clients.slice(0, MAX_CONNECTIONS_PER_PORT);
  for (const client of admitted) client.send(GET);
  for (const client of admitted) assert.is((await client.responses(1))[0]!.status, 200);
  for (const client of clients) client.close();
  await until(() => engine.open === 0, "the end of all connections");
  assert.equal(server.connections(), []);
  const laterClient = await connect(server.port);
  laterClient.send(GET);
  assert.is((await laterClient.responses(1))[0]!.status, 200);
});

test(`survives mutated requests and releases them (seed ${SEED})`, async (context) => {
  const { engine, server } = context;
  const random = generator(SEED);
  for (let round = 0; round < 400; round++) {
    const client = await connect(server.port);
    client.send(mutated(random));
    if (random() < 0.5) await new Promise(setImmediate);
    if (random() < 0.5) client.socket.end();
  }
  const otherClient = await connect(server.port);
  otherClient.send(GET);
  assert.is((await otherClient.responses(1))[0]!.status, 200);
  assert.ok(engine.requests > 100, `${engine.requests} requests got through`);
  for (const client of clients) client.close();
  await until(() => engine.open === 0, "the end of all connections");
  assert.is(server.budget.used, 0);
  assert.is(server.sending, 0);
});

test("identifies several clients by address", async (context) => {
  const { server } = context;
  const readRemoteAddress = async (host: string): Promise<string> => {
    const client = await connect(server.port, host);
    const before = context.engine.heldExchanges.length;
    client.send(`GET /hold HTTP/1.1\r\n${HOST}\r\n`);
    await until(() => context.engine.heldExchanges.length > before, "the request");
    const { connection } = context.engine.heldExchanges[before]!;
    assert.is(connection.remotePort, 0);
    return `${connection.remoteAddress} ${connection.client}`;
  };
  const results: string[] = [];
  for (const host of ["127.0.0.1", "::1", "127.0.0.1"]) results.push(await readRemoteAddress(host));
  assert.equal(results, [
    "127.0.0.1 http://127.0.0.1:0/",
    "::1 http://[::1]:0/",
    "127.0.0.1 http://127.0.0.1:0/",
  ]);
});

test("rejects a port in use with the system's error code", async ({ engine, server }) => {
  for (const ip of [null, "127.0.0.1"]) {
    try {
      await listen(engine, server.port, ip);
      assert.unreachable("two servers share a port");
    } catch (error) {
      assert.is((error as NodeJS.ErrnoException).code, "EADDRINUSE");
    }
  }
});

test("closes every connection on close, and frees the port", async ({ engine }) => {
  let port = 0;
  for (let round = 0; round < 20; round++) {
    const server = await listen(engine, port);
    port = server.port;
    const client = await connect(port);
    client.send(`GET /hold HTTP/1.1\r\n${HOST}\r\n`);
    await until(() => engine.heldExchanges.length > round, "the request");
    await server.close();
    await client.until(() => client.isClosed, "the end");
    assert.ok(engine.heldExchanges[round]!.aborted);
  }
  await until(() => engine.open === 0, "the end of all connections");
});

test("allows a thread to exit with its server open", async () => {
  const worker = new Worker(new URL("./serving-thread.mjs", import.meta.url));
  const [port] = await once(worker, "message");
  const client = await connect(port);
  client.send(GET);
  assert.is((await client.responses(1))[0]!.status, 200);
  worker.postMessage("end");
  assert.equal(await once(worker, "exit"), [7]);
  await client.until(() => client.isClosed, "the end");
});

test.run();
