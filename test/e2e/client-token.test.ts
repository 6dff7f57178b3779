// Tokens of clients: sent with each call, and fetched again after a rejection.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  Connection,
  type Operation,
  SvcError,
  type Token,
} from "../../client/typescript/runtime.js";
import { makeArgspec, param, plugin } from "../argspec/sample-argspec.js";
import { HAS_PYTHON, sayIfSkipped } from "../support/python.js";
import { type Order, PythonClient, type Reply } from "./support/python-client.js";
import { failure, ok, ScriptedServer, type Step } from "./support/scripted-server.js";

const test = suite("tokens of clients");
const HASH = "a".repeat(64);
const FIND: Operation = { path: "/svc/plugin/find" };
let server: ScriptedServer;

test.before(async () => {
  server = await ScriptedServer.start();
});
test.before.each(() => server.script(ok(1)));
test.after(() => server.close());

const connect = (token: Token, others = {}) =>
  new Connection({ baseUrl: server.url, token, warn: () => {}, ...others }, HASH);
const find = (client: Connection, options = {}) => client.call(FIND, {}, options);
const failed = (client: Connection, options = {}): Promise<SvcError> =>
  find(client, options).then(
    () => assert.unreachable(),
    (error) => error,
  );
const sent = () => server.received.map(({ headers }) => headers.authorization ?? "none");

const rejected = failure(401, "401 Unauthorized");
/** Admits one token only. */
const admits =
  (token: string): Step =>
  (response, request) =>
    (request.headers.authorization === `Bearer ${token}` ? ok(1) : rejected)(response, request);

test("sends a fixed token with each call", async () => {
  const client = connect("t1");
  await find(client);
  await find(client.with({ timeoutMs: 100 }));
  await find(client.with({ token: "t2" }));
  await find(client, { headers: { Authorization: "Basic x" } });
  assert.equal(sent(), ["Bearer t1", "Bearer t1", "Bearer t2", "Basic x"]);
});

test("does not repeat a call with a fixed token", async () => {
  server.script(rejected);
  const error = await failed(connect("t1"));
  assert.ok(error instanceof SvcError);
  assert.is(error.status, 401);
  assert.equal(sent(), ["Bearer t1"]);
});

test("fetches a token once, and again after a rejection", async () => {
  const requests: unknown[] = [];
  const client = connect(async (previousToken) => `t${requests.push(previousToken)}`);
  await Promise.all([find(client), find(client), find(client)]);
  assert.equal(sent(), ["Bearer t1", "Bearer t1", "Bearer t1"]);
  server.script(admits("t2"));
  await Promise.all([find(client), find(client), find(client, { retries: 0 })]);
  await find(client);
  assert.equal(requests, [undefined, "t1"]);
});

test("calls the token function again if it did not settle during a call", async () => {
  let count = 0;
  const client = connect(() => (++count === 1 ? new Promise(() => {}) : "t2"));
  const error = await failed(client, { timeoutMs: 50, retries: 0 });
  assert.is(error.kind, "timeout");
  await find(client);
  assert.equal(sent(), ["Bearer t2"]);
});

test("repeats a call once only", async () => {
  server.script(rejected);
  let count = 0;
  const client = connect(() => `t${++count}`);
  const error = await failed(client);
  assert.is(error.status, 401);
  assert.equal(sent(), ["Bearer t1", "Bearer t2"]);
});

test("does not repeat a call whose plugin was executed", async () => {
  const thrown = { plugin: { exception: "<class 'HttpError'>", value: "no" } };
  server.script(failure(401, thrown), ok(1));
  const error = await failed(connect(() => "t"));
  assert.is(error.kind, "plugin");
  assert.is(server.received.length, 1);
});

test("reports a failed token function, and calls it again", async () => {
  let count = 0;
  const client = connect(() => {
    if (++count === 1) throw new RangeError("no token");
    return "t";
  });
  const error = await failed(client, { retries: 0 });
  assert.is(error.kind, "network");
  assert.instance(error.cause, RangeError);
  assert.is(await find(client), 1);
});

