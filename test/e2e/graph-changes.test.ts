// limit: 30 s
// Built-in plugins that change graphs: effects and responses on both ports, rejections, and
// permissions.

import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import type * as Library from "svc-server";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type DecodedResponse, get } from "./support/server.js";

const built = new URL("../../dist/index.js", import.meta.url).href;
const { Graph, system }: typeof Library = await import(built);

const test = suite("graph changes over HTTP");
const root = mkdtempSync(join(tmpdir(), "svc-changes-"));

test.before(async () => {
  await system.initialize("shop", { http: 0, root });
  new Graph("g");
});

test.after(async () => {
  await system.unload();
  rmSync(root, { recursive: true });
});

type Parameters = Readonly<Record<string, string | number>>;

/** A call of each plugin that would change something. */
const CHANGES: readonly (readonly [name: string, parameters: Parameters])[] = [
  ["createvertex", { graph: "g", id: "new" }],
  ["deletevertex", { graph: "g", id: "held" }],
  ["connect", { graph: "g", initial: "held", terminal: "new" }],
  ["disconnect", { graph: "g", id: "held" }],
  ["index", { graph: "g", what: "ids" }],
  ["dropindex", { graph: "g", what: "ids" }],
  ["constrain", { graph: "g", type: "t", key: "a", unique: "1" }],
  ["dropconstraint", { graph: "g", type: "t", key: "a" }],
  ["rebuildvectors", { graph: "g" }],
];

function send(name: string, parameters: Parameters, port: 0 | 1 = 0, init?: RequestInit) {
  const isChange = CHANGES.some(([change]) => change === name);
  const meant = { method: "POST", headers: { "X-SVC-Change": "1" } };
  const initial = init ?? (isChange ? meant : {});
  return get(system.serverPorts().base + port, buildPath(name, parameters), initial);
}

function buildPath(name: string, parameters: Parameters): string {
  const query = Object.entries(parameters).map(
    ([key, item]) => `${key}=${encodeURIComponent(item)}`,
  );
  return `/svc/builtin/${name}?${query.join("&")}`;
}

async function response(name: string, parameters: Parameters, port: 0 | 1 = 0): Promise<unknown> {
  const { status, text, json } = await send(name, { graph: "g", ...parameters }, port);
  assert.is(status, 200, text);
  return json.response;
}

test("create, update and delete vertices on both ports", async () => {
  for (const port of [0, 1] as const) {
    const properties = JSON.stringify({ age: 30, name: "Ann \u2615" });
    const params = { id: "ann b", type: "person", properties };
    assert.equal(await response("createvertex", params, port), { id: "ann b", action: "created" });
    assert.equal(await response("createvertex", { id: "ann b", lifespan: 1000 }, port), {
      ...{ id: "ann b", action: "updated" },
    });
    const vertex = new Graph("g").getVertex("ann b");
    assert.is(vertex.type, "person");
    assert.equal(vertex.getProperties(), { age: 30, name: "Ann \u2615" });
    assert.ok(vertex.getExpiration() < Date.now() / 1000 + 1001);
    vertex.close();
    assert.equal(await response("deletevertex", { id: "ann b" }, port), {
      ...{ id: "ann b", action: "deleted" },
    });
    assert.equal(await response("deletevertex", { id: "ann b" }, port), {
      ...{ id: "ann b", action: null },
    });
  }
});

