// Examples as requests: values in their transmitted form, and only valid ones.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ExampleSpec, ParamSpec, PluginSpec } from "../../argspec/argspec.js";
import { exampleQueries, requestTarget } from "../../argspec/example-target.js";

const test = suite("examples as requests");

const param = (name: string, wire: ParamSpec["wire"], required: boolean): ParamSpec => {
  return { name, in: "query", wire, required, schema: {} };
};
const PARAMS = [param("q", "str", true), param("list", "json", false)];

function targets(...examples: ExampleSpec[]): string[] {
  const plugin = { path: "/svc/plugin/find", params: PARAMS, examples } as unknown as PluginSpec;
  return exampleQueries(plugin).map((sent) => requestTarget(plugin, sent));
}

test("have values in the form of their parameter, in signature order", () => {
  const text = "";
  assert.equal(targets({ query: { list: [1, "ø"], q: "a&b=c" }, text }), [
    "/svc/plugin/find?q=a%26b%3Dc&list=%5B1%2C%22%C3%B8%22%5D",
  ]);
});

test("are skipped when they cannot be called", () => {
  const text = "";
  assert.equal(targets({ text }, { query: { list: [] }, text }, { query: {}, text }), []);
});

test("ignore names of Object.prototype", () => {
  assert.equal(targets({ query: JSON.parse('{"__proto__": 1}'), text: "" }), []);
});

test.run();
