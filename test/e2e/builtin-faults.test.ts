// limit: 60 s
// Built-in plugins respond to a client's fault with a text that names it: with 400 or 404, except
// for exceptions in plugins of the interface, which fixes 500.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type * as Library from "svc-server";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type DecodedResponse, get } from "./support/server.js";
import { until } from "./support/system.js";

const built = new URL("../../dist/index.js", import.meta.url).href;
const { Graph, M_STAT, system }: typeof Library = await import(built);

const test = suite("faults of clients of built-in plugins");
const root = mkdtempSync(join(tmpdir(), "svc-faults-"));

test.before(async () => {
  await system.initialize("shop", { http: 0, root });
  const graph = new Graph("g");
  graph.createVertex("a", "person", { properties: { title: "red shoe", n: 3 } });
  graph.createVertex("v", { vector: [1, 2] });
  graph.connect("a", ["knows", M_STAT], "b");
});

test.after(async () => {
  await system.unload();
  rmSync(root, { recursive: true });
});

type Parameters = Readonly<Record<string, string>>;
type Row = readonly [plugin: string, parameters: Parameters, status: 400 | 404, text: RegExp];

const CHANGES = new Set([
  ...["createvertex", "deletevertex", "connect", "disconnect", "define", "index", "dropindex"],
  ...["constrain", "dropconstraint", "rebuildvectors"],
]);

function request(
  plugin: string,
  parameters: Parameters,
  port: 0 | 1 = 0,
): Promise<DecodedResponse> {
  const query = new URLSearchParams(parameters).toString().replaceAll("+", "%20");
  const change = { method: "POST", headers: { "X-SVC-Change": "1" } };
  const path = `/svc/builtin/${plugin}?${query}`;
  return get(system.serverPorts().base + port, path, CHANGES.has(plugin) ? change : {});
}

/** Parameters that make a request complete. */
const NEEDED: Readonly<Record<string, Parameters>> = {
  arcs: {},
  vertices: {},
  neighbor: { id: "a" },
  vertex: { id: "a" },
  graphinfo: {},
  memory: {},
  status: {},
  eventbacklog: {},
  search: { text: "red" },
  paths: { id: "a" },
  nearest: { vector: "[1,2]" },
  indexes: {},
  index: { what: "ids" },
  dropindex: { what: "ids" },
  evaluate: { expression: "1" },
  define: { expression: "x := 1" },
  createvertex: { id: "a" },
  deletevertex: { id: "a" },
  connect: { initial: "a", terminal: "b" },
  disconnect: { id: "a" },
};

const UNKNOWN_GRAPH = Object.entries(NEEDED).map(
  ([plugin, params]): Row => [
    plugin,
    { ...params, graph: "zz" },
    404,
    /^Graph instance not available: zz$/,
  ],
);

/** A request to the graph of this file. */
const row = (plugin: string, params: Parameters, status: 400 | 404, text: RegExp): Row => [
  plugin,
  { ...NEEDED[plugin], graph: "g", ...params },
  status,
  text,
];