test("create, set and remove arcs on both ports", async () => {
  for (const port of [0, 1] as const) {
    const ends = { initial: "a", terminal: "b" };
    assert.equal(await response("connect", ends, port), { ...ends, action: "connected" });
    assert.equal(await response("connect", ends, port), { ...ends, action: "updated" });
    const arc = { relationship: "knows", modifier: "M_INT", value: 5 };
    assert.equal(await response("connect", { ...ends, ...arc }, port), {
      ...{ ...ends, action: "connected" },
    });
    await response("connect", { ...ends, ...arc, value: 7 }, port);
    await response("connect", { ...ends, relationship: "is", modifier: "M_STAT" }, port);
    assert.equal(new Graph("g").outarcs("a").sort(), [
      ["D_OUT", "__related__", "M_FLT", 0, "b"],
      ["D_OUT", "is", "M_STAT", 1, "b"],
      ["D_OUT", "knows", "M_INT", 7, "b"],
    ]);
    const some = { id: "a", relationship: "knows", modifier: "M_INT", condition: "V_GT", value: 7 };
    assert.equal(await response("disconnect", some, port), { id: "a", action: null, arcs: 0 });
    assert.equal(await response("disconnect", { ...some, condition: "V_GTE" }, port), {
      ...{ id: "a", action: "disconnected", arcs: 1 },
    });
    const missing = { id: "a", neighbor: "c" };
    assert.equal(await response("disconnect", missing, port), { id: "a", action: null, arcs: 0 });
    const outgoing = { id: "b", neighbor: "a", direction: "D_IN" };
    assert.equal(await response("disconnect", outgoing, port), {
      ...{ id: "b", action: "disconnected", arcs: 2 },
    });
  }
});

test("convert vectors to another precision on both ports", async () => {
  for (const [port, precision] of [
    [0, "float32"],
    [1, "int8"],
  ] as const) {
    await response("createvertex", { id: "exact", vector: "[1, 0.3]" }, port);
    assert.equal(await response("rebuildvectors", { precision }, port), {
      ...{ converted: 1, precision, measure: "cosine" },
    });
    // One of them of signs.
    const indexed = { what: "vectors", length: 2, measure: "l2", signs: port };
    const { vectors } = (await response("index", indexed, port)) as { vectors: object[] };
    assert.equal(vectors, [
      {
        ...{ length: 32, precision, measure: "l2", ef: 100, signs: port === 1 },
        ...{ vectors: 1, indexed: 0, dead: 0 },
      },
    ]);
    const refusal = await send("index", { graph: "g", ...indexed, measure: "dot" }, port);
    assert.match(refusal.text, /drop their indexes first/);
    await response("dropindex", { what: "vectors", length: 2 }, port);
    new Graph("g").setVectorSettings({ measure: "cosine" });
    const invalid = await send("rebuildvectors", { graph: "g", precision: "int4" }, port);
    assert.is(invalid.status, 400);
    await response("deletevertex", { id: "exact" }, port);
  }
});

test("create vertices with vectors and find the nearest on both ports", async () => {
  const floats = Buffer.from(new Float32Array([0, 1, 0.5]).buffer).toString("base64");
  for (const port of [0, 1] as const) {
    await response("createvertex", { id: "north", vector: "[1, 0]" }, port);
    await response(
      "createvertex",
      { id: "east", type: "place", vector: JSON.stringify(floats) },
      port,
    );
    const vector = { vector: "[0.1, 1]", hits: 1 };
    const [nearest] = (await response("nearest", vector, port)) as { id: string }[];
    assert.is(nearest!.id, "east");
    const typed = { id: "north", query: '{"condition": {"type": "place"}, "approximate": true}' };
    assert.equal(await response("nearest", typed, port), [{ id: "east", similarity: 0 }]);
    const shown = (await response("vertex", { id: "east" }, port)) as {
      "Vertex( east )": { attributes: { vector: number[] } };
    };
    assert.equal(shown["Vertex( east )"].attributes.vector.slice(0, 2), [0, 1]);
    assert.is(new Graph("g").objcnt.vectors, 2);
    await response("createvertex", { id: "east", vector: "[]" }, port);
    assert.is(new Graph("g").objcnt.vectors, 1);
    for (const name of ["createvertex", "vertices", "nearest"]) {
      const params = { graph: "g", id: "east", vector: '[["warm", 1]]' };
      const refusal = await send(name, params, port);
      assert.is(refusal.status, 400, refusal.text);
      assert.match(refusal.text, /ValueError.*vectors of this graph hold/);
    }
    await response("deletevertex", { id: "north" }, port);
    await response("createvertex", { id: "east", vector: '[["warm", 1], ["red", 0.5]]' }, port);
    const alike = { vector: '[["warm", 1]]', hits: 1 };
    const [warm] = (await response("nearest", alike, port)) as { id: string; similarity: number }[];
    assert.equal(warm, { id: "east", similarity: 0.89453125 });
    await response("deletevertex", { id: "east" }, port);
  }
});

