// Operations as tools: their descriptions for models, and schemas that validators of both dialects
// interpret alike.

import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Argspec, JsonSchema, PluginSpec } from "../../../argspec/argspec.js";
import { buildTools, type Tool } from "../../../argspec/mcp/tools.js";
import {
  INTEGER,
  list,
  makeArgspec,
  object,
  optional,
  param,
  plugin,
  ref,
  STRING,
  tuple,
} from "../sample-argspec.js";

const test = suite("buildTools");
/** Configured like official programs of the newer and the older revision. */
const DIALECTS = [Ajv2020, Ajv].map((Dialect) => new Dialect({ strict: false }));

function makeTool(overrides: Partial<PluginSpec>, $defs: Argspec["$defs"] = {}): Tool {
  return buildTools(makeArgspec([plugin("tool", overrides)], $defs)).tools.get("tool")!.tool;
}

function resultSchema(schema: JsonSchema, $defs: Argspec["$defs"] = {}) {
  return makeTool({ result: { kind: "value", schema } }, $defs).outputSchema;
}

function fits(schema: JsonSchema, value: unknown): boolean {
  const [newer, older] = DIALECTS.map((ajv) => ajv.validate(structuredClone(schema), value));
  assert.is(newer, older, JSON.stringify(value));
  return newer!;
}

test("includes all documentation in a tool", () => {
  const tool = makeTool({
    summary: "Finds cities.",
    description: "Finds cities. Quickly.",
    readonly: true,
    deprecated: true,
    deprecation: "use `seek`",
    returns: "cities by name",
    errors: [{ exception: "NotFound", description: "when there is none" }],
    examples: [{ query: { q: "os" }, text: "?q=os" }, { query: {}, text: "curl" }, { text: "x" }],
  });
  assert.is(tool.name, "tool");
  assert.is(tool.title, "Finds cities");
  assert.is(
    tool.description,
    [
      "Finds cities. Quickly.",
      "Deprecated: use `seek`",
      "Returns: cities by name",
      "Errors:\n- NotFound: when there is none",
      'Examples:\n- {"q":"os"}',
    ].join("\n\n"),
  );
  assert.equal(tool.annotations, { readOnlyHint: true, idempotentHint: true });
});

test("has no control characters in titles and descriptions", () => {
  const text = "Finds\u001b[2J\n\u202eit.";
  const { title, description } = makeTool({ summary: text, description: text });
  assert.is(title, "Finds\ufffd[2J \ufffdit");
  assert.is(description, "Finds\ufffd[2J\n\ufffdit.");
});

test("includes plugins without documentation", () => {
  assert.equal(makeTool({ deprecated: true }), {
    name: "tool",
    description: "Deprecated.",
    inputSchema: { type: "object", properties: {}, additionalProperties: false },
    annotations: { readOnlyHint: false, idempotentHint: false },
  });
});

test("puts parameters and the body into one object", () => {
  const point = object({ x: INTEGER });
  const { inputSchema } = makeTool(
    {
      params: [
        param("q", { description: "what is sought" }),
        optional("limit", { wire: "int", schema: INTEGER, default: 10 }),
        optional("at", { wire: "json", schema: ref("Point") }),
        optional("octets", { wire: "bytes", default: "a", description: "any" }),
        param("content", { in: "body", wire: "bytes" }),
      ],
    },
    { Point: point, Unused: STRING },
  );
  const base64 = { type: "string", contentEncoding: "base64" };
  assert.equal(inputSchema, {
    type: "object",
    properties: {
      q: { type: "string", description: "what is sought" },
      limit: { type: "integer", default: 10 },
      at: ref("Point"),
      octets: { ...base64, description: "any" },
      content: base64,
    },
    required: ["q", "content"],
    additionalProperties: false,
    $defs: {
      Point: { type: "object", properties: { x: { type: "integer" } }, required: ["x"] },
    },
  });
});

test("accepts further string parameters for an open operation", () => {
  const { inputSchema } = makeTool({ open: true });
  assert.ok(fits(inputSchema, { any: 1, other: "a", third: true }));
  assert.not(fits(inputSchema, { any: {} }));
  assert.not(fits(makeTool({}).inputSchema, { any: 1 }));
});

