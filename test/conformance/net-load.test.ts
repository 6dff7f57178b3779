// The `net` transport under hostile clients: slow, disconnected, too many, not reading. It serves
// others, limits its memory, and releases everything afterwards.

import { setTimeout as sleep } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  BODY_RATE_WINDOW_MS,
  EXTRA_CHANNEL_IDLE_MS,
  HEAD_TIMEOUT_MS,
  LINGER_MS,
  MAX_CONNECTIONS_PER_PORT,
  MAX_PIPELINED_REQUESTS,
} from "../../runtime/base/limits.js";
import { NetServer } from "../../runtime/http/net/transport.js";
import { IDLE_TIMEOUT_MS, LARGE_BYTES, serverOptions, TestEngine } from "./engine.js";
import { RawClient } from "./raw-client.js";

const HOST = "Host: a\r\n";
const GET = `GET /echo HTTP/1.1\r\n${HOST}\r\n`;

interface Context {
  server: NetServer;
  engine: TestEngine;
}

const test = suite<Context>("net under load");

test.before.each(async (context) => {
  context.engine = new TestEngine();
  context.server = new NetServer(
    serverOptions({ maxBodyBytes: 8 * LARGE_BYTES, cors: "*" }),
    context.engine,
  );
  await context.server.listen(0, "127.0.0.1");
});
test.after.each(async ({ server }) => {
  RawClient.closeAll();
  await server.close();
});

async function until(condition: () => boolean, label: string): Promise<void> {
  for (let turns = 0; !condition(); turns++) {
    if (turns > 4000) throw new Error(`${label} did not happen`);
    await sleep(1);
  }
}

/** The server holds no connections and memory any more. */
async function expectEmpty({ server, engine }: Context): Promise<void> {
  await until(() => engine.open === 0, "the end of all connections");
  assert.is(server.connections().length, 0);
  assert.is(server.budget.used, 0);
}

/** Sends `begin`, advances the server's clock by `idleMs`, and returns the outcome. */
async function afterSilence(
  { server, engine }: Context,
  begin: string,
  idleMs: number,
): Promise<RawClient> {
  const client = await RawClient.open(server.port);
  client.send(begin);
  await until(() => server.connections()[0]?.bytesIn === begin.length, "the arrival");
  await until(() => engine.responseCount === engine.requests, "the answers");
  server.sweep(performance.now() + idleMs);
  return client;
}

test("responds with 408 to an incomplete head after its timeout", async (context) => {
  const begin = "GET / HTTP/1.1\r\nHost:";
  const patient = await afterSilence(context, begin, HEAD_TIMEOUT_MS - 1000);
  assert.not.ok(patient.isClosed);
  context.server.sweep(performance.now() + HEAD_TIMEOUT_MS + 1000);
  const [response] = await patient.responses(1);
  assert.is(response!.status, 408);
  await patient.until(() => patient.isClosed, "the end");
});

test("does not extend the timeout of a head that arrives byte by byte", async (context) => {
  const client = await RawClient.open(context.server.port);
  for (const byte of "GET / HTTP/1.1\r\n") {
    client.send(byte);
    await sleep(0);
  }
  await until(() => context.server.connections()[0]?.bytesIn === 16, "the arrival");
  context.server.sweep(performance.now() + HEAD_TIMEOUT_MS + 1);
  assert.is((await client.responses(1))[0]!.status, 408);
});

test("responds with 408 to a stalled body and releases its memory", async (context) => {
  const head = `POST /echo HTTP/1.1\r\n${HOST}Content-Length: 1000000\r\n\r\n`;
  const begin = head + "x".repeat(100_000);
  const client = await RawClient.open(context.server.port);
  client.send(begin);
  await until(() => context.server.connections()[0]?.bytesIn === begin.length, "the arrival");
  assert.ok(context.server.budget.used >= 100_000, "the body is held");
  context.server.sweep(performance.now() + BODY_RATE_WINDOW_MS + 1000);
  assert.not.ok(client.isClosed, "what has arrived buys time");
  context.server.sweep(performance.now() + BODY_RATE_WINDOW_MS + 200_000);
  assert.is((await client.responses(1))[0]!.status, 408);
  assert.is(context.server.budget.used, 0);
});