test("declare a text index and search it on both ports", async () => {
  for (const port of [0, 1] as const) {
    const options = { what: "text", options: '{"keys": ["title"]}' };
    const state = (await response("index", options, port)) as { texts: { name: string }[] };
    assert.equal(
      state.texts.map(({ name }) => name),
      ["text"],
    );
    await response("createvertex", { id: "s1", properties: '{"title": "Red shoes"}' }, port);
    await response("createvertex", { id: "s2", properties: '{"title": "D_OUT 7"}' }, port);
    assert.equal(await response("search", { text: "shoes" }, port), ["s1"]);
    assert.equal(await response("search", { text: '"red shoes"' }, port), ["s1"]);
    assert.equal(await response("search", { text: "7" }, port), ["s2"]);
    assert.equal(await response("search", { query: '{"text": "D_OUT"}' }, port), ["s2"]);
    const rich = { text: "red 7", match: "any", query: '{"fields": ["id"], "result": "dict"}' };
    assert.is(((await response("search", rich, port)) as object[]).length, 2);
    const refusal = await send("search", { graph: "g", text: "a", keys: '["none"]' }, port);
    assert.is(refusal.status, 400, refusal.text);
    assert.match(refusal.text, /QueryError.*unknown key: 'none'/);
    const bad = await send("index", { graph: "g", what: "text", options: "{}" }, port);
    assert.is(bad.status, 400, bad.text);
    const dropped = (await response("dropindex", { what: "text" }, port)) as { dropped: boolean };
    assert.is(dropped.dropped, true);
    const unknown = await send("search", { graph: "g", text: "a" }, port);
    assert.match(unknown.text, /KeyError.*unknown text index: 'text'/);
    for (const id of ["s1", "s2"]) await response("deletevertex", { id }, port);
  }
});

/** A condition on the second level that requires a similar vector. */
function similarTo(vector: string): string {
  return `{"not": {"similarity": [false, {"vector": ${vector}, "score": ["V_GT", 0.5]}]}}`;
}

test("accept vertex contents in the body", async () => {
  const post = (body: string) =>
    send("createvertex", { graph: "g", id: "bodied", type: "url" }, 0, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body,
    });
  const reply = await post('{"type": "body", "properties": {"a": [1, 2]}, "vector": [1, 0]}');
  assert.equal(reply.json.response, { id: "bodied", action: "created" });
  const vertex = new Graph("g").getVertex("bodied");
  assert.equal([vertex.type, vertex.properties, vertex.hasVector()], ["body", { a: [1, 2] }, true]);
  vertex.close();
  for (const [body, text] of [
    ["[1]", "content (a JSON object is required)"],
    ["{", "content ("],
    ['{"propertis": {}}', "content (unknown member 'propertis', known are type,lifespan"],
    ['{"lifespan": "1"}', "content (lifespan must be a number)"],
    ['{"__proto__": {"type": "x"}}', "content (unknown member '__proto__'"],
    ['{"properties": [1]}', "properties (an object is required)"],
  ] as const) {
    const refusal = await post(body);
    assert.is(refusal.status, 400, refusal.text);
    const { svc } = refusal.json.message as { svc: { value: string } };
    assert.ok(svc.value.startsWith(text), refusal.text);
  }
  await response("deletevertex", { id: "bodied" });
});

test("limit a query to 10,000 entries by default, and report that there are more", async () => {
  const many = new Graph("many");
  for (let number = 0; number < 10_001; number++) many.connect("hub", "to", `v${number}`);
  const listing = { graph: "many", hits: -1, fields: "F_ID" };
  const cut = (await response("vertices", listing)) as { vertices: string[]; bounded: string };
  assert.equal(Object.keys(cut), ["vertices", "bounded"]);
  assert.is(cut.vertices.length, 10_000);
  assert.match(cut.bounded, /^more than 10000 matches: page with sortby, hits and offset$/);
  const counted = { ...listing, id: "hub", query: '{"counts": true, "hits": null}' };
  const { counts, neighborhood, bounded } = (await response("neighbor", counted)) as {
    counts: { arcs: number };
    neighborhood: string[];
    bounded: string;
  };
  assert.equal([counts.arcs, neighborhood.length, bounded], [10_001, 10_000, cut.bounded]);
  const few = (await response("vertices", { ...listing, offset: 2 })) as string[];
  assert.is(few.length, 10_000);
  assert.is(
    ((await response("vertices", { ...listing, hits: 10_002 })) as string[]).length,
    10_002,
  );
});

