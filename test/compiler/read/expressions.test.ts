// Expressions in plugin sources: the build reports errors in their texts with the position.
// limit: 60 s
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: sources of plugins have templates

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { PluginReader } from "../../../compiler/read/plugin-reader.js";
import { PACKAGE_TYPES, ProjectFixture } from "../project-fixture.js";
import { codes, LINES_BEFORE, marks, readSource } from "../reading.js";

const test = suite("expressions in sources");

/** Interfaces with the names of query options; see query-options.ts. */
const TYPES = PACKAGE_TYPES.replace(
  /export declare class Graph .*/,
  `
export interface AdjacencyRule { filter?: string }
export interface VertexConditionObject { filter?: string; post?: string; traverse?: AdjacencyRule }
export type VertexCondition = null | string | VertexConditionObject;
export interface NeighborhoodQueryOptions {
  pre?: string; filter?: string; post?: string; rank?: string; select?: string;
  neighbor?: VertexCondition;
}
export interface GlobalQueryOptions { rank?: string; condition?: VertexCondition }
export declare class Graph {
  // With a default, as the package has it: then that is all that the checker expects.
  neighborhood<const O extends NeighborhoodQueryOptions = object>(
    id: string,
    options?: O,
  ): unknown;
  vertices(options?: GlobalQueryOptions): unknown;
  arcs(options?: GlobalQueryOptions): unknown;
  evaluate(text: string, options?: object): unknown;
  define(text: string): void;
}
export type Value = null | boolean | number | string | readonly Value[];
export declare function expr(parts: TemplateStringsArray, ...values: readonly Value[]): string;
`,
);

/** Diagnostics of a function body, as `CODE underlined text`. */
function listDiagnostics(body: string): string[] {
  const { result, source } = read(body);
  return marks(result, source);
}

function read(body: string) {
  const source = `
import { expr } from "svc-server";
declare const graph: Graph;
declare const city: string, limit: number, list: string[], numbers: number[], any: any;
declare const order: "asc" | "desc";
${body}`;
  const result = readSource(source, { "node_modules/svc-server/index.d.ts": TYPES });
  return { result, source };
}

const option = (text: string): string => `graph.neighborhood("a", { ${text} });`;

test("report unknown names at their position within the text", () => {
  assert.equal(listDiagnostics(option(`filter: "next.arc.valu > 3"`)), ["SVC1070 next.arc.valu"]);
  assert.equal(listDiagnostics(option(`rank: 'log(.dge) * 2', filter: "nope(1)"`)), [
    "SVC1070 .dge",
    "SVC1070 nope",
  ]);
  assert.equal(listDiagnostics(option(`select: "name; age ? 3; score: next.arc.vale * 2"`)), [
    "SVC1070 next.arc.vale",
  ]);
  assert.equal(listDiagnostics(option(`select: "name; .nothing"`)), ["SVC1070 .nothing"]);
  assert.equal(listDiagnostics(option(`select: "a b"`)), ["SVC1071 a b"]);
  const { result } = read(`graph.evaluate(
  "1 + nxt.a");`);
  const [finding] = result.diagnostics;
  assert.is(finding?.position.line, LINES_BEFORE + 7);
  assert.is(finding?.position.column, 8);
  assert.is(finding?.severity, "error");
});

test("suggest the nearest name", () => {
  const { result } = read(option(`filter: "next.arc.valu > 3"`));
  assert.is(result.diagnostics[0]?.help, "did you mean 'next.arc.value'?");
});

test("report syntax errors and misplaced operators", () => {
  assert.equal(listDiagnostics(option(`filter: "1 +"`)).length, 1);
  assert.equal(listDiagnostics(option(`pre: "next.deg > 3"`)), ["SVC1071 n"]);
  assert.equal(listDiagnostics(option(`neighbor: { filter: ".arc.value > 3" }`)), ["SVC1071 ."]);
  assert.equal(listDiagnostics(option(`neighbor: { traverse: { filter: ".arc.value > 3" } }`)), []);
  assert.equal(listDiagnostics(`graph.vertices({ rank: "next.deg" });`), ["SVC1071 n"]);
  assert.equal(listDiagnostics(`graph.arcs({ rank: "next.deg" });`), []);
  assert.equal(listDiagnostics(`graph.evaluate("next.deg", { head: city });`), []);
  assert.equal(
    listDiagnostics(`graph.define("near := .arc.value < 3"); graph.define("far := .arc.x");`),
    ["SVC1070 .arc.x"],
  );
});

