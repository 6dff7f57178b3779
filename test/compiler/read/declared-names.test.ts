// Names of plugins: from tags, exports and declarations.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { marks, pluginNamed, readSource } from "../reading.js";

const test = suite("plugin names");

test("are the declared name for a default export", () => {
  const names = [
    "/** @plugin */ export default function named(request: PluginRequest) { return 1; }",
    "/** @plugin */ const named = (request: PluginRequest) => 1; export default named;",
    "/** @plugin */ export default (function named(request: PluginRequest) { return 1; });",
    "const named = plugin((request) => 1); export default named;",
    "export default plugin(function named(request) { return 1; });",
  ].map((source) => {
    const { plugins, diagnostics } = readSource(source);
    assert.equal(diagnostics, []);
    return plugins.map(({ name, exportPath }) => `${name} ${exportPath}`);
  });
  assert.equal(names, Array(5).fill(["named default"]));
});

test("are all exported names of a function without a name of its own", () => {
  const others = {
    "lib.ts": `import type { PluginRequest } from "svc-server";
/** @plugin */ export function first(request: PluginRequest) { return 1; }
/** @plugin */ export function second(request: PluginRequest) { return 2; }
/** @plugin own */ export function third(request: PluginRequest) { return 3; }
`,
  };
  const source = `export * from "./lib.js";
export { first as alias, third as unused } from "./lib.js";
export { second as default } from "./lib.js";`;
  const { plugins, diagnostics } = readSource(source, others);
  assert.equal(diagnostics, []);
  assert.equal(
    plugins.map(({ name, exportPath }) => `${name} ${exportPath}`),
    ["alias alias", "first first", "own unused", "second second"],
  );
});

test("come from re-exports for functions in other files", () => {
  const result = readSource(`export { shared as alias } from "./lib/shared.js";`, {
    "lib/shared.ts": `import type { PluginRequest } from "svc-server";
/** @plugin */
export function shared(request: PluginRequest) { return 1; }`,
  });
  const plugin = pluginNamed(result, "alias");
  assert.equal(
    [plugin.module, plugin.exportPath, plugin.position.file],
    ["p.ts", "alias", "lib/shared.ts"],
  );
});

test("exclude exports named by a string literal", () => {
  const source = `
/** @plugin */
function hidden(request: PluginRequest) { return 1; }
export { hidden as "not a name" };
`;
  assert.equal(marks(readSource(source), source), ["SVC1002 hidden"]);
});

test("report misspelled tags", () => {
  const source = `
/** @plugins */
export function a(request: PluginRequest) { return 1; }
/**
 * Adds. @Plugin
 * @param request of a client
 * @public
 */
export function b(request: PluginRequest) { return "@plugins"; } // @plugins
/** @plugni of c@plugins */
export function c(request: PluginRequest) { return 1; }
`;
  const result = readSource(source);
  assert.equal(marks(result, source), ["SVC1120 @plugins", "SVC1120 @Plugin", "SVC1120 @plugni"]);
});

test("report misspelled tags of plugins and jobs", () => {
  const misspelled = [
    "befor",
    "scpoe",
    "scopes",
    "readOnly",
    "timeuot",
    "Inline",
    "grahp",
    "prodices",
  ];
  // Of JSDoc, TSDoc, TypeDoc and svc.
  const right = [
    "since",
    "group",
    "see",
    "event",
    "public",
    "override",
    "scope",
    "example",
    "beforeAll",
  ];
  const tags = [...misspelled, ...right].map((name) => ` * @${name} x\n`).join("");
  const source = `
/**
 * @plugin
${tags} */
export function a(request: PluginRequest) { return "@befor"; }
/** @every 30s @catchpu */
export function b() {}
/** @befor x */
export function c() {}
`;
  const result = readSource(source);
  const warnings = marks(result, source).filter((mark) => mark.startsWith("SVC1120"));
  assert.equal(
    warnings,
    [...misspelled, "catchpu"].map((name) => `SVC1120 @${name}`),
  );
});

test.run();
