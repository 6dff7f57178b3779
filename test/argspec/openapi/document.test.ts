// The OpenAPI document of an argspec: its content, and its validity by the standard's schema.

import { readFileSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ARGSPEC_VERSION, type Argspec, type PluginSpec } from "../../../argspec/argspec.js";
import { BUILTINS } from "../../../argspec/builtins.js";
import { openapiDocument } from "../../../argspec/openapi/document.js";
import { readArgspec } from "../../../argspec/read-argspec.js";
import { selectPlugin } from "../../../argspec/select.js";
import { matchesGolden } from "../../golden/golden.js";
import { plugin as samplePlugin } from "../sample-argspec.js";
import { operationsIn, validateDocument } from "./valid-document.js";

const test = suite("OpenAPI document");
/** The records of the emitter tests. */
const shop = goldenArgspec("emit/argspec.json");

test("has the expected content for a small service", async () => {
  const document = await validateDocument(openapiDocument(goldenArgspec("openapi/argspec.json")));
  matchesGolden("openapi/document.json", `${JSON.stringify(document, null, 2)}\n`);
});

test("is valid for every feature, in both forms of JSON parameters", async () => {
  await validateDocument(openapiDocument(shop));
  await validateDocument(openapiDocument(shop, { jsonParams: "string" }));
});

test("is valid for each plugin alone, with the types that it refers to", async () => {
  for (const { name } of shop.plugins) {
    await validateDocument(openapiDocument(selectPlugin(shop, name)), name);
  }
  const { paths, components } = await only("shapes");
  assert.equal(Object.keys(paths), ["/svc/plugin/shapes"]);
  assert.ok("Point" in components.schemas!);
  const others = (await only("Shop")).components.schemas!;
  assert.not.ok("Point" in others);
});

test("is valid for built-in plugins, which may reject other machines", async () => {
  const { tags, paths } = await validateDocument(openapiDocument(BUILTINS));
  assert.equal(tags, [{ name: "built-in", description: "Plugins of `built-in`." }]);
  const connect = paths["/svc/builtin/connect"]!;
  assert.equal(Object.keys(connect), ["post"], "a link or an image must not connect");
  assert.ok("403" in connect.post!.responses);
});

test("has GET for all plugins, and POST for plugins that accept a body", async () => {
  const json = { type: "array", items: { type: "string" } };
  const { paths } = await buildDocument(
    plugin({ name: "load", params: [body("bytes", { type: "string" })] }),
    plugin({ name: "loadPost" }),
    plugin({ name: "merge", params: [{ ...body("json", json), required: true }] }),
    plugin({ name: "write", params: [body("str", { type: "string" })] }),
  );
  const methods = Object.values(paths).map((item) => Object.keys(item).join(" "));
  assert.equal(methods, ["get post", "get", "post", "get post"]);
  assert.is(paths["/svc/plugin/load"]!.post!.operationId, "loadPost2");
  assert.is(paths["/svc/plugin/load"]!.get!.requestBody, undefined);
  assert.is(paths["/svc/plugin/merge"]!.post!.operationId, "merge");
  const bodies = ["load", "merge", "write"].map((name) => {
    return paths[`/svc/plugin/${name}`]!.post!.requestBody;
  });
  const raw = { type: "string", format: "binary" };
  assert.equal(bodies, [
    makeMedia("application/octet-stream", raw, "bytes"),
    { ...makeMedia("application/json", json, "json"), required: true },
    makeMedia("text/plain", { type: "string" }, "str"),
  ]);
});

test("describes parameters with defaults and documented examples", async () => {
  const params = [
    query("n", "int", { type: "integer" }, { default: 1, description: "how many" }),
    query("at", "json", { type: "array", items: { type: "number" } }, { default: [0] }),
    query("word", "str", { enum: ["7", "8"] }, { required: true }),
  ];
  const example = { query: { n: 3, at: [1, 2], word: "7" }, text: "?n=3&at=[1,2]&word=7" };
  const first = { query: { at: [7] }, text: "?at=[7]" };
  const spec = plugin({
    name: "find",
    params,
    examples: [{ text: "find(`7`)\nnow" }, first, example],
  });
  const named = (value: unknown) => ({ example2: { summary: example.text, value } });
  const both = (input: unknown, value: unknown) => {
    return { example1: { summary: first.text, value: input }, ...named(value) };
  };
  const [n, at, word] = (await buildDocument(spec)).paths["/svc/plugin/find"]!.get!.parameters;
  assert.equal(n, {
    ...{ name: "n", in: "query", description: "how many", required: false },
    schema: { type: "integer", default: 1 },
    examples: named(3),
    "x-svc-wire": "int",
  });
  const list = { type: "array", items: { type: "number" } };
  const media = { schema: { ...list, default: [0] }, examples: both([7], [1, 2]) };
  assert.equal(at!.content, { "application/json": media });
  assert.equal(word!.schema, { type: "string", enum: ["7", "8"] });
  assert.equal(word!.examples, named("7"));

  const strings = openapiDocument(makeArgspec(spec), { jsonParams: "string" });
  const { paths } = await validateDocument(strings);
  const { description, parameters } = paths["/svc/plugin/find"]!.get!;
  const text = { type: "string", contentMediaType: "application/json", contentSchema: list };
  assert.equal(parameters[1]!.schema, { ...text, default: "[0]" });
  assert.equal(parameters[1]!.examples, both("[7]", "[1,2]"));
  assert.is(description, "Example:\n\n    find(`7`)\n    now");
});