test("does not treat empty lines as a head or as activity", async (context) => {
  const { server } = context;
  const client = await RawClient.open(server.port);
  for (const byte of "\r\n\r") {
    client.send(byte);
    await sleep(2);
  }
  await until(() => server.connections()[0]?.bytesIn === 3, "the arrival");
  server.sweep(performance.now() + HEAD_TIMEOUT_MS + 1000);
  assert.not.ok(client.isClosed);
  client.send(`\n${GET}`);
  assert.is((await client.responses(1))[0]!.status, 200);
  client.send("\r");
  await until(() => server.connections()[0]?.bytesIn === 4 + GET.length + 1, "the arrival");
  server.sweep(performance.now() + IDLE_TIMEOUT_MS + 1000);
  await client.until(() => client.isClosed, "the end");
  assert.is(client.received, "", "idle, not late");
});

test("closes idle connections, including those of dispatchers", async (context) => {
  const dispatcher = await afterSilence(context, `XSVCIDENT 1 1 1 0 0 0 1\r\n${GET}`, 0);
  await dispatcher.responses(1);
  context.server.sweep(performance.now() + EXTRA_CHANNEL_IDLE_MS);
  dispatcher.send(GET);
  assert.is((await dispatcher.responses(1))[0]!.status, 200, "it keeps idle channels for less");
  const client = await RawClient.open(context.server.port);
  client.send(GET);
  await client.responses(1);
  context.server.sweep(performance.now() + IDLE_TIMEOUT_MS + 1000);
  await client.until(() => client.isClosed, "the end");
  assert.is(client.received, "", "ended without a word");
  await dispatcher.until(() => dispatcher.isClosed, "the end");
});

test("does not treat a request in progress as idle", async (context) => {
  const client = await RawClient.open(context.server.port);
  client.send("GET /hold HTTP/1.1\r\nHost: a\r\n\r\n");
  await until(() => context.engine.heldExchanges.length === 1, "the request");
  context.server.sweep(performance.now() + 10 * IDLE_TIMEOUT_MS);
  context.engine.heldExchanges[0]!.respond(200, "text/plain", "late");
  assert.is((await client.responses(1))[0]!.body, "late");
  client.close();
});

test("closes the connection of a client that never half-closes", async (context) => {
  const client = await RawClient.open(context.server.port);
  client.send("junk\r\n");
  await client.until(() => client.isClosed, "the server's end");
  context.server.sweep(performance.now() + LINGER_MS + 1000);
  await expectEmpty(context);
});

test("runs at most 64 requests of a connection at once", async (context) => {
  const { engine, server } = context;
  const client = await RawClient.open(server.port);
  client.send("GET /hold HTTP/1.1\r\nHost: a\r\n\r\n".repeat(100));
  await until(() => engine.requests >= MAX_PIPELINED_REQUESTS, "the requests");
  await sleep(5);
  assert.is(engine.requests, MAX_PIPELINED_REQUESTS);
  for (const index of [2, 1, 0])
    engine.heldExchanges[index]!.respond(200, "text/plain", String(index));
  const responses = await client.responses(3);
  assert.equal(
    responses.map(({ body }) => body),
    ["0", "1", "2"],
  );
  await until(() => engine.requests === MAX_PIPELINED_REQUESTS + 3, "three more");
  client.close();
  // Input is paused, so that the server notices it only when it responds.
  await until(() => {
    for (const exchange of engine.heldExchanges) exchange.respond(200, "text/plain", "to nobody");
    return engine.open === 0;
  }, "the end");
  await expectEmpty(context);
});

test("delays requests with large heads until earlier ones are complete", async (context) => {
  const { engine, server } = context;
  const client = await RawClient.open(server.port);
  const fields = Array.from({ length: 5 }, (_, n) => `X-${n}: ${"a".repeat(8000)}\r\n`).join("");
  client.send(`GET /hold HTTP/1.1\r\n${HOST}${fields}\r\n`.repeat(6));
  for (let responseCount = 0; responseCount < 6; responseCount++) {
    await until(() => engine.heldExchanges.length > responseCount, "the next request");
    await sleep(5);
    assert.ok(
      engine.heldExchanges.length <= responseCount + 2,
      `${engine.heldExchanges.length} requests are held`,
    );
    engine.heldExchanges[responseCount]!.respond(200, "text/plain", String(responseCount));
  }
  assert.is((await client.responses(6)).at(-1)!.body, "5");
  client.close();
  await expectEmpty(context);
});