test("has an output schema only for results that are always objects", () => {
  const City = object({ name: STRING });
  const Either = { anyOf: [ref("City"), object({ n: INTEGER })] };
  for (const schema of [City, ref("City"), ref("Either"), Either]) {
    const output = resultSchema(schema, { City, Either })!;
    assert.is(output.type, "object");
    assert.ok(fits(output, { name: "Oslo" }));
    assert.not(fits(output, { name: 1 }));
  }
  const others = [STRING, list(City), {}, { anyOf: [City, { type: "null" }] }, { enum: ["a"] }];
  for (const schema of others) assert.is(resultSchema(schema), undefined);
});

test("allows additional properties in results", () => {
  const output = resultSchema(object({ inner: object({ x: INTEGER }) }))!;
  assert.ok(fits(output, { inner: { x: 1, y: 2 }, more: true }));
  assert.not(fits(output, { inner: { x: "1" } }));
});

test("has entries of key and item for sorted lists", () => {
  const result = { kind: "response", sortkey: INTEGER, item: ref("City"), meta: true } as const;
  const { outputSchema } = makeTool({ result }, { City: object({ name: STRING }) });
  const response = (...entries: unknown[]) => ({ hitcount: 1, meta: null, level: 0, entries });
  assert.ok(fits(outputSchema!, response([1, { name: "Oslo" }])));
  assert.not(fits(outputSchema!, response([1, { name: "Oslo" }, 2])));
  assert.not(fits(outputSchema!, response([1])));
  assert.not(fits(outputSchema!, { entries: [] }));
});

test("has tuples that both dialects interpret alike", () => {
  const pair = resultSchema(object({ pair: tuple([STRING, INTEGER], 1) }))!;
  for (const good of [["a"], ["a", 1]]) assert.ok(fits(pair, { pair: good }));
  for (const bad of [[], ["a", 1, 2]]) assert.not(fits(pair, { pair: bad }));
  const open = resultSchema(object({ list: tuple([STRING], 1, INTEGER) }))!;
  assert.ok(fits(open, { list: ["a", 1, 2] }));
  const emptyListSchema = resultSchema(
    object({ list: { type: "array", minItems: 0, items: false } }),
  )!;
  assert.ok(fits(emptyListSchema, { list: [] }));
  assert.not(fits(emptyListSchema, { list: [1] }));
});

test("supports recursive types and any type names", () => {
  const Größe$ = object({ next: ref("Größe$") }, []);
  const output = resultSchema(ref("Größe$"), { Größe$ })!;
  assert.ok(fits(output, { next: { next: {} } }));
  assert.not(fits(output, { next: { next: 1 } }));
});

test("supports property names that are schema keywords", () => {
  const names = ["$ref", "type", "items", "additionalProperties", "x-svc-range", "__proto__"];
  const properties = Object.fromEntries(names.map((name) => [name, INTEGER]));
  const { properties: schemas } = resultSchema(object(properties))!;
  assert.equal(Object.keys(schemas as object), names);
});

test("omits unusable tools with the reason", () => {
  const long = "a".repeat(129);
  const huge = "x".repeat(5_000_000);
  const { tools, leftOut } = buildTools(
    makeArgspec([
      plugin("a".repeat(128)),
      plugin(long),
      plugin("first", { description: huge }),
      plugin("second", { description: huge }),
      plugin("third"),
    ]),
  );
  assert.equal([...tools.keys()], ["a".repeat(128), "first", "third"]);
  assert.equal(
    leftOut.map(({ name }) => name),
    [long, "second"],
  );
  assert.match(leftOut[0]!.reason, "128 characters");
  assert.match(leftOut[1]!.reason, "all tools together");
});

test("merges processors of one name into one tool", () => {
  const resultType = object({ n: INTEGER });
  const { tools } = buildTools(
    makeArgspec([
      plugin("find", { params: [param("inner")], readonly: true }),
      plugin("find", { role: "pre", params: [param("outer")], result: { kind: "request" } }),
      plugin("find", { role: "post", result: { kind: "value", schema: resultType } }),
    ]),
  );
  const { inputSchema, outputSchema, annotations } = tools.get("find")!.tool;
  assert.equal(inputSchema.required, ["outer"]);
  assert.equal(outputSchema?.required, ["n"]);
  assert.is(annotations.readOnlyHint, false);
});

test.run();
