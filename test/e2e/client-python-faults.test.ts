// Calls of a Python client over real connections that fail in every way: the error, retries, and
// reuse of connections.
// limit: 60 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { partialError } from "../../runtime/dispatch/error-chain.js";
import { makeArgspec, optional, param, plugin } from "../argspec/sample-argspec.js";
import { HAS_PYTHON, sayIfSkipped } from "../support/python.js";
import { type Failure, type Order, PythonClient, type Reply } from "./support/python-client.js";
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

const faults = suite("python client faults");
const test = HAS_PYTHON ? faults : faults.skip;
sayIfSkipped("python client faults");

const ARGSPEC = makeArgspec([
  plugin("find", { params: [optional("q"), optional("at", { wire: "json", schema: {} })] }),
  plugin("get", { readonly: true, open: true, params: [optional("q", { wire: "bytes" })] }),
  plugin("put", { params: [param("content", { in: "body", wire: "bytes" })] }),
  plugin("sell", { graph: "shop", params: [param("content", { in: "body", wire: "bytes" })] }),
  plugin("tell", { params: [param("content", { in: "body", wire: "json", schema: {} })] }),
  plugin("list", {
    result: { kind: "response", sortkey: { type: "number" }, item: {}, meta: true },
  }),
]);
const FIND: Order = { do: "find" };
const GET: Order = { do: "get" };
const PUT: Order = { do: "put", params: { content: { bytes: "eA==" } } };
const SELL: Order = { do: "sell", params: { content: { bytes: "eA==" } } };
const HEAD = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n";
let server: ScriptedServer;
let python: PythonClient;

faults.before(async () => {
  server = await ScriptedServer.start();
  if (HAS_PYTHON) python = new PythonClient(ARGSPEC);
});

faults.before.each(async () => {
  server.script(ok(1));
  // Neither a connection nor a budget of the previous test.
  if (HAS_PYTHON) await python.call({ do: "forget" });
});

faults.after(async () => {
  if (HAS_PYTHON) await python.stop();
  await server.close();
});

function call(order: Order): Promise<Reply> {
  return python.call({ url: server.url, ...order });
}

async function result(order: Order): Promise<unknown> {
  const reply = await call(order);
  assert.ok("result" in reply, JSON.stringify(reply));
  return reply.result;
}

async function failed(order: Order, kind: string): Promise<Failure> {
  const reply = await call(order);
  assert.is(reply.error?.kind, kind, JSON.stringify(reply));
  return reply.error!;
}

function sent(): readonly string[] {
  return server.received.map(({ method, url, body }) => `${method} ${url} ${body}`.trim());
}

test("encodes parameters as the server decodes them", async () => {
  const value = { a: [1, null, "ü"] };
  await result({ ...FIND, params: { q: "a b&c=d+%?#/ü€😀\n", at: value } });
  await result({ ...FIND, params: { q: null, at: null } });
  await result({ ...FIND, params: { q: true } });
  await result({ ...GET, params: { q: { bytes: "AP8m" }, more: 1.5 } });
  await result(PUT);
  await result({ do: "tell", params: { content: value } });
  const text = encodeURIComponent("a b&c=d+%?#/ü€😀\n");
  const json = encodeURIComponent(JSON.stringify(value));
  assert.equal(sent(), [
    `GET /svc/plugin/find?q=${text}&at=${json}`,
    "GET /svc/plugin/find?q&at=null",
    "GET /svc/plugin/find?q=true",
    "GET /svc/plugin/get?q=%00%FF%26&more=1.5",
    "POST /svc/plugin/put x",
    `POST /svc/plugin/tell ${JSON.stringify(value)}`,
  ]);
  const types = server.received.map(({ headers }) => headers["content-type"]);
  assert.equal(types.slice(4), ["application/octet-stream", "application/json"]);
});

test("sends no body for no content, and accepts any kind of bytes", async () => {
  await result({ do: "put", params: { content: null } });
  await result({ do: "put", params: { content: { memory: "eA==" } } });
  await result({ do: "tell", params: { content: null } });
  assert.equal(sent(), [
    "GET /svc/plugin/put",
    "POST /svc/plugin/put x",
    "POST /svc/plugin/tell null",
  ]);
});

const base64 = (text: string) => Buffer.from(text).toString("base64");

