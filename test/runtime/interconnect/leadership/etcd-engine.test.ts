// The etcd engine, with servers that a test scripts.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openEngine } from "../../../../runtime/interconnect/leadership/engines.js";
import { encodeRecord, TIMEOUT_MS } from "../support/engine-check.js";

interface Context {
  /** Starts a server; returns its address. */
  serve: (
    respond: (request: IncomingMessage, response: ServerResponse, body: string) => void,
  ) => Promise<string>;
}

const test = suite<Context>("etcd engine");
const servers: Server[] = [];

test.before.each((context) => {
  context.serve = async (respond) => {
    const server = createServer((request, response) => {
      let body = "";
      request.setEncoding("utf8").on("data", (text: string) => (body += text));
      request.on("end", () => respond(request, response, body));
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return `127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
});

test.after.each(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

test("rejects invalid responses of etcd", async ({ serve }) => {
  let [status, text] = [200, "[]"];
  const endpoint = await serve((_request, response) => response.writeHead(status).end(text));
  const engine = openEngine(`http://${endpoint}/svc`, "B1", TIMEOUT_MS);
  assert.is((await engine.read()).text, null);
  const value = Buffer.from("{}").toString("base64");
  text = JSON.stringify({ kvs: [{ value, mod_revision: "7" }] });
  assert.equal(await engine.read(), { revision: "7", text: "{}" });
  for (const invalidBody of ["{", `"${"x".repeat(1_000_000)}"`]) {
    text = invalidBody;
    assert.is(
      await engine.read().then(
        () => "answered",
        () => "failed",
      ),
      "failed",
    );
  }
  [status, text] = [503, "{}"];
  assert.is(await engine.swap("0", encodeRecord("B1", 1)).catch(() => "failed"), "failed");
});

test("a record is read and replaced by its revision", async ({ serve }) => {
  const requests: unknown[] = [];
  let responseBody: object = {};
  const endpoint = await serve(({ url }, response, body) => {
    requests.push([url, JSON.parse(body)]);
    response.end(JSON.stringify(responseBody));
  });
  const engine = openEngine(`http://${endpoint}/svc`, "B1", TIMEOUT_MS);
  const key = base64("/svc/B1");
  assert.equal(await engine.read(), { revision: "0", text: null });
  responseBody = { kvs: [{ mod_revision: "7" }] };
  assert.equal(await engine.read(), { revision: "7", text: "" });
  responseBody = { succeeded: true, header: { revision: "8" } };
  assert.is(await engine.swap("7", "text"), "8");
  responseBody = { header: { revision: "9" } };
  assert.is(await engine.swap("7", "text"), null);
  const compare = [{ key, target: "MOD", result: "EQUAL", mod_revision: "7" }];
  const success = [{ request_put: { key, value: base64("text") } }];
  assert.equal(requests, [
    ["/v3/kv/range", { key }],
    ["/v3/kv/range", { key }],
    ["/v3/kv/txn", { compare, success }],
    ["/v3/kv/txn", { compare, success }],
  ]);
  await engine.close();
});

test("queries the next server after a failure, and stays with it", async ({ serve }) => {
  const asked: number[] = [];
  let away = 0;
  const places = [0, 1, 2].map((n) =>
    serve((_request, response) => {
      asked.push(n);
      response.writeHead(n === away ? 503 : 200).end("{}");
    }),
  );
  const uri = `http://${(await Promise.all(places)).join(",")}/svc`;
  const engine = openEngine(uri, "B1", TIMEOUT_MS);
  const read = (): Promise<string> =>
    engine.read().then(
      () => "answered",
      ({ message }: Error) => message,
    );
  assert.is(await read(), "etcd answers 503");
  assert.equal([await read(), await read()], ["answered", "answered"]);
  for (const next of [1, 2]) {
    away = next;
    assert.is(await read(), "etcd answers 503");
  }
  assert.is(await read(), "answered");
  assert.equal(asked, [0, 1, 1, 1, 2, 0]);
});

test.run();
