// Every service returns exactly the documented fields, with their types and in order.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ServerView } from "../../../runtime/builtin/server-view.js";
import { services } from "../../../runtime/builtin/services.js";
import { fakeConnection, fakeExchange, fakeView } from "./fake-view.js";

const test = suite("built-in services");

function text(path: string, view: ServerView = fakeView(), query = ""): string {
  const service = services.get(path);
  if (service === undefined) throw new Error(`no service ${path}`);
  const exchange = fakeExchange(query === "" ? path : `${path}?${query}`);
  return service.handle(view, { exchange, query, portOffset: 0, isTrusted: true }) as string;
}

/** JSON of a service; tests compare it field by field. */
function json(path: string, view?: ServerView, query?: string) {
  return JSON.parse(text(path, view, query));
}

test("return plain text for hc, randint and randstr, JSON otherwise", () => {
  const textServices = [...services].filter(([, service]) => service.mediaType === "text/plain");
  assert.equal(textServices.map(([path]) => path).sort(), [
    "/svc/hc",
    "/svc/randint",
    "/svc/randstr",
  ]);
});

test("exclude only monitoring requests from the metrics", () => {
  const silent = [...services].filter(([, service]) => !service.countsInMetrics);
  assert.equal(
    silent.map(([path]) => path),
    [
      ...["/metrics", "/svc/build", "/svc/events", "/svc/hc", "/svc/log"],
      ...["/svc/requests", "/svc/windows"],
    ],
  );
});

test("hc reports the health of the server", () => assert.is(text("/svc/hc"), "SVC/3"));

test("requests shows execution times only for requests that an executor ran", () => {
  const view = fakeView();
  const add = (changes: object) => {
    const exchange = { ...fakeExchange("/svc/plugin/a"), countedPlugin: "/svc/plugin/a" };
    view.requests.add({ ...exchange, ...changes }, 0, 200, 1, 1);
  };
  add({});
  add({ queueUs: 0, runUs: 1234 });
  const { requests } = json("/svc/requests", view);
  assert.equal(
    requests.map(({ queue, run }: { queue: unknown; run: unknown }) => [queue, run]),
    [
      [0, 1.234],
      [null, null],
    ],
  );
});

