// Quotas of one client at the `net` transport, which keep resources for others.
// limit: 60 s

import { setTimeout as sleep } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  BODY_RATE_WINDOW_MS,
  CLIENT_CONNECTION_RESERVE,
  IDENT_LINE_TIMEOUT_MS,
  MAX_CONNECTIONS_PER_PORT,
  MAX_PIPELINED_REQUESTS,
  MAX_READ_AHEAD_BYTES,
  MAX_REQUEST_LINE_BYTES,
} from "../../runtime/base/limits.js";
import { NetServer } from "../../runtime/http/net/transport.js";
import type { ClientLimits } from "../../runtime/http/transport.js";
import { MEMORY_BYTES, serverOptions, TestEngine } from "./engine.js";
import { RawClient } from "./raw-client.js";

const HOST = "Host: a\r\n";
const MIB = 1024 * 1024;

interface Context {
  server: NetServer;
  engine: TestEngine;
}

const test = suite<Context>("net quotas");

test.before.each(async (context) => {
  context.engine = new TestEngine();
  context.server = new NetServer(
    serverOptions({ maxBodyBytes: 64 * MIB, cors: null }),
    context.engine,
  );
  await context.server.listen(0, "127.0.0.1");
});
test.after.each(async ({ server }) => {
  RawClient.closeAll();
  await server.close();
  assert.is(server.budget.used, 0);
  assert.is(server.clients.size, 0);
});

const UNTIL_MS = 50_000;
async function until(condition: () => boolean, label: string): Promise<void> {
  const endMs = performance.now() + UNTIL_MS;
  while (!condition()) {
    if (performance.now() > endMs) throw new Error(`${label} did not happen`);
    await sleep(1);
  }
}

function post(bytes: number): string {
  return `POST /echo HTTP/1.1\r\n${HOST}Content-Length: ${bytes}\r\n\r\n`;
}

/** Opens a client and sends a body without its last bytes. */
async function startUpload(
  server: NetServer,
  bytes: number,
  from: string,
  ident = "",
): Promise<RawClient> {
  const client = await RawClient.open(server.port, "127.0.0.1", from);
  client.send(ident + post(bytes + 3));
  client.socket.write(Buffer.alloc(bytes));
  return client;
}

async function fetchStatus(server: NetServer, bytes: number, from: string): Promise<number> {
  const client = await RawClient.open(server.port, "127.0.0.1", from);
  client.send(post(bytes) + "x".repeat(bytes));
  const [response] = await client.responses(1);
  client.close();
  return response!.status;
}

test("endless bodies leave room for others and time out", async (context) => {
  const { server } = context;
  const slow: RawClient[] = [];
  for (let count = 0; count < 4; count++)
    slow.push(await startUpload(server, 40 * MIB, "127.0.0.1"));
  // The quota of a client has no room for four, so the server refuses one.
  const hasArrived = ({ isClosed, socket: { localPort } }: RawClient): boolean => {
    const from = `http://127.0.0.1:${localPort}/`;
    const connection = server.connections().find(({ client }) => client === from);
    return isClosed || connection?.bytesIn === post(40 * MIB + 3).length + 40 * MIB;
  };
  await until(() => slow.every(hasArrived), "all bytes");
  assert.is(slow.filter(({ isClosed }) => isClosed).length, 1);
  assert.ok(server.budget.used <= MEMORY_BYTES / 2, `${server.budget.used} bytes are held`);
  assert.is(await fetchStatus(server, 10 * MIB, "127.0.0.2"), 200, "another address");
  assert.is(await fetchStatus(server, 100, "127.0.0.2"), 200);

  // One byte per minute does not count as progress. No pause explains it: all bytes have arrived.
  for (const client of slow) if (!client.isClosed) client.send("x");
  const now = performance.now();
  server.sweep(now + BODY_RATE_WINDOW_MS + 100);
  server.sweep(now + 2 * BODY_RATE_WINDOW_MS + 200);
  await until(() => server.budget.used === 0, "the end of the bodies");
});

test("small bodies are accepted where large ones are rejected", async ({ server }) => {
  const held = server.budget.limit - server.budget.reserve;
  server.budget.used = held;
  assert.is(await fetchStatus(server, MIB, "127.0.0.1"), 503);
  assert.is(await fetchStatus(server, 60_000, "127.0.0.1"), 200);
  server.budget.used -= held;
});

const IDENT = "XSVCIDENT 1 1 1 0 0 0 1\r\n";
/** As the echo path shows its flags. */
const PARTIAL = `${HOST}Accept: application/x-svc-partial\r\n`;

