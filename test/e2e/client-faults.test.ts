// Calls of a client over real connections that fail in every way: the error, retries, and that no
// resources are leaked.
// limit: 60 s

import dns from "node:dns";
import { getEventListeners } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  Connection,
  type ErrorKind,
  type Operation,
  SvcError,
} from "../../client/typescript/runtime.js";
import {
  cut,
  failure,
  ok,
  reset,
  respond,
  ScriptedServer,
  type Step,
  silence,
} from "./support/scripted-server.js";

const test = suite("client faults");
const HASH = "a".repeat(64);
const FIND: Operation = { path: "/svc/plugin/find" };
const READ: Operation = { path: "/svc/plugin/read", readonly: true };
const WRITE: Operation = { path: "/svc/plugin/write", content: "str" };
const HEALTH: Operation = { path: "/svc/hc", text: true };
const HEAD = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n";
const { random } = Math;
let server: ScriptedServer;
let client: Connection;

test.before(async () => {
  // Retries wait for a random part of a second: 0 here.
  Math.random = () => 0;
  server = await ScriptedServer.start();
});

test.before.each(() => {
  server.script(ok(1));
  client = new Connection({ baseUrl: server.url, warn: unexpected }, HASH);
});

test.after(async () => {
  Math.random = random;
  await server.close();
});

function unexpected(message: string): never {
  throw new Error(message);
}

/** The error that a call must reject with. */
async function failed(call: Promise<unknown>, kind: ErrorKind): Promise<SvcError> {
  const error = await call.then(
    (value) => unexpected(`${JSON.stringify(value)} instead of an error`),
    (reason: unknown) => reason,
  );
  assert.instance(error, SvcError);
  assert.is((error as SvcError).kind, kind, String(error));
  return error as SvcError;
}

test("returns the response from a call, the envelope from a raw one", async () => {
  server.script(ok({ a: 1 }));
  assert.equal(await client.call(FIND, { q: "x" }, undefined), { a: 1 });
  assert.equal(await client.callRaw(FIND, undefined, undefined), {
    ...{ status: "OK", response: { a: 1 }, level: 0, partitions: null, exec_ms: 0.25 },
  });
  assert.equal(
    server.received.map(({ method, url }) => `${method} ${url}`),
    ["GET /svc/plugin/find?q=x", "GET /svc/plugin/find"],
  );
});

test("returns text unchanged", async () => {
  server.script(respond(200, '{"status": "ERROR"}'));
  assert.is(await client.call(HEALTH, {}, {}), '{"status": "ERROR"}');
  server.script(respond(200, ""));
  assert.is(await client.call(HEALTH, {}, {}), "");
  server.script(respond(404, "gone"));
  assert.is((await failed(client.call(HEALTH, {}, {}), "http")).envelope, "gone");
  server.script(failure(400, { svc: { exception: "E", value: "v" } }));
  await failed(client.call(HEALTH, {}, {}), "parameter");
});

test("follows no redirects", async () => {
  const head = `HTTP/1.1 307 x\r\nLocation: ${server.url}/svc/plugin/write\r\n`;
  const pointing = createServer((socket) => {
    socket.once("data", () => socket.end(`${head}Connection: close\r\n\r\n`));
  });
  await new Promise<void>((resolve) => pointing.listen(0, "127.0.0.1", resolve));
  const baseUrl = `http://127.0.0.1:${(pointing.address() as AddressInfo).port}`;
  const misled = new Connection({ baseUrl, headers: { authorization: "x" }, retries: 0 }, HASH);
  await failed(misled.call(WRITE, { content: "secret" }, {}), "network");
  assert.equal(server.received, []);
  pointing.close();
});

test("maps each shape of an error body to a kind", async () => {
  const detail = { exception: "<class 'E'>", value: "v" };
  const shapes: readonly [ErrorKind, number, unknown][] = [
    ["parameter", 400, { svc: detail }],
    ["result", 500, { svc: detail }],
    ["plugin", 500, { plugin: { ...detail, traceback: ["line"] } }],
    ["system", 500, { system: detail }],
    ["backend", 500, "<partial: 0 width: 2> | 400 | {'svc': {'exception': 'E', 'value': 'v'}}"],
    ["http", 404, "not found"],
  ];
  for (const [kind, status, message] of shapes) {
    server.script(failure(status, message));
    const error = await failed(client.call(READ, {}, {}), kind);
    assert.is(error.status, status);
    assert.is(server.received.length, 1);
  }
});

