// limit: 60 s
// Built-in services and plugins as clients see them: both ports, with and without the prefix, each
// kind of envelope, and their effect on metrics.

import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { MAX_BUILTIN_BODY_BYTES } from "../../runtime/base/limits.js";
import { services } from "../../runtime/builtin/services.js";
import type { ServerMetrics } from "../../runtime/metrics/server-metrics.js";
import type { PluginDescription } from "../../runtime/plugin/contract/plugin-entry.js";
import { RawClient } from "../conformance/raw-client.js";
import {
  buildProject,
  type DecodedResponse,
  fixture,
  get,
  type RunningServer,
  serve,
} from "./support/server.js";

const test = suite("built-ins over HTTP");
let server: RunningServer;

test.before(async () => {
  await buildProject(fixture("engine"));
  server = await serve(fixture("engine"), "--prefix", "shop");
});

test.after(async () => {
  await server.end();
});

const BUILTIN_PLUGINS = [
  ...[
    "Identify",
    "MatrixObjects",
    "algorithms",
    "arcs",
    "argspec",
    "builtins",
    "changes",
    "connect",
    "constrain",
    "constraints",
    "createvertex",
    "define",
    "deletevertex",
    "disconnect",
    "dropconstraint",
    "dropindex",
  ],
  ...[
    "echo",
    "evaluate",
    "eventbacklog",
    "graphinfo",
    "index",
    "indexes",
    "jobs",
    "matrixplugins",
    "memory",
    "metrics",
    "nearest",
    "neighbor",
    "paths",
    "ping",
    "plugins",
  ],
  ...[
    "properties",
    "querycheck",
    "rebuildvectors",
    "search",
    "status",
    "system_counts",
    "system_descriptor",
    "system_overview",
  ],
  ...["system_rates", "vertex", "vertices"],
];

/** Response of an `OK` envelope. */
function response<T>(reply: DecodedResponse): T {
  assert.is(reply.status, 200, reply.text);
  assert.is(reply.json.status, "OK");
  return reply.json.response as T;
}

type Echo = {
  HTTP: {
    method: string;
    request: Record<string, unknown>;
    headers: Record<string, string>;
    content: string;
  };
};
type Dispatch = Record<"A" | "B", { dispatch: { dispatched: number; completed: number } }>;
type Inspection = {
  "n-connections": number;
  connections: { client: { state: string }; request: { path: string } }[];
};
type Status = {
  data: { in: number; out: number };
  total_clients: number;
  request: { count: number; plugin: number };
  errors: { http: number; codes: Record<string, number> };
};

test("services respond on both ports and under the prefix", async () => {
  for (const [path, { mediaType, isAdminOnly }] of services) {
    for (const offset of isAdminOnly ? [1] : [0, 1]) {
      for (const prefix of ["", "/shop"]) {
        const response = await get(server.port + offset, prefix + path);
        assert.is(response.status, 200, prefix + path);
        assert.is(response.headers.get("content-type"), `${mediaType}; charset=UTF-8`, path);
        if (mediaType !== "application/json") continue;
        assert.equal(Object.keys(response.json), [
          "status",
          "response",
          "port",
          "exec_id",
          "level",
          "partitions",
          "exec_ms",
        ]);
        assert.equal(response.json.port, [server.port + offset, offset]);
      }
    }
  }
});

test("services ignore the Accept header and reject other methods", async () => {
  const response = await get(server.port, "/svc/time", { headers: { accept: "text/plain" } });
  assert.match(response.headers.get("content-type") ?? "", /^application\/json/);
  for (const method of ["POST", "HEAD", "PUT", "DELETE"]) {
    const { status } = await fetch(`http://127.0.0.1:${server.port}/svc/time`, { method });
    assert.is(status, 405, method);
  }
});

test("hc reports the health of the server", async () => {
  assert.is((await get(server.port, "/svc/hc")).text, "SVC/3");
  assert.is((await get(server.port + 1, "/shop/svc/hc")).text, "SVC/3");
});

