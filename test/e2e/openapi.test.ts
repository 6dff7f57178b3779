// The OpenAPI document against running servers: every operation is called as documented, and all
// responses, including errors, must match its schemas.
// limit: 60 s
// takes 15 s

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { BUILTINS } from "../../argspec/builtins.js";
import { openapiDocument } from "../../argspec/openapi/document.js";
import { packageRoot } from "../../runtime/base/package-info.js";
import { validateDocument } from "../argspec/openapi/valid-document.js";
import { RawClient } from "../conformance/raw-client.js";
import { type Call, OpenapiCaller } from "./support/openapi-caller.js";
import {
  buildProject,
  type DecodedResponse,
  fixture,
  get,
  type RunningServer,
  serve,
} from "./support/server.js";

const test = suite("OpenAPI against servers");
const root = mkdtempSync(join(tmpdir(), "svc-openapi-"));
const served: RunningServer[] = [];

test.after(async () => {
  await Promise.all(served.map((server) => server.end()));
  rmSync(root, { recursive: true });
});

const AT = { x: 3, y: 4 };
const CIRCLE = { kind: "circle", at: AT, radius: 2 };
const TREE = { name: "a", children: [{ name: "b", children: [] }] };

/** Operation, call, status, and content of the response. */
const CALLS: readonly (readonly [string, Call, number, unknown?])[] = [
  ["echo", { query: { value: { "ä&=": [1, null] }, raw: "+ %é" } }, 200],
  ["echo", { query: { value: "text" } }, 200, { value: "text", raw: null }],
  ["echo", {}, 200, { value: null, raw: null }],
  ["extra", {}, 200, { a: 1, b: 2 }],
  ["measure", { query: { shape: CIRCLE } }, 200, { kind: "circle", unit: "m", size: 2 }],
  ["measure", { query: { shape: { kind: "path", points: [AT] }, unit: "km" } }, 200],
  ["measure", { query: { shape: { ...CIRCLE, radius: -1 } } }, 500],
  ["measure", { query: { shape: { kind: "oval" } }, isWrong: true }, 400],
  ["measure", { query: { shape: CIRCLE, unit: "mile" }, isWrong: true }, 400],
  ["measure", { isWrong: true }, 400],
  ["middle", { query: { segment: [AT, { x: 5, y: 4, label: null }] } }, 200],
  ["middle", { query: { segment: [AT, AT], weights: [1, 3] } }, 200, { ...AT, label: null }],
  ["middle", { query: { segment: [AT] }, isWrong: true }, 400],
  ["middle", { query: { segment: [AT, AT, AT] }, isWrong: true }, 400],
  ["names", {}, 200, []],
  ["namesPost", { body: TREE }, 200, ["a", "b"]],
  ["namesPost", {}, 200, []],
  ["nearest", { query: { to: AT, n: 3 } }, 200],
  ["nearest", { query: { to: AT, n: 2.5 }, isWrong: true }, 400],
  ["nothing", {}, 200, null],
  ["size", {}, 200, 0],
  ["sizePost", { body: Uint8Array.of(0, 255, 10) }, 200, 3],
  ["words", {}, 200, [["", 1]]],
  [
    "wordsPost",
    { body: "ü x ü" },
    200,
    [
      ["ü", 2],
      ["x", 1],
    ],
  ],
];

test("has valid documents of all examples", async () => {
  const examples = join(packageRoot(), "examples");
  for (const name of readdirSync(examples)) {
    const project = join(examples, name);
    await buildProject(project);
    const { paths } = await validateDocument(readDocument(project), name);
    assert.ok(Object.keys(paths).length > 0, `${name} has plugins`);
  }
});

test("matches the responses of every operation of a service", async () => {
  const caller = await createCaller(fixture("openapi"));
  const liveResponse = await get(served.at(-1)!.port, "/svc/builtin/argspec?format=openapi");
  assert.equal(liveResponse.json.response, readDocument(fixture("openapi")));
  for (const [operation, call, status, response] of CALLS) {
    const reply = await caller.call(operation, call);
    assert.is(reply.status, status, `${operation} ${JSON.stringify(call)}: ${reply.text}`);
    if (response !== undefined) assert.equal(reply.json.response, response);
  }
  const untried = caller.operationIds.filter((id) => !caller.calledLabels.has(`${id} 200`));
  assert.equal(untried, [], "operations without a call in the table");
});

test("lists the server URL with the prefix", async () => {
  await buildProject(fixture("openapi"));
  const { port } = await start(fixture("openapi"), "--prefix", "shop");
  const { json } = await get(port, "/svc/builtin/argspec?format=openapi");
  const { servers } = await validateDocument(json.response as object);
  for (const { url } of servers) {
    const response = await get(port, `${url === "/" ? "" : url}/svc/plugin/extra`);
    assert.is(response.status, 200, url);
  }
  assert.is(servers[0]!.url, "/shop");
});

test("matches rejections", async () => {
  const caller = await createCaller(fixture("openapi"), "--max-body-bytes", "1000");
  const { port } = served.at(-1)!;
  const path = "/svc/plugin/size";
  caller.check("size", await get(port, `${path}s`));
  caller.check("size", await get(port, path, { method: "DELETE" }));
  caller.check("sizePost", await get(port, path, { method: "POST", body: "a".repeat(1001) }));
  caller.check("size", await get(port, `${path}?a=${"a".repeat(9000)}`));
  caller.check("size", await rawResponse(port, `GET ${path} HTTP/1.0`));
  caller.check("size", await rawResponse(port, `GET ${path} HTTP/1.1\r\nHost: x\r\nno colon`));

  const out = await createCaller(fixture("openapi"), "--service-out");
  assert.is((await out.call("size")).status, 503);
  const labels = [...caller.calledLabels].map((label) => label.replace(/\D+/, ""));
  assert.equal(labels.sort(), ["400", "404", "405", "413", "414", "505"]);
});