test("are traced through constants, sums, conditions and escapes", () => {
  assert.equal(listDiagnostics(`const RULE = "nex.deg > 3";\n${option("filter: RULE")}`), [
    "SVC1070 nex.deg",
  ]);
  assert.equal(listDiagnostics(`const filter = "nex.deg > 3";\n${option("filter")}`), [
    "SVC1070 nex.deg",
  ]);
  assert.equal(listDiagnostics(option(`filter: "next.deg > 3 && " + "nxt.deg"`)), [
    "SVC1070 nxt.deg",
  ]);
  assert.equal(listDiagnostics(option(`filter: limit > 3 ? "next.deg" : "nxt.deg"`)), [
    "SVC1070 nxt.deg",
  ]);
  assert.equal(listDiagnostics(option(String.raw`filter: "'\n\t\x41\u0041\u{41}' == nxt.id"`)), [
    "SVC1070 nxt.id",
  ]);
});

test("represent values within expr by their types", () => {
  const bodies = [
    "filter: expr`next['city'] == ${city} && .arc.value > ${limit}`",
    "filter: expr`next['city'] in {${list}} && geodist(${numbers}) > 3`",
    "filter: expr`next.property(${any}, 3) > 0`",
    "filter: expr`${any} + 1 > 0`",
  ];
  for (const body of bodies) assert.equal(listDiagnostics(option(body)), [], body);
  assert.equal(listDiagnostics(option("filter: expr`next['city'] == ${city} && nxt.deg`")), [
    "SVC1070 nxt.deg",
  ]);
});

test("report strings concatenated into an expression", () => {
  assert.equal(listDiagnostics(option("filter: `next['city'] == '${city}'`")), [
    "SVC1072 `next['city'] == '${city}'`",
  ]);
  assert.equal(listDiagnostics(option(`filter: "next['city'] == '" + city + "'"`)).length, 1);
  assert.equal(listDiagnostics(option("filter: `next.deg > ${limit}`")), []);
  assert.equal(listDiagnostics(option("filter: `nxt.deg > ${limit}`")), ["SVC1070 nxt.deg"]);
  assert.equal(listDiagnostics(option("filter: `next['${order}'] > 3`")), []);
  assert.equal(listDiagnostics(option("filter: city")), []);
});

test("warn about constant results", () => {
  const { result } = read(option(`filter: "next.deg == 'three'"`));
  assert.equal(
    result.diagnostics.map(({ code, severity }) => `${code} ${severity}`),
    ["SVC1073 warning"],
  );
});

test("are checked in imported modules, each text once", () => {
  const queries = `
import { expr } from "svc-server";
export const TEXT = "next.arc.valu > 3";
export const ask = (graph: Graph, city: string) => [
  graph.neighborhood("a", { filter: TEXT }),
  graph.neighborhood("a", { rank: expr\`log(.dge) * \${city}\` }),
  graph.neighborhood("a", { select: "name; nope(1)" }),
];`;
  const source = `
import { ask, TEXT } from "./lib/queries.js";
declare const graph: Graph;
ask(graph, "Oslo");
graph.neighborhood("b", { filter: TEXT });
graph.neighborhood("b", { filter: "nex.deg" });`;
  const result = readSource(source, {
    "node_modules/svc-server/index.d.ts": TYPES,
    "lib/queries.ts": queries.replace("{ expr }", "{ expr, Graph }"),
    "lib/unused.ts": "export const filter = 'nex.deg';",
    "node_modules/other/index.ts": queries,
  });
  assert.equal(
    result.diagnostics.map(({ code, position: { file, line } }) => `${code} ${file}:${line}`),
    [
      "SVC1070 lib/queries.ts:3",
      "SVC1070 lib/queries.ts:6",
      "SVC1071 lib/queries.ts:7",
      `SVC1070 p.ts:${LINES_BEFORE + 6}`,
    ],
  );
});

test("are checked again after a module is fixed", () => {
  const library = (text: string): string => `
import { type Graph } from "svc-server";
export const ask = (graph: Graph) => graph.neighborhood("a", { filter: "${text}" });`;
  const project = new ProjectFixture({
    "p.ts": `import { ask } from "./lib/queries.js"; ask(null!);`,
    "lib/queries.ts": library("nex.deg"),
    "node_modules/svc-server/index.d.ts": TYPES,
  });
  const reader = new PluginReader(project.dir, ["p.ts"]);
  assert.equal(codes(reader.read().diagnostics), ["SVC1070"]);
  project.write("lib/queries.ts", library("next.deg"));
  assert.equal(reader.refresh(["lib/queries.ts"], ["p.ts"]).diagnostics, []);
});

test("exclude names of definitions and options of other functions", () => {
  assert.equal(listDiagnostics(option(`filter: "near"`)), []);
  assert.equal(listDiagnostics(`const other = { filter: "not an expression" };`), []);
  assert.equal(
    listDiagnostics(`[{ evaluate(t: string) {} }].map((x) => x.evaluate("a b c"));`),
    [],
  );
});

test.run();
