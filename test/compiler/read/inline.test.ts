// `@inline`: plugins that support it, and the reason for others.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { pluginNamed, readSource } from "../reading.js";

const test = suite("@inline");

const read = (declaration: string, tags = "") =>
  readSource(`
import { type Graph, plugin, PluginResponse } from "svc-server";
export async function auth(request: PluginRequest): Promise<void> {}
/**
 * @plugin
 * @inline
 * ${tags}
 */
export ${declaration}
void auth;
`);

test("accepts a synchronous function", () => {
  const result = read("function find(request: PluginRequest, n: int) { return n; }", "@readonly");
  assert.equal(result.diagnostics, []);
  assert.is(pluginNamed(result, "find").inline, true);
});

for (const [label, declaration, tags] of [
  ["it returns a promise", "async function find(request: PluginRequest) { return 1; }"],
  ["it returns a promise", "function find(request: PluginRequest): Promise<1> { throw 1; }"],
  ["it returns a stream", "async function* find(request: PluginRequest) { yield 1; }"],
  [
    "it uses a graph, which another request may have locked",
    "function find(request: PluginRequest, graph: Graph) { return 1; }",
    "@graph people",
  ],
  [
    "a hook that runs before it may return a promise",
    "function find(request: PluginRequest) { return 1; }",
    "@before auth",
  ],
] as const) {
  test(`rejects ${declaration}: ${label}`, () => {
    const result = read(declaration, tags);
    const messages = result.diagnostics.map(({ code, message }) => `${code} ${message}`);
    assert.equal(messages, [`SVC1321 \`find\` cannot be \`@inline\`: ${label}`]);
    assert.is(pluginNamed(result, "find").inline, false);
  });
}

test.run();