test("slow bodies of several addresses are rejected in favor of another one", async (context) => {
  const options = { bodyMemoryBytes: 4 * MIB, maxBodyBytes: MIB };
  const server = new NetServer(serverOptions(options), context.engine);
  await server.listen(0, "127.0.0.1");
  const uploads: RawClient[] = [];
  for (let count = 0; count < 3; count++) {
    uploads.push(await startUpload(server, 570_000, "127.0.0.2"));
    // A dispatcher, which has many clients, holds more.
    uploads.push(await startUpload(server, 590_000, "127.0.0.1", IDENT));
  }
  const { budget } = server;
  await until(() => budget.used > 3 * (570_000 + 590_000), "their bodies");
  assert.is(await fetchStatus(server, 500_000, "127.0.0.3"), 200);
  await until(() => uploads.some(({ received }) => received !== ""), "the refusal of one");
  const rejectedUpload = uploads.find(({ received }) => received !== "");
  assert.equal(
    [rejectedUpload!.received.slice(9, 12), uploads.indexOf(rejectedUpload!) % 2],
    ["503", 0],
  );
  for (const client of uploads) if (client !== rejectedUpload) client.send("xxx");
  for (const client of uploads) {
    if (client !== rejectedUpload) assert.is((await client.responses(1))[0]!.status, 200);
  }
  await server.close();
  assert.is(budget.used, 0);
});

test("a client outside of the parents' networks cannot act as a dispatcher", async ({ server }) => {
  const untrustedClient = await RawClient.open(server.port, "127.0.0.1", "127.0.0.2");
  untrustedClient.send(`GET /echo HTTP/1.1\r\n${PARTIAL}\r\n`.repeat(2));
  const responses = await untrustedClient.responses(2);
  for (const { body } of responses) assert.is(body, "GET|/echo|json 0 0 -1 2||none");
  untrustedClient.send(`${IDENT}GET /echo HTTP/1.1\r\n${HOST}\r\n`);
  const [refusal] = await untrustedClient.responses(1);
  assert.is(refusal!.status, 403);
  assert.match(refusal!.body, "127.0.0.2 may not dispatch to this server");
  await untrustedClient.until(() => untrustedClient.isClosed, "the end");
  assert.is(untrustedClient.received, "");

  const parent = await RawClient.open(server.port);
  parent.send(`${IDENT}GET /echo HTTP/1.1\r\n${PARTIAL}\r\n`);
  assert.is((await parent.responses(1))[0]!.body, "GET|/echo|partial 0 0 -1 2|1.1.1.0.0.0.1|none");
});

test("a request accepted by a dispatcher is accepted by its back-ends, with added fields", async ({
  server,
}) => {
  const fields = Array.from({ length: 99 }, (_, n) => `X-${n}: ${"v".repeat(600)}\r\n`).join("");
  const added = `X-SVC-Via: ${"a".repeat(5000)}\r\nX-SVC-Partial-Target: 1\r\n`;
  const requestText = (target: string, block: string) =>
    `GET /${target} HTTP/1.1\r\n${HOST}${block}\r\n`;
  const line = "t".repeat(MAX_REQUEST_LINE_BYTES + 4 - "GET / HTTP/1.1".length);

  const client = await RawClient.open(server.port);
  client.send(requestText("echo", fields) + requestText("echo", fields + added));
  const statuses = (await client.responses(2)).map(({ status }) => status);
  assert.equal(statuses, [200, 400]);
  const otherClient = await RawClient.open(server.port);
  otherClient.send(requestText(line, ""));
  assert.is((await otherClient.responses(1))[0]!.status, 414);

  const parent = await RawClient.open(server.port);
  parent.send(IDENT + requestText("echo", fields + added) + requestText(line, ""));
  for (const { status } of await parent.responses(2)) assert.is(status, 200);
  parent.send(requestText("echo", fields.repeat(2)));
  assert.is((await parent.responses(1))[0]!.status, 400);
});

/** Starts a separate server with limits per client. */
async function startLimitedServer(engine: TestEngine, limits: ClientLimits): Promise<NetServer> {
  const server = new NetServer(serverOptions({ limits }), engine);
  await server.listen(0, "127.0.0.1");
  return server;
}

const GET = `GET /echo HTTP/1.1\r\n${HOST}\r\n`;