test("streams files and iterators, again only if they can start again", async () => {
  const long = "ab".repeat(100_000);
  await result({ do: "put", params: { content: { file: base64(long) } } });
  await result({ do: "put", params: { content: { parts: ["a", "", "b"] } } });
  assert.equal(
    server.received.map(({ body, headers }) => [
      body,
      headers["transfer-encoding"],
      headers["content-length"],
    ]),
    [
      [long, "chunked", undefined],
      ["ab", "chunked", undefined],
    ],
  );
  server.script(failure(503, "later"), ok(1));
  await result({ do: "put", params: { content: { file: base64("again") } } });
  assert.equal(sent(), ["POST /svc/plugin/put again", "POST /svc/plugin/put again"]);
  server.script(failure(503, "later"), ok(1));
  await failed({ do: "put", params: { content: { parts: ["once"] } } }, "http");
  assert.equal(sent(), ["POST /svc/plugin/put once"]);
});

test("does not complete a body whose source fails, and raises its error", async () => {
  const reply = await call({ do: "put", params: { content: { failing: "a" } } });
  assert.is(reply.raised, "ValueError");
  assert.equal(sent(), []);
});

test("never sends the representation of an object", async () => {
  for (const content of [5, true, [1, 2], { a: 1 }, ["a"]]) {
    assert.is((await call({ do: "put", params: { content } })).raised, "TypeError");
  }
  for (const q of [["a"], { a: 1 }, { file: base64("a") }, { parts: ["a"] }]) {
    assert.is((await call({ ...FIND, params: { q } })).raised, "TypeError");
    assert.is((await call({ ...GET, params: { more: q } })).raised, "TypeError");
  }
  await result({ ...FIND, params: { q: { enum: true } } });
  assert.equal(sent(), ["GET /svc/plugin/find?q=red"]);
});

test("applies options and rejects invalid header fields", async () => {
  const options = { partial: 2, key: "é\r\n", headers: { "X-One": "1" } };
  await result({ ...FIND, client: { headers: { "x-one": "0", "X-Two": "2" } }, with: options });
  const { headers } = server.received[0]!;
  assert.is(headers["x-svc-partial-target"], "2");
  assert.is(headers["x-svc-key"], "%C3%A9%0D%0A");
  for (const key of ["", "a".repeat(2049), 5]) {
    assert.is((await call({ ...FIND, with: { key } })).raised, "ValueError");
  }
  assert.is(headers["x-one"], "1");
  assert.is(headers["x-two"], "2");
  server.script(ok(1));
  for (const line of [{ a: "b\r\nc: d" }, { "a\nb": "" }, { a: "€" }, { Host: "x" }]) {
    assert.is((await call({ ...FIND, with: { headers: line } })).raised, "ValueError");
  }
  const urls = "|ftp://a|http://a b|http://u@a|http://a/?q|http://a:x|http://a:0|http://a..b";
  for (const url of [...urls.split("|"), `http://${"a".repeat(64)}`]) {
    assert.is((await call({ ...FIND, url, client: { retries: url.length } })).raised, "ValueError");
  }
  for (const partial of ["0\r\nX-One: 2", "0", 1.5, -1]) {
    assert.is((await call({ ...FIND, with: { partial } })).raised, "ValueError");
  }
  assert.is((await call({ ...FIND, params: { at: { bytes: "AA==" } } })).raised, "TypeError");
  assert.equal(sent(), []);
});

test("maps each shape of an error body to a kind", async () => {
  const detail = { exception: "<class 'E'>", value: "v" };
  const traceback = ["line", "other"];
  const shapes: readonly [string, number, unknown][] = [
    ["parameter", 400, { svc: detail }],
    ["result", 500, { svc: detail }],
    ["plugin", 500, { plugin: { ...detail, traceback: [...traceback, 1] } }],
    ["system", 500, { system: detail }],
    ["http", 404, "not found"],
  ];
  for (const [kind, status, message] of shapes) {
    server.script(failure(status, message));
    const error = await failed(GET, kind);
    assert.is(error.status, status);
    assert.is(error.exception, kind === "http" ? null : "E");
    assert.equal(error.traceback, kind === "plugin" ? traceback : null);
    assert.is(error.message, `/svc/plugin/get: ${kind === "http" ? message : "v"}`);
    assert.is((error.envelope as { status: string }).status, "ERROR");
    assert.is(server.received.length, 1);
  }
});

