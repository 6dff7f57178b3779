// Clients behind proxies at the `net` transport: limits count for the client that a proxy names.
// limit: 60 s

import { networkInterfaces } from "node:os";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { HEAD_TIMEOUT_MS } from "../../runtime/base/limits.js";
import { clientAddress, clientUrl } from "../../runtime/http/client-address.js";
import { NetServer } from "../../runtime/http/net/transport.js";
import type { ServerOptions } from "../../runtime/http/transport.js";
import { BELIEVES, createMaterial } from "../support/certificates.js";
import { serverOptions, TestEngine } from "./engine.js";
import { RawClient } from "./raw-client.js";

const PROXY = "127.0.0.1";
const OTHER = "127.0.0.2";
const MIB = 1024 * 1024;

interface Context {
  engine: TestEngine;
  server: NetServer;
}
const test = suite<Context>("net proxies");

test.before.each((context) => {
  context.engine = new TestEngine();
});
test.after.each(async ({ server }) => {
  RawClient.closeAll();
  await server.close();
  assert.is(server.budget.used, 0);
});

async function listen(
  context: Context,
  changes: Partial<ServerOptions>,
  host = "127.0.0.1",
): Promise<NetServer> {
  context.server = new NetServer(serverOptions({ proxies: [PROXY], ...changes }), context.engine);
  await context.server.listen(0, host);
  return context.server;
}

function request(client: string | null, path = "/echo"): string {
  const field = client === null ? "" : `X-Forwarded-For: ${client}\r\n`;
  return `GET ${path} HTTP/1.1\r\nHost: a\r\n${field}\r\n`;
}

async function statuses(client: RawClient, count: number): Promise<number[]> {
  return (await client.responses(count)).map(({ status }) => status);
}

async function held({ engine }: Context, client: RawClient): Promise<string> {
  await client.until(() => engine.heldExchanges.length > 0, "the request");
  const exchange = engine.heldExchanges.shift()!;
  exchange.respond(200, "text/plain", "x");
  await client.responses(1);
  return `${clientAddress(exchange)} ${clientUrl(exchange)}`;
}

test("names the client that a proxy forwards for, per request", async (context) => {
  const { port } = await listen(context, {});
  const client = await RawClient.open(port, "127.0.0.1", PROXY);
  for (const [named, clientAddress] of [
    ["192.0.2.1", "192.0.2.1 http://192.0.2.1:0/"],
    ["2001:db8::1", "2001:db8::1 http://[2001:db8::1]:0/"],
    ["127.0.0.1, 192.0.2.2", "192.0.2.2 http://192.0.2.2:0/"],
    [null, `127.0.0.1 http://127.0.0.1:${client.socket.localPort}/`],
  ] as const) {
    client.send(request(named, "/hold"));
    assert.is(await held(context, client), clientAddress);
  }
});

test("ignores the forwarding fields of other clients", async (context) => {
  const { port } = await listen(context, {});
  const client = await RawClient.open(port, "127.0.0.1", OTHER);
  client.send(request("192.0.2.1", "/hold"));
  assert.match(await held(context, client), /^127\.0\.0\.2 http:\/\/127\.0\.0\.2:[1-9]/);
});

test("limits the rate of each client behind a proxy, not of the proxy", async (context) => {
  const limits = { connections: 1, requestsPerSecond: 2 };
  const { port } = await listen(context, { limits });
  const client = await RawClient.open(port, "127.0.0.1", PROXY);
  const two = await RawClient.open(port, "127.0.0.1", PROXY);
  client.send(request("192.0.2.1").repeat(4));
  assert.equal(await statuses(client, 4), [200, 200, 429, 429]);
  two.send(request("192.0.2.1") + request("192.0.2.2"));
  assert.equal(await statuses(two, 2), [429, 200]);
});

test("counts bodies for the client behind a proxy", async (context) => {
  const { port, budget } = await listen(context, { maxBodyBytes: 64 * MIB, bodyMemoryBytes: MIB });
  const post = (from: string, bytes: number): string =>
    request(from)
      .replace("GET", "POST")
      .replace("\r\n\r\n", `\r\nContent-Length: ${bytes}\r\n\r\n`);
  const proxies: RawClient[] = [];
  for (const from of ["192.0.2.1", "192.0.2.1", "192.0.2.2"]) {
    const client = await RawClient.open(port, "127.0.0.1", PROXY);
    proxies.push(client);
    const before = budget.used;
    client.send(post(from, 300_001) + "x".repeat(300_000));
    await client.until(() => budget.used > before || client.received !== "", "the body");
  }
  assert.equal(
    proxies.map(({ received }) => received.slice(0, 12)),
    ["", "HTTP/1.1 503", ""],
    "half of the memory is one client's",
  );
});

