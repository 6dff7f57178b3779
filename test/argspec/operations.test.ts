// Operations of a client when several processors share a name: whose parameters and whose result
// apply.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { PluginSpec, ResultSpec } from "../../argspec/argspec.js";
import { listOperations } from "../../argspec/operations.js";
import { INTEGER, makeArgspec, optional, param, plugin, STRING } from "./sample-argspec.js";

const test = suite("operations");

const REQUEST: ResultSpec = { kind: "request" };
const TEXT: ResultSpec = { kind: "value", schema: STRING };
const NUMBER: ResultSpec = { kind: "value", schema: INTEGER };
const LIST: ResultSpec = { kind: "response", sortkey: STRING, item: INTEGER, meta: true };
const ANY: ResultSpec = { kind: "union", schema: {} };

const processor = (role: PluginSpec["role"], overrides: Partial<PluginSpec> = {}) =>
  plugin("find", { role, ...overrides });
const engine = processor("engine", { params: [param("inner")], result: LIST });
const pre = processor("pre", { params: [param("outer")], result: REQUEST });
const post = processor("post", { params: [param("own")], result: TEXT });
const otherPlugin = plugin("other", { result: NUMBER });

function find(...plugins: PluginSpec[]) {
  return listOperations(makeArgspec(plugins)).find(({ name }) => name === "find")!;
}

test("are listed once, in order", () => {
  const names = listOperations(makeArgspec([plugin("b"), post, pre, plugin("a"), engine]));
  assert.equal(
    names.map(({ name }) => name),
    ["a", "b", "find"],
  );
});

test("have the parameters of the first processor", () => {
  const parameterNames = (...plugins: PluginSpec[]) => {
    const { params, isOpen } = find(...plugins);
    return [...params.map(({ name }) => name), isOpen];
  };
  assert.equal(parameterNames(engine, pre, post), ["outer", false]);
  assert.equal(parameterNames(engine, post), ["inner", false]);
  assert.equal(parameterNames(processor("engine", { open: true })), [true]);
  // The post-processor forwards to remote engines, whose parameters apply.
  assert.equal(parameterNames(post), [true]);
});

test("do not list a body as a query parameter", () => {
  const body = optional("content", { in: "body", wire: "json" });
  const { params, content } = find(processor("engine", { params: [param("q"), body] }));
  assert.equal([params.map(({ name }) => name), content], [["q"], body]);
  assert.is(find(engine).content, null);
});

test("have the result of the last processor", () => {
  const result = (...plugins: PluginSpec[]) => find(...plugins).result;
  const preForwardingTo = (...forwards: string[]) => ({ ...pre, forwards });
  assert.equal(result(engine), LIST);
  assert.equal(result(engine, pre), LIST);
  assert.equal(result(engine, pre, post), TEXT);
  assert.equal(result(pre), ANY);
  assert.equal(result(preForwardingTo("other"), engine, otherPlugin), NUMBER);
  assert.equal(
    result(preForwardingTo("other"), engine, otherPlugin, {
      ...otherPlugin,
      role: "post",
      result: LIST,
    }),
    LIST,
  );
  assert.equal(result(preForwardingTo("other"), post, otherPlugin), TEXT);
  assert.equal(result(preForwardingTo("nowhere"), engine), ANY);
  assert.equal(
    result(preForwardingTo("other", "third"), engine, otherPlugin, plugin("third")),
    ANY,
  );
  assert.equal(result(preForwardingTo("other", "third"), engine, otherPlugin, post), TEXT);
});

test("have a pre-processor's result only if it is the only possible one", () => {
  const result = (resultSpec: ResultSpec) =>
    find({ ...pre, result: resultSpec }, engine, post).result;
  assert.equal(result(NUMBER), NUMBER);
  assert.equal(result(LIST), ANY);
  assert.equal(result({ kind: "union", schema: STRING }), ANY);
});

test("are retryable if all parts are, deprecated if one is", () => {
  const parts = (...overrides: Partial<PluginSpec>[]) =>
    find(...[engine, pre, post].map((part, index) => ({ ...part, ...overrides[index] })));
  const readonly = { readonly: true };
  assert.is(parts(readonly, readonly, readonly).readonly, true);
  assert.is(parts(readonly, readonly, {}).readonly, false);
  assert.is(parts({}, readonly, readonly).readonly, false);
  const { deprecated, deprecation } = parts({}, {}, { deprecated: true, deprecation: "gone" });
  assert.equal([deprecated, deprecation], [true, "gone"]);
});

test("have the first documentation found", () => {
  const described = { ...engine, summary: "E.", description: "E. It is." };
  assert.is(find(described, pre, post).description, "E. It is.");
  assert.is(find(described, { ...pre, summary: "P.", description: "P." }).summary, "P.");
});

test.run();
