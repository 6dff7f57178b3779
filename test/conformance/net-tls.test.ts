// The `net` transport over TLS: every rule of the conformance suite, quotas of one client, and
// limits before the first request.
// limit: 60 s
// takes 45 s

import { once } from "node:events";
import { connect as connectTcp } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "node:tls";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { HEAD_TIMEOUT_MS, MAX_CONNECTIONS_PER_PORT } from "../../runtime/base/limits.js";
import { NetServer, netTransport } from "../../runtime/http/net/transport.js";
import type { ServerOptions } from "../../runtime/http/transport.js";
import { BELIEVES, createMaterial, KNOWN_CLIENT } from "../support/certificates.js";
import { serverOptions, TestEngine } from "./engine.js";
import { RawClient } from "./raw-client.js";
import { addConformance } from "./run.js";

const HOST = "Host: a\r\n";
const GET = `GET /echo HTTP/1.1\r\n${HOST}\r\n`;
const HERE = "127.0.0.1";

const conformance = suite("net conformance over TLS");
const encryption = { material: () => createMaterial("server"), client: BELIEVES };
addConformance(conformance, netTransport, undefined, encryption);
conformance.run();

interface Context {
  engine: TestEngine;
  servers: NetServer[];
}

const test = suite<Context>("net over TLS");

test.before.each((context) => {
  context.engine = new TestEngine();
  context.servers = [];
});
test.after.each(async ({ servers, engine }) => {
  RawClient.closeAll();
  await Promise.all(servers.map((server) => server.close()));
  for (const { clients } of servers) {
    for (const from of [HERE, "127.0.0.2"]) assert.is(clients.at(from).connections, 0);
  }
  assert.is(engine.open, 0);
});

async function serverWith(
  { engine, servers }: Context,
  changes: Partial<ServerOptions> = {},
  address = HERE,
): Promise<NetServer> {
  const tls = await createMaterial("server");
  const server = new NetServer(serverOptions({ tls, ...changes }), engine);
  servers.push(server);
  await server.listen(0, address);
  return server;
}

function open(server: NetServer, from = HERE, client: object = BELIEVES): Promise<RawClient> {
  return RawClient.open(server.port, HERE, from, client);
}

async function fetchStatus(client: RawClient, text = GET): Promise<number> {
  client.send(text);
  return (await client.responses(1))[0]!.status;
}

async function until(condition: () => boolean, label: string): Promise<void> {
  for (let turns = 0; !condition(); turns++) {
    if (turns > 4000) throw new Error(`${label} did not happen`);
    await sleep(1);
  }
}

test("a connection without a completed handshake counts and times out", async (context) => {
  const limits = { connections: 3, requestsPerSecond: 0 };
  const server = await serverWith(context, { limits });
  const first = await open(server, "127.0.0.2");
  assert.is(await fetchStatus(first), 200);
  const mute = await RawClient.open(server.port, HERE, "127.0.0.2");
  const slowClient = await RawClient.open(server.port, HERE, "127.0.0.2");
  slowClient.send("\x16\x03\x01");
  await until(() => server.clients.at("127.0.0.2").counted === 3, "all three");
  const excessClient = await RawClient.open(server.port, HERE, "127.0.0.2");
  await excessClient.until(() => excessClient.isClosed, "the end of one too many");
  assert.is(excessClient.received, "");
  assert.is(await fetchStatus(await open(server, "127.0.0.3")), 200, "another address");

  // Slowly arriving bytes are no progress.
  server.sweep(performance.now() + HEAD_TIMEOUT_MS / 2);
  slowClient.send("\x02");
  assert.not.ok(mute.isClosed || slowClient.isClosed);
  server.sweep(performance.now() + HEAD_TIMEOUT_MS);
  await slowClient.until(() => mute.isClosed && slowClient.isClosed, "the end of both");
  await until(() => server.clients.at("127.0.0.2").counted === 1, "room for others");
  assert.is(await fetchStatus(await open(server, "127.0.0.2")), 200);
  assert.is(await fetchStatus(first), 200, "who was there before");
});

test("silent connections of one address do not block others", async (context) => {
  const server = await serverWith(context);
  const silent = Array.from({ length: MAX_CONNECTIONS_PER_PORT }, () =>
    RawClient.open(server.port, HERE),
  );
  await Promise.all(silent);
  await until(() => server.clients.at(HERE).connections === silent.length, "all of them");
  const client = await open(server, "127.0.0.2");
  const two = await open(server, "127.0.0.3");
  assert.is(await fetchStatus(client), 200);
  assert.is(await fetchStatus(two), 200);
  assert.is(server.clients.at(HERE).connections, silent.length - 2);
  await assertFails(open(server));
});

test("a connection without TLS is closed without affecting others", async (context) => {
  const server = await serverWith(context);
  const client = await open(server);
  for (const text of [GET, "\x16\x03\x01\x00\x05garbage", "\0".repeat(5000)]) {
    const plainClient = await RawClient.open(server.port);
    plainClient.send(text);
    await plainClient.until(() => plainClient.isClosed, "the end");
    assert.not.ok(plainClient.received.includes("HTTP"), plainClient.received);
  }
  const old = connect({ port: server.port, host: HERE, ...BELIEVES, maxVersion: "TLSv1.1" });
  await assertFails(once(old, "secureConnect"));
  assert.is(await fetchStatus(client), 200);
  assert.is(context.engine.requests, 1);
});

