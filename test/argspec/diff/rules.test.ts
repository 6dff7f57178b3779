// Every rule alone: a pair of contracts with a single difference, and its report.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { JsonSchema, ParamSpec, PluginSpec, ResultSpec } from "../../../argspec/argspec.js";
import { diffArgspecs } from "../../../argspec/diff/diff-argspecs.js";
import { RULES, type RuleName } from "../../../argspec/diff/rules.js";
import {
  anyOf,
  type Contract,
  INTEGER,
  makeArgspec,
  NULL,
  NUMBER,
  objectSchema,
  param,
  STRING,
} from "./contracts.js";

const test = suite("difference rules");

/** Rule, former and present contract, the position with its former and present content. */
type Case = readonly [RuleName, Contract, Contract, place: string, ...texts: (string | null)[]];

const plugin = (parts: Partial<PluginSpec>): Contract => ({ plugins: [parts] });
const params = (...params: readonly ParamSpec[]): Contract => plugin({ params });
const result = (result: ResultSpec): Contract => plugin({ result });
const value = (schema: JsonSchema): Contract => result({ kind: "value", schema });
const stream = (schema: JsonSchema): Contract => result({ kind: "stream", schema });
const http = (...mediaTypes: string[]): Contract => result({ kind: "http", mediaTypes });
const httpOr = (type: string, schema: JsonSchema): Contract =>
  result({ kind: "http", mediaTypes: [type], schema });
const response = (sortkey: JsonSchema, item: JsonSchema): Contract =>
  result({ kind: "response", sortkey, item, meta: true });
const taken = (wire: ParamSpec["wire"], schema: JsonSchema): Contract =>
  params(param({ wire, schema }));
const prefix = (prefix: string | null): Contract => ({ service: { name: "shop", prefix } });
const body = (schema: JsonSchema, wire: ParamSpec["wire"] = "json"): Contract =>
  params({ name: "content", in: "body", wire, required: false, schema });

const point = (x: JsonSchema) => objectSchema({ x, "label?": STRING });
const both = plugin({ role: "pre", result: { kind: "request" } }).plugins!.concat({ role: "post" });

const goneResponse = (status: number, details?: JsonSchema, description = "") =>
  plugin({
    errors: [{ exception: "Gone", description, status, ...(details && { details }) }],
  });

