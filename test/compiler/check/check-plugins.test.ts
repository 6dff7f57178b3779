// The rules for plugins, on sources: each diagnostic by its code and the underlined text.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type CheckOptions, checkPlugins } from "../../../compiler/check/check-plugins.js";
import { PluginReader } from "../../../compiler/read/plugin-reader.js";
import { MAX_PLUGIN_NAME_LENGTH } from "../../../runtime/base/limits.js";
import { ProjectFixture } from "../project-fixture.js";
import { marks, readSource } from "../reading.js";

const test = suite("plugin rules");

function check(source: string, options: Partial<CheckOptions> = {}) {
  const result = readSource(source);
  assert.equal(result.diagnostics, []);
  const { plugins, types, moduleState } = result;
  const diagnostics = checkPlugins(plugins, types, { executors: 1, moduleState, ...options });
  return { diagnostics, marks: marks({ ...result, diagnostics }, source) };
}

test("accept a valid plugin of each role", () => {
  const { diagnostics } = check(`
/** @plugin */
export function engine(request: PluginRequest, a: int = 1, mode: "x" | "y" = "x") { return a; }
export const pre = plugin.pre({ name: "both", graph: "g" }, (request, graph: Graph) => request);
export const post = plugin.post({ name: "both" }, (response) => response);
`);
  assert.equal(diagnostics, []);
});

test("warn about scopes without `auth`, and about single plugins without a scope", () => {
  const source = `
/** @plugin @scope a */
export function limited(request: PluginRequest) { return 1; }
/** @plugin */
export function any(request: PluginRequest) { return 1; }
/** @plugin @public */
export function open(request: PluginRequest) { return 1; }
export const post = plugin.post({ name: "late" }, (response) => response);
`;
  const { marks: without, diagnostics } = check(source);
  assert.equal(without, ["SVC1251 limited"]);
  assert.is(diagnostics[0]!.severity, "warning");
  assert.equal(check(source, { hasAuth: true }).marks, ["SVC1252 any", "SVC1252 post"]);
  const unlimited = source.replace("@scope a", "");
  assert.equal(check(unlimited, { hasAuth: true }).marks, []);
});

test("validate names", () => {
  const long = "n".repeat(MAX_PLUGIN_NAME_LENGTH);
  const { marks, diagnostics } = check(`
/** @plugin bad-name */
export function a(request: PluginRequest, größe: int, $x: int) { return 1; }
/** @plugin 1st */
export function b(request: PluginRequest, __proto__: int) { return 1; }
/** @plugin __proto__ */
export function c(request: PluginRequest) { return 1; }
/** @plugin ${long} */
export function d(request: PluginRequest) { return 1; }
/** @plugin ${long}x */
export function e(request: PluginRequest) { return 1; }
`);
  assert.equal(marks, [
    ...["SVC1020 a", "SVC1022 größe", "SVC1022 $x", "SVC1020 b", "SVC1022 __proto__"],
    ...["SVC1020 c", "SVC1020 e"],
  ]);
  assert.equal(
    diagnostics.slice(0, 4).map(({ help }) => help),
    ["`bad_name`", "`groesse`", "`_x`", "`_1st`"],
  );
});

test("suggest names in Latin letters", () => {
  const suggestions = ["Straße", "éclair", "łódź", "日本", "naïve-x"].map((name) => {
    const f = "export function f(request: PluginRequest) { return 1; }";
    return check(`/** @plugin ${name} */\n${f}`).diagnostics[0]!.help;
  });
  assert.equal(suggestions, [
    ...["`Strasse`", "`eclair`", "`lodz`", "a name in Latin letters", "`naive_x`"],
  ]);
});

test("show a first argument of JavaScript in a comment", () => {
  const project = new ProjectFixture({
    "tsconfig.json": '{ "compilerOptions": { "allowJs": true } }',
    "p.js": "/** @plugin */\nexport function f(/** @type {number} */ n) { return 1; }",
  });
  const { plugins, types, moduleState } = new PluginReader(project.dir, ["p.js"]).read();
  const [{ help } = { help: "" }] = checkPlugins(plugins, types, { executors: 1, moduleState });
  assert.is(help, '`@param {import("svc-server").PluginRequest} request` first');
});

test("allow one engine, or one pre and one post, per name", () => {
  const { marks, diagnostics } = check(`
/** @plugin same */
export function a(request: PluginRequest) { return 1; }
/** @plugin same */
export function b(request: PluginRequest) { return 1; }
export const c = plugin.pre({ name: "other" }, (request) => 1);
export const d = plugin.pre({ name: "other" }, (request) => 1);
export const e = plugin.post({ name: "other" }, (response) => 1);
/** @plugin mixed */
export function f(request: PluginRequest) { return 1; }
export const g = plugin.post({ name: "mixed" }, (response) => 1);
`);
  assert.equal(
    marks,
    ["a", "b", "c", "d", "f", "g"].map((name) => `SVC1021 ${name}`),
  );
  const { position } = diagnostics[1]!;
  assert.match(diagnostics[0]!.message, `${position.file}:${position.line}:${position.column}`);
});