test("offers TLS 1.2 without CBC", async (context) => {
  const server = await serverWith(context);
  const withSuite = (ciphers: string) =>
    open(server, HERE, { ...BELIEVES, ciphers, maxVersion: "TLSv1.2" });
  for (const suites of ["ECDHE-RSA-AES128-SHA256:ECDHE-RSA-AES128-SHA", "ECDHE-ECDSA-AES256-SHA"]) {
    await assertFails(withSuite(suites));
  }
  const client = await withSuite("ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES128-GCM-SHA256");
  assert.is(await fetchStatus(client), 200);
});

test("responds to an endless head with 408", async (context) => {
  const server = await serverWith(context);
  const client = await open(server);
  client.send("GET /echo HTTP/1.1\r\nHost:");
  await until(() => (server.connections()[0]?.bytesIn ?? 0) > 0, "its first bytes");
  server.sweep(performance.now() + HEAD_TIMEOUT_MS + 1);
  assert.is((await client.responses(1))[0]!.status, 408);
  await client.until(() => client.isClosed, "the end");
});

test("a body above the limit is rejected and its memory released", async (context) => {
  const server = await serverWith(context, { maxBodyBytes: 1000 });
  const client = await open(server);
  const head = `POST /echo HTTP/1.1\r\n${HOST}Content-Length: 2000\r\n\r\n`;
  assert.is(await fetchStatus(client, head + "x".repeat(2000)), 413);
  assert.is(await fetchStatus(client), 200);
  assert.is(server.budget.used, 0);
});

test("requests per address are rate-limited", async (context) => {
  const limits = { connections: 0, requestsPerSecond: 20 };
  const client = await open(await serverWith(context, { limits }), "127.0.0.2");
  client.send(GET.repeat(60));
  const statuses = (await client.responses(60)).map(({ status }) => status);
  assert.equal(statuses.slice(0, 20), new Array(20).fill(200));
  assert.ok(statuses.includes(429));
});

test("responses for a client that does not read are buffered up to a limit", async (context) => {
  const server = await serverWith(context, { responseMemoryBytes: 4 * 1024 * 1024 });
  const client = await open(server);
  client.socket.pause();
  client.send(`GET /large HTTP/1.1\r\n${HOST}\r\n`.repeat(60));
  await until(() => context.engine.requests > 0, "the first request");
  await sleep(100);
  assert.ok(context.engine.requests < 60, "it is read no further than its answers go out");
  assert.ok(server.responses.held <= 6 * 1024 * 1024, `${server.responses.held} bytes are held`);
});

test("clients need a certificate of the CA if it is required", async (context) => {
  const server = await serverWith(context, { tls: await createMaterial("server", "ca.pem") });
  assert.is(await fetchStatus(await open(server, HERE, KNOWN_CLIENT)), 200);
  for (const client of [BELIEVES, await strayClient()]) {
    await assertFails(open(server, HERE, client).then((client) => fetchStatus(client)));
  }
  assert.is(context.engine.requests, 1);
});

async function strayClient(): Promise<object> {
  const { options } = await createMaterial("stray");
  return { ...BELIEVES, ...options };
}

test("renewed certificates apply to new connections and keep existing ones", async (context) => {
  const server = await serverWith(context);
  const before = await open(server);
  server.useTls(await createMaterial("renewed"));
  const after = await open(server);
  assert.is(peerSubject(before), "svc test server");
  assert.is(peerSubject(after), "svc test server renewed");
  assert.is(await fetchStatus(before), 200);
  assert.is(await fetchStatus(after), 200);
});

test("a drain serves connected clients and closes incomplete handshakes", async (context) => {
  const server = await serverWith(context);
  const client = await open(server);
  const mute = await RawClient.open(server.port);
  client.send(`GET /hold HTTP/1.1\r\n${HOST}\r\n`);
  await until(() => context.engine.heldExchanges.length === 1, "the request");
  server.retire();
  const drained = server.drain(500).then(() => server.close());
  context.engine.heldExchanges[0]!.respond(200, "text/plain", "last");
  assert.is((await client.responses(1))[0]!.body, "last");
  await drained;
  await client.until(() => client.isClosed && mute.isClosed, "the end of both");
  context.servers.length = 0;
});

function peerSubject({ socket }: RawClient): string {
  return (socket as ReturnType<typeof connect>).getPeerCertificate().subject.CN as string;
}

async function assertFails(attempt: Promise<unknown>): Promise<void> {
  const failed = await attempt.then(
    () => false,
    () => true,
  );
  assert.ok(failed, "it should fail");
}

test("connections from one client port to two addresses are distinct", async (context) => {
  const server = await serverWith(context, {}, "0.0.0.0");
  const first = connectTcp({ port: server.port, host: HERE, localAddress: "127.0.0.3" });
  await once(first, "connect");
  const from = { localAddress: "127.0.0.3", localPort: first.localPort! };
  const second = connectTcp({ port: server.port, host: "127.0.0.2", ...from });
  await once(second, "connect");
  while (server.clients.at("127.0.0.3").connections < 2) await sleep(1);
  const ends = [first, second].map((socket) => once(socket.resume(), "close"));
  await server.close();
  await Promise.all(ends);
  assert.is(server.clients.at("127.0.0.3").connections, 0);
});

test.run();
