// Cross-origin requests with and without `http.cors`.
// limit: 60 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { buildProject, fixture, get, serve } from "./support/server.js";

const test = suite("cors");
const PATH = "/svc/plugin/decoded";
const preflight = {
  method: "OPTIONS",
  headers: {
    origin: "http://elsewhere.example",
    "access-control-request-method": "POST",
    "access-control-request-headers": "content-type,x-custom",
  },
};

test.before(async () => {
  await buildProject(fixture("engine"));
});

test("the preflight allows the resource's methods and the requested fields", async () => {
  const server = await serve(fixture("engine"), "--cors", "*");
  const { status, headers } = await get(server.port, PATH, preflight);
  assert.is(status, 200);
  assert.is(headers.get("access-control-allow-origin"), "*");
  assert.is(headers.get("access-control-allow-methods"), "OPTIONS, GET, POST");
  assert.is(headers.get("access-control-allow-headers"), "content-type,x-custom");
  const plainResponse = await get(server.port, PATH, { method: "OPTIONS" });
  assert.is(plainResponse.headers.get("allowed"), "OPTIONS, GET, POST");
  assert.is(plainResponse.headers.get("access-control-allow-methods"), null);
  await server.end();
});

test("a cross-origin POST is refused unless http.cors allows it", async () => {
  const post = (origin: string) => ({ method: "POST", body: "{}", headers: { origin } });
  const closedServer = await serve(fixture("engine"));
  const path = "/svc/plugin/add?a=1";
  const refusedResponse = await get(closedServer.port, path, post("http://elsewhere.example"));
  assert.is(refusedResponse.status, 403);
  assert.match(refusedResponse.json.message as string, "http.cors");
  const own = await get(closedServer.port, path, post(`http://127.0.0.1:${closedServer.port}`));
  assert.is(own.status, 200);
  assert.is((await get(closedServer.port, path, { method: "POST", body: "{}" })).status, 200);
  const reads = { headers: { origin: "http://elsewhere.example" } };
  assert.is((await get(closedServer.port, path, reads)).status, 200);
  await closedServer.stop();
  const openServer = await serve(fixture("engine"), "--cors", "http://elsewhere.example");
  assert.is((await get(openServer.port, path, post("http://elsewhere.example"))).status, 200);
  assert.is((await get(openServer.port, path, post("http://other.example"))).status, 403);
  await openServer.stop();
  const named = await serve(fixture("engine"), "--allowed-hosts", "shop.example");
  assert.is((await get(named.port, path)).status, 200);
  await named.end();
});

test("nothing is allowed without the option", async () => {
  const server = await serve(fixture("engine"));
  const { headers } = await get(server.port, PATH, preflight);
  const names = [...headers.keys()].filter((name) => name.startsWith("access-control"));
  assert.equal(names, []);
  await server.end();
});

test.run();