test("require mergeable results of engines that pre-processors forward to by name", () => {
  const { marks, diagnostics } = check(`
/** @plugin */
export function number(request: PluginRequest): int { return 1; }
/** @plugin */
export async function later(request: PluginRequest): Promise<string> { return ""; }
/** @plugin */
export function merged(request: PluginRequest): PluginResponse { return new PluginResponse(); }
/** @plugin */
export function mixed(request: PluginRequest) {
  return request.toplevel ? 1 : new PluginResponse();
}
/** @plugin */
export function inspectionFault(request: PluginRequest): int { return 1; }
class Other { constructor(readonly name: string) {} }
export const pre = plugin.pre({ name: "all" }, (request: PluginRequest, n: int = 1) => {
  new Other("inspectionFault");
  if (n === 1) return new PluginRequest("number", { n });
  if (n === 2) return new PluginRequest(\`later\`);
  return new PluginRequest(n === 3 ? "merged" : "mixed");
});
export const last = plugin.pre({ name: "last" }, (request) => new PluginRequest("mixed"));
`);
  assert.equal(marks, ["SVC1046 number", "SVC1046 later"]);
  assert.ok(diagnostics.every(({ severity }) => severity === "warning"));
  assert.is(
    diagnostics[1]!.message,
    "engine `later` responds to pre plugin `all` of a dispatcher, which cannot merge " +
      "`Promise<string>`",
  );
});

test("validate the first argument, arguments of a post, and a bound graph", () => {
  const { marks } = check(`
/** @plugin */
export function none() { return 1; }
/** @plugin */
export function late(a: int, request: PluginRequest) { return 1; }
/** @plugin */
export function twice(req: PluginRequest, request: PluginRequest) { return 1; }
/** @plugin @graph g */
export function bound(request: PluginRequest) { return 1; }
export const post = plugin.post({ name: "p" }, (response, a: int, graph: str) => 1);
export const wrong = plugin({ role: "post", name: "q" }, (request: PluginRequest) => 1);
`);
  assert.equal(marks, [
    ...["SVC1030 none", "SVC1030 late", "SVC1030 request", "SVC1033 bound"],
    ...["SVC1031 a", "SVC1031 graph", "SVC1030 wrong", "SVC1031 request"],
  ]);
});

test("reject defaults that TypeScript accepts", () => {
  const { marks } = check(`
interface Point { x: int; y?: float }
enum Level { Low = 1, High = 5 }
/** @plugin */
export function f(request: PluginRequest,
  a: int = 2.5, b: int = 9007199254740992, c: int[] = [1, 1.5], d: Point = { x: 0.5 },
  e: int | null = null,
  g: [int, str?] = [1], h: Record<string, int> = { a: 1.5 }, i: Level = Level.High, j: float = 2.5,
  k: Point | null = { x: 1, y: 2.5 }, l: bytes | null = null,
  m: json = [1.5], n: [int, ...int[]] = [1, 2.5],
) { return 1; }
`);
  assert.equal(
    marks,
    ["a", "b", "c", "d", "h", "n"].map((name) => `SVC1043 ${name}`),
  );
});

test("accept any default for a parameter of any type", () => {
  const source = `
/** @plugin */
export function f(request: PluginRequest, a: any = 5, b: unknown = [1], c: {} = 2.5) { return 1; }
`;
  const { plugins, types } = readSource(source);
  assert.equal(checkPlugins(plugins, types, { executors: 1 }), []);
});

test("warn about a string that matches two members of a union", () => {
  const { diagnostics, marks } = check(`
enum Mixed { A = "a", B = 2 }
enum Same { A = "2", B = 2 }
/** @plugin */
export function f(
  request: PluginRequest, a: int | str, b: "auto" | boolean, c: "true" | boolean, d: Mixed, e: Same,
  g: str | null, h: str | int[], i: { x: int } | "x",
  j: \`v\${int}\` | int, k: \`\${int}\` | boolean | int,
) { return 1; }
`);
  assert.equal(
    marks,
    ["a", "c", "e", "h", "k"].map((name) => `SVC1062 ${name}`),
  );
  assert.is(diagnostics[1]!.severity, "warning");
  assert.match(diagnostics[2]!.message, /^`\?e=2` matches two members of `Same`/);
});

test("warn about mutable module variables with several executors", () => {
  const source = `
let counter = 0;
/** @plugin */
export function f(request: PluginRequest) { return ++counter; }
`;
  assert.equal(check(source).marks, []);
  assert.equal(check(source, { executors: 2 }).marks, ["SVC1051 counter"]);
  const { diagnostics } = check(source, { executors: "auto" });
  assert.equal(
    diagnostics.map(({ severity }) => severity),
    ["warning"],
  );
});

test.run();