test("takes the client from the PROXY protocol", async (context) => {
  const { port } = await listen(context, { proxyProtocol: true });
  const headers = [
    "PROXY TCP4 192.0.2.1 10.0.0.1 4711 80\r\n",
    "\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c\xc0\0\x02\x01\x0a\0\0\x01\x12\x67\0\x50",
  ];
  for (const header of headers) {
    const text = header + request(null, "/hold");
    for (const cut of [1, 11, 12, 16, header.length - 1, header.length, header.length + 9]) {
      const client = await RawClient.open(port, "127.0.0.1", PROXY);
      client.send(text.slice(0, cut));
      await new Promise((resolve) => setTimeout(resolve, 1));
      client.send(text.slice(cut));
      assert.is(await held(context, client), "192.0.2.1 http://192.0.2.1:4711/", `cut at ${cut}`);
    }
  }
  const unknownClient = await RawClient.open(port, "127.0.0.1", PROXY);
  unknownClient.send(`PROXY UNKNOWN\r\n${request(null, "/hold")}`);
  assert.is(await held(context, unknownClient), "unknown http://unknown:0/");
  const check = await RawClient.open(port, "127.0.0.1", PROXY);
  check.send(`\r\n\r\n\0\r\nQUIT\n\x20\0\0\0${request(null, "/hold")}`);
  assert.match(await held(context, check), /^127\.0\.0\.1 http:\/\/127\.0\.0\.1:[1-9]/);
});

test("makes room for clients behind a proxy of the PROXY protocol", async (context) => {
  const { port } = await listen(context, { proxyProtocol: true, maxConnections: 4 });
  const idle: RawClient[] = [];
  for (const from of ["192.0.2.1", "192.0.2.2", "192.0.2.1", "192.0.2.1"]) {
    const client = await RawClient.open(port, "127.0.0.1", PROXY);
    client.send(`PROXY TCP4 ${from} 10.0.0.1 4711 80\r\n${request(null)}`);
    await client.responses(1);
    idle.push(client);
  }
  const lateClient = await RawClient.open(port, "127.0.0.1", PROXY);
  lateClient.send(`PROXY TCP4 192.0.2.3 10.0.0.1 4711 80\r\n${request(null)}`);
  assert.equal(await statuses(lateClient, 1), [200]);
  await lateClient.until(() => idle[0]!.isClosed, "the end of the longest idle");
  assert.equal(
    idle.map(({ isClosed }) => isClosed),
    [true, false, false, false],
  );
});

/** An address that is not loopback; undefined without a network. */
const address = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === "IPv4" && !internal)?.address;

(address === undefined ? test.skip : test)(
  "does not take the loopback of a proxy's machine for its own",
  async (context) => {
    const { port } = await listen(context, { proxyProtocol: true, proxies: [address!] }, "0.0.0.0");
    const client = await RawClient.open(port, address!);
    client.send(`PROXY TCP4 127.0.0.1 127.0.0.1 4711 80\r\n${request(null, "/hold")}`);
    assert.is(await held(context, client), "unknown http://unknown:4711/");
  },
);

test("requires the PROXY protocol from proxies only", async (context) => {
  const { port } = await listen(context, { proxyProtocol: true });
  for (const text of [request(null), "PROXY TCP4 a b 1 2\r\n", "PROXYTCP4"]) {
    const client = await RawClient.open(port, "127.0.0.1", PROXY);
    client.send(text);
    await client.until(() => client.isClosed, "the end");
    assert.is(client.received, "");
  }
  const otherClient = await RawClient.open(port, "127.0.0.1", OTHER);
  otherClient.send(request(null));
  assert.equal(await statuses(otherClient, 1), [200]);
  const spoofing = await RawClient.open(port, "127.0.0.1", OTHER);
  spoofing.send(`PROXY TCP4 192.0.2.1 10.0.0.1 4711 80\r\n${request(null)}`);
  assert.equal(await statuses(spoofing, 1), [400]);
  assert.is(context.engine.requests, 1);
});

test("ends connections that send no PROXY header", async (context) => {
  const server = await listen(context, { proxyProtocol: true, maxConnections: 2 });
  const silentClient = await RawClient.open(server.port, "127.0.0.1", PROXY);
  const half = await RawClient.open(server.port, "127.0.0.1", PROXY);
  half.send("PROXY ");
  await half.until(() => server.waitingForProxy === 2, "both");
  server.sweep(performance.now() + HEAD_TIMEOUT_MS);
  await half.until(() => silentClient.isClosed && half.isClosed, "the end of both");
  const secondClient = await RawClient.open(server.port, "127.0.0.1", PROXY);
  secondClient.socket.end("PROXY ");
  await secondClient.until(() => secondClient.isClosed, "the end of one cut off");
  assert.is(server.waitingForProxy, 0);
});

test("reads the PROXY protocol before TLS", async (context) => {
  const tls = await createMaterial("server");
  const { port } = await listen(context, { proxyProtocol: true, tls });
  const { connect } = await import("node:tls");
  const client = await RawClient.open(port, "127.0.0.1", PROXY);
  client.socket.removeAllListeners("data");
  client.send("PROXY TCP4 192.0.2.1 10.0.0.1 4711 80\r\n");
  const secured = connect({ socket: client.socket, ...BELIEVES });
  secured.write(request(null, "/hold"));
  let received = "";
  secured.on("data", (chunk) => {
    received += chunk;
  });
  await client.until(() => context.engine.heldExchanges.length > 0, "the request");
  const exchange = context.engine.heldExchanges.shift()!;
  assert.is(clientUrl(exchange), "http://192.0.2.1:4711/");
  exchange.respond(200, "text/plain", "x");
  await client.until(() => received.startsWith("HTTP/1.1 200"), "the response");
  secured.destroy();
});

test.run();
