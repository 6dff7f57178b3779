// Four levels of detail of `/svc/inspect`, for busy and idle connections.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { OpenConnection } from "../../../runtime/builtin/server-view.js";
import { services } from "../../../runtime/builtin/services.js";
import { fakeConnection, fakeExchange, fakeView } from "./fake-view.js";

const test = suite("inspect");

const HEADERS =
  "Host: a\r\nAccept: text/plain\r\nContent-Type: image/png\r\nAuthorization: Basic secret\r\n" +
  "X-SVC-Admin-Key: a\r\nX-SVC-Signed: s\r\ncookie: secret\r\n" +
  "X-Name: caf\xc3\xa9\r\n__proto__: x\r\n";

function busy(target = "/svc/plugin/slow?q=caf\xc3\xa9"): OpenConnection {
  const exchange = fakeExchange(target, HEADERS);
  const state = { executor: 4, state: "EXECUTE", call: null } as const;
  return { connection: fakeConnection(), pending: { exchange, serial: 77, ...state } };
}

function inspect(query: string, ...connections: OpenConnection[]) {
  return inspectAs(true, query, ...connections);
}

function inspectAs(isTrusted: boolean, query: string, ...connections: OpenConnection[]) {
  const view = fakeView({ connections: () => connections });
  view.metrics.countJob(4, Date.now(), Date.now());
  const exchange = fakeExchange(`/svc/inspect?${query}`);
  const request = { exchange, query, portOffset: 0, isTrusted } as const;
  const pieces = services.get("/svc/inspect")!.handle(view, request) as Iterable<string>;
  return JSON.parse([...pieces].join(""));
}

/** Keys of the record at two depths. */
function keys(record: Record<string, Record<string, unknown>>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(record).map(([key, part]) => [key, Object.keys(part)]));
}

const LEVEL_0 = { client: ["id", "state"], request: ["exec-ms"] };
const LEVEL_1 = {
  client: ["id", "state"],
  request: ["exec-ms", "method", "path"],
  matrix: ["target-partial", "n-channels"],
};
const LEVEL_2 = {
  client: ["id", "state", "host", "host-ip", "port", "age-ms"],
  request: ["exec-ms", "method", "path"],
  partial: ["ident"],
  executor: ["id", "status", "job-count"],
  headers: ["content-type", "accept-type", "content-length", "n-headers"],
  matrix: ["target-partial", "n-channels", "channels"],
};
const LEVEL_3 = {
  ...LEVEL_2,
  client: [...LEVEL_2.client, "socket-in"],
  request: [...LEVEL_2.request, "t0-ns", "t1-ns", "sn", "signature"],
  headers: [...LEVEL_2.headers, "fields"],
};

test("returns the fields of each level", () => {
  const levels: [string, object][] = [
    ["", LEVEL_0],
    ["level", LEVEL_0],
    ["level=0", LEVEL_0],
    ["level=1", LEVEL_1],
    ["level=2", LEVEL_2],
    ["level=(int)2", LEVEL_2],
    ["level=3", LEVEL_3],
  ];
  for (const [query, expected] of levels) {
    const response = inspect(query, busy(), { connection: fakeConnection(), pending: null });
    assert.is(response["n-connections"], 2);
    for (const connection of response.connections) assert.equal(keys(connection), expected, query);
  }
});

test("shows a busy connection", () => {
  const [connection] = inspect("level=3", busy()).connections;
  assert.is(connection.client.state, "EXECUTE");
  assert.is(connection.client.port, 40_000);
  assert.is(connection.request.path, "/svc/plugin/slow?q=café");
  assert.is(connection.request.sn, 77);
  assert.ok(connection.request["exec-ms"] >= 0);
  assert.ok(connection.request["t1-ns"] >= connection.request["t0-ns"]);
  assert.equal(connection.executor, { id: 4, status: "assigned", "job-count": 1 });
  assert.is(connection.headers["content-type"], "image/png");
  assert.is(connection.headers["accept-type"], "application/json; charset=UTF-8");
  assert.is(connection.headers["n-headers"], 9);
});

test("hides queries and client levels from untrusted clients", () => {
  const [connection] = inspectAs(false, "level=1", busy()).connections;
  assert.is(connection.request.path, "/svc/plugin/slow");
  for (const level of [2, 3]) {
    assert.throws(() => inspectAs(false, `level=${level}`, busy()), /403 Forbidden/);
  }
});

test("truncates long values", () => {
  const [connection] = inspect(
    "level=3",
    busy(`/svc/plugin/slow?q=${"x".repeat(8000)}`),
  ).connections;
  assert.ok(connection.request.path.length < 300);
  assert.match(connection.request.path, "... (8019 bytes)");
});

test("keeps the case of header fields and hides all values but harmless ones", () => {
  const [connection] = inspect("level=3", busy()).connections;
  assert.equal(Object.entries(connection.headers.fields), [
    ["Host", "a"],
    ["Accept", "text/plain"],
    ["Content-Type", "image/png"],
    ["Authorization", "(hidden)"],
    ["X-SVC-Admin-Key", "(hidden)"],
    ["X-SVC-Signed", "(hidden)"],
    ["cookie", "(hidden)"],
    ["X-Name", "(hidden)"],
    ["__proto__", "(hidden)"],
  ]);
});

test("shows waiting requests and ready connections", () => {
  const waiting = {
    ...busy(),
    pending: { ...busy().pending!, executor: null, state: "AWAIT_DISPATCH" as const },
  };
  const idle = { connection: fakeConnection(), pending: null };
  const [first, second] = inspect("level=2", waiting, idle).connections;
  assert.is(first.client.state, "AWAIT_DISPATCH");
  assert.equal(first.executor, { id: -1, status: null, "job-count": 0 });
  assert.is(second.client.state, "READY");
  assert.is(second.request.path, null);
});

test("shows a request whose body is incomplete", () => {
  const { method, target, headers, t0Ms } = fakeExchange("/svc/plugin/take?a=1", HEADERS);
  const arriving = { method, target, headers, t0Ms };
  const open = { connection: fakeConnection({ arriving }), pending: null };
  const [row] = inspect("level=3", open).connections;
  assert.is(row.client.state, "EXPECT_CONTENT");
  assert.equal([row.request.method, row.request.path], [method, target]);
  assert.is(row.headers["content-type"], "image/png");
  assert.equal(row.executor, { id: -1, status: null, "job-count": 0 });
});

test("shows the matrix position that a dispatcher assigned", () => {
  const connection = fakeConnection({ ident: [4, 2, 32, 3, 1, 17, 0] });
  const [row] = inspect("level=2", { connection, pending: null }).connections;
  assert.equal(row.partial.ident, { matrix: "4.2.32", position: "3.1.17", primary: 0 });
});

test("rejects invalid levels", () => {
  for (const query of ["level=4", "level=-1", "level=x", "level=1.5", "level=", "level=(int)9"]) {
    try {
      inspect(query, busy());
      assert.unreachable(`accepted ${query}`);
    } catch (error) {
      assert.is((error as { name: string }).name, "ParameterError", query);
      assert.is((error as { code?: string }).code, "SVC2001");
    }
  }
});

test.run();