const CASES: readonly Case[] = [
  ["prefix-removed", prefix("shop"), prefix(null), "", '"shop"', null],
  ["prefix-removed", prefix("shop"), prefix("market"), "", '"shop"', '"market"'],
  ["prefix-added", prefix(null), prefix("shop"), "", null, '"shop"'],
  ["service-renamed", {}, { service: { name: "market", prefix: null } }, "", '"shop"', '"market"'],
  ["plugin-removed", plugin({}), {}, ""],
  ["plugin-added", {}, plugin({}), ""],
  ["plugin-roles", plugin({}), { plugins: both }, "", "engine", "pre, post"],
  ["plugin-readonly", plugin({}), plugin({ readonly: true }), ""],
  ["plugin-not-readonly", plugin({ readonly: true }), plugin({}), ""],
  ["plugin-graph", plugin({}), plugin({ graph: "catalog" }), "", null, '"catalog"'],
  ["plugin-deprecated", plugin({}), plugin({ deprecated: true }), ""],
  ["plugin-restored", plugin({ deprecated: true }), plugin({}), ""],
  [
    "plugin-errors",
    plugin({}),
    plugin({ errors: [{ exception: "NotFound", description: "" }] }),
    "",
  ],
  ["error-added", plugin({}), goneResponse(410), "Gone", null, "410"],
  ["error-removed", goneResponse(410), plugin({}), "Gone", "410"],
  ["error-status", goneResponse(410), goneResponse(404), "Gone", "410", "404"],
  [
    "error-details",
    goneResponse(410, point(INTEGER)),
    goneResponse(410, point(NUMBER)),
    "Gone.details.x",
    "integer",
    "number",
  ],
  ["error-details", goneResponse(410, STRING), goneResponse(410), "Gone.details", "string", "any"],
  [
    "plugin-errors",
    goneResponse(410, STRING, "sold"),
    goneResponse(410, STRING, "not made any more"),
    "",
  ],
  ["plugin-text", plugin({}), plugin({ description: "Searches." }), ""],
  ["plugin-text", plugin({}), plugin({ returns: "the nearest" }), ""],
  ["plugin-text", plugin({}), plugin({ examples: [{ text: "?limit=3" }] }), ""],
  [
    "plugin-text",
    plugin({ deprecated: true }),
    plugin({ deprecated: true, deprecation: "find" }),
    "",
  ],
  ["parameters-closed", plugin({ open: true }), plugin({}), ""],
  ["parameters-open", plugin({}), plugin({ open: true }), ""],
  [
    "parameter-unlisted",
    plugin({ open: true, params: [param()] }),
    plugin({ open: true }),
    "limit",
    "integer",
  ],
  ["parameter-removed", params(param()), params(), "limit", "integer"],
  ["parameter-removed", body(STRING), params(), "content", "string"],
  ["parameter-added", params(), params(param()), "limit", null, "integer"],
  ["parameter-added", params(), body(STRING, "bytes"), "content", null, "bytes"],
  [
    "parameter-added-required",
    params(),
    params(param({ required: true })),
    "limit",
    null,
    "integer",
  ],
  ["parameter-required", params(param({ default: 1 })), params(param({ required: true })), "limit"],
  ["parameter-optional", params(param({ required: true })), params(param({ default: 1 })), "limit"],
  [
    "parameter-narrowed",
    taken("float", NUMBER),
    taken("int", INTEGER),
    "limit",
    "number",
    "integer",
  ],
  [
    "parameter-narrowed",
    taken("json", point(NUMBER)),
    taken("json", point(INTEGER)),
    "limit.x",
    "number",
    "integer",
  ],
  [
    "parameter-narrowed",
    body(point(NUMBER)),
    body(objectSchema({ x: NUMBER })),
    "content.label",
    "string",
    "absent",
  ],
  [
    "parameter-widened",
    taken("int", INTEGER),
    taken("float", NUMBER),
    "limit",
    "integer",
    "number",
  ],
  ["parameter-widened", taken("str", STRING), taken("bytes", STRING), "limit", "string", "bytes"],
  [
    "parameter-widened",
    taken("json", point(INTEGER)),
    taken("json", point(NUMBER)),
    "limit.x",
    "integer",
    "number",
  ],
  [
    "parameter-widened",
    taken("int", INTEGER),
    taken("json", anyOf(INTEGER, STRING)),
    "limit",
    "integer",
    "integer | string",
  ],
  [
    "parameter-form",
    taken("str", STRING),
    taken("int", INTEGER),
    "limit",
    "string as str",
    "integer as int",
  ],
  [
    "parameter-form",
    taken("bytes", STRING),
    taken("str", STRING),
    "limit",
    "string as bytes",
    "string as str",
  ],
  [
    "parameter-form",
    taken("json", STRING),
    taken("str", STRING),
    "limit",
    "string as json",
    "string as str",
  ],
  [
    "parameter-form",
    taken("int", INTEGER),
    taken("str", { enum: ["1", "2"] }),
    "limit",
    "integer as int",
    '"1" | "2" as str',
  ],
  [
    "parameter-form",
    taken("int", anyOf(INTEGER, NULL)),
    taken("str", STRING),
    "limit",
    "integer | null as int",
    "string as str",
  ],
  ["parameter-as-text", taken("int", INTEGER), taken("str", STRING), "limit", "integer", "string"],
  [
    "parameter-as-text",
    taken("float", anyOf(NUMBER, NULL)),
    taken("bytes", anyOf(STRING, NULL)),
    "limit",
    "number | null",
    "bytes | null",
  ],
  [
    "parameter-default",
    params(param({ default: 1 })),
    params(param({ default: 2 })),
    "limit",
    "1",
    "2",
  ],
  ["parameter-default", params(param({ default: 1 })), params(param()), "limit", "1"],
  ["parameter-text", params(param()), params(param({ description: "at most" })), "limit"],
  [
    "parameter-text",
    taken("json", point(NUMBER)),
    taken("json", point({ ...NUMBER, description: "degrees east" })),
    "limit",
  ],
  ["result-kind", value(STRING), response(NUMBER, STRING), "result", "value", "response"],
  ["result-kind", response(NUMBER, STRING), value(STRING), "result", "response", "value"],
  [
    "result-kind",
    response(NUMBER, STRING),
    result({ kind: "union", schema: {} }),
    "result",
    "response",
    "union",
  ],
  ["result-kind", value(STRING), stream(STRING), "result", "value", "stream"],
  ["result-widened", stream(INTEGER), stream(NUMBER), "result", "integer", "number"],
  [
    "result-known",
    result({ kind: "union", schema: {} }),
    response(NUMBER, STRING),
    "result",
    "union",
    "response",
  ],
  [
    "result-widened",
    value(STRING),
    value(anyOf(STRING, NULL)),
    "result",
    "string",
    "string | null",
  ],
  [
    "result-widened",
    value(STRING),
    result({ kind: "union", schema: {} }),
    "result",
    "string",
    "any",
  ],
  ["result-kind", value(STRING), http("a/b"), "result", "value", "http"],
  ["result-widened", http("image/png"), http("a/b"), "result", "image/png", "a/b"],
  ["result-widened", http("image/png"), http(), "result", "image/png", "any media type"],
  ["result-narrowed", http("image/*"), http("image/png"), "result", "image/*", "image/png"],
  ["result-widened", http("a/b"), httpOr("a/b", STRING), "result", "no value", "a value"],
  ["result-widened", value(point(INTEGER)), value(point(NUMBER)), "result.x", "integer", "number"],
  [
    "result-widened",
    value(objectSchema({ x: NUMBER })),
    value(objectSchema({ "x?": NUMBER })),
    "result.x",
    "number",
    "optional number",
  ],
  [
    "result-widened",
    response(INTEGER, STRING),
    response(NUMBER, STRING),
    "result.sortkey",
    "integer",
    "number",
  ],
  [
    "result-narrowed",
    response(INTEGER, point(NUMBER)),
    response(INTEGER, point(INTEGER)),
    "result.item.x",
    "number",
    "integer",
  ],
  [
    "result-narrowed",
    value(objectSchema({ x: NUMBER })),
    value(objectSchema({ x: NUMBER, y: NUMBER })),
    "result.y",
    "absent",
    "number",
  ],
  [
    "result-narrowed",
    value(point(NUMBER)),
    value(objectSchema({ x: NUMBER })),
    "result.label",
    "string",
    "absent",
  ],
  [
    "result-narrowed",
    result({ kind: "union", schema: {} }),
    value(STRING),
    "result",
    "any",
    "string",
  ],
  [
    "result-text",
    value(point(NUMBER)),
    value(point({ ...NUMBER, description: "degrees east" })),
    "result",
  ],
  ["result-text", value(point(NUMBER)), value(point({ ...NUMBER, deprecated: true })), "result"],
];

for (const [
  index,
  [rule, previous, present, path, before = null, after = null],
] of CASES.entries()) {
  test(`${rule} (${index})`, () => {
    const changes = diffArgspecs(makeArgspec(previous), makeArgspec(present));
    const listedChanges = changes.map((change) => [
      change.rule,
      change.path,
      change.before,
      change.after,
    ]);
    assert.equal(listedChanges, [[rule, path, before, after]]);
    assert.is(changes[0]!.severity, RULES[rule].severity);
    assert.match(changes[0]!.message, RULES[rule].predicate);
    for (const sameArgspec of [previous, present].map(makeArgspec))
      assert.equal(diffArgspecs(sameArgspec, sameArgspec), []);
  });
}

test("all have a case", () => {
  const tested = new Set<string>(CASES.map(([rule]) => rule));
  assert.equal(
    Object.keys(RULES).filter((rule) => !tested.has(rule)),
    [],
  );
});

test.run();