test("parses an error of three levels down to its cause", async () => {
  const value = "it's \\ 'so'\nand {'plugin': {}} | 500 |";
  const said = value.replace(/[\\']/g, "\\$&").replaceAll("\n", "\\n");
  const innermost = `{'plugin': {'exception': 'E', 'value': '${said}', 'traceback': ['a', 'b']}}`;
  const text = partialError(0, 3, 502, partialError(1, 2, 500, partialError(2, 4, 418, innermost)));
  server.script(failure(500, text));
  const error = await failed(GET, "backend");
  assert.equal(error.chain, [
    { partition: 0, width: 3, status: 502 },
    { partition: 1, width: 2, status: 500 },
    { partition: 2, width: 4, status: 418 },
  ]);
  assert.is(error.status, 500);
  assert.is(error.exception, "E");
  assert.equal(error.traceback, ["a", "b"]);
  const cause = error.cause as Failure;
  assert.is(cause.kind, "plugin");
  assert.is(cause.status, 418);
  assert.is(cause.message, `/svc/plugin/get: ${value}`);
  server.script(failure(500, partialError(0, 1, 500, "connection lost")));
  assert.is(((await failed(GET, "backend")).cause as Failure).kind, "http");
});

test("reports a response without an envelope as an HTTP error", async () => {
  const deep = "[".repeat(200_000);
  for (const body of ["", "<html>", '{"status": "OK", ', "null", '"OK"', "\xff", deep]) {
    server.script(respond(200, body));
    const error = await failed(GET, "http");
    assert.is(error.status, 200);
    assert.is(error.message, "/svc/plugin/get: response is not an svc envelope");
    assert.is(server.received.length, 1);
  }
  server.script(respond(500, '{"status": "OK", "response": 1}'));
  await failed(GET, "http");
  server.script(ok({ level: 0 }));
  assert.match((await failed({ do: "list" }, "http")).message, "no PluginResponse");
  server.script(respond(500, "x".repeat(3 * 1024 * 1024)), ok(2));
  assert.is(String((await failed(GET, "http")).envelope).length, 1024 * 1024);
  assert.is(await result(GET), 2);
});

test("shows the coverage of a partial result, and the message of a sorted list", async () => {
  const head = { level: 1, levelparts: 2, partials: 1, hitcount: 1, aggregator: [0, 0, 0, 0] };
  const list = { ...head, message: "half of it", meta: null, entries: [[1, "a"]] };
  const shape = { status: "OK", response: list, level: 1, partitions: [2, 1, 1], exec_ms: 1 };
  server.script(respond(200, JSON.stringify({ ...shape, coverage: 0.5 })));
  const partial = (await result({ do: "list_raw" })) as Record<string, unknown>;
  assert.equal([partial.coverage, partial.partitions], [0.5, [2, 1, 1]]);
  assert.is((partial.response as typeof list).message, "half of it");

  server.script(respond(200, JSON.stringify(shape)));
  const whole = (await result({ do: "list_raw" })) as Record<string, unknown>;
  assert.is(whole.coverage, null);
});

/** Possibly executed, although no complete response arrived. */
const LOSSES: Readonly<Record<string, Step>> = {
  "before the response": reset(),
  "in order, before the response": cut(""),
  "within the head": reset(HEAD.slice(0, 20)),
  "in order, within the body": cut(`${HEAD}{"status": "OK", `),
  "in a chunk": cut("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{}"),
  "before the announced end": cut(HEAD.replace("100", "9".repeat(15))),
  "by invalid data": cut("nonsense\r\n\r\n"),
};

for (const [where, loss] of Object.entries(LOSSES)) {
  test(`retries only retryable calls after a connection lost ${where}`, async () => {
    for (const order of [FIND, PUT]) {
      server.script(loss, ok(2));
      assert.is((await failed(order, "network")).status, null);
      assert.is(server.received.length, 1);
    }
    server.script(loss, ok(2));
    assert.is(await result(GET), 2);
    server.script(loss, loss, ok(2));
    assert.is(await result({ ...PUT, with: { idempotent: true } }), 2);
    assert.is(server.received.length, 3);
  });
}

test("repeats a change with its key, whatever happened to the first attempt", async () => {
  const inProgress = failure(409, "SVC3405: a request with this Idempotency-Key is in progress");
  server.script(reset(), failure(421, "S1 leads the group"), inProgress, ok(2));
  assert.is(await result({ ...SELL, client: { retries: 3 } }), 2);
  const keys = server.received.map(({ headers }) => headers["idempotency-key"]);
  assert.match(String(keys[0]), /^"[0-9a-f]{32}"$/);
  assert.equal(keys, Array(4).fill(keys[0]));
  server.script(failure(409, "something else"));
  await failed(SELL, "http");
  server.script(ok(1));
  await result(PUT);
  await result(GET);
  const [put, get] = server.received.map(({ headers }) => headers["idempotency-key"]);
  assert.match(String(put), /^"/);
  assert.equal([put === keys[0], get], [false, undefined]);
});

test("always retries a request that could not be sent", async () => {
  await call({ do: "refuse", times: 2 });
  assert.is(await result(PUT), 1);
  await call({ do: "forget" });
  await call({ do: "refuse", times: 3 });
  const error = await failed(PUT, "network");
  assert.is(error.cause, "ConnectionRefusedError");
  assert.is(error.message, "/svc/plugin/put: refused as told");
  assert.is(server.received.length, 1);
});

test("reports a refused connection as a network error", async () => {
  const otherServer = await ScriptedServer.start();
  const { url } = otherServer;
  await otherServer.close();
  const error = await failed({ ...GET, url, client: { timeout: 9 } }, "network");
  assert.is(error.cause, "ConnectionRefusedError");
});

test("retries 429 and 503 within the budget of all derived clients", async () => {
  server.script(failure(429, "busy"), failure(503, "out"), ok(2));
  assert.is(await result(PUT), 2);
  await call({ do: "forget" });
  server.script(failure(503, "out"));
  for (let count = 0; count < 5; count++) await failed({ ...PUT, with: {} }, "http");
  assert.is(server.received.length, 15);
  assert.is((await failed(PUT, "http")).status, 503);
  assert.is(server.received.length, 16, "ten retries and no more");
  await failed({ ...PUT, client: { retries: 0 } }, "http");
  assert.is(server.received.length, 17);
});

test("waits without a limit when no timeout is set", async () => {
  for (const timeout of [null, 0, 1e300, { infinite: true }]) {
    assert.is(await result({ ...GET, with: { timeout } }), 1);
  }
});

test("times out whatever the server does", async () => {
  const drip: Step = (response) => {
    response.writeHead(200, { "content-length": "1000000" });
    const timer = setInterval(() => response.write("x"), 20);
    response.on("close", () => clearInterval(timer));
  };
  for (const step of [silence, drip]) {
    server.script(step);
    const error = await failed({ ...GET, with: { timeout: 0.3 } }, "timeout");
    assert.is(error.message, "/svc/plugin/get: no response within 0.3 s");
    assert.is(server.received.length, 1);
  }
});

/** Responds and records the connection. */
function noting(ports: unknown[], then: Step = ok(1)): Step {
  return (response, request) => {
    ports.push(response.socket!.remotePort);
    then(response, request);
  };
}

test("reuses connections except those closed by the server", async () => {
  const ports: unknown[] = [];
  const ended: Step = (response, request) => {
    ok(1)(response, request);
    response.socket!.end();
  };
  // Not at once: data that arrives with the response is discarded with it.
  let talk = () => {};
  const talking: Step = (response, request) => {
    const { socket } = response;
    talk = () => socket!.write("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1");
    ok(1)(response, request);
  };
  const once = { ...PUT, client: { retries: 0 } };
  const steps = [ok(1), ended, talking, ok(1), respond(404, "x"), respond(413, "x"), ok(1)];
  server.script(...steps.map((step) => noting(ports, step)));
  for (const step of steps) {
    await call(once);
    if (step === talking) talk();
    // Unsolicited data of the server must have arrived.
    if (step === ended || step === talking) await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const [first, second, third, fourth, fifth, sixth, seventh] = ports;
  assert.equal([second, fifth, sixth], [first, fourth, fourth]);
  assert.is(new Set([first, third, fourth, seventh]).size, 4);
});

test("assumes possible execution after a fault on a reused connection", async () => {
  const ports: unknown[] = [];
  server.script(noting(ports), noting(ports, reset()), noting(ports));
  await result(GET);
  await failed(PUT, "network");
  assert.is(ports.length, 2);
  assert.is(ports[1], ports[0]);
  server.script(noting(ports), noting(ports, reset()), noting(ports));
  await result(GET);
  await result(GET);
  assert.is(ports.length, 5);
});

test("can be shared by threads, each with its own responses", async () => {
  const ports = new Set<unknown>();
  server.script((response, request) => {
    ports.add(response.socket!.remotePort);
    const q = new URL(request.url, "http://x").searchParams.get("q");
    setTimeout(() => ok(q)(response, request), 2);
  });
  assert.equal(await result({ do: "threads", threads: 8, calls: 20 }), []);
  assert.is(server.received.length, 160);
  assert.ok(ports.size <= 8, `${ports.size} connections`);
});

test("warns once of another contract, and sends the hash until then", async () => {
  const reply = ok(1, { "x-svc-argspec": "f".repeat(64) });
  server.script(ok(1), reply, ok(1));
  await call(GET);
  await call(GET);
  const { warnings } = await call(GET);
  assert.equal(warnings, [
    "The service contract changed (abababab, now ffffffff): regenerate this client.",
  ]);
  const hashes = server.received.map(({ headers }) => headers["x-svc-argspec"]);
  assert.equal(hashes, [ARGSPEC.hash, ARGSPEC.hash, undefined]);
  server.script(ok(1, { "x-svc-argspec": ARGSPEC.hash }));
  assert.equal((await call({ ...GET, client: { retries: 1 } })).warnings, []);
});

faults.run();