test("does not wait longer for a token than for a response", async () => {
  const client = connect(() => new Promise<never>(() => {}), { timeoutMs: 50 });
  const error = await failed(client);
  assert.is(error.kind, "timeout");
  assert.is(server.received.length, 0);
});

test("does not quote a token that is invalid in a header field", async () => {
  for (const token of ["secret\r\nX: 1", "", "secret x", 7 as never]) {
    for (const option of [token, () => token]) {
      const error = await failed(connect(option));
      assert.instance(error, TypeError);
      assert.not.match(String(error), "secret");
    }
  }
  assert.is(server.received.length, 0);
});

test("sends the token of a stream", async () => {
  const events = "data: 1\n\nevent: end\ndata:\n\n";
  server.script(rejected, (response) =>
    response.writeHead(200, { "content-type": "text/event-stream" }).end(events),
  );
  let count = 0;
  const client = connect(() => `t${++count}`);
  const items: unknown[] = [];
  for await (const item of client.stream({ ...FIND, stream: true }, {}, {})) items.push(item);
  assert.equal(sent(), ["Bearer t1", "Bearer t2"]);
});
test.run();

const python = suite("tokens of python clients");
const pythonTest = HAS_PYTHON ? python : python.skip;
sayIfSkipped("tokens of python clients");
const ARGSPEC = makeArgspec([
  plugin("find"),
  plugin("put", { params: [param("content", { in: "body", wire: "bytes" })] }),
]);
let otherClient: PythonClient;

python.before(async () => {
  server = await ScriptedServer.start();
  if (HAS_PYTHON) otherClient = new PythonClient(ARGSPEC);
});
python.before.each(async () => {
  server.script(ok(1));
  if (HAS_PYTHON) await otherClient.call({ do: "forget" });
});
python.after(async () => {
  if (HAS_PYTHON) await otherClient.stop();
  await server.close();
});

const call = (order: Order): Promise<Reply> => otherClient.call({ url: server.url, ...order });

pythonTest("send a text with each call", async () => {
  await call({ do: "find", client: { token: "t1" } });
  await call({ do: "find", client: { token: "t1" }, with: { token: "t2", timeout: 9 } });
  await call({
    do: "find",
    client: { token: "t1" },
    with: { headers: { Authorization: "Basic x" } },
  });
  assert.equal(sent(), ["Bearer t1", "Bearer t2", "Basic x"]);
  server.script(rejected);
  assert.is((await call({ do: "find", client: { token: "t1" } })).error?.status, 401);
  assert.is(server.received.length, 1);
});

pythonTest("fetch another token after a rejection, once", async () => {
  const client = { token: { tokens: ["a", "b", "c"] }, retries: 0 };
  await call({ do: "find", client });
  assert.equal(sent(), ["Bearer a-None"]);
  server.script(admits("b-a-None"));
  await call({ do: "find", client });
  await call({ do: "find", client });
  assert.equal(sent(), ["Bearer a-None", "Bearer b-a-None", "Bearer b-a-None"]);
  server.script(rejected);
  assert.is((await call({ do: "find", client })).error?.status, 401);
  assert.is(server.received.length, 2);
});

pythonTest("repeat no call whose body is gone, or whose plugin was executed", async () => {
  const client = { token: { tokens: ["a", "b"] } };
  server.script(rejected, ok(1));
  const params = { content: { parts: ["x"] } };
  assert.is((await call({ do: "put", client, params })).error?.status, 401);
  server.script(failure(401, { plugin: { exception: "<class 'E'>", value: "no" } }), ok(1));
  assert.is((await call({ do: "find", client })).error?.kind, "plugin");
  assert.is(server.received.length, 1);
});

pythonTest("refuse a token that a header line cannot carry", async () => {
  for (const token of ["x\r\nX: 1", "", 7]) {
    assert.is((await call({ do: "find", client: { token } })).raised, "ValueError");
  }
  assert.is(server.received.length, 0);
});
python.run();
