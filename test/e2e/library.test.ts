// Library mode: `system` inside a user's program, plugins as closures, the state table of the
// interface.
// limit: 60 s
// takes 10 s

import { execFileSync } from "node:child_process";
import type * as Library from "svc-server";
import type { PluginRequest } from "svc-server";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { plainNode } from "../runner/node-command.mjs";
import { assertFiring } from "./support/firing-alerts.js";
import { get } from "./support/server.js";

// The built package, whose threads have their entries in `dist/`.
const built = new URL("../../dist/index.js", import.meta.url).href;
const { bytes, int, PluginResponse, plugin, SvcError, str, system }: typeof Library = await import(
  built
);

const test = suite("library mode");

async function failure(run: () => unknown): Promise<Error & { code?: string }> {
  try {
    await run();
  } catch (error) {
    return error as Error;
  }
  throw new assert.Assertion({ message: "did not throw" } as never);
}

function base(): number {
  return system.serverPorts().base;
}

// Test files that run later in this process initialize the same system.
test.after(async () => {
  await system.unload();
});

test("adding and calling fail before a start", async () => {
  assert.is(system.isInitialized(), false);
  assert.match((await failure(() => system.addPlugin(() => 1))).message, /No registry/);
  for (const request of [
    () => system.serverPorts(),
    () => system.serviceInHTTP(),
    () => system.stopHTTP(),
    () => system.restartHTTP(),
    () => system.requestRate(),
  ]) {
    assert.is((await failure(request)).code, "SVC2204");
  }
});

test("invalid arguments leave the system unchanged", async () => {
  for (const options of [{ http: -1 }, { http: 0, prefix: "svc" }, { http: 0, ip: "256.1.1.1" }]) {
    assert.match((await failure(() => system.initialize("shop", options))).code ?? "", /^SVC22/);
    assert.is(system.isInitialized(), false);
    assert.is((await failure(() => system.serverPorts())).code, "SVC2204");
  }
});

test("a server starts on a free pair of ports", async () => {
  await system.initialize("shop", { http: 0, ip: "127.0.0.1", prefix: "shop" });
  assert.is(system.isInitialized(), true);
  assert.equal(system.serverPorts(), { base: base(), admin: base() + 1 });
  assert.is(system.serverPrefix(), "/shop");
  assert.is(system.serverAdminIP(), "127.0.0.1");
  assert.is(system.serverHost().ip, "127.0.0.1");
  assert.is(system.dispatcherConfig(), null);
  assert.is((await get(base(), "/svc/hc")).text, "SVC/3");
  const { json } = await get(base(), "/svc/status");
  assert.is((json.response as { name: string }).name, "shop");
});

test("a second start is rejected", async () => {
  const error = await failure(() => system.startHTTP(0));
  assert.instance(error, SvcError);
  assert.is(error.code, "SVC2203");
  assert.match(error.message, new RegExp(`already running on port ${base()}`));
});

test("closures are plugins and share the state of the program", async () => {
  let calls = 0;
  const parameters = { request: null, a: int, n: [int, 10] } as const;
  system.addPlugin((_request: PluginRequest, a: number, n: number) => ({ a, n, calls: ++calls }), {
    name: "count",
    parameters,
  });
  assert.equal((await get(base(), "/svc/plugin/count?a=1")).json.response, {
    a: 1,
    n: 10,
    calls: 1,
  });
  assert.equal((await get(base(), "/shop/plugin/count?a=2&n=3")).json.response, {
    a: 2,
    n: 3,
    calls: 2,
  });
  const invalidResponse = await get(base(), "/svc/plugin/count?a=x");
  assert.is(invalidResponse.status, 400);
  assert.equal(invalidResponse.json.message, {
    svc: { exception: "<class 'TypeError'>", value: "a=x (an integer is required)" },
  });
  assert.is((await get(base(), "/svc/plugin/count")).status, 400);
  assert.is(calls, 2);
});