/** Plugin, parameters, status, class of the exception, part of its message. */
const REFUSED: readonly (readonly [string, Parameters, number, string, RegExp])[] = [
  ...["createvertex", "deletevertex", "connect", "disconnect"].flatMap((name) => {
    const ends = { id: "x", initial: "x", terminal: "y" };
    return [
      [name, ends, 400, "TypeError", /^missing required argument: 'graph'$/],
      [name, { graph: "g" }, 400, "TypeError", /^missing required argument/],
      [name, { graph: "zz", ...ends }, 500, "KeyError", /^Graph instance not available: zz$/],
    ] as const;
  }),
  ["createvertex", { id: "" }, 500, "VertexError", /empty vertex identifier/],
  ["createvertex", { id: "x", type: "1 2" }, 500, "VertexError", /invalid vertex type/],
  ["createvertex", { id: "x", lifespan: "y" }, 400, "TypeError", /^lifespan=y/],
  ["createvertex", { id: "x", properties: "{" }, 400, "ValueError", /^properties=\{ \(invalid/],
  ["createvertex", { id: "x", properties: "[1]" }, 400, "TypeError", /an object is required/],
  ["createvertex", { id: "x", properties: '{"1": 2}' }, 500, "ValueError", /invalid property key/],
  ["createvertex", { id: "x", vector: "[1e39]" }, 400, "ValueError", /vector\[0\] is 1e\+39/],
  ["createvertex", { id: "x", vector: '["a"]' }, 400, "TypeError", /vector\[0\] must be a number/],
  ["createvertex", { id: "x", vector: '[["a"]]' }, 400, "TypeError", /a name and a weight/],
  ["createvertex", { id: "x", vector: '"AAA"' }, 400, "ValueError", /base64 of float32s/],
  ["createvertex", { id: "x", vector: "7" }, 400, "TypeError", /list of numbers/],
  ["nearest", {}, 400, "TypeError", /'vector' or 'id'/],
  ["nearest", { vector: "[]" }, 400, "ValueError", /no components/],
  ["vertices", { vector: '[1,"a"]' }, 400, "TypeError", /vector\[1\] must be a number/],
  ["vertices", { vector: '{"a":1}', sortby: "S_SIM" }, 400, "TypeError", /list of numbers/],
  ["vertices", { condition: similarTo("[1e999]") }, 400, "ValueError", /vector\[0\] is Inf/],
  ["vertices", { condition: similarTo("7") }, 400, "TypeError", /list of numbers/],
  ["neighbor", { id: "a", vector: "[1e39]" }, 400, "ValueError", /vector\[0\] is 1e\+39/],
  ["neighbor", { id: "a", neighbor: similarTo("[{}]") }, 400, "TypeError", /must be a number/],
  [
    "connect",
    { initial: "x", terminal: "y", modifier: "M_NO" },
    400,
    "ValueError",
    /^modifier=M_NO/,
  ],
  ["connect", { initial: "x", terminal: "y", modifier: "M_ANY" }, 500, "ArcError", /modifier/],
  ["connect", { initial: "x", terminal: "y", value: "1e39" }, 500, "ArcError", /out of range/],
  ["connect", { initial: "x", terminal: "y", value: "z" }, 400, "TypeError", /^value=z/],
  ["disconnect", { id: "zz" }, 500, "KeyError", /No object : 'zz'/],
  ["disconnect", { id: "a", direction: "M_INT" }, 400, "ValueError", /^direction=M_INT/],
  ["disconnect", { id: "a", condition: "V_NO" }, 400, "ValueError", /^condition=V_NO/],
];

test("leave the graph unchanged when rejected", async () => {
  const { order, size } = new Graph("g");
  for (const [name, parameters, status, exception, text] of REFUSED) {
    const isWhole =
      status === 400 && parameters.graph === undefined && !text.source.includes("miss");
    const graph = status === 500 || isWhole ? { graph: "g" } : {};
    const reply = await send(name, { ...graph, ...parameters });
    assert.is(reply.status, status, `${name} ${JSON.stringify(parameters)} ${reply.text}`);
    const { svc, plugin } = reply.json.message as Record<
      "svc" | "plugin",
      { exception: string; value: string } | undefined
    >;
    const declarer = status === 400 ? svc : plugin;
    assert.is(declarer?.exception, `<class '${exception}'>`, reply.text);
    assert.match(declarer?.value ?? "", text, reply.text);
  }
  assert.equal([new Graph("g").order, new Graph("g").size], [order, size]);
});

test("wait for a locked vertex up to the requested timeout", async () => {
  const vertex = new Graph("g").newVertex("held");
  const reply = await send("connect", { graph: "g", initial: "held", terminal: "b", timeout: 20 });
  assert.is(reply.status, 500);
  assert.match(reply.text, /<class 'AccessError'>","value":"Acquisition timeout: 'held'/);
  // A waiting request blocks no other, and continues when it can.
  const connecting = response("connect", { initial: "held", terminal: "b", timeout: -1 });
  const looking = response("vertex", { id: "held" });
  for (const name of ["arcs", "createvertex"])
    await response(name, name === "arcs" ? {} : { id: "a" });
  vertex.close();
  assert.equal(await connecting, { initial: "held", terminal: "b", action: "connected" });
  assert.equal(Object.keys((await looking) as object), ["Vertex( held )"]);
});

async function expectForbidden(text: RegExp, call: typeof send): Promise<void> {
  const { order, size } = new Graph("g");
  for (const [name, parameters] of CHANGES) {
    for (const port of [0, 1] as const) {
      const reply = await call(name, parameters, port);
      assert.is(reply.status, 403, `${name} ${reply.text}`);
      assert.match(String(reply.json.message), text);
    }
  }
  assert.equal([new Graph("g").order, new Graph("g").size], [order, size]);
}

test("create, drop and list indexes", async () => {
  await response("createvertex", { id: "red", vector: "[1,0,0]", properties: '{"hue":0}' });
  const made = { what: "vectors", length: 3, ef: 50 };
  const shown = (await response("index", made)) as { vectors: Record<string, number>[] };
  assert.equal(
    shown.vectors.map(({ length, ef, vectors }) => ({ length, ef, vectors })),
    [{ length: 32, ef: 50, vectors: 1 }],
  );
  const both = (await response("index", { what: "property", key: "hue" })) as {
    properties: object;
  };
  assert.equal(both.properties, [{ key: "hue", entries: 1 }]);
  for (const dropped of [true, false]) {
    const parameters = { what: "vectors", length: 3 };
    assert.equal(await response("dropindex", parameters), {
      ...{ dropped, vectors: [], properties: [{ key: "hue", entries: 1 }], texts: [] },
    });
  }
  assert.equal(await response("dropindex", { what: "property", key: "hue" }), {
    ...{ dropped: true, vectors: [], properties: [], texts: [] },
  });
  await response("deletevertex", { id: "red" });
});

test("declare constraints, refuse what breaks them, and drop them", async () => {
  const email = { type: "person", key: "email" };
  const shown = await response("constrain", { ...email, unique: "1", value: "string" });
  const listing = { constraints: [{ ...email, unique: true, value: "string" }] };
  assert.equal(shown, listing);
  assert.equal(await response("constraints", {}), listing);
  const properties = '{"email":"a@x"}';
  await response("createvertex", { id: "ann", type: "person", properties });
  const twice = await send("createvertex", { graph: "g", id: "bob", type: "person", properties });
  assert.is(twice.status, 409);
  assert.match(twice.text, /ConstraintError.*'bob' has the same value as 'ann'/);
  const broken = await send("constrain", { graph: "g", type: "person", key: "age", required: "1" });
  assert.is(broken.status, 409);
  assert.match(broken.text, /'ann' has no value/);
  const invalid = await send("constrain", { graph: "g", ...email, value: "text" });
  assert.is(invalid.status, 400);
  assert.equal(await response("dropconstraint", email), { dropped: true, constraints: [] });
  await response("deletevertex", { id: "ann" });
});

test("reject indexes of impossible keys", async () => {
  const cases: readonly (readonly [name: string, given: Parameters, problem: RegExp])[] = [
    ["index", { what: "arcs" }, /what \(it must be vectors, property, ids or text\)/],
    ["index", { what: "vectors" }, /missing required argument: 'length'/],
    ["index", { what: "vectors", length: -1 }, /length/],
    ["index", { what: "vectors", length: 70_000 }, /length/],
    ["index", { what: "vectors", length: 8, ef: 1e9 }, /ef must be/],
    ["index", { what: "property" }, /missing required argument: 'key'/],
    ["dropindex", { what: "property", key: "no such" }, /cannot index 'no such'/],
    ["dropindex", { what: "vectors", length: 1e9 }, /length/],
  ];
  for (const [name, params, problem] of cases) {
    const { status, text } = await send(name, { graph: "g", ...params });
    assert.is(status, params.key === undefined ? 400 : 404, text);
    assert.match(text, problem);
  }
  assert.is((await send("index", { graph: "g", what: "ids" }, 0, { method: "GET" })).status, 405);
});

test("are refused to cross-origin pages", async () => {
  const headers = { origin: "http://evil.example", "x-svc-change": "1" };
  await expectForbidden(/^403 Forbidden: cross-origin/, (name, parameters, port) =>
    send(name, parameters, port, { method: "POST", headers }),
  );
  // Reading is allowed for all.
  assert.is((await send("vertices", { graph: "g" }, 0, { headers })).status, 200);
});

test("are refused to pages with a foreign host name", async () => {
  await expectForbidden(
    /^403 Forbidden: (Host|"evil\.example") is not a name of this server/,
    (name, params, port) => askAs("127.0.0.1", "evil.example", name, params, port),
  );
});

/** A local address that counts as untrusted; undefined without a network. */
const address = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === "IPv4" && !internal)?.address;

if (address !== undefined) {
  test("are refused to other machines unless http.trustedNetworks names them", async () => {
    const sendFromOutside: typeof send = (name, parameters, port) =>
      askAs(address, address, name, parameters, port);
    await expectForbidden(
      /may not change graphs; add its network to http\.trustedNetworks/,
      sendFromOutside,
    );
    assert.is((await sendFromOutside("vertices", { graph: "g" })).status, 200);
    await system.stopHTTP();
    await system.startHTTP(0, { trustedNetworks: [`${address}/32`] });
    for (const [name, parameters] of CHANGES) {
      const { status, text } = await sendFromOutside(name, parameters);
      assert.is(status, 200, `${name} ${text}`);
    }
  });
}

/** A request to one of this machine's addresses with any `Host`. */
async function askAs(
  to: string,
  host: string,
  name: string,
  parameters: Parameters,
  port: 0 | 1 = 0,
): Promise<DecodedResponse> {
  const socket = connect(system.serverPorts().base + port, to).setEncoding("utf8");
  const isChange = CHANGES.some(([change]) => change === name);
  const method = isChange ? "POST" : "GET";
  socket.write(`${method} ${buildPath(name, parameters)} HTTP/1.1\r\nHost: ${host}\r\n`);
  // Not ended: requests of clients that may have gone do not wait long for an executor.
  socket.write("X-SVC-Change: 1\r\nConnection: close\r\n\r\n");
  let received = "";
  for await (const piece of socket) received += piece;
  const text = received.slice(received.indexOf("\r\n\r\n") + 4);
  const status = Number(received.split(" ", 2)[1]);
  return { status, headers: new Headers(), text, json: JSON.parse(text) };
}

test.run();