test("describes deprecation, errors and results", async () => {
  const operation = await buildOperation({
    description: "Finds.\n\nAll of it.",
    summary: "Finds.",
    deprecated: true,
    deprecation: "use search",
    returns: "what was found",
    errors: [
      { exception: "NotFound", description: "when nothing is there" },
      { exception: "Busy", description: "" },
    ],
  });
  const { summary, description, deprecated, responses } = operation;
  assert.is(summary, "Finds.");
  assert.is(description, "All of it.\n\nDeprecated: use search");
  assert.is(deprecated, true);
  assert.is(responses["200"]!.description, "what was found");
  const { $ref, description: failure } = responses["500"]!;
  assert.is($ref, "#/components/responses/InternalServerError");
  assert.match(String(failure), /\n\n- `NotFound`: when nothing is there\n- `Busy`$/);
  const statuses = "200 400 404 405 409 413 414 421 422 429 500 503 505 507";
  assert.is(Object.keys(responses).join(" "), statuses);
  const { responses: read } = await buildOperation({ readonly: true });
  assert.is(Object.keys(read).join(" "), "200 400 404 405 413 414 421 429 500 503 505");
});

test("groups plugins by module, and leaves those without one ungrouped", async () => {
  const position = (file: string) => ({ source: { file, line: 1, column: 1 } });
  const document = await buildDocument(
    plugin({ name: "a", ...position("plugins/geo/search.ts") }),
    plugin({ name: "b", ...position("src/math.mts") }),
    plugin({ name: "c" }),
    plugin({ name: "d", ...position("plugins/geo/search.ts") }),
  );
  assert.equal(document.tags, [
    { name: "geo/search", description: "Plugins of `geo/search`." },
    { name: "src/math", description: "Plugins of `src/math`." },
  ]);
  const tags = operationsIn(document).map((operation) => operation.tags);
  assert.equal(tags, [["geo/search"], ["src/math"], undefined, ["geo/search"]]);
});

test("describes a pair of processors as one operation with results of back-ends", async () => {
  const post = plugin({ name: "find", role: "post", result: list });
  const pre = plugin({ name: "find", role: "pre", result: { kind: "request" }, graph: "g" });
  const find = (await buildDocument(pre, post)).paths["/svc/plugin/find"]!.get!;
  assert.equal(find["x-svc-role"], ["pre", "post"]);
  assert.is(find["x-svc-graph"], "g");
  assert.equal(
    find.parameters.map((parameter) => parameter.$ref),
    ["PartialTarget", "Key", "Explain"].map((name) => `#/components/parameters/${name}`),
  );

  const open = (await buildDocument(post)).paths["/svc/plugin/find"]!.get!;
  const { name, schema } = open.parameters[0]!;
  assert.is(name, "other-parameters");
  assert.equal(schema, { type: "object", additionalProperties: { type: "string" } });
});

test("names components after types and results, in valid characters", async () => {
  const types = ["Größe", "Gr__e", "$", "FindResult", "Envelope"];
  const $defs = Object.fromEntries(types.map((type) => [type, { const: type }]));
  const item = { anyOf: types.map((type) => ({ $ref: `#/$defs/${type}` })) };
  const find = plugin({ name: "find", result: { ...list, item } });
  const { components } = await validateDocument(openapiDocument({ ...makeArgspec(find), $defs }));
  const { schemas } = components;
  const members = ["Gr__e2", "Gr__e", "_", "FindResult", "Envelope_"];
  const names = members.map((name) => (schemas![name] as { const: string }).const);
  assert.equal(names, types);
  const { allOf } = schemas!.FindResult_ as { allOf: readonly object[] };
  assert.equal(allOf[0], { $ref: "#/components/schemas/PluginResponse" });
  const entry = JSON.stringify(allOf[1]);
  for (const member of members) assert.match(entry, `#/components/schemas/${member}"`);
});

test("is valid when a foreign argspec has duplicate required names", async () => {
  const schema = { type: "object", properties: { a: {} }, required: ["a", "b", "a"] };
  const twice = plugin({ name: "find", result: { kind: "value", schema } });
  const { paths } = await validateDocument(openapiDocument(readArgspec(makeArgspec(twice))));
  assert.match(JSON.stringify(paths), '"required":["a","b"]');
});

test("lists the prefix before the root", async () => {
  const { servers, info } = await validateDocument(
    openapiDocument({ ...shop, service: { name: null, prefix: "/shop" } }),
  );
  assert.equal(servers, [{ url: "/shop" }, { url: "/" }]);
  assert.is(info.title, "svc");
  assert.is(info.version, shop.hash.slice(0, 12));
});

