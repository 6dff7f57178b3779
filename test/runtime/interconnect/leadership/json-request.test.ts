// Requests for JSON to a service that answers in every way.

import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  type JsonRequest,
  requestJson,
} from "../../../../runtime/interconnect/leadership/json-request.js";

interface Context {
  server: Server;
  url: string;
  respond: (response: ServerResponse, request: IncomingMessage, body: string) => void;
}

const test = suite<Context>("requests for JSON");

test.before.each(async (context) => {
  context.server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => context.respond(response, request, body));
  });
  await once(context.server.listen(0, "127.0.0.1"), "listening");
  context.url = `http://127.0.0.1:${(context.server.address() as AddressInfo).port}/path`;
});

test.after.each(async ({ server }) => {
  server.closeAllConnections();
  await once(server.close(), "close");
});

function send({ url }: Context, options: Partial<JsonRequest> = {}) {
  return requestJson(url, { timeoutMs: 60_000, maxBytes: 100, ...options });
}

function failure(sent: Promise<unknown>): Promise<string> {
  return sent.then(
    (value) => `no failure: ${JSON.stringify(value)}`,
    ({ message }: Error) => message,
  );
}

test("sends its body with a length, also with DELETE, and other fields", async (context) => {
  const received: unknown[] = [];
  context.respond = (response, { method, headers }, body) => {
    received.push([method, headers["content-type"], headers["content-length"], headers.a, body]);
    response.end("{}");
  };
  await send(context, { body: { a: 1 } });
  await send(context, { method: "DELETE", body: {}, headers: { a: "b" } });
  await send(context, { method: "GET" });
  const json = "application/json";
  assert.equal(received, [
    ["POST", json, "7", undefined, '{"a":1}'],
    ["DELETE", json, "2", "b", "{}"],
    ["GET", json, "0", undefined, ""],
  ]);
});

test("resolves with the status and an object, empty for other JSON", async (context) => {
  for (const [status, text, json] of [
    [200, '{"a":[1]}', { a: [1] }],
    [404, "[1]", {}],
    [500, "null", {}],
    [200, '"text"', {}],
  ] as const) {
    context.respond = (response) => response.writeHead(status).end(text);
    assert.equal(await send(context), { status, json });
  }
});

test("rejects invalid, oversized, incomplete and late responses", async (context) => {
  const text = `{"a":"${"x".repeat(91)}"}`;
  assert.is(text.length, 99);
  context.respond = (response) => response.end(`${text} `);
  assert.is((await send(context)).status, 200);
  context.respond = (response) => response.end(`${text}  `);
  assert.is(await failure(send(context)), "response longer than 100 bytes");
  context.respond = (response) => response.end("{");
  assert.is(await failure(send(context)), `response of ${context.url} is not JSON`);
  context.respond = (response) => {
    response.writeHead(200, { "Content-Length": 50 }).write("{");
    setImmediate(() => response.destroy());
  };
  assert.is(await failure(send(context)), "aborted");
  context.respond = (response) => response.destroy();
  assert.is(await failure(send(context)), "socket hang up");
  context.respond = () => undefined;
  assert.match(await failure(send(context, { timeoutMs: 20 })), /aborted/);
});

test.run();