test("marked functions, bodies and responses work without a build", async () => {
  const shout = plugin(
    { name: "shout", parameters: { request: null, text: str, content: bytes } },
    (_request: PluginRequest, text: string, content: Uint8Array) => {
      const response = new PluginResponse(1);
      response.append("key", `${text.toUpperCase()}${content.length}`);
      return response;
    },
  );
  system.addPlugin(shout);
  const reply = await get(base(), "/svc/plugin/shout?text=h%C3%A9", {
    method: "POST",
    body: "abc",
  });
  assert.equal((reply.json.response as { entries: unknown }).entries, [["key", "HÉ3"]]);
});

test("plugins are listed, replaced and removed", async () => {
  assert.equal(
    system.getPlugins().map(({ path }) => path),
    ["/svc/plugin/count", "/svc/plugin/shout"],
  );
  const { json } = await get(base() + 1, "/svc/plugins");
  assert.equal(json.response, system.getPlugins());
  system.addPlugin(() => "new", { name: "count", parameters: { request: null } });
  assert.is((await get(base(), "/svc/plugin/count")).json.response, "new");
  assert.is(system.removePlugin("count"), true);
  assert.is(system.removePlugin("count"), false);
  assert.is((await get(base(), "/svc/plugin/count")).status, 404);
  assert.ok(system.getBuiltins().some(({ path }) => path === "/svc/builtin/echo"));
});

test("a plugin is available once added, and gone once removed", async () => {
  const parameters = { request: null };
  const path = `http://127.0.0.1:${base()}/svc/plugin/soon`;
  const requestCount = async (): Promise<number> => {
    const response = await fetch(path);
    await response.arrayBuffer();
    return response.status;
  };
  assert.is(await requestCount(), 404);
  // Not awaited in between: the request leaves at once on the open connection.
  for (let round = 0; round < 20; round++) {
    system.addPlugin(() => 1, { name: "beside", parameters });
    system.addPlugin(() => 1, { name: "soon", parameters });
    assert.is(await requestCount(), 200);
    system.removePlugin("beside");
    system.removePlugin("soon");
    assert.is(await requestCount(), 404);
  }
});

test("Service-OUT and Service-IN", async () => {
  system.serviceInHTTP(false);
  assert.is((await get(base(), "/svc/plugin/shout?text=a")).status, 503);
  assert.is((await get(base(), "/svc/hc")).status, 503);
  const headers = { "X-SVC-Bypass-SOUT": "1" };
  assert.is((await get(base(), "/svc/plugin/shout?text=a", { headers })).status, 200);
  system.serviceInHTTP();
  assert.is((await get(base(), "/svc/plugin/shout?text=a")).status, 200);
  system.serviceInHTTP(0);
  assert.is((await get(base(), "/svc/hc")).status, 503);
  system.serviceInHTTP(1);
});

test("metrics count and are reset", async () => {
  await get(base(), "/svc/plugin/nothing");
  const metrics = system.serverMetrics([50, 99.9]);
  assert.ok(metrics.total_requests > 0);
  assert.ok(metrics.bytes_in > 0 && metrics.bytes_out > 0);
  assert.equal(Object.keys(metrics.latency_ms.all), ["mean", "50.0", "99.9"]);
  assert.type(system.requestRate(), "number");
  for (const percentiles of [[], [0], [100], ["x"], null]) {
    const error = await failure(() => system.serverMetrics(percentiles as never));
    assert.instance(error, SvcError);
  }
  system.resetMetrics();
  assert.is(system.serverMetrics([50]).total_requests, 0);
});

