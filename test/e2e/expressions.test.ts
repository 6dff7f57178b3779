// Expressions over HTTP: the built-in evaluator and expressions in query services, their memory,
// limits, and permission to name them.
// limit: 30 s

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  buildProject,
  type DecodedResponse,
  fixture,
  get,
  type RunningServer,
  serve,
} from "./support/server.js";

const test = suite("expressions over HTTP");
const root = mkdtempSync(join(tmpdir(), "svc-expressions-"));
let server: RunningServer;

test.before(async () => {
  await buildProject(fixture("graph-services"));
  server = await serve(fixture("graph-services"), "--root", root);
  assert.is((await get(server.port, "/svc/plugin/feed")).status, 200);
});

test.after(async () => {
  await server.end();
  rmSync(root, { recursive: true });
});

function request(name: string, parameters: object, body?: string): Promise<DecodedResponse> {
  const query = Object.entries({ graph: "people", ...parameters })
    .map(([key, value]) => `${key}=${encodeURIComponent(String(value))}`)
    .join("&");
  const init = body === undefined ? {} : { method: "POST", body };
  return get(server.port, `/svc/builtin/${name}?${query}`, init);
}

async function response(name: string, parameters: object, body?: string): Promise<unknown> {
  const response = await request(name, parameters, body);
  assert.is(response.status, 200, response.text);
  return response.json.response;
}

test("evaluates an expression and returns its value as text", async () => {
  const shown: readonly (readonly [object, string])[] = [
    [{ expression: "1 + 1" }, "2"],
    [{ expression: "8 / 4" }, "2.0"],
    [{ expression: "'it' + \"'s\"" }, "'it\\'s'"],
    [{ expression: "null" }, "None"],
    [{ expression: "hash(1)" }, "5364400272060396684"],
    [{ expression: "hash('hello')" }, "2557456271172132286"],
    [{ expression: "vertex.id", tail: "alice" }, "'alice'"],
    [
      { expression: ".arc.value * 2", tail: "alice", head: "bob", arc: '["knows", "M_INT", 5]' },
      "10",
    ],
  ];
  for (const [parameters, result] of shown) {
    assert.equal(await response("evaluate", parameters), { result, memory: [] });
  }
  assert.equal(await response("evaluate", {}, "2 ** 10"), { result: "1024", memory: [] });
});

test("returns memory, and keeps shared memory", async () => {
  const stored = { memory: 4, memresult: 4, expression: "store(0,7); store(1,2.5)" };
  assert.equal(await response("evaluate", stored), { result: "2.5", memory: [7, 2.5, 0, 0] });
  const counted = { memory: 16, sharedmem: 1, expression: "inc(0)" };
  assert.equal(await response("evaluate", counted), { result: "1", memory: [] });
  assert.equal(await response("evaluate", counted), { result: "2", memory: [] });
  const walked = { id: "alice", arc: "knows", memory: 4, filter: "count(R1); 0" };
  assert.equal(await response("neighbor", walked), { neighborhood: [], memory: [0, 0, 0, 2] });
});

test("limits the shared memories of one client", async () => {
  for (let memory = 20; memory < 23; memory++) {
    await response("evaluate", { memory, sharedmem: 1, expression: "inc(0)" });
  }
  const { status, json } = await request("evaluate", { memory: 23, sharedmem: 1, expression: "1" });
  assert.is(status, 400);
  assert.match(JSON.stringify(json), "this client already uses 4 shared memories: omit sharedmem");
  const known = { memory: 20, sharedmem: 1, expression: "inc(0)" };
  assert.equal(await response("evaluate", known), { result: "2", memory: [] });
});

test("accepts expressions in queries", async () => {
  const params = { id: "alice", arc: "knows", fields: "F_ID" };
  assert.equal(await response("neighbor", { ...params, filter: "next.arc.value > 5" }), ["carol"]);
  const ranked = { ...params, sortby: "S_RANK", rank: "10 - .arc.value" };
  assert.equal(await response("neighbor", ranked), ["bob", "carol"]);
  const selected = { id: "alice", arc: "knows", hits: 1, sortby: "S_VAL" };
  const fields = "F_PROP";
  const select = "twice: .arc.value * 2";
  assert.equal(await response("neighbor", { ...selected, fields, result: "R_DICT", select }), [
    { properties: { twice: 14 } },
  ]);
});

test("lets trusted clients name an expression", async () => {
  const text = "strong := next.arc.value > 5";
  const createdResponse = await get(server.port, "/svc/builtin/define?graph=people", {
    method: "POST",
    headers: { "X-SVC-Change": "1" },
    body: text,
  });
  assert.is(createdResponse.status, 200, createdResponse.text);
  assert.equal(createdResponse.json.response, { strong: text });
  const named = { id: "alice", arc: "knows", fields: "F_ID", filter: "strong" };
  assert.equal(await response("neighbor", named), ["carol"]);
  const refusedResponse = await request("evaluate", { expression: "x := 5" });
  assert.is(refusedResponse.status, 400);
  assert.match(refusedResponse.text, "a name can only be given by define()");
});

test("lists names and analyzes an expression for tools", async () => {
  const names = (await response("evaluate", { vocabulary: 1 })) as { functions: object[] };
  assert.ok(names.functions.length > 250, `${names.functions.length}`);
  const facts = await response("evaluate", { check: 1, expression: "next['age'] * 2 + ('a' < 1)" });
  assert.equal(facts, {
    ...{ type: "any", names: ["next['age']"], needsHead: true, hasEffect: false },
    hints: ["a number and a text: `<` is always 0"],
  });
});

test("rejects expensive expressions at low cost", async () => {
  const texts = [
    ...[
      "(".repeat(15_000),
      "1".repeat(20_000),
      "-".repeat(16_000),
      "constructor",
      "process.exit()",
    ],
    ...["next.__proto__", "__proto__(1)", "cpukill(9)", "'a*b*c'", "next.deg"],
  ];
  for (const expression of texts) {
    const response = await request("evaluate", {}, expression);
    assert.is(response.status, 400, response.text);
    assert.is(response.json.status, "ERROR");
  }
  // A string that grows tenfold with each statement, until it is rejected.
  const names = ["v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9"];
  const grown = names.slice(1).map((name, index) => {
    return `${name} = join(',', ${Array(10).fill(names[index]).join(",")})`;
  });
  const reply = await request("evaluate", {}, `v0 = 'xxxxxxxxxx'; ${grown.join(";")}`);
  assert.is(reply.status, 400, reply.text.slice(0, 200));
  assert.match(reply.text, "expression result exceeds");
});

test.run();