/** Options that every query rejects, unless it has no such option. */
const OPTIONS: readonly (readonly [Parameters, RegExp])[] = [
  [{ fields: "99999999" }, /^invalid fields parameter|keyword/],
  [{ fields: "S_VAL" }, /^S_VAL \(the name of a constant F_… is required\)|keyword/],
  [{ sortby: "F_VAL" }, /^F_VAL \(the name of a constant S_… is required\)|keyword/],
  [{ result: "S_VAL" }, /^S_VAL \(the name of a constant R_… is required\)|keyword/],
  [{ sortby: "77777" }, /^invalid sortby parameter|keyword/],
  [{ condition: '{"property":{"9k":1}}' }, /9k|keyword/],
  [{ condition: '{"nosuch":1}' }, /nosuch|keyword/],
  [{ condition: '{"arc":["9k"]}' }, /^invalid relationship: '9k'|keyword/],
  [{ condition: '{"arc":["x",D_OUT,V_GT]}' }, /^V_GT \(.*constant M_… is required|keyword/],
  [{ condition: '{"type":[M_INT,"x"]}' }, /^M_INT \(.*constant V_… is required|keyword/],
  [{ hits: "1.5" }, /^hits=1.5/],
  [{ hits: "x" }, /^hits=x/],
  [{ query: '{"hits":"x"}' }, /^invalid hits parameter|^hits must be|must be an integer/],
  [{ query: '{"hitz":1}' }, /^'hitz' is an invalid keyword argument/],
  [{ query: "{" }, /^Bad query: \{ /],
  [{ timeout: "x" }, /^invalid timeout parameter|timeout/],
  [{ nosuch: "1" }, /^'nosuch' is an invalid keyword argument/],
  [{ select: "a b (" }, /^property select syntax error|keyword/],
];

const QUERIES = ["arcs", "vertices", "neighbor", "paths", "nearest", "search"].flatMap((plugin) =>
  OPTIONS.map(([params, text]) => row(plugin, params, 400, text)),
);

const ROWS: readonly Row[] = [
  ...UNKNOWN_GRAPH,
  ...QUERIES,
  row("arcs", { arc: '["9k"]' }, 400, /^invalid relationship: '9k'/),
  row("arcs", { arc: "S_VAL" }, 400, /^S_VAL \(the name of a constant D_… is required\)/),
  row("arcs", { memory: "x" }, 400, /^memory \(a number of cells is required\)/),
  row("neighbor", { id: "nope" }, 404, /^Object does not exist: 'nope'/),
  row("neighbor", { query: '{"id":7}' }, 400, /^expected a vertex or its id/),
  row("vertex", { id: "nope" }, 404, /^Object does not exist: 'nope'/),
  row("vertex", { maxarcs: "x" }, 400, /^maxarcs=x/),
  row("paths", { id: "nope" }, 404, /^Object does not exist: 'nope'/),
  row("paths", { to: "b", query: '{"k":"x"}' }, 400, /^invalid k parameter/),
  row("paths", { to: "b", query: '{"weighted":7}' }, 400, /^invalid weighted parameter/),
  row("paths", { sharedmem: "1" }, 400, /^'sharedmem' is an invalid keyword argument/),
  row("nearest", { id: "nope", vector: "" }, 404, /^Object does not exist: 'nope'/),
  row("nearest", { sharedmem: "1" }, 400, /^'sharedmem' is an invalid keyword argument/),
  row("nearest", { approximate: '{"ef":1e9}' }, 400, /^ef must be/),
  row("nearest", { approximate: "7" }, 400, /^invalid approximate parameter/),
  row("search", { in: "nope" }, 404, /^unknown text index: 'nope'/),
  row("search", { fuzzy: "9" }, 400, /fuzzy/),
  row("search", { statistics: "7" }, 400, /statistics/),
  ["querycheck", { graph: "zz" }, 404, /^Graph instance not available: zz$/],
  row("querycheck", { call: "zz" }, 400, /call/),
  ["changes", { graph: "zz" }, 404, /^Graph instance not available: zz$/],
  row("changes", { kinds: '["x"]' }, 400, /kinds/),
  row("createvertex", { id: "" }, 400, /empty vertex identifier/),
  row("createvertex", { type: "other" }, 400, /^Type mismatch for existing object/),
  row("createvertex", { type: "1 2" }, 400, /^invalid vertex type/),
  row("createvertex", { properties: '{"9k":2}' }, 400, /^invalid property key: '9k'/),
  row("deletevertex", { id: "" }, 400, /empty vertex identifier/),
  row("connect", { terminal: "" }, 400, /empty vertex identifier/),
  row("connect", { relationship: "9k" }, 400, /^invalid relationship: '9k'/),
  row("connect", { modifier: "M_ANY" }, 400, /^Invalid arc modifier/),
  row("connect", { modifier: "M_UINT", value: "-1" }, 400, /^M_UINT cannot be negative/),
  row("disconnect", { id: "nope" }, 404, /^No object : 'nope'/),
  row("disconnect", { relationship: "9k" }, 400, /^invalid relationship: '9k'/),
  row("disconnect", { condition: "V_RANGE" }, 400, /^Invalid arc: value condition/),
  row("evaluate", { expression: "1 +" }, 400, /at pos=/),
  row("evaluate", { arc: "7" }, 400, /^Invalid arc, must be string or tuple/),
  row("evaluate", { arc: '["x",V_GT,1]' }, 400, /constant D_… or M_… is required/),
  row("evaluate", { memory: "-1" }, 400, /^memory must be at least/),
  row("define", { expression: "1" }, 400, /^expected a definition/),
  row("index", { what: "nope" }, 400, /^what \(/),
  row("index", { what: "property", key: "9k" }, 400, /9k/),
  row("index", { what: "text", options: '{"nosuch":1}' }, 400, /^'nosuch' is an invalid/),
  row("index", { what: "vectors", length: "-1" }, 400, /length/),
  row("dropindex", { what: "property", key: "9k" }, 404, /9k/),
  row("graphinfo", { simple: "x" }, 400, /^simple=x/),
  row("status", { simple: "x" }, 400, /^simple=x/),
  ["constraints", { graph: "zz" }, 404, /^Graph instance not available: zz$/],
  row("constrain", { type: "1 2", key: "k" }, 400, /./),
  row("constrain", { type: "person", key: "9k" }, 400, /9k/),
  ["dropconstraint", { graph: "zz", type: "t", key: "k" }, 404, /^Graph instance not/],
  row("rebuildvectors", { precision: "zz" }, 400, /precision/),
  ["memory", {}, 400, /^missing required argument: 'graph'/],
  ["eventbacklog", {}, 400, /^missing required argument: 'graph'/],
  ["indexes", {}, 400, /^missing required argument: 'graph'/],
  ["argspec", {}, 400, /^missing required argument: 'plugin'/],
  ["argspec", { plugin: "nope" }, 404, /^undefined plugin: nope/],
  ["argspec", { format: "zz" }, 400, /^format=zz/],
  ["builtins", { plugin: "nope" }, 404, /^undefined plugin: nope/],
  ["plugins", { plugin: "nope" }, 404, /^undefined plugin: nope/],
  ["metrics", { latency: "x" }, 400, /^latency=x/],
  ["metrics", { latency: "[100]" }, 400, /percentile/],
];

const OF_INTERFACE = new Set([
  ...["arcs", "vertices", "neighbor", "vertex", "graphinfo", "memory", "status", "eventbacklog"],
  ...["evaluate", "createvertex", "deletevertex", "connect", "disconnect", "argspec", "metrics"],
  ...["plugins", "builtins"],
]);

/** Plugins without parameters, and plugins that accept any. */
const WITHOUT_FAULTS = new Set(["echo", "Identify", "MatrixObjects", "matrixplugins", "ping"]);

test("name the faults of clients, with the status of the plugin's kind", async () => {
  new Graph("g").index("text", { keys: ["title"] });
  await until(async () => new Graph("g").textIndexes()[0]?.pending === 0);
  const others: string[] = [];
  for (const [plugin, parameters, status, text] of ROWS) {
    for (const port of [0, 1] as const) {
      const response = await request(plugin, parameters, port);
      const message = (response.json.message ?? {}) as Readonly<Record<string, { value?: string }>>;
      const [fault] = Object.values(message);
      const isException = "plugin" in message;
      const expected = isException && OF_INTERFACE.has(plugin) ? 500 : status;
      if (response.status === expected && text.test(fault?.value ?? "")) continue;
      others.push(`${plugin} ${JSON.stringify(parameters)}: ${response.status} ${response.text}`);
    }
  }
  assert.is(others.join("\n"), "");
});

test("every built-in plugin with parameters has a test of faults", async () => {
  const response = await request("builtins", {});
  const known = new Set(ROWS.map(([plugin]) => plugin));
  const missing = (response.json.response as { path: string; parameters: object }[])
    .map(({ path, parameters }) => ({ name: path.slice(path.lastIndexOf("/") + 1), parameters }))
    .filter(({ name }) => !name.startsWith("ADMIN_") && !WITHOUT_FAULTS.has(name))
    .filter(({ name, parameters }) => Object.keys(parameters).length > 1 && !known.has(name));
  assert.equal(missing.map(({ name }) => name).sort(), [
    "system_counts",
    "system_overview",
    "system_rates",
  ]);
});

test("search without an index is 404 and names the index", async () => {
  new Graph("plain").createVertex("a");
  const response = await request("search", { graph: "plain", text: "red" });
  assert.is(response.status, 404, response.text);
  assert.match(response.text, /text index/);
});

test.run();