test("plugins added while the server starts are served", async () => {
  const restarted = system.restartHTTP();
  let isOver = false;
  const over = restarted.then(() => {
    isOver = true;
  });
  const added: string[] = [];
  while (!isOver) {
    const name = `late${added.length}`;
    system.addPlugin(() => 1, { name, parameters: { request: null } });
    added.push(name);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await over;
  system.serviceInHTTP();
  assert.ok(added.length > 1);
  for (const name of added) {
    assert.is((await get(base(), `/svc/plugin/${name}`)).status, 200, name);
  }
  for (const name of added) system.removePlugin(name);
});

test("a restart keeps the port and comes back Service-OUT", async () => {
  const port = base();
  await system.restartHTTP();
  assert.is(base(), port);
  assert.is((await get(port, "/svc/plugin/shout?text=a")).status, 503);
  system.serviceInHTTP();
  assert.is((await get(port, "/svc/plugin/shout?text=a")).status, 200);
});

test("admin operations work as in a server", async () => {
  const port = base();
  const operate = async (operation: string, query = ""): Promise<unknown> => {
    const path = "/svc/builtin/ADMIN_";
    const token = await get(port + 1, `${path}GetAuthToken`);
    const { authtoken } = token.json.response as { readonly authtoken: string };
    return (await get(port + 1, `${path}${operation}?authtoken=${authtoken}${query}`)).json
      .response;
  };
  assert.equal(await operate("ServiceOut"), { action: "service_out" });
  assert.is((await get(port, "/svc/plugin/shout?text=a")).status, 503);
  assert.equal(await operate("ServiceIn"), { action: "service_in" });
  assert.is((await get(port, "/svc/plugin/shout?text=a")).status, 200);
  assert.match(
    String(await operate("ReloadPlugins", "&content=")),
    "plugins of a program cannot be reloaded",
  );
  const count = () => system.serverMetrics([50]).total_requests;
  for (let n = 0; n < 20; n++) await get(port, "/svc/plugin/shout?text=a");
  let last = count();
  let isNew = false;
  const response = await operate("RestartHTTP");
  assert.equal(response, { action: "restart_http", status: "in progress" });
  // The metrics start again with the server.
  const isOver = async (): Promise<boolean> => {
    try {
      const { status } = await get(port, "/svc/plugin/shout?text=a");
      const previousInstance = last;
      last = count();
      isNew ||= last < previousInstance;
      return isNew && status === 200;
    } catch {
      return false;
    }
  };
  while (!(await isOver())) await new Promise((resolve) => setTimeout(resolve, 20));
});

test("a blocked main thread is reported by metrics, as its alert expects", () => {
  // This thread waits for the program below.
  const program = `const blocked = /^svc_thread_blocked_seconds.thread="main".* (.+)$/m;
let text = "";
while (!(Number(blocked.exec(text)?.[1]) > 5)) {
  await new Promise((resume) => setTimeout(resume, 500));
  text = await (await fetch("http://127.0.0.1:${base() + 1}/metrics")).text();
}
process.stdout.write(text);
`;
  const args = ["--input-type=module", "-e", program];
  const text = execFileSync(plainNode(), args, { encoding: "utf8" });
  assertFiring(text, text, ["SvcThreadBlocked"]);
});

test("invalid arguments are rejected", async () => {
  await system.stopHTTP();
  for (const start of [
    () => system.startHTTP(70_000),
    () => system.startHTTP("x" as never),
    () => system.startHTTP(0, "256.1.1.1.1"),
    () => system.startHTTP(0, { prefix: "a b" }),
    () => system.startHTTP(0, { trustedNetworks: ["everybody"] }),
  ]) {
    assert.is((await failure(start)).code, "SVC2205");
  }
  const dispatcher = { partitions: [[{ host: "127.0.0.1", port: 9100 }]] };
  const { code, message } = await failure(() => system.startHTTP(0, { dispatcher }));
  assert.is(code, "SVC2101");
  assert.match(message, "dispatcher.replicas: replicas information missing");
});

test("a port in use is named and leaves no thread running", async () => {
  await system.startHTTP(0, "127.0.0.1", null, false);
  const port = base();
  assert.is((await get(port, "/svc/hc")).status, 503);
  const { createServer } = await import("node:net");
  await system.stopHTTP();
  const squatter = createServer().listen(port + 1);
  await new Promise((resolve) => squatter.once("listening", resolve));
  const error = await failure(() => system.startHTTP(port));
  assert.is(error.code, "SVC2202");
  assert.match(error.message, new RegExp(`admin port ${port + 1}`));
  await new Promise((resolve) => squatter.close(resolve));
  await system.startHTTP(port);
  assert.is((await get(port, "/svc/hc")).text, "SVC/3");
});

test.run();