test("plugins respond in the plugin envelope to GET and POST", async () => {
  for (const offset of [0, 1]) {
    for (const method of ["GET", "POST"]) {
      const reply = await get(server.port + offset, "/svc/builtin/ping", { method });
      assert.is(response(reply), true);
      assert.equal(Object.keys(reply.json), [
        "status",
        "response",
        "level",
        "partitions",
        "exec_ms",
      ]);
    }
  }
  const text = await get(server.port, "/svc/builtin/ping", { headers: { accept: "text/plain" } });
  assert.is(text.text, "true");
});

test("echo returns its parameters", async () => {
  const body = "caf\u00e9 \u2615";
  const reply = await get(server.port, "/svc/builtin/echo?a=1&b=(int)2&c=x%20y", {
    method: "POST",
    body,
    headers: { "X-Test": "yes", "X-Svc-Builtin-Client": "forged" },
  });
  const { HTTP } = response<Echo>(reply);
  assert.equal(Object.keys(HTTP), ["method", "request", "headers", "content"]);
  assert.is(HTTP.method, "POST");
  assert.equal(HTTP.request, { a: "1", b: 2, c: "x y" });
  assert.is(HTTP.content, body);
  assert.is(HTTP.headers["x-test"], "yes");
  assert.is(Object.keys(HTTP.headers).at(-1), "X-Svc-Builtin-Client");
  assert.match(HTTP.headers["X-Svc-Builtin-Client"] ?? "", /^http:\/\/127\.0\.0\.1:\d+\/$/);
});

test("plugins and builtins respond under both of their paths", async () => {
  const plugins = response<PluginDescription[]>(await get(server.port, "/svc/plugins"));
  assert.ok(plugins.length > 0);
  for (const record of plugins) {
    assert.match(record.path, /^\/svc\/plugin\/\w+$/);
    assert.equal(Object.keys(record), ["path", "description", "parameters", "bound_graph"]);
  }
  assert.equal(response(await get(server.port + 1, "/svc/builtin/plugins")), plugins);
  const builtins = response<PluginDescription[]>(await get(server.port, "/svc/builtins"));
  assert.equal(
    builtins.map(({ path }) => path).filter((path) => !path.includes("/ADMIN_")),
    BUILTIN_PLUGINS.map((name) => `/svc/builtin/${name}`),
  );
  assert.equal(response(await get(server.port, "/svc/builtins?plugin=echo")), [
    {
      path: "/svc/builtin/echo",
      description: "Server echo.",
      parameters: { request: "PluginRequest", headers: "dict", method: "str", content: "bytes" },
      bound_graph: null,
    },
  ]);
});

test("argspec returns the schema of a plugin", async () => {
  const [record] = response<PluginDescription[]>(
    await get(server.port, "/svc/builtin/argspec?plugin=metrics"),
  );
  assert.is(record?.path, "/svc/builtin/metrics");
  assert.is(record?.parameters.latency, "json");
  const unknownResponse = await get(server.port, "/svc/builtin/argspec?plugin=nosuch");
  assert.is(unknownResponse.status, 404);
  assert.equal(unknownResponse.json.message, {
    svc: { exception: "<class 'LookupError'>", value: "undefined plugin: nosuch" },
  });
  assert.is((await get(server.port, "/svc/builtin/argspec")).status, 400);
});

test("metrics returns counts of requests", async () => {
  const record = response<ServerMetrics>(
    await get(server.port, "/svc/builtin/metrics?latency=[99.9,50]"),
  );
  assert.equal(Object.keys(record.latency_ms.current), ["mean", "50.0", "99.9"]);
  assert.is(record.serving, 1);
  for (const latency of ["5", "[0]", "[%22a%22]", "[50", "{}"]) {
    const response = await get(server.port, `/svc/builtin/metrics?latency=${latency}`);
    assert.is(response.status, 400, latency);
    assert.ok((response.json.message as { svc?: object }).svc, response.text);
  }
});