test("identifies only licenses with an SPDX expression", async () => {
  for (const license of ["UNLICENSED", "SEE LICENSE IN LICENSE.txt"]) {
    const service = { ...shop.service, license };
    const { info } = await validateDocument(openapiDocument({ ...shop, service }));
    assert.equal(info.license, { name: license });
  }
});

test("includes version, license, servers and security of the project", async () => {
  const security = {
    token: { type: "http", scheme: "bearer" },
    key: { type: "apiKey", in: "header", name: "X-Key" },
    oauth: {
      type: "oauth2",
      flows: { clientCredentials: { tokenUrl: "https://id.example/t", scopes: { all: "all" } } },
    },
  } as const;
  const servers = ["https://shop.example/api/", "http://127.0.0.1:9000"];
  const project = { version: "1.2.0", license: "MIT", servers, security };
  const service = { ...shop.service, ...project };
  const document = await validateDocument(openapiDocument({ ...shop, service }));
  assert.is(document.info.version, "1.2.0");
  assert.equal(document.info.license, { name: "MIT", identifier: "MIT" });
  assert.equal(
    (document.servers as { url: string }[]).map(({ url }) => url),
    ["https://shop.example/api", "http://127.0.0.1:9000"],
  );
  assert.equal(document.security, [{ token: [] }, { key: [] }, { oauth: [] }]);
  assert.equal(document.components.securitySchemes, security);
  assert.equal((await validateDocument(openapiDocument(shop))).security, []);
});

function goldenArgspec(name: string): Argspec {
  const file = new URL(`../../golden/${name}`, import.meta.url);
  return JSON.parse(readFileSync(file, "utf8")) as Argspec;
}

const list = { kind: "response", sortkey: { type: "number" }, item: {}, meta: true } as const;

function plugin(parts: Partial<PluginSpec> & { readonly name: string }): PluginSpec {
  return samplePlugin(parts.name, { result: { kind: "value", schema: {} }, ...parts });
}

type Param = PluginSpec["params"][number];

function query(name: string, wire: Param["wire"], schema: object, more: Partial<Param> = {}) {
  const param = { name, in: "query", wire, required: false, schema } as const;
  return { ...param, ...more } as Param;
}

function body(wire: Param["wire"], schema: object): Param {
  return { ...query("content", wire, schema), in: "body" };
}

function makeMedia(mediaType: string, schema: object, wire: string): object {
  return { required: false, content: { [mediaType]: { schema } }, "x-svc-wire": wire };
}

test("describes authentication, public plugins and scopes", async () => {
  const plugins = [
    plugin({ name: "any" }),
    plugin({ name: "open", access: { public: true } }),
    plugin({ name: "order", access: { scopes: ["orders:write", "b"] } }),
  ];
  const without = await buildDocument(...plugins);
  assert.equal(without.security, []);
  for (const item of Object.values(without.paths)) {
    assert.not.ok("401" in item.get!.responses || "security" in item.get!);
  }
  const argspec = makeArgspec(...plugins);
  const service = { ...argspec.service, authenticated: true as const };
  const read = readArgspec(JSON.parse(JSON.stringify({ ...argspec, service })));
  const { paths, security, components } = await validateDocument(openapiDocument(read));
  assert.equal(security, [{ bearer: [] }]);
  assert.equal(components.securitySchemes, { bearer: { type: "http", scheme: "bearer" } });
  const find = (name: string) => paths[`/svc/plugin/${name}`]!.get!;
  assert.is(find("any").security, undefined);
  assert.ok("401" in find("any").responses && !("403" in find("any").responses));
  assert.equal(find("open").security, []);
  assert.not.ok("401" in find("open").responses);
  assert.equal(find("order").security, [{ bearer: ["orders:write", "b"] }]);
  const forbidden = find("order").responses["403"] as { description?: string };
  assert.match(forbidden.description!, "orders:write, b");
  const schemes = { login: { type: "mutualTLS" as const } };
  const secured = { ...argspec, service: { ...service, security: schemes } };
  const declared = await validateDocument(openapiDocument(secured));
  assert.equal(declared.security, [{ login: [] }]);
});

function makeArgspec(...plugins: readonly PluginSpec[]): Argspec {
  const service = { name: "test", prefix: null };
  return { argspec: ARGSPEC_VERSION, service, hash: "0".repeat(64), plugins, $defs: {} };
}

function buildDocument(...plugins: readonly PluginSpec[]) {
  return validateDocument(openapiDocument(makeArgspec(...plugins)));
}

async function buildOperation(spec: Partial<PluginSpec>) {
  const { paths } = await buildDocument(plugin({ name: "find", ...spec }));
  return paths["/svc/plugin/find"]!.get!;
}

function only(name: string) {
  return validateDocument(openapiDocument(selectPlugin(shop, name)), name);
}

test.run();