test("reports a response without an envelope as an HTTP error", async () => {
  for (const body of ["", "<html>", '{"status": "OK", "response": ', "null", "[1]", '"OK"']) {
    for (const status of [200, 502]) {
      server.script(respond(status, body));
      const error = await failed(client.call(READ, {}, {}), "http");
      assert.is(error.status, status);
      assert.is(server.received.length, 1);
    }
  }
  server.script(respond(500, '{"status": "OK", "response": 1}'));
  await failed(client.call(READ, {}, {}), "http");
  server.script(failure(200, "an error all the same"));
  await failed(client.call(READ, {}, {}), "http");
});

/** Possibly executed, although no complete response arrived. */
const LOSSES: Readonly<Record<string, Step>> = {
  "before the response": reset(),
  "in order, before the response": cut(""),
  "within the head": reset(HEAD.slice(0, 20)),
  "within the body": reset(`${HEAD}{"status": "OK", `),
  "in order, within the body": cut(`${HEAD}{"status": "OK", `),
  "in a chunk": cut("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{}"),
  "by invalid data": cut("nonsense\r\n\r\n"),
};

for (const [where, loss] of Object.entries(LOSSES)) {
  test(`retries only retryable calls after a connection lost ${where}`, async () => {
    server.script(loss, ok(2));
    await failed(client.call(FIND, {}, {}), "network");
    assert.is(server.received.length, 1);
    server.script(loss, ok(2));
    await failed(client.call(WRITE, { content: "x" }, {}), "network");
    assert.is(server.received.length, 1);
    server.script(loss, ok(2));
    assert.is(await client.call(READ, {}, {}), 2);
    server.script(loss, loss, ok(2));
    assert.is(await client.call(WRITE, { content: "x" }, { idempotent: true }), 2);
    assert.equal(
      server.received.map(({ method, body }) => `${method} ${body}`),
      ["POST x", "POST x", "POST x"],
    );
  });
}

test("repeats a change with its key, whatever happened to the first attempt", async () => {
  const change: Operation = { ...WRITE, once: true };
  const inProgress = failure(409, "SVC3405: a request with this Idempotency-Key is in progress");
  const receivedKeys = () => server.received.map(({ headers }) => headers["idempotency-key"]);
  server.script(reset(), inProgress, ok(2));
  assert.is(await client.call(change, { content: "x" }, { retries: 2 }), 2);
  const keys = receivedKeys();
  assert.match(String(keys[0]), /^"[0-9a-f]{32}"$/);
  assert.equal(keys, Array(3).fill(keys[0]));
  server.script(failure(421, "S1 leads the group"), ok(2));
  assert.is(await client.call(change, { content: "x" }, {}), 2);
  // `fetch` repeats after 421 by itself; if the body was late, it fails and repeats all the same.
  assert.ok(receivedKeys().length >= 2);
  assert.is(new Set(receivedKeys()).size, 1);
  server.script(ok(1));
  await client.call(change, { content: "x" }, {});
  assert.not.equal(server.received[0]!.headers["idempotency-key"], keys[0]);
  server.script(failure(409, "something else"));
  await failed(client.call(change, { content: "x" }, {}), "http");
  assert.is(server.received.length, 1);
  server.script(ok(1));
  await client.call(change, { content: "x" }, { headers: { "Idempotency-Key": "own" } });
  await client.call({ ...change, readonly: true }, { content: "x" }, {});
  await client.call(FIND, {}, {});
  assert.equal(receivedKeys(), ["own", undefined, undefined]);
});

test("retries a POST after 429 and 503: neither was executed", async () => {
  const full = failure(429, "Cannot accept new connection at this time");
  server.script(full, failure(503, "Service Out"), ok(3));
  assert.is(await client.call(WRITE, { content: "x" }, {}), 3);
  assert.is(server.received.length, 3);
});

test("rejects with the last response when retries are exhausted", async () => {
  server.script(failure(429, "full"), failure(503, "first"), failure(503, "second"), ok(1));
  const error = await failed(client.call(FIND, {}, {}), "http");
  assert.is(error.status, 503);
  assert.is(error.message, "/svc/plugin/find: second");
  assert.is(server.received.length, 3);
  server.script(failure(503, "once"), ok(1));
  await failed(client.call(READ, {}, { retries: 0 }), "http");
  assert.is(server.received.length, 1);
});

test("retries a truncated refusal like a complete one", async () => {
  server.script(cut("HTTP/1.1 503 Out\r\nContent-Length: 9\r\n\r\n{"), ok(1));
  assert.is(await client.call(WRITE, { content: "x" }, {}), 1);
});

