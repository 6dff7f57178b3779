// The annotations `@public` and `@scope`: their effect, and combinations that are rejected.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { pluginNamed, readSource } from "../reading.js";

const test = suite("access tags");

const read = (tags: string) =>
  readSource(`
/**
 * @plugin
 * ${tags}
 */
export function find(request: PluginRequest) { return 1; }
`);

for (const [tags, isPublic, scopes] of [
  ["", false, []],
  ["@public", true, []],
  ["@scope orders:read, orders:write", false, ["orders:read", "orders:write"]],
] as const) {
  test(`reads "${tags}"`, () => {
    const result = read(tags);
    assert.equal(result.diagnostics, []);
    const plugin = pluginNamed(result, "find");
    assert.is(plugin.isPublic, isPublic);
    assert.equal(plugin.scopes, scopes);
  });
}

for (const tags of ["@scope", '@scope a"b', "@public\n * @scope a"]) {
  test(`rejects ${JSON.stringify(tags)}`, () => {
    assert.equal(
      read(tags).diagnostics.map(({ code }) => code),
      ["SVC1148"],
    );
  });
}

test.run();
