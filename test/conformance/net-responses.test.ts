// Unread responses: their quota of the server's memory per connection, per client and in total. No
// response is lost below the limits; beyond them the client gets an error.

import { setTimeout as sleep } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { markExclusive } from "../../runtime/base/exclusive-buffer.js";
import { NetServer } from "../../runtime/http/net/transport.js";
import { MEMORY_BYTES, serverOptions, TestEngine } from "./engine.js";
import { RawClient } from "./raw-client.js";

const MIB = 1024 * 1024;
const HOLD = "GET /hold HTTP/1.1\r\nHost: a\r\n\r\n";
const POST = "POST /hold HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx";
const ECHO = "GET /echo HTTP/1.1\r\nHost: a\r\n\r\n";

interface Context {
  server: NetServer;
  engine: TestEngine;
}

const test = suite<Context>("net responses");

test.before.each(async (context) => {
  context.engine = new TestEngine();
  context.server = new NetServer(serverOptions({ maxBodyBytes: MIB, cors: null }), context.engine);
  await context.server.listen(0, "127.0.0.1");
});
test.after.each(async ({ server, engine }) => {
  RawClient.closeAll();
  await until(() => engine.open === 0, "the end of all connections");
  assert.is(server.responses.held, 0);
  await server.close();
});

async function until(condition: () => boolean, label: string): Promise<void> {
  for (let turns = 0; !condition(); turns++) {
    if (turns > 4000) throw new Error(`${label} did not happen`);
    await sleep(1);
  }
}

/** A client that sends requests and reads nothing; resolves once they are held. */
async function deaf(context: Context, requests: string, from = "127.0.0.1"): Promise<RawClient> {
  const { engine, server } = context;
  const before = engine.heldExchanges.length;
  const count = requests.split(" /hold ").length - 1;
  const client = await RawClient.open(server.port, "127.0.0.1", from);
  client.socket.pause();
  client.send(requests);
  await until(() => engine.heldExchanges.length === before + count, "the requests");
  return client;
}

function respondToAll({ engine }: Context, bytes: number): void {
  for (const exchange of engine.heldExchanges)
    exchange.respond(200, "text/plain", Buffer.alloc(bytes, "x"));
}

test("limits one connection to its quota for any number of requests", async (context) => {
  const { server, engine } = context;
  const client = await deaf(context, HOLD.repeat(20));
  respondToAll(context, 20 * MIB);
  assert.ok(server.responses.held <= MEMORY_BYTES / 4 + MIB, `${server.responses.held}`);
  client.send(ECHO);
  await sleep(20);
  assert.is(engine.requests, 20, "no more is read from it");
  const otherClient = await RawClient.open(server.port);
  otherClient.send(ECHO);
  assert.is((await otherClient.responses(1))[0]!.status, 200);
  client.socket.resume();
  await client.until(() => client.received.length > 60 * MIB && !client.isClosed, "the answers");
  const statuses = (await client.responses(21)).map(({ status }) => status);
  assert.equal(statuses.slice(0, 3), [200, 200, 200]);
  assert.equal(new Set(statuses.slice(3, 20)), new Set([503]));
  assert.is(statuses[20], 200, "it goes on once it reads");
});

test("sends no retryable error when it drops the response of an executed POST", async (context) => {
  const client = await deaf(context, POST.repeat(3));
  respondToAll(context, 40 * MIB);
  client.socket.resume();
  const responses = await client.responses(3);
  assert.equal(
    responses.map(({ status }) => status),
    [200, 500, 500],
  );
  assert.match(responses[1]!.body, "executed");
});

test("rejects clients beyond the total limit before execution", async (context) => {
  const { server, engine } = context;
  const from = ["127.0.0.1", "127.0.0.2", "127.0.0.3"];
  for (const address of from) await deaf(context, HOLD, address);
  respondToAll(context, 100 * MIB);
  assert.ok(server.responses.held <= MEMORY_BYTES);
  server.responses.held += MEMORY_BYTES;
  const before = engine.requests;
  const lateClient = await RawClient.open(server.port, "127.0.0.1", "127.0.0.4");
  lateClient.send(ECHO);
  const [response] = await lateClient.responses(1);
  assert.is(response!.status, 503);
  assert.match(response!.head, "\r\nRetry-After: 2\r\n");
  assert.is(engine.requests, before);
  server.responses.held -= MEMORY_BYTES;
  lateClient.send(ECHO);
  assert.is((await lateClient.responses(1))[0]!.status, 200);
});

test("counts responses queued behind a slow one", async (context) => {
  const { server, engine } = context;
  const client = await deaf(context, HOLD.repeat(10));
  for (const exchange of engine.heldExchanges.slice(1)) {
    exchange.respond(200, "text/plain", Buffer.alloc(MIB, "x"));
  }
  assert.ok(server.responses.held >= 9 * MIB);
  client.send(ECHO);
  await sleep(20);
  assert.is(engine.requests, 10, `above ${MEMORY_BYTES / 32} bytes nothing is read`);
  client.socket.resume();
  engine.heldExchanges[0]!.respond(200, "text/plain", "first");
  assert.is((await client.responses(11)).at(-1)!.status, 200);
});

test("releases exclusive bytes once they are sent", async (context) => {
  const { engine } = context;
  const client = await deaf(context, HOLD.repeat(2));
  const bytes = [0, 1].map((start) =>
    Buffer.alloc(20 * MIB).map((_, index) => (index + start) & 127),
  );
  const [sole, keepAlive] = bytes as [Buffer, Buffer];
  const sent = sole.toString("latin1");
  for (const [n, exchange] of engine.heldExchanges.entries()) {
    if (n === 0) markExclusive(sole);
    exchange.respond(200, "text/plain", n === 0 ? sole : keepAlive);
  }
  await sleep(50);
  assert.is(sole.length, 20 * MIB, "the client has not read it");
  client.socket.resume();
  const responses = await client.responses(2);
  assert.ok(responses[0]!.body === sent);
  assert.ok(responses[1]!.body === keepAlive.toString("latin1"));
  await until(() => sole.length === 0, "that they are given back");
  assert.is(keepAlive.length, 20 * MIB);
});

test("releases the bytes of clients that disconnected before", async (context) => {
  const { engine, server } = context;
  for (let n = 0; n < 20; n++) {
    const client = await deaf(context, HOLD);
    const sole = Buffer.alloc(20 * MIB, "x");
    markExclusive(sole);
    engine.heldExchanges.pop()!.respond(200, "text/plain", sole);
    if (n % 2 === 0) await sleep(1);
    client.socket.resetAndDestroy();
  }
  const otherClient = await RawClient.open(server.port);
  otherClient.send(ECHO);
  assert.is((await otherClient.responses(1))[0]!.status, 200);
});

test.run();