test("marks requests of a disconnected client and releases their memory", async (context) => {
  const { engine, server } = context;
  const client = await RawClient.open(server.port);
  const body = "x".repeat(200_000);
  client.send(`POST /hold HTTP/1.1\r\n${HOST}Content-Length: ${body.length}\r\n\r\n${body}`);
  await until(() => engine.heldExchanges.length === 1, "the request");
  assert.not.ok(engine.heldExchanges[0]!.aborted);
  assert.ok(engine.heldExchanges[0]!.body instanceof Uint8Array);
  client.socket.resetAndDestroy();
  await until(() => engine.heldExchanges[0]!.aborted, "the mark");
  assert.is(server.budget.used, 200_000, "the engine may still read the body");
  engine.heldExchanges[0]!.respond(200, "text/plain", "to nobody");
  await expectEmpty(context);
});

test("stops reading from a client that does not read", async (context) => {
  const { engine, server } = context;
  const client = await RawClient.open(server.port);
  client.socket.pause();
  for (let sent = 0; sent < 80; sent++) client.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n");
  await sleep(50);
  assert.ok(engine.requests < 60, `${engine.requests} answers of 1 MiB gathered`);
  client.socket.resume();
  await client.until(() => engine.requests === 80, "the rest");
  await client.until(() => client.received.length > 80 * LARGE_BYTES, "all answers");
  client.close();
  await expectEmpty(context);
});

test("ignores a second response", async (context) => {
  const { engine, server } = context;
  const client = await RawClient.open(server.port);
  client.send(`GET /hold HTTP/1.1\r\nHost: a\r\n\r\n${GET}`);
  await until(() => engine.heldExchanges.length === 1, "the request");
  engine.heldExchanges[0]!.respond(200, "text/plain", "one");
  engine.heldExchanges[0]!.respond(500, "text/plain", "two");
  const responses = await client.responses(2);
  assert.is(responses[0]!.body, "one");
  assert.is(responses[1]!.status, 200);
  assert.match(
    responses[0]!.head,
    "Connection: keep-Alive\r\nAccess-Control-Allow-Origin: *\r\nCont",
  );
  client.close();
});

test("rejects connections beyond the limit, until one closes", async (context) => {
  const { engine, server } = context;
  const clients: RawClient[] = [];
  for (let opened = 0; opened < 1100; opened++) clients.push(await RawClient.open(server.port));
  await until(() => engine.open === MAX_CONNECTIONS_PER_PORT, "the admissions");
  const rejectedClients = clients.slice(MAX_CONNECTIONS_PER_PORT);
  for (const client of rejectedClients) {
    const [response] = await client.responses(1);
    assert.is(response!.status, 429);
    await client.until(() => client.isClosed, "the end");
  }
  for (const client of clients) client.send(GET);
  const admitted = clients.slice(0, MAX_CONNECTIONS_PER_PORT);
  for (const client of admitted) assert.is((await client.responses(1))[0]!.status, 200);
  for (const client of clients) client.close();
  await expectEmpty(context);
  const laterClient = await RawClient.open(server.port);
  laterClient.send(GET);
  assert.is((await laterClient.responses(1))[0]!.status, 200);
});

test("limits the total size of bodies in progress", async (context) => {
  const { engine, server } = context;
  const used = server.budget.limit - server.budget.reserve - 150_000;
  server.budget.used = used;
  const send = async (): Promise<RawClient> => {
    const client = await RawClient.open(server.port);
    client.send(
      `POST /hold HTTP/1.1\r\n${HOST}Content-Length: 100000\r\n\r\n${"x".repeat(100_000)}`,
    );
    return client;
  };
  const first = await send();
  await until(() => engine.heldExchanges.length === 1, "the first");
  const second = await send();
  const [rejection] = await second.responses(1);
  assert.is(rejection!.status, 503);
  assert.match(rejection!.head, "\r\nRetry-After: 2\r\n");
  engine.heldExchanges[0]!.respond(200, "text/plain", "done");
  await first.responses(1);
  const thirdClient = await send();
  await until(() => engine.heldExchanges.length === 2, "the third");
  engine.heldExchanges[1]!.respond(200, "text/plain", "done");
  await thirdClient.responses(1);
  assert.is(server.budget.used, used);
});

test.run();