test("retries any call when the connection is refused", async () => {
  const unused = createServer();
  await new Promise<void>((resolve) => unused.listen(0, "127.0.0.1", resolve));
  const { port } = unused.address() as AddressInfo;
  await new Promise((resolve) => unused.close(resolve));
  for (const baseUrl of [`http://127.0.0.1:${port}`, "http://nowhere.invalid"]) {
    let attempts = 0;
    const counting: typeof fetch = (...args) => {
      attempts++;
      return fetch(...args);
    };
    const call = client.with({ baseUrl, fetch: counting }).call(WRITE, { content: "x" }, {});
    const error = await failed(call, "network");
    assert.is(attempts, 3);
    assert.is(error.status, null);
    assert.match(error.message, /^\/svc\/plugin\/write: (connect ECONNREFUSED|getaddrinfo )/);
  }
});

test("retries when no address of a host name accepts", async () => {
  const { lookup } = dns;
  let lookups = 0;
  const twoAddresses = (
    _: string,
    __: object,
    callback: (error: null, addresses: object[]) => void,
  ) => {
    lookups++;
    // The first port is closed.
    callback(null, [
      { address: "127.0.0.1", family: 4 },
      { address: "127.0.0.2", family: 4 },
    ]);
  };
  dns.lookup = twoAddresses as unknown as typeof lookup;
  try {
    const call = client.with({ baseUrl: "http://two.test:2" }).call(FIND, {}, {});
    const error = await failed(call, "network");
    assert.instance((error.cause as Error).cause, AggregateError);
    assert.is(lookups, 3);
  } finally {
    dns.lookup = lookup;
  }
});

test("stops retrying when the client's retry budget is exhausted", async () => {
  server.script(failure(503, "out"));
  const derived = client.with({ headers: { a: "b" } });
  for (let call = 0; call < 4; call++) {
    await failed(client.call(FIND, {}, { retries: 3, timeoutMs: 0 }), "http");
    if (call === 0) assert.is(server.received.length, 4);
  }
  assert.is(server.received.length, 4 + 10);
  await failed(derived.call(FIND, {}, {}), "http");
  assert.is(server.received.length, 4 + 10 + 1);
  server.script(ok(1));
  // One retry for ten successes, in fractions that add up to slightly less.
  for (let call = 0; call < 11; call++) await client.call(FIND, {}, {});
  server.script(failure(503, "out"));
  await failed(derived.call(FIND, {}, {}), "http");
  assert.is(server.received.length, 2);
});

test("rejects an aborted call at once with its reason and frees its resources", async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const before = timers();
  const aborts: Readonly<Record<string, Step>> = {
    silence,
    half: (response) => response.write('{"status'),
    refused: failure(503, "out"),
  };
  for (const step of Object.values(aborts)) {
    server.script(step);
    const controller = new AbortController();
    const call = client.call(READ, {}, { signal: controller.signal, retries: 1e9 });
    await server.arrival();
    const reason = new Error("enough");
    controller.abort(reason);
    const error = await failed(call, "aborted");
    assert.is(error.cause, reason);
    assert.is(error.status, null);
    assert.equal(getEventListeners(controller.signal, "abort"), []);
  }
  server.script(ok(1));
  const careless: typeof fetch = (url, init) => fetch(url, { ...init, signal: null });
  const lateClient = client.with({ fetch: careless });
  await failed(lateClient.call(READ, {}, { signal: AbortSignal.abort() }), "aborted");
  assert.is(server.received.length, 0);
  const { signal } = new AbortController();
  assert.is(await client.call(READ, {}, { signal }), 1);
  assert.equal(getEventListeners(signal, "abort"), []);
  assert.is(timers(), before);
});

test("times out for an endless response and for one that never starts", async () => {
  const endless: Step = (response) => {
    const timer = setInterval(() => response.write(" "), 5);
    response.on("close", () => clearInterval(timer));
  };
  for (const step of [silence, endless]) {
    server.script(step);
    const error = await failed(client.call(READ, {}, { timeoutMs: 60 }), "timeout");
    assert.is(error.message, "/svc/plugin/read: no response within 60 ms");
    assert.is(error.cause, undefined);
  }
});

test("limits all attempts by one timeout, and reports the earlier failures", async () => {
  server.script(failure(503, "out"), silence);
  const error = await failed(client.call(FIND, {}, { timeoutMs: 1000 }), "timeout");
  assert.is((error.cause as SvcError).status, 503);
  assert.is(server.received.length, 2);
});