test("connections per address are limited, except for dispatchers", async (context) => {
  const server = await startLimitedServer(context.engine, { connections: 3, requestsPerSecond: 0 });
  const open = async (from: string, text: string): Promise<number> => {
    const client = await RawClient.open(server.port, "127.0.0.1", from);
    client.send(text);
    return (await client.responses(1))[0]!.status;
  };
  for (let opened = 0; opened < 3; opened++) assert.is(await open("127.0.0.2", GET), 200);
  assert.is(await open("127.0.0.2", GET), 429);
  assert.is(await open("127.0.0.3", GET), 200, "another address");
  for (let opened = 0; opened < 5; opened++) assert.is(await open("127.0.0.1", IDENT + GET), 200);
  for (let opened = 0; opened < 3; opened++) assert.is(await open("127.0.0.1", GET), 200);
  assert.is(await open("127.0.0.1", GET), 429, "no dispatcher");
  assert.is(await open("127.0.0.1", IDENT + GET), 200);
  const silentClient = await RawClient.open(server.port);
  await until(() => server.connections().length === 14, "the last connection");
  server.sweep(performance.now() + IDENT_LINE_TIMEOUT_MS + 1);
  await silentClient.until(() => silentClient.isClosed, "the end of the silent connection");
  RawClient.closeAll();
  await until(() => server.connections().length === 0, "the end of all");
  assert.is(await open("127.0.0.2", GET), 200);
  await server.close();
});

test("closes idle connections of the address with the most, to admit others", async (context) => {
  const { server, engine } = context;
  const heldClient = await RawClient.open(server.port, "127.0.0.1");
  heldClient.send(`GET /hold HTTP/1.1\r\n${HOST}\r\n`);
  await until(() => engine.heldExchanges.length === 1, "the request");
  const uploadingClient = await startUpload(server, 100, "127.0.0.1");
  const silent = Array.from({ length: MAX_CONNECTIONS_PER_PORT - 2 }, () =>
    RawClient.open(server.port, "127.0.0.1"),
  );
  const first = (await Promise.all(silent))[0]!;
  first.send("GET /half");
  await until(() => engine.open === MAX_CONNECTIONS_PER_PORT, "all of them");
  assert.is(await fetchStatus(server, 10, "127.0.0.1"), 429, "of the same address");
  assert.equal(engine.rejections, ["429 connections 127.0.0.1"]);
  for (let count = 0; count < 3; count++) {
    assert.is(await fetchStatus(server, 10, "127.0.0.2"), 200, "of another one");
    await until(() => engine.open === MAX_CONNECTIONS_PER_PORT - 1, "its end");
    await RawClient.open(server.port, "127.0.0.1");
    await until(() => engine.open === MAX_CONNECTIONS_PER_PORT, "all of them again");
  }
  assert.equal(engine.shedClients, ["127.0.0.1", "127.0.0.1", "127.0.0.1"]);
  engine.heldExchanges[0]!.respond(200, "text/plain", "held");
  assert.is((await heldClient.responses(1))[0]!.body, "held");
  uploadingClient.send("xxx");
  assert.is((await uploadingClient.responses(1))[0]!.status, 200);
});

test("replaces idle connections of several addresses, oldest first", async (context) => {
  const { server, engine } = context;
  const addresses = ["127.0.0.1", "127.0.0.2", "127.0.0.3"];
  const workingClient = await RawClient.open(server.port, "127.0.0.1", "127.0.0.2");
  workingClient.send(`GET /hold HTTP/1.1\r\n${HOST}\r\n`);
  await until(() => engine.heldExchanges.length === 1, "the request");
  const idle: RawClient[] = [];
  for (let count = 1; count < MAX_CONNECTIONS_PER_PORT; count++) {
    idle.push(await RawClient.open(server.port, "127.0.0.1", addresses[count % 3]!));
  }
  await until(() => engine.open === MAX_CONNECTIONS_PER_PORT, "all of them");
  // The first connection of each address was used last, so it stays open.
  for (const used of idle.slice(0, 3)) {
    used.send(`GET /echo HTTP/1.1\r\n${HOST}\r\n`);
    await used.responses(1);
  }
  const held = addresses.map((address) => server.clients.at(address).counted);
  for (let count = 0; count < 9; count++) {
    const client = await RawClient.open(server.port, "127.0.0.1", `127.0.1.${count}`);
    client.send(`GET /echo HTTP/1.1\r\n${HOST}\r\n`);
    assert.is((await client.responses(1))[0]!.status, 200, `client ${count}`);
  }
  const left = addresses.map((address) => server.clients.at(address).counted);
  assert.is(sum(left), sum(held) - 9);
  assert.ok(Math.max(...left) - Math.min(...left) <= 1, left.join());
  await until(() => idle.filter(({ isClosed }) => isClosed).length === 9, "the end of nine");
  assert.is(idle.slice(3, 15).filter(({ isClosed }) => isClosed).length, 9, "the oldest");
  engine.heldExchanges[0]!.respond(200, "text/plain", "held");
  assert.is((await workingClient.responses(1))[0]!.body, "held");
});

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, count) => total + count, 0);
}