test("ping returns its parameter", () => {
  const { host } = json("/svc/ping");
  assert.match(host.current_time, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  assert.match(host.version, /^svc 1\.2\.3 \[Node v\d+\.\d+\.\d+\]$/);
  assert.equal(
    { ...host, current_time: "", version: "" },
    {
      ip: "10.0.0.7",
      name: "box",
      uptime: "2:03:04:05",
      current_time: "",
      cpu: "Chip",
      memory: 2 ** 35,
      version: "",
    },
  );
});

test("time", () => {
  const startedAtMs = new Date(2026, 0, 2, 3, 4, 5).getTime();
  const { time } = json("/svc/time", fakeView({ startedAtMs }));
  assert.is(time.start, "2026-01-02 03:04:05");
  assert.match(time.current, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  assert.match(time.up, /^\d+:\d\d:\d\d:\d\d$/);
});

test("storage uses forward slashes", () => {
  assert.equal(json("/svc/storage"), { sysroot: "/data/shop" });
  assert.equal(json("/svc/storage", fakeView({ root: "C:\\data" })), { sysroot: "C:/data" });
});

test("status", () => {
  const view = fakeView({ serviceName: "shop", serviceIn: false });
  view.metrics.countResponse(200, 1, true);
  view.metrics.countResponse(500, 1, true);
  view.metrics.countRejection(400);
  view.metrics.countBytes(11, 22);
  view.metrics.countConnection(1);
  assert.equal(json("/svc/status", view), {
    name: "shop",
    data: { in: 11, out: 22 },
    connected_clients: 1,
    total_clients: 1,
    request: {
      rate: 0,
      serving: 0,
      waiting: 2,
      working: 3,
      executors: 32,
      count: 3,
      plugin: 2,
    },
    dispatcher: {
      enabled: false,
      "front-port": 9000,
      "matrix-width": 0,
      "matrix-height": 0,
      "matrix-active-channels": 0,
      "matrix-total-channels": 0,
      "matrix-allow-incomplete": false,
      "matrix-backlog": -1,
      "matrix-backlog-count": 0,
      proxy: false,
    },
    errors: {
      service: 1,
      http: 2,
      rate: 0,
      codes: { 400: 1, 500: 1 },
      "executor-restarts": 0,
      "stray-exceptions": 0,
    },
    graphs: { unsaved: [], unloadable: [] },
    log: { lost: 0 },
    io: { "busy-percent": 0 },
    response_ms: { mean: 0, "50.0": 0, "90.0": 0, "95.0": 0, "99.0": 0, "99.9": 0 },
  });
  assert.is(json("/svc/status").name, "(interactive)");
});

test("meminfo keeps the worst value seen", () => {
  const first = json("/svc/meminfo").memory;
  assert.is(first.total, 2 ** 35);
  assert.ok(first.current.available > 0);
  assert.ok(first.current.process > 1e6);
  const ballast = Buffer.alloc(64 * 1024 * 1024, 1);
  const second = json("/svc/meminfo").memory;
  assert.ok(second["worst-case"].process >= first["worst-case"].process);
  assert.ok(second["worst-case"].process >= second.current.process);
  assert.ok(second["worst-case"].available <= second.current.available);
  assert.is(ballast.length, 64 * 1024 * 1024);
});

test("uptimes and idle times do not follow a clock that is set back", () => {
  const { now } = Date;
  Date.now = () => now() - 7 * 86_400_000;
  try {
    const days = 2 * 86_400;
    const { uptime, "idle-ms": idleMs } = json("/svc/nodestat");
    assert.ok(uptime >= days && idleMs >= days * 1000, `${uptime} ${idleMs}`);
    assert.ok(json("/svc/peerstat")["idle-ms"] >= days * 1000);
    assert.match(json("/svc/ping").host.uptime, /^2:/);
    assert.match(json("/svc/time").time.up, /^2:/);
  } finally {
    Date.now = now;
  }
});

test("nodestat has empty graph and transaction fields without graphs", () => {
  const stat = json("/svc/nodestat");
  for (const measured of ["uptime", "pid", "idle-ms", "memory-process", "memory-available"]) {
    assert.ok(Number.isInteger(stat[measured]) && stat[measured] > 0, measured);
    delete stat[measured];
  }
  assert.equal(stat, {
    ready: true,
    host: "0.0.0.0",
    ip: "10.0.0.7",
    ips: ["10.0.0.7"],
    adminport: 9001,
    txport: 0,
    "service-name": null,
    "service-label": "0123456789abcdef0123456789abcdef",
    digest: "00000000000000000000000000000000",
    "master-serial": "0",
    synchronizing: 0,
    "sync-progress": 100,
    provider: null,
    replica: { state: "leader", done: 0, of: 0 },
    group: null,
    subscribers: [],
    "tx-in-halted": false,
    "tx-out-halted": false,
    "tx-in-rate": 0,
    "tx-out-rate": 0,
    "graph-order": 0,
    "graph-size": 0,
    "graph-properties": 0,
    "graph-vectors": 0,
    "graph-nrel": 0,
    "graph-nvtx": 0,
    "graph-ndim": 0,
    "graph-nkey": 0,
    "graph-nval": 0,
    matrix: {
      mode: "engine",
      width: 0,
      height: 0,
      "active-channels": 0,
      "total-channels": 0,
      "allow-incomplete": false,
    },
    "service-in": 1,
    "service-rate": 0,
    "service-95th-ms": 0,
    "connected-clients": 0,
    cpu: "Chip",
    "memory-total": 2 ** 35,
    durable: false,
    "durable-txlog": 0,
    "durable-max-txlog": 0,
    "snapshot-writing": false,
    "snapshot-age": 0,
    readonly: false,
    "local-only": 0,
    instance: null,
    descriptor: null,
    build: null,
    "service-out-reason": null,
    procedure: null,
    "log-state": "good",
  });
});

test("the health check reports whether the log accepts changes", () => {
  for (const [logState, fields] of [
    ["off", ""],
    ["good", ""],
    ["low", ""],
    ["full", "X-SVC-Readonly: full\r\n"],
    ["failed", "X-SVC-Readonly: failed\r\n"],
  ] as const) {
    assert.is(services.get("/svc/hc")!.fields!(fakeView({ logState })), fields);
  }
});

test("matrix is empty on an engine", () => assert.equal(json("/svc/matrix"), []));

test("dispatch lists every slot of both ports", () => {
  const view = fakeView();
  const now = Date.now();
  view.metrics.countDispatch(0);
  view.metrics.countDispatch(39);
  view.metrics.countJob(39, now, now);
  view.metrics.countCompletion(39);
  const { A, B, ...rest } = json("/svc/dispatch", view);
  assert.equal(rest, {});
  assert.equal(A.dispatch, { dispatched: 1, completed: 0, signals: 0 });
  assert.equal(B.dispatch, { dispatched: 1, completed: 1, signals: 0 });
  assert.equal(
    Object.keys(A.executor),
    Array.from({ length: 32 }, (_, id) => String(id)),
  );
  assert.is(Object.keys(B.executor).length, 8);
  assert.equal(A.executor[0], [0, 0]);
  assert.equal(B.executor[7], [1, 0]);
});

test("randint and randstr return hex digits of the documented lengths", () => {
  assert.match(text("/svc/randint"), /^[0-9a-f]{16}$/);
  assert.is.not(text("/svc/randint"), text("/svc/randint"));
  for (let i = 0; i < 50; i++) {
    const long = text("/svc/randstr");
    assert.match(long, /^[0-9a-f]+$/);
    assert.ok(long.length % 32 === 0 && long.length >= 32 && long.length <= 65_536);
  }
});

test("never write to the server view", () => {
  const view = Object.freeze(fakeView());
  for (const path of services.keys()) text(path, view);
});

test("inspect lists the connections of the requested port", () => {
  const requestedMs: number[] = [];
  const view = fakeView({
    connections: (port) => {
      requestedMs.push(port);
      return [{ connection: fakeConnection(), pending: null }];
    },
  });
  const service = services.get("/svc/inspect")!;
  const exchange = fakeExchange("/svc/inspect");
  service.handle(view, { exchange, query: "", portOffset: 1, isTrusted: true });
  assert.equal(requestedMs, [1]);
});

test.run();
