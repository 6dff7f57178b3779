// Forms of the console: fields by schema, validation by type, and the resulting request.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ParamSpec, PluginSpec } from "../../argspec/argspec.js";
import { buildFormFields, buildRequest, findFieldError } from "../../console/data/form.js";
import { describeLimits } from "../../console/data/limit-texts.js";

const test = suite("console forms");

function plugin(name: string, ...params: Partial<ParamSpec>[]): PluginSpec {
  const base = { name: "x", in: "query", wire: "str", required: false, schema: {} } as const;
  return {
    ...{ name, path: `/svc/plugin/${name}`, role: "engine", graph: null, readonly: true },
    ...{ summary: "", description: "", deprecated: false, source: null, reserved: [] },
    ...{ errors: [], examples: [], result: { kind: "value", schema: {} } },
    params: params.map((param) => ({ ...base, ...param })),
  };
}

const field = (param: Partial<ParamSpec>) => buildFormFields(plugin("p", param))[0]!;

test("create a field for each schema", () => {
  const kinds: [Partial<ParamSpec>, string][] = [
    [{ wire: "int", schema: { type: "integer" } }, "number"],
    [{ wire: "float", schema: { type: "number" } }, "number"],
    [{ wire: "str", schema: { type: "string" } }, "text"],
    [{ wire: "bytes", schema: { type: "string" } }, "text"],
    [{ wire: "json", schema: { type: "array" } }, "json"],
    [{ wire: "json", schema: { type: "boolean" } }, "choice"],
    [{ wire: "str", schema: { enum: ["a", "b"] } }, "choice"],
    [{ wire: "bytes", in: "body", schema: { type: "string" } }, "body"],
  ];
  for (const [param, kind] of kinds) assert.is(field(param).kind, kind, JSON.stringify(param));
  assert.equal(field({ schema: { enum: ["a", 1, null] } }).choices, ["a", "1"]);
  assert.is(field({ default: [1] }).hint, "[1]");
});

test("report values that violate constraints", () => {
  const count = field({ wire: "int", schema: { type: "integer", minimum: 1 } });
  assert.is(findFieldError(count, "0"), "at least 1 is required");
  assert.is(findFieldError(count, "1"), null);
  const name = field({ wire: "str", schema: { type: "string", pattern: "^a+$" } });
  assert.is(findFieldError(name, "b"), "a string like ^a+$ is required");
  const tags = field({ wire: "json", schema: { type: "array", maxItems: 1 } });
  assert.is(findFieldError(tags, "[1,2]"), "at most 1 item is required");
  assert.is(findFieldError(tags, "[1]"), null);
});

test("report errors before sending", () => {
  const integer = field({ wire: "int", schema: { type: "integer" } });
  const number = field({ wire: "float", schema: { type: "number" } });
  const json = field({ wire: "json", schema: { type: "object" } });
  for (const text of ["", "7", "-7", "0xff"]) assert.is(findFieldError(integer, text), null, text);
  for (const text of ["1.5", "x", " "]) assert.ok(findFieldError(integer, text) !== null, text);
  for (const text of ["1.5", "-1e9", "0x10"]) assert.is(findFieldError(number, text), null, text);
  for (const text of ["1,5", "Infinity", "NaN"])
    assert.ok(findFieldError(number, text) !== null, text);
  assert.is(findFieldError(json, `{"a":1}`), null);
  assert.match(findFieldError(json, "{a:1}")!, /^no JSON: /);
  assert.is(findFieldError({ ...integer, isRequired: true }, ""), "required");
});

test("send escaped values and omit empty ones", () => {
  const spec = plugin("a&b/c", { name: "q?" }, { name: "n" }, { name: "body", in: "body" });
  assert.equal(buildRequest(spec, new Map([["q?", "x&y=ø"]])), {
    method: "GET",
    path: "svc/plugin/a%26b%2Fc?q%3F=x%26y%3D%C3%B8",
    body: null,
    isEnveloped: true,
  });
  assert.equal(buildRequest(spec, new Map([["body", "text"]])), {
    method: "POST",
    path: "svc/plugin/a%26b%2Fc",
    body: { kind: "text", text: "text" },
    isEnveloped: true,
  });
});

test("send a file as the body, and files as parts of a form", () => {
  const file = new File(["x"], "x.png");
  const raw = plugin("p", { name: "content", in: "body", wire: "bytes" });
  const both = buildRequest(raw, new Map([["content", "text"]]), new Map([["content", file]]));
  assert.equal(both.body, { kind: "file", file });
  const schema = {
    type: "object",
    properties: { first: { type: "string", description: "one" }, more: { type: "string" } },
    required: ["first"],
  };
  const form = plugin("p", { name: "t" }, { name: "content", in: "body", form: true, schema });
  const [, first, more] = buildFormFields(form);
  assert.equal([first!.name, first!.kind, first!.description], ["first", "file", "one"]);
  assert.is(findFieldError(first!, ""), "required");
  assert.is(findFieldError(first!, "", file), null);
  assert.is(findFieldError(more!, ""), null);
  const sentRequest = buildRequest(form, new Map([["t", "1"]]), new Map([["first", file]]));
  assert.equal(sentRequest.body, { kind: "form", files: [["first", file]] });
  assert.is(sentRequest.path, "svc/plugin/p?t=1");
});

test("describe constraints in a few characters", () => {
  const rows: [Record<string, unknown>, string[]][] = [
    [{ minLength: 2, maxLength: 80, pattern: "^a" }, ["2–80 characters", "^a"]],
    [{ minimum: 1, maximum: 100 }, ["1 to 100"]],
    [{ minimum: 0 }, ["≥ 0"]],
    [{ exclusiveMinimum: 0, maximum: 5, multipleOf: 2 }, ["> 0, ≤ 5", "multiple of 2"]],
    [{ minItems: 1, uniqueItems: true }, ["≥ 1 item", "all different"]],
    [{ minLength: 3, maxLength: 3, format: "email" }, ["3 characters", "email"]],
    [{ type: "string" }, []],
  ];
  for (const [schema, texts] of rows) assert.equal(describeLimits(schema), texts);
});

test.run();