test("metrics count requests of the main port, without health checks", async () => {
  const before = await status();
  for (let i = 0; i < 5; i++) await get(server.port, "/svc/builtin/ping");
  for (let i = 0; i < 3; i++) await get(server.port, "/svc/nosuch");
  for (let i = 0; i < 7; i++) await get(server.port, "/svc/hc");
  for (let i = 0; i < 7; i++) await get(server.port + 1, "/svc/nosuch");
  const after = await status();
  assert.is(after.request.count - before.request.count, 8);
  assert.is(after.request.plugin - before.request.plugin, 5);
  assert.is(after.errors.http - before.errors.http, 3);
  assert.is(after.errors.codes[404]! - (before.errors.codes[404] ?? 0), 3);
  assert.is(after.total_clients - before.total_clients, 15);
  assert.ok(after.data.in > before.data.in && after.data.out > before.data.out);
});

/** Read through the admin port, which is not counted. */
async function status(): Promise<Status> {
  return response(await get(server.port + 1, "/svc/status"));
}

test("inspect shows its own request at each level", async () => {
  for (const level of [0, 1, 2, 3]) {
    const record = response<Inspection>(await get(server.port + 1, `/svc/inspect?level=${level}`));
    const asking = record.connections.filter(({ client }) => client.state === "EXECUTE");
    assert.is(asking.length, 1);
    assert.ok(record["n-connections"] >= 1);
    if (level > 0) assert.is(asking[0]?.request.path, `/svc/inspect?level=${level}`);
  }
  const main = "/svc/inspect?level=1&main=1";
  const inspection = response<Inspection>(await get(server.port + 1, main));
  assert.not(inspection.connections.some(({ request }) => request.path === main));
  const same = response<Inspection>(await get(server.port, main));
  assert.ok(same.connections.some(({ request }) => request.path === main));
  for (const level of ["4", "-1", "x"]) {
    const response = await get(server.port, `/svc/inspect?level=${level}`);
    assert.is(response.status, 400, level);
    assert.ok((response.json.message as { svc?: object }).svc, response.text);
  }
});

test("inspect shows a request whose body is incomplete", async () => {
  const path = "/svc/builtin/echo?arriving=1";
  const fetchStates = async (): Promise<string[]> => {
    const shown = await get(server.port + 1, "/svc/inspect?level=1&main=1");
    const { connections } = response<Inspection>(shown);
    return connections
      .filter(({ request }) => request.path === path)
      .map((row) => row.client.state);
  };
  const client = await RawClient.open(server.port);
  client.send(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nab`);
  while ((await fetchStates())[0] !== "EXPECT_CONTENT") await delay(10);
  client.send("cd");
  assert.is((await client.responses(1))[0]?.status, 200);
  assert.equal(await fetchStates(), []);
  client.close();
});

test("dispatch counts executed requests by port", async () => {
  const before = response<Dispatch>(await get(server.port, "/svc/dispatch"));
  await get(server.port, "/svc/plugin/fails");
  await get(server.port + 1, "/svc/plugin/fails");
  const after = response<Dispatch>(await get(server.port, "/svc/dispatch"));
  for (const port of ["A", "B"] as const) {
    assert.is(after[port].dispatch.dispatched - before[port].dispatch.dispatched, 1);
    assert.is(after[port].dispatch.completed - before[port].dispatch.completed, 1);
  }
});

test("respond with 404 to unknown paths", async () => {
  for (const path of [
    "/svc/nosuch",
    "/svc/builtin/nosuch",
    "/svc/builtin/ADMIN_Shutdown",
    "/svc/",
  ]) {
    assert.is((await get(server.port, path)).status, 404, path);
  }
});

test("reject bodies that would block the IO thread", async () => {
  const post = (bytes: number) =>
    get(server.port, "/svc/builtin/echo", { method: "POST", body: "a".repeat(bytes) });
  const largest = await post(MAX_BUILTIN_BODY_BYTES);
  assert.is(response<Echo>(largest).HTTP.content.length, MAX_BUILTIN_BODY_BYTES);
  const tooLarge = await post(MAX_BUILTIN_BODY_BYTES + 1);
  assert.is(tooLarge.status, 413);
  assert.is(tooLarge.json.message, "Payload Too Large");
});

test.run();