test("supports timeouts beyond the range of a timer", async () => {
  server.script((response, request) => setTimeout(() => ok(1)(response, request), 20));
  for (const timeoutMs of [0, 2 ** 31, Number.POSITIVE_INFINITY]) {
    assert.is(await client.call(FIND, {}, { timeoutMs }), 1);
  }
});

test("reads no more of a huge error than an envelope can have", async () => {
  let isCut = false;
  const huge: Step = (response) => {
    response.writeHead(500);
    const fill = (): void => {
      while (response.write("x".repeat(65_536)));
    };
    response.on("drain", fill).on("close", () => {
      isCut = true;
    });
    fill();
  };
  server.script(huge);
  const error = await failed(client.call(FIND, {}, {}), "http");
  assert.is(error.status, 500);
  assert.ok((error.envelope as string).length < 2 ** 20 + 2 ** 17);
  while (!isCut) await new Promise((resolve) => setTimeout(resolve, 5));
});

test("sends its hash until the server sends one, and warns once of another", async () => {
  const warnings: string[] = [];
  const shop = client.with({ warn: (message) => warnings.push(message) });
  const replyHeaders = { "X-SVC-Argspec": "b".repeat(64) };
  server.script(ok(1), failure(404, "none"), ok(1, replyHeaders));
  await shop.call(FIND, {}, {});
  await failed(shop.call(FIND, {}, {}), "http");
  await Promise.all([shop.call(FIND, {}, {}), shop.call(FIND, {}, {})]);
  await shop.with({ partial: 1 }).call(FIND, {}, {});
  await shop.call(FIND, {}, {});
  const hashes = server.received.map(({ headers }) => headers["x-svc-argspec"]);
  assert.equal(hashes, [HASH, HASH, HASH, HASH, undefined, undefined]);
  assert.equal(warnings, [
    "The service contract changed (aaaaaaaa, now bbbbbbbb): regenerate this client.",
  ]);
});

test("stops sending an equal hash, except to another server", async () => {
  server.script(ok(1, { "X-SVC-Argspec": HASH }));
  await client.call(FIND, {}, {});
  await client.call(FIND, {}, {});
  await client.with({ baseUrl: `${server.url}/` }).call(FIND, {}, {});
  const hashes = server.received.map(({ headers }) => headers["x-svc-argspec"]);
  assert.equal(hashes, [HASH, undefined, HASH]);
});

test("isolates options of calls and clients", async () => {
  const eu = client.with({ partial: 1, headers: { Authorization: "a", "X-A": "1" } });
  await eu.call(FIND, {}, { partial: 2, headers: { authorization: "b" } });
  await eu.call(FIND, {}, { partial: undefined, signal: undefined, headers: undefined });
  await client.call(FIND, {}, {});
  const sent = server.received.map(({ headers }) => [
    headers["x-svc-partial-target"],
    headers.authorization,
    headers["x-a"],
  ]);
  assert.equal(sent, [
    ["2", "b", "1"],
    ["1", "a", "1"],
    [undefined, undefined, undefined],
  ]);
});

test("replaces header fields of clients by those of a call, ignoring case", async () => {
  const named = (name: string) => client.with({ headers: { [name]: "client" } });
  const call = { headers: { authorization: "call" } };
  await named("Authorization").call(FIND, {}, call);
  await named("authorization")
    .with({ headers: { Authorization: "with" } })
    .call(FIND, {}, call);
  await named("authorization")
    .with({ headers: { Authorization: "with" } })
    .call(FIND, {}, {});
  const sent = server.received.map(({ headers }) => headers.authorization);
  assert.equal(sent, ["call", "call", "with"]);
});

test("ignores names of Object.prototype", async () => {
  server.script(respond(200, '{"status": "OK", "__proto__": {"response": 1}, "response": null}'));
  assert.is(await client.call(FIND, JSON.parse('{"__proto__": "a"}'), {}), null);
  server.script(respond(200, '{"__proto__": {"status": "OK"}}'));
  await failed(client.call(FIND, {}, {}), "http");
  assert.is(({} as { status?: unknown }).status, undefined);
});

test("has the caller in the stack of an error", async () => {
  server.script(failure(404, "not found"));
  async function caller(): Promise<void> {
    await client.call(FIND, {}, {});
  }
  assert.match((await failed(caller(), "http")).stack!, /caller/);
});

test.run();
