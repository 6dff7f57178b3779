// Built-in plugins, called as plain functions; the end-to-end tests cover their converters.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { installBuiltinContext } from "../../../runtime/builtin/context.js";
import { echo } from "../../../runtime/builtin/plugins/echo.js";
import { argspec, builtins, plugins } from "../../../runtime/builtin/plugins/listings.js";
import { metrics } from "../../../runtime/builtin/plugins/metrics.js";
import { ping } from "../../../runtime/builtin/plugins/ping.js";
import type { PluginDescription } from "../../../runtime/plugin/contract/plugin-entry.js";
import type { RequestSource } from "../../../runtime/plugin/contract/request-source.js";
import { PluginRequest } from "../../../runtime/plugin/request/plugin-request.js";
import { runPlugin } from "../../../runtime/plugin/run/run-plugin.js";
import { description, fakeView } from "./fake-view.js";

const test = suite("built-in plugins");
const request = new PluginRequest("x", { a: "1", n: 2 });

test("list nothing before a server has started", () => {
  assert.throws(() => plugins(request), /started server/);
  installBuiltinContext({ server: fakeView() });
});

test("ping returns its parameter", () => assert.is(ping(request), true));

test("echo returns its parameters", () => {
  const headers = { accept: "*/*", "X-Svc-Builtin-Client": "http://127.0.0.1:1/" };
  const echoed = echo(request, headers, "POST", Buffer.from("café ☕"));
  const expected = { method: "POST", request: { a: "1", n: 2 }, headers, content: "café ☕" };
  // Compared as strings: parameters have no prototype.
  assert.is(JSON.stringify(echoed), JSON.stringify({ HTTP: expected }));
});

test("echo shows binary bodies as far as possible", () => {
  assert.is(echo(request, {}, "POST", Uint8Array.of(65, 255, 66)).HTTP.content, "A\ufffdB");
});

test("metrics accepts default and custom percentiles", () => {
  assert.equal(Object.keys(metrics(request).latency_ms.all), [
    "mean",
    "80.0",
    "90.0",
    "95.0",
    "99.0",
  ]);
  assert.equal(Object.keys(metrics(request, [50, 99.9]).latency_ms.current), [
    "mean",
    "50.0",
    "99.9",
  ]);
  assert.throws(() => metrics(request, {}), /a list is required/);
});

test("plugins and builtins list all plugins or the named one", () => {
  assert.equal(
    plugins(request).map(({ path }) => path),
    ["/svc/plugin/add", "/svc/plugin/ping"],
  );
  assert.equal(
    builtins(request, "echo").map(({ path }) => path),
    ["/svc/builtin/echo"],
  );
});

test("argspec finds user and built-in plugins", () => {
  const records = argspec(request, "ping") as readonly PluginDescription[];
  assert.equal(
    records.map(({ path }) => path),
    ["/svc/plugin/ping", "/svc/builtin/ping"],
  );
});

test("throw LookupError for an unknown name", () => {
  for (const list of [plugins, builtins, argspec]) {
    for (const name of ["nosuch", "", "/svc/plugin/add", "svc"]) {
      try {
        list(request, name);
        assert.unreachable(`${list.name} found ${name}`);
      } catch (error) {
        assert.is((error as { exceptionName?: string }).exceptionName, "LookupError");
        assert.is((error as Error).message, `undefined plugin: ${name}`);
      }
    }
  }
});

test("respond with 404 to an unknown name and 400 to bad percentiles", () => {
  assert.equal(
    respond(() => argspec(request, "nosuch")),
    [404, { svc: { exception: "<class 'LookupError'>", value: "undefined plugin: nosuch" } }],
  );
  assert.equal(
    respond(() => metrics(request, [100])),
    [
      400,
      { svc: { exception: "<class 'ValueError'>", value: "percentile must be in range <0,100>" } },
    ],
  );
});

/** Status and message of the response to a call. */
function respond(invoke: () => unknown): [status: number, message: unknown] {
  const source: RequestSource = {
    method: "GET",
    target: "/svc/builtin/x",
    query: "",
    headerBlock: "",
    body: null,
    client: "http://127.0.0.1:1/",
    executor: 0,
    serial: 1,
    t0Ms: 0,
    basePort: 9000,
    portOffset: 0,
    accept: "json",
    ident: null,
    hasMatrix: false,
  };
  const entry = {
    name: "x",
    role: "engine",
    graph: null,
    readonly: false,
    readers: {},
    description: description("/svc/builtin/x"),
    invoke,
  } as const;
  let result: [number, unknown] = [0, null];
  runPlugin(entry, source, (status, _kind, payload) => {
    result = [status, JSON.parse(String(payload))];
  });
  return result;
}

test.run();
