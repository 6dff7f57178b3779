// One engine over real sockets: the request table, envelopes, attributes, sizes.
// limit: 60 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { requestTable } from "./request-table.js";
import { checkRow, sendRow } from "./support/check-row.js";
import {
  buildProject,
  fixture,
  get,
  pipeline,
  type RunningServer,
  serve,
} from "./support/server.js";

const test = suite("engine");
let server: RunningServer;

test.before(async () => {
  await buildProject(fixture("engine"));
  server = await serve(fixture("engine"), "--prefix", "shop");
});

test.after(async () => {
  assert.is(await server.stop(), 0);
});

for (const row of requestTable) {
  test(row.name, async () => checkRow(row, await sendRow(row, server.port), [server.port, 0]));
  test(`${row.name}, admin port`, async () => {
    checkRow(row, await sendRow(row, server.port + 1), [server.port + 1, 1]);
  });
}

test("writes the envelope with blanks after commas and colons", async () => {
  const { text } = await get(server.port, "/svc/plugin/add?a=1");
  assert.match(
    text,
    /^\{"status": "OK", "response": 2, "level": 0, "partitions": null, "exec_ms": \d+\.\d{3}\}$/,
  );
});

test("serves jQuery for user pages, on both ports and under the prefix", async () => {
  for (const [port, path] of [
    [server.port, "/jquery.js"],
    [server.port, "/shop/jquery.js"],
    [server.port + 1, "/jquery.js"],
  ] as const) {
    const { status, headers, text } = await get(port, path);
    assert.is(status, 200, path);
    assert.match(headers.get("content-type")!, /javascript/);
    assert.match(text, /^\/\*! jQuery v4/);
    const etag = headers.get("etag")!;
    const repeatedResponse = await get(port, path, { headers: { "if-none-match": etag } });
    assert.is(repeatedResponse.status, 304);
  }
});

test("sets request attributes of a single engine", async () => {
  const path = "/svc/plugin/attributes?q=1";
  const first = (await get(server.port, path)).json.response as Record<string, unknown>;
  const second = (await get(server.port, path)).json.response as Record<string, unknown>;
  const { sn, signature, executor, ...rest } = first;
  assert.equal(rest, {
    ident: [0, 1, 1, 1, 0, 0, 0, 1],
    toplevel: true,
    baseport: server.port,
    port: server.port,
    path,
    primary: 1,
    partial: null,
    width: 1,
    height: 1,
    depth: 1,
    hasmatrix: false,
    t0: "bigint",
  });
  assert.ok((second.sn as number) > (sn as number));
  const below = (await get(server.port, "/shop/plugin/attributes?q=1")).json.response;
  assert.is((below as { path: string }).path, path);
  assert.match(signature as string, /^[0-9a-f]{32}$/);
  assert.is(second.signature, signature);
  assert.ok((executor as number) >= 0 && (executor as number) <= 31);
});

test("passes the path to plugins exactly as received", async () => {
  for (const path of [
    "/svc/plugin/%61ttributes?q=%7e%2F&r=a+b",
    "/svc/plugin/attributes?q=<>\"|`{}[]^\\'",
    "/svc/plugin/attributes?q=\u00e4\u{1f600}",
    "/svc/plugin/attributes?/../a//./b",
  ]) {
    const socket = pipeline(server.port, path);
    let text = "";
    for await (const chunk of socket) {
      text += chunk;
      if (text.endsWith("}")) break;
    }
    const body = Buffer.from(text.slice(text.indexOf("\r\n\r\n")), "latin1").toString();
    assert.is(JSON.parse(body).response?.path, path, body);
  }
});

test("respects the minimum queue when it chooses a slot", async () => {
  for (const [queue, lowest] of [
    ["1", 3],
    ["queue2", 8],
    ["3", 15],
    ["9", 15],
  ] as const) {
    const headers = { "X-SVC-Builtin-Min-Executor": queue };
    const { json } = await get(server.port, "/svc/plugin/attributes", { headers });
    assert.is((json.response as { executor: number }).executor, lowest);
  }
});

test("responds under the prefix", async () => {
  assert.is((await get(server.port, "/shop/plugin/add?a=1")).json.response, 2);
  assert.is((await get(server.port, "/shop/svc/plugin/add?a=1")).json.response, 2);
  assert.is((await get(server.port, "/shop/svc/hc")).text, "SVC/3");
  assert.is((await get(server.port, "/shop/nothing")).status, 404);
});

test("sends results of any size", async () => {
  for (const n of [0, 1, 32_000, 33_000, 2_000_000]) {
    const { json } = await get(server.port, `/svc/plugin/long?n=${n}`);
    assert.is((json.response as string).length, n);
    assert.ok((json.response as string) === "ä".repeat(n));
  }
});

test("sends errors of any size", async () => {
  for (const n of [32_000, 33_000, 200_000]) {
    const path = `/svc/plugin/failsAtLength?n=${n}`;
    const { message } = (await get(server.port, path)).json as {
      message: { plugin: { value: string } };
    };
    assert.ok(message.plugin.value === "ä".repeat(n));
    const plainResponse = await get(server.port, path, { headers: { accept: "text/plain" } });
    assert.ok(plainResponse.text === `ERROR: ShopError: ${"ä".repeat(n)}`);
  }
});

test("receives bodies of any size", async () => {
  for (const n of [1, 65_536, 65_537, 5_000_000]) {
    const response = await get(server.port, "/svc/plugin/text", {
      method: "POST",
      body: "ö".repeat(n),
    });
    assert.ok(response.json.response === "ö".repeat(n), `${n}`);
  }
});

test("is a system of its own without a descriptor", async () => {
  const { json } = await get(server.port, "/svc/builtin/system_counts?idlist=G1");
  const { instances } = json.response as { instances: { id: string; adminport: number }[] };
  assert.equal(
    instances.map(({ id, adminport }) => [id, adminport]),
    [["G1", server.port + 1]],
  );
});

test("responds with 404 to unknown paths", async () => {
  assert.is((await get(server.port, "/svc/nothing")).status, 404);
  assert.is((await get(server.port, "/svc/builtin/nothing")).status, 404);
});

test("lists the methods of a resource for OPTIONS", async () => {
  for (const [path, allowed] of [
    ["/svc/plugin/add", "OPTIONS, GET, POST"],
    ["/svc/builtin/ping", "OPTIONS, GET, POST"],
    ["/shop/plugin/none", "OPTIONS, GET, POST"],
    ["/svc/hc", "OPTIONS, GET"],
    ["/file.txt", "OPTIONS, GET, HEAD"],
  ] as const) {
    const response = await get(server.port, path, { method: "OPTIONS" });
    assert.is(response.status, 200);
    assert.is(response.headers.get("allowed"), allowed);
  }
});

test.run();