test("requests per address are rate-limited, over all its connections", async (context) => {
  const server = await startLimitedServer(context.engine, {
    connections: 0,
    requestsPerSecond: 20,
  });
  const request = async (from: string, text: string, count: number): Promise<number[]> => {
    const client = await RawClient.open(server.port, "127.0.0.1", from);
    client.send(text + GET.repeat(count));
    const responses = await client.responses(count);
    for (const { status, head } of responses) {
      assert.is(status === 429, /\r\nRetry-After: 1\r\n/.test(head));
    }
    return responses.map(({ status }) => status);
  };
  const first = await request("127.0.0.2", "", 40);
  assert.equal(first.slice(0, 20), new Array(20).fill(200));
  assert.ok(first.includes(429));
  assert.ok((await request("127.0.0.2", "", 40)).includes(429), "another connection");
  assert.is(context.engine.rejections[0], "429 rate 127.0.0.2 /echo");
  assert.not.ok((await request("127.0.0.3", "", 20)).includes(429), "another address");
  assert.not.ok((await request("127.0.0.1", IDENT, 60)).includes(429), "a dispatcher");
  await server.close();
});

test("dispatchers leave a reserve of connections for clients", async ({ server, engine }) => {
  const limit = MAX_CONNECTIONS_PER_PORT - CLIENT_CONNECTION_RESERVE;
  const request = `${IDENT}GET /echo HTTP/1.1\r\n${HOST}\r\n`;
  const clients: RawClient[] = [];
  for (let opened = 0; opened < limit; opened++) {
    const client = await RawClient.open(server.port);
    client.send(request);
    clients.push(client);
  }
  for (const client of clients) assert.is((await client.responses(1))[0]!.status, 200);
  const excessClient = await RawClient.open(server.port);
  excessClient.send(request);
  assert.is((await excessClient.responses(1))[0]!.status, 429);
  await excessClient.until(() => excessClient.isClosed, "the end");
  const client = await RawClient.open(server.port);
  client.send(`GET /echo HTTP/1.1\r\n${HOST}\r\n`);
  assert.is((await client.responses(1))[0]!.status, 200);
  clients[0]!.close();
  await until(() => engine.open < limit + 1, "the end of one");
  const next = await RawClient.open(server.port);
  next.send(request);
  assert.is((await next.responses(1))[0]!.status, 200);
});

test("a half-closed client is detected while its requests wait", async ({ server, engine }) => {
  const get = `GET /hold HTTP/1.1\r\n${HOST}\r\n`;
  const client = await RawClient.open(server.port);
  client.send(get.repeat(MAX_PIPELINED_REQUESTS + 20));
  await until(() => engine.heldExchanges.length === MAX_PIPELINED_REQUESTS, "the requests");
  assert.is(engine.heldExchanges[0]!.connection.endedAtMs, 0);
  client.socket.end();
  await until(() => engine.heldExchanges[0]!.connection.endedAtMs > 0, "the end of its half");
  for (let next = 0; next < MAX_PIPELINED_REQUESTS + 20; next++) {
    await until(() => engine.heldExchanges.length > next, "the next request");
    engine.heldExchanges[next]!.respond(200, "text/plain", "x");
  }
  await client.responses(MAX_PIPELINED_REQUESTS + 20);

  const otherClient = await RawClient.open(server.port);
  otherClient.send(get.repeat(MAX_PIPELINED_REQUESTS + 20));
  const first = MAX_PIPELINED_REQUESTS + 20;
  await until(() => engine.heldExchanges.length === first + MAX_PIPELINED_REQUESTS, "the requests");
  otherClient.socket.resetAndDestroy();
  await until(() => engine.heldExchanges[first]!.aborted, "the reset");
  for (const exchange of engine.heldExchanges) exchange.respond(200, "text/plain", "to nobody");
});

test("the input of a client whose requests wait is buffered up to a limit", async (context) => {
  const { server, engine } = context;
  const client = await RawClient.open(server.port);
  const get = `GET /hold HTTP/1.1\r\n${HOST}\r\n`;
  const count = MAX_PIPELINED_REQUESTS + 1000;
  client.send(get.repeat(count));
  client.socket.write(Buffer.alloc(8 * MIB, get));
  await until(() => engine.heldExchanges.length === MAX_PIPELINED_REQUESTS, "the requests");
  await sleep(50);
  const read = server.connections()[0]!.bytesIn;
  assert.ok(read < MAX_READ_AHEAD_BYTES + 256 * 1024, `${read} bytes were read`);
  for (let responseCount = 0; responseCount < count; responseCount++) {
    await until(() => engine.heldExchanges.length > responseCount, "the next request");
    engine.heldExchanges[responseCount]!.respond(200, "text/plain", "x");
  }
  client.close();
  await until(() => {
    for (const exchange of engine.heldExchanges) exchange.respond(200, "text/plain", "to nobody");
    return engine.open === 0;
  }, "the end");
});

test.run();
