// Client of the warm-up: responses in pieces, without a length, and connections that end.

import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { WarmUpClient } from "../../../runtime/engine/warm-up-client.js";

interface Context {
  server: Server;
  client: WarmUpClient;
  /** Requests by connection. */
  requests: string[][];
  /** Answers the next request. */
  respond: (socket: Socket) => unknown;
}

const OK = "HTTP/1.1 200 OK\r\n";

const test = suite<Context>("client of the warm-up");

test.before.each(async (context) => {
  context.requests = [];
  context.server = createServer((socket) => {
    const requests: string[] = [];
    context.requests.push(requests);
    socket.setEncoding("latin1");
    socket.on("data", (text: string) => {
      requests.push(text);
      context.respond(socket);
    });
    socket.on("error", () => {});
  });
  await once(context.server.listen(0, "127.0.0.1"), "listening");
  const { port } = context.server.address() as AddressInfo;
  context.client = new WarmUpClient("127.0.0.1", port, "A: b\r\n");
});

test.after.each(({ server, client }) => {
  client.close();
  server.close();
});

test("sends requests over one connection", async (context) => {
  const { client, requests } = context;
  context.respond = (socket) => socket.write(`${OK}content-length: 2\r\n\r\nok`);
  assert.equal([await client.call("/a"), await client.call("/b?c=d")], [200, 200]);
  assert.is(requests.length, 1);
  assert.match(requests[0]![0]!, /^GET \/a HTTP\/1\.1\r\nHost: 127\.0\.0\.1:\d+\r\nA: b\r\n\r\n$/);
  assert.match(requests[0]![1]!, /^GET \/b\?c=d HTTP/);
});

test("assembles responses that arrive in pieces", async (context) => {
  const text = `HTTP/1.1 404 Not Found\r\nContent-Length: 5\r\n\r\n\xe4bcde`;
  context.respond = async (socket) => {
    for (const character of text) {
      socket.write(character, "latin1");
      await delay(1);
    }
  };
  for (let call = 0; call < 2; call++) assert.is(await context.client.call("/"), 404);
  assert.is(context.requests.length, 1);
});

test("a response without a length, or with `close`, ends its connection", async (context) => {
  const { client, requests } = context;
  context.respond = (socket) => socket.write("HTTP/1.1 204 No Content\r\nServer: svc\r\n\r\n");
  assert.is(await client.call("/"), 204);
  context.respond = (socket) => socket.write(`${OK}Transfer-Encoding: chunked\r\n\r\n1\r\n`);
  assert.is(await client.call("/"), "a stream");
  context.respond = (socket) =>
    socket.write("HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
  assert.is(await client.call("/"), 400);
  context.respond = (socket) => socket.write(`${OK}Content-Length: 0\r\n\r\n`);
  assert.is(await client.call("/"), 200);
  assert.equal(
    requests.map((batch) => batch.length),
    [1, 1, 1, 1],
  );
});

test("returns no response when its connection ends, and opens another", async (context) => {
  const { client, requests } = context;
  context.respond = (socket) => socket.end(`${OK}Content-Length: 2\r\n\r\no`);
  assert.is(await client.call("/"), null);
  const pending = client.call("/");
  client.close();
  assert.is(await pending, null);
  context.respond = (socket) => socket.write(`${OK}Content-Length: 2\r\n\r\nok`);
  assert.is(await client.call("/"), 200);
  assert.ok(requests.length >= 2);
});

test("returns no response when the server does not listen", async ({ server, client }) => {
  server.close();
  await once(server, "close");
  assert.is(await client.call("/"), null);
});

test.run();