test("matches errors of the server and plain-text errors", async () => {
  const caller = await createCaller(fixture("engine"), "--plugin-timeout", "200");
  const kinds = await Promise.all(
    ["fails", "throwsText", "cyclic", "forwards", "burns"].map(async (name) => {
      const response = await caller.call(name, name === "burns" ? { query: { ms: 1000 } } : {});
      assert.is(response.status, 500);
      const { message } = response.json;
      return typeof message === "string" ? "text" : Object.keys(message as object).join();
    }),
  );
  assert.equal(kinds, ["plugin", "plugin", "svc", "text", "system"]);
});

test("matches the responses of built-in plugins", async () => {
  await buildProject(fixture("graph-services"));
  const { port } = await start(fixture("graph-services"));
  await get(port, "/svc/plugin/feed");
  const texts = new URLSearchParams({
    graph: "people",
    what: "text",
    options: '{"keys": ["name"]}',
  });
  const headers = { "x-svc-change": "1" };
  const createdResponse = await get(port, `/svc/builtin/index?${texts}`, {
    method: "POST",
    headers,
  });
  assert.is(createdResponse.status, 200, createdResponse.text);
  const caller = new OpenapiCaller(openapiDocument(BUILTINS), port);
  const ends = { initial: "bob", terminal: "alice", relationship: "likes" };
  const query = { graph: "people", id: "alice", ...ends };
  // Admin operations would disturb the others, and changes never end: see e2e/system-operations and
  // e2e/change-feed.
  const ending = caller.operationIds.filter((id) => !id.startsWith("ADMIN_") && id !== "changes");
  for (const id of ending) {
    const plugin = id === "builtins" ? "ping" : "feed";
    const ownQuery = {
      ...{ ...query, plugin },
      ...(id === "createvertex" && { id: "dave" }),
      ...(id === "define" && { expression: "one := 1" }),
      ...(id.endsWith("index") && { what: "ids" }),
      ...(id.endsWith("constraint") && { type: "person", key: "code" }),
      ...(id === "constrain" && { type: "person", key: "code", unique: 1 }),
      ...(id.startsWith("nearest") && { query: '{"vector": [1, 2, 3]}' }),
      ...(id.startsWith("evaluate") && { expression: "1 + 1" }),
    };
    const response = await caller.call(id, { query: ownQuery });
    assert.is(response.status, 200, `${id}: ${response.text}`);
  }
  const unknown = { graph: "none", id: "none", plugin: "none" };
  await caller.call("vertex", { query: unknown });
  await caller.call("argspec", { query: unknown });
  await caller.call("vertex", { isWrong: true });
  for (const label of ["vertex 500", "argspec 404", "vertex 400"]) {
    assert.ok(caller.calledLabels.has(`${label}`), `${label} in ${[...caller.calledLabels]}`);
  }
});

test("matches responses of a matrix, with explanations and errors from below", async () => {
  const project = join(packageRoot(), "examples", "matrix");
  const engines = [
    await start(project, "--role", "engine"),
    await start(project, "--role", "engine"),
  ];
  const partitions = engines.map(({ port }) => [{ host: "127.0.0.1", port }]);
  const config = join(root, "matrix.json");
  const dispatcher = { partitions, replicas: [{ channels: 4, priority: 1 }], options: {} };
  writeFileSync(config, JSON.stringify(dispatcher));
  const top = await start(project, "--role", "dispatcher", "--dispatcher", config);
  const caller = new OpenapiCaller(readDocument(project), top.port);

  const merged = await caller.call("heights", {
    query: { n: 3 },
    headers: { "X-SVC-Explain": "1" },
  });
  assert.equal(merged.json.partitions, [2, 0, 2]);
  assert.type(merged.json.explain, "object");
  const part = await caller.call("heights", { headers: { "X-SVC-Partial-Target": "1" } });
  assert.is(part.status, 200);
  assert.is((await caller.call("mountains", { query: { continent: "Asia" } })).status, 200);
  const failed = await caller.call("heights", { query: { n: "x" }, isWrong: true });
  assert.is(failed.status, 500);
  assert.match(String(failed.json.message), /^<partial: [01] width: 2> \| 400 \| /);
});

function readDocument(project: string): object {
  return openapiDocument(JSON.parse(readFileSync(join(project, ".svc/argspec.json"), "utf8")));
}

/** The response to a request that `fetch` would refuse to send. */
async function rawResponse(port: number, head: string): Promise<DecodedResponse> {
  const client = await RawClient.open(port);
  client.send(`${head}\r\n\r\n`);
  const [response] = await client.responses(1);
  const { status, body } = response!;
  client.close();
  const headers = new Headers({ "content-type": "application/json" });
  return { status, headers, text: body, json: JSON.parse(body) };
}

async function start(project: string, ...options: string[]): Promise<RunningServer> {
  const folder = mkdtempSync(join(root, "data-"));
  const server = await serve(project, "--root", folder, ...options);
  served.push(server);
  return server;
}

async function createCaller(project: string, ...options: string[]): Promise<OpenapiCaller> {
  await buildProject(project);
  const { port } = await start(project, ...options);
  return new OpenapiCaller(readDocument(project), port);
}

test.run();
