// Validation of foreign argspecs, with the position of a fault.
// limit: 60 s
// takes 4 s

import { readFileSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { BUILTINS } from "../../argspec/builtins.js";
import { readArgspec } from "../../argspec/read-argspec.js";
import { SvcError } from "../../runtime/base/errors.js";

const test = suite("readArgspec");
const GOLDEN = readFileSync(new URL("../golden/emit/argspec.json", import.meta.url), "utf8");
const HASH = "0".repeat(64);

/** A document of one plugin with replaced members. */
function makeDocument(plugin: object = {}, $defs: object = {}): Record<string, unknown> {
  const search = {
    name: "search",
    path: "/svc/plugin/search",
    role: "engine",
    graph: null,
    readonly: true,
    summary: "Searches.",
    description: "Searches.",
    deprecated: false,
    source: null,
    params: [param("q")],
    reserved: ["request"],
    result: { kind: "value", schema: {} },
    errors: [],
    examples: [],
    ...plugin,
  };
  const service = { name: null, prefix: null };
  return { argspec: 1, service, hash: HASH, plugins: [search], $defs };
}

function param(name: string, members: object = {}) {
  return { name, in: "query", wire: "str", required: true, schema: { type: "string" }, ...members };
}

/** The same through the text of a file. */
function read(value: unknown) {
  return readArgspec(JSON.parse(JSON.stringify(value)));
}

function readSchema(schema: unknown, $defs: object = {}) {
  const { plugins } = read(makeDocument({ result: { kind: "value", schema } }, $defs));
  const { result } = plugins[0]!;
  return result.kind === "value" ? result.schema : null;
}

/** @param message its beginning, which is a position */
function assertRefused(value: unknown, message: string): void {
  assert.throws(
    () => readArgspec(value),
    (error: unknown) =>
      error instanceof SvcError &&
      error.code === "SVC3015" &&
      error.message.startsWith(`invalid argspec: ${message}`),
    message,
  );
}

test("accepts the compiler's output, byte for byte", () => {
  for (const text of [JSON.stringify(JSON.parse(GOLDEN)), JSON.stringify(BUILTINS)]) {
    assert.is(JSON.stringify(readArgspec(JSON.parse(text))), text);
  }
});

test("rejects documents of another format", () => {
  for (const value of [undefined, null, 1, "x", [], [makeDocument()]]) {
    assertRefused(value, "the document: expected an object");
  }
  assertRefused({}, "the document: `argspec` is missing");
  assertRefused({ ...makeDocument(), argspec: "1" }, "argspec: expected a non-negative integer");
  assertRefused({ ...makeDocument(), argspec: 2 }, "argspec: unsupported argspec format 2");
  assertRefused({ ...makeDocument(), hash: HASH.slice(1) }, "hash: expected 64 hexadecimal digits");
  assertRefused({ ...makeDocument(), service: {} }, "service: `name` is missing");
  for (const prefix of ["shop", "//shop", "/", "/a?b", "/a\n"]) {
    assertRefused(
      { ...makeDocument(), service: { name: null, prefix } },
      "service.prefix: expected a path",
    );
  }
  assertRefused({ ...makeDocument(), plugins: {} }, "plugins: expected a list");
});

const FLOW = "service.security.a.flows.clientCredentials";

function oauth(clientCredentials: object): object {
  return { type: "oauth2", flows: { clientCredentials } };
}

test("reads valid project information and ignores the rest", () => {
  const service = { name: null, prefix: null };
  const security = {
    a: { type: "http", scheme: "bearer", more: 1 },
    b: { type: "openIdConnect", openIdConnectUrl: "https://id.example/x" },
    c: { type: "mutualTLS" },
    d: { type: "apiKey", in: "cookie", name: "k" },
    e: {
      type: "oauth2",
      flows: {
        authorizationCode: {
          authorizationUrl: "https://id.example/a",
          tokenUrl: "https://id.example/t",
          scopes: { "orders:read": "to see orders" },
        },
        clientCredentials: { tokenUrl: "https://id.example/t", scopes: {} },
      },
    },
  };
  const fullService = { ...service, version: "1", license: "MIT", servers: ["http://a"], security };
  const { a, ...others } = security;
  assert.equal(read({ ...makeDocument(), service: fullService }).service, {
    ...fullService,
    security: { a: { type: "http", scheme: "bearer" }, ...others },
  });
  assert.ok(a.more);
  const invalidDocuments: readonly (readonly [object, string])[] = [
    [{ version: "1\n" }, "service.version: expected a text of one line"],
    [{ license: 7 }, "service.license: expected a string"],
    [{ servers: ["javascript:alert(1)"] }, "service.servers.0: expected a URL"],
    [{ servers: "http://a" }, "service.servers: expected a list"],
    [{ security: { "<a>": { type: "mutualTLS" } } }, "service.security.<a>: expected a name"],
    [{ security: { a: { type: "none" } } }, "service.security.a.type: expected http, apiKey,"],
    [
      { security: { a: { type: "oauth2", flows: {} } } },
      "service.security.a.flows: expected author",
    ],
    [
      { security: { a: oauth({ tokenUrl: "ftp://a", scopes: {} }) } },
      `${FLOW}.tokenUrl: expected a URL`,
    ],
    [{ security: { a: oauth({ tokenUrl: "http://a", scopes: { "a b": "" } }) } }, FLOW],
    [
      { security: { a: { type: "http", scheme: "x y" } } },
      "service.security.a.scheme: expected a word",
    ],
  ];
  for (const [project, message] of invalidDocuments) {
    assertRefused({ ...makeDocument(), service: { ...service, ...project } }, message);
  }
});

test("reads the hooks of a plugin", () => {
  const guards = [{ name: "auth", file: "src/guards.ts", headers: ["Authorization"] }];
  assert.equal(read(makeDocument({ guards })).plugins[0]!.guards, guards);
  assert.is(read(makeDocument({ guards: [] })).plugins[0]!.guards, undefined);
  const message = "plugins.0.guards.0.headers.0: expected a string";
  assertRefused(makeDocument({ guards: [{ ...guards[0], headers: [1] }] }), message);
});

test("ignores members of later versions", () => {
  const later = { ...makeDocument({ price: 3, params: [param("q", { unit: "m" })] }), icon: "x" };
  assert.equal(read(later), read(makeDocument()));
  assert.equal(readSchema({ type: "string", tsType: "evil()", $id: "x", $ref2: 1 }), {
    type: "string",
  });
});

const failing = (error: object) => ({
  errors: [{ exception: "Gone", description: "", ...error }],
});

const WRONG_PLUGINS: readonly [plugin: object, place: string][] = [
  [{ name: "a-b" }, "plugins.0.name: expected a name"],
  [{ name: "1a" }, "plugins.0.name: expected a name"],
  [{ name: "x\n" }, "plugins.0.name: expected a name"],
  [{ name: "é" }, "plugins.0.name: expected a name"],
  [{ name: "n".repeat(256) }, "plugins.0.name: expected a name"],
  [{ name: 7 }, "plugins.0.name: expected a string"],
  [{ path: "/svc/plugin/other" }, "plugins.0.path: expected one of /svc/plugin/search, "],
  [{ path: "/svc/plugin/search?x" }, "plugins.0.path: expected one of"],
  [{ role: "admin" }, "plugins.0.role: expected one of"],
  [{ readonly: "yes" }, "plugins.0.readonly: expected one of true, false"],
  [{ description: "x".repeat(2 ** 20 + 1) }, "plugins.0.description: at most"],
  [
    { source: { file: "a.ts", line: -1, column: 1 } },
    "plugins.0.source.line: expected a non-negative integer",
  ],
  [{ reserved: ["a b"] }, "plugins.0.reserved.0: expected a name"],
  [{ open: 1 }, "plugins.0.open: expected one of true, false"],
  [{ forwards: "x" }, "plugins.0.forwards: expected a list"],
  [{ params: Array(1001).fill(param("q")) }, "plugins.0.params: at most 1000 items"],
  [{ params: [param("q"), param("q")] }, "plugins.0.params: duplicate parameter name"],
  [{ params: [param("a b")] }, "plugins.0.params.0.name: expected a name"],
  [{ params: [param("q", { in: "path" })] }, "plugins.0.params.0.in: expected one of"],
  [{ params: [param("q", { wire: "date" })] }, "plugins.0.params.0.wire: expected one of"],
  [{ params: [param("q", { in: "body" })] }, "plugins.0.params.0.name: expected one of content"],
  [
    { params: [param("content", { in: "body", wire: "int" })] },
    "plugins.0.params.0.wire: expected one of bytes, str, json",
  ],
  [{ params: Array(1) }, "plugins.0.params.0: expected an object"],
  [{ result: { kind: "flow" } }, "plugins.0.result.kind: expected one of"],
  [{ result: { kind: "http" } }, "plugins.0.result: `mediaTypes` is missing"],
  [
    { result: { kind: "http", mediaTypes: ['a/b"'] } },
    "plugins.0.result.mediaTypes.0: expected a media type",
  ],
  [{ result: { kind: "value" } }, "plugins.0.result: `schema` is missing"],
  [{ result: { kind: "response", sortkey: {} } }, "plugins.0.result: `item` is missing"],
  [{ errors: [{ exception: 1 }] }, "plugins.0.errors.0.exception: expected a string"],
  [
    failing({ status: 404, exception: "gone" }),
    "plugins.0.errors.0.exception: expected a name with a cap",
  ],
  [
    failing({ status: 404, exception: "A\nB" }),
    "plugins.0.errors.0.exception: expected a name with a cap",
  ],
  [failing({ status: 200 }), "plugins.0.errors.0.status: 200 is not an error status"],
  [failing({ status: "404" }), "plugins.0.errors.0.status: "],
  [
    failing({ status: 404, details: { type: "date" } }),
    "plugins.0.errors.0.details.type: expected one of",
  ],
  [{ result: { kind: "stream" } }, "plugins.0.result: `schema` is missing"],
  [{ examples: [{ query: [], text: "x" }] }, "plugins.0.examples.0.query: expected an object"],
  [
    { examples: [{ query: { q: () => 1 }, text: "x" }] },
    "plugins.0.examples.0.query.q: expected an obj",
  ],
];

test("reports the position of a fault in a plugin", () => {
  for (const [plugin, message] of WRONG_PLUGINS) assertRefused(makeDocument(plugin), message);
  const twice = makeDocument();
  const [search] = twice.plugins as [object];
  assertRefused({ ...twice, plugins: [search, search] }, "plugins.1: duplicate plugin `sea");
  // Clients would have to call two plugins by one name.
  const builtin = { ...search, path: "/svc/builtin/search" };
  assertRefused({ ...twice, plugins: [search, builtin] }, "plugins.1: duplicate plugin `sea");
});

const WRONG_SCHEMAS: readonly [schema: unknown, place: string][] = [
  [true, "expected an object"],
  [{ type: "date" }, "type: expected one of"],
  [{ type: ["string", "null"] }, "type: expected one of"],
  [{ $ref: "file:///etc/passwd" }, "$ref: expected a reference"],
  [{ $ref: "#/$defs/Missing" }, "$ref: expected a reference"],
  [{ $ref: "#/$defs/toString" }, "$ref: expected a reference"],
  [{ anyOf: [] }, "anyOf: expected at least one"],
  [{ enum: [{}] }, "enum.0: expected a scalar"],
  [{ const: Number.NaN }, "const: expected an object"],
  [{ items: [] }, "items: expected an object"],
  [{ prefixItems: [{}], minItems: 1e9 }, "`minItems`"],
  [{ format: "colour" }, "format: expected one of"],
  [{ maximum: "1" }, "maximum: expected a number"],
  [{ properties: { a: 1 } }, "properties.a: expected an object"],
  [{ properties: { ["k".repeat(10_001)]: {} } }, "properties: a key"],
  [{ required: "a" }, "required: expected a list"],
  [{ pattern: "x".repeat(10_001) }, "pattern: at most"],
  [{ "x-svc-range": "all" }, "x-svc-range: expected one of"],
];

test("reports the position of a fault in a schema", () => {
  for (const [schema, message] of WRONG_SCHEMAS) {
    const inDefinition = message.startsWith("`") || message === "expected an object" ? ": " : ".";
    assertRefused(makeDocument({}, { T: schema }), `$defs.T${inDefinition}${message}`);
  }
});

test("rejects invalid names and definitions of types", () => {
  assertRefused(makeDocument({}, { "A B": {} }), "$defs.A B: invalid type name");
  assertRefused(makeDocument({}, { "x*/": {} }), "$defs.x*/: invalid type name");
  const refTo = (name: string) => ({ $ref: `#/$defs/${name}` });
  assertRefused(makeDocument({}, { A: refTo("A") }), "$defs: circular definition: `A`");
  assertRefused(
    makeDocument({}, { A: refTo("B"), B: { anyOf: [{ type: "null" }, refTo("A")] } }),
    "$defs: circular definition: `A`",
  );
  const list = {
    A: { anyOf: [refTo("B"), { type: "null" }] },
    B: { type: "array", items: refTo("A") },
  };
  assert.equal(read(makeDocument({}, list)).$defs, list);
  const shared = {
    A: { anyOf: [refTo("B"), refTo("C")] },
    B: refTo("D"),
    C: refTo("D"),
    D: { type: "null" },
  };
  assert.equal(read(makeDocument({}, shared)).$defs, shared);
});

test("accepts a long chain of aliases, and rejects a cycle", () => {
  const chain = (last: object) =>
    Object.fromEntries(
      Array.from({ length: 20_000 }, (_, n) => [
        `T${n}`,
        n === 19_999 ? last : { $ref: `#/$defs/T${n + 1}` },
      ]),
    );
  assert.is(Object.keys(read(makeDocument({}, chain({ type: "null" }))).$defs).length, 20_000);
  assertRefused(
    makeDocument({}, chain({ $ref: "#/$defs/T0" })),
    "$defs: circular definition: `T0`",
  );
});

test("accepts a union with more types than a call has arguments", () => {
  const anyOf = Array(300_000).fill({ $ref: "#/$defs/B" });
  assert.equal(Object.keys(readArgspec(makeDocument({}, { A: { anyOf }, B: {} })).$defs), [
    "A",
    "B",
  ]);
});

test("keeps keys such as __proto__ as plain keys", () => {
  const text = '{"type":"object","properties":{"__proto__":{"type":"null"},"constructor":{}}}';
  const schema = readSchema(JSON.parse(text));
  assert.is(JSON.stringify(schema), text);
  assert.is(Object.getPrototypeOf(schema), Object.prototype);
  const named = JSON.parse(
    JSON.stringify(makeDocument()).replace('"$defs":{', '"$defs":{"__proto__":{}'),
  );
  assert.equal(Object.keys(readArgspec(named).$defs), ["__proto__"]);
  const plugin = JSON.parse('{"examples":[{"query":{"__proto__":{"x":1}},"text":""}]}');
  const { query } = readArgspec(makeDocument(plugin)).plugins[0]!.examples[0] as { query: object };
  assert.is(JSON.stringify(query), '{"__proto__":{"x":1}}');
  // Inherited members do not count.
  assertRefused(Object.create(makeDocument()), "the document: `argspec` is missing");
});

test("terminates for unlimited nesting and repetition", () => {
  let deep: object = {};
  for (let level = 0; level < 100_000; level++) deep = { items: deep };
  assertRefused(makeDocument({}, { T: deep }), "$defs.T.items.items");
  const circle: { items?: object } = {};
  circle.items = circle;
  assertRefused(makeDocument({}, { T: circle }), "$defs.T.items.items");
  let wide: object = { type: "null" };
  for (let level = 0; level < 40; level++) wide = { anyOf: [wide, wide] };
  assertRefused(makeDocument({}, { T: wide }), "$defs.T.anyOf.0");
});

test.run();
