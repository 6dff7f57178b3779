// limit: 30 s
// Built-in graph services and plugins as clients see them: both ports, exact payloads, sources of
// query arguments, and rejections. Permissions: graph-changes.test.ts.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  buildProject,
  type DecodedResponse,
  fixture,
  get,
  type RunningServer,
  serve,
} from "./support/server.js";

const test = suite("graph services over HTTP");
const root = mkdtempSync(join(tmpdir(), "svc-graphs-"));
let server: RunningServer;

test.before(async () => {
  await buildProject(fixture("graph-services"));
  server = await serve(fixture("graph-services"), "--root", root);
  assert.equal(await response("/svc/plugin/feed"), [44, 46]);
  assert.is(await response("/svc/plugin/remember"), 3);
});

test.after(async () => {
  await server.end();
  rmSync(root, { recursive: true });
});

/** A request to one port; parameters are escaped here. */
function request(
  path: string,
  parameters: Readonly<Record<string, string | number>> = {},
  body?: string,
  port: 0 | 1 = 0,
): Promise<DecodedResponse> {
  const query = Object.entries(parameters)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join("&");
  const init = body === undefined ? {} : { method: "POST", body };
  return get(server.port + port, query === "" ? path : `${path}?${query}`, init);
}

/** Response of an `OK` envelope; the same on both ports. */
async function response(
  path: string,
  parameters?: Readonly<Record<string, string | number>>,
  body?: string,
  port?: 0 | 1,
): Promise<unknown> {
  const response = await request(path, parameters, body, port);
  assert.is(response.status, 200, response.text);
  assert.is(response.json.status, "OK");
  return response.json.response;
}

const people = (parameters: Readonly<Record<string, string | number>> = {}) => ({
  graph: "people",
  ...parameters,
});

const KNOWS = [
  "( alice )-[ knows <M_INT> 5 ]->( bob )",
  "( alice )-[ knows <M_INT> 7 ]->( carol )",
];

test("respond alike on both ports, to GET and POST", async () => {
  const expected = {
    neighbor: [people({ id: "alice", arc: "knows" }), KNOWS],
    arcs: [people({ arc: "knows" }), [...KNOWS, "( bob )-[ knows <M_INT> 2 ]->( carol )"]],
    vertices: [
      people({ condition: '{"type":"person"}', fields: "F_ID" }),
      ["alice", "bob", "carol"],
    ],
  } as const;
  for (const [name, [parameters, entries]] of Object.entries(expected)) {
    for (const port of [0, 1] as const) {
      for (const body of [undefined, ""]) {
        const actual = await response(`/svc/builtin/${name}`, parameters, body, port);
        assert.equal((actual as string[]).sort(), entries, name);
      }
    }
  }
});

test("default to 25 entries, names of vertices, arcs with both ends", async () => {
  const neighbor = (await response("/svc/builtin/neighbor", people({ id: "alice" }))) as string[];
  const arcs = (await response("/svc/builtin/arcs", people())) as string[];
  const vertices = (await response("/svc/builtin/vertices", people())) as string[];
  for (const entries of [neighbor, arcs, vertices]) assert.is(entries.length, 25);
  assert.match(neighbor[0]!, /^\( alice \)-\[ \w+ <M_\w+> \d+ \]->\( .+ \)$/);
  assert.match(arcs[0]!, /^\( \w+ \)-\[ \w+ <M_\w+> \d+ \]->\( .+ \)$/);
  assert.equal(Object.keys(JSON.parse(vertices[0]!)), ["id", "internalid", "type"]);
  for (const [name, listing] of [
    ["neighbor", 43],
    ["arcs", 46],
    ["vertices", 44],
  ] as const) {
    const parameters = people({ hits: -1, ...(name === "neighbor" && { id: "alice" }) });
    assert.is(
      ((await response(`/svc/builtin/${name}`, parameters)) as string[]).length,
      listing,
      name,
    );
  }
});

test("return paths of several arcs, and shortest paths", async () => {
  const around = { id: "alice", arc: '{"rel":"knows"}' };
  const far = people({ ...around, repeat: "[2,null]", fields: "F_ID" });
  assert.equal(await response("/svc/builtin/neighbor", far), []);
  const ends = people({ ...around, query: '{"neighbor":{"id":"carol"},"through":{"type":"x"}}' });
  assert.equal(await response("/svc/builtin/paths", ends), [["alice", "carol"]]);
  const shortest = { ...around, to: "carol" };
  const path = { path: ["alice", "carol"], cost: 1 };
  assert.equal(await response("/svc/builtin/paths", people(shortest)), [path]);
  const two = [path, { path: ["alice", "bob", "carol"], cost: 2 }];
  assert.equal(await response("/svc/builtin/paths", people({ ...shortest, k: 5 })), two);
  const shortestPeople = people({ ...shortest, maxDepth: 0 });
  assert.equal(await response("/svc/builtin/paths", shortestPeople), []);
});

test("explain each query", async () => {
  type Explained = { readonly explain: { readonly plan: string[]; readonly matched: number } };
  const explain = async (name: string, parameters: Record<string, string | number>) => {
    const params = people({ ...parameters, explain: "true" });
    const result = (await response(`/svc/builtin/${name}`, params)) as Explained;
    return { keys: Object.keys(result), ...result.explain };
  };
  const around = { id: "alice", arc: '{"rel":"knows"}' };
  const calls = [
    ["neighbor", around, "neighborhood", "out arcs 'knows' of one vertex", 2],
    ["vertices", { condition: '{"type":"person"}' }, "vertices", /^list of a type: 3 cand/, 3],
    ["arcs", { arc: "knows" }, "arcs", /^tails: all vertices/, 3],
    ["paths", around, "paths", "out arcs 'knows' of one vertex", 2],
    ["paths", { ...around, to: "carol" }, "shortestPaths", /^out arcs 'knows': best first/, 1],
    ["nearest", { vector: "[1,2]", hits: 1 }, "nearest", /^nearest vectors: all vectors/, 0],
  ] as const;
  for (const [name, parameters, key, step, matched] of calls) {
    const { keys, plan, matched: matchedCount } = await explain(name, parameters);
    assert.equal([keys, matchedCount], [[key, "explain"], matched], key);
    if (typeof step === "string") assert.is(plan[0], step);
    else assert.match(plan[0]!, step);
  }
});

test("prefer the body over the text `query`, then the URL, then defaults", async () => {
  const fetchHits = async (parameters: Record<string, string | number>, body?: string) =>
    ((await response("/svc/builtin/neighbor", people(parameters), body)) as string[]).length;
  assert.is(await fetchHits({ id: "alice" }), 25);
  assert.is(await fetchHits({ id: "alice", hits: 4 }), 4);
  assert.is(await fetchHits({ id: "alice", hits: 4, query: '{"hits": 3}' }), 3);
  assert.is(await fetchHits({ id: "alice", hits: 4, query: '{"hits": 3}' }, ' {"hits": 2}\n'), 2);
  assert.is(await fetchHits({ id: "alice", query: '{"hits": 3}' }, '{"arc": "knows"}'), 2);
  assert.is(await fetchHits({ id: "nobody", arc: "saw", query: '{"id": "bob", "arc": "*"}' }), 2);
});

test("accept constants by name, with and without quotes, in each source", async () => {
  const query = '{"arc": ["knows", D_OUT, M_INT, V_GT, 5], "result": R_DICT|R_COUNTS}';
  const expected = {
    neighborhood: [{ arc: { value: 7 }, id: "carol", distance: 1 }],
    counts: { neighbors: 1, arcs: 1 },
  };
  const url = people({ id: "alice", fields: "F_ID | F_VAL" });
  const quoted = query.replace("R_DICT|R_COUNTS", '"R_DICT|R_COUNTS"').replace("D_OUT", '"D_OUT"');
  for (const text of [query, quoted]) {
    assert.equal(await response("/svc/builtin/neighbor", { ...url, query: text }), expected);
    assert.equal(await response("/svc/builtin/neighbor", url, text), expected);
  }
  const arc = '["knows", D_OUT, M_INT, V_LT, 3]';
  assert.equal(
    await response("/svc/builtin/arcs", people({ arc, fields: "F_ID", result: "R_LIST" })),
    [["carol"]],
  );
  const ages = people({ condition: '{"property": {"age": [V_GT, 30]}}' });
  const sorted = { ...ages, sortby: "S_ID|S_DESC", fields: "F_ID" };
  assert.equal(await response("/svc/builtin/vertices", sorted), ["carol", "alice"]);
});

test("neighbor returns every field, counts and times", async () => {
  const query = '{"arc": "knows", "fields": F_ALL, "result": R_DICT|R_METAS, "hits": 1}';
  const result = await response("/svc/builtin/neighbor", people({ id: "alice", query }));
  assert.equal(shape(result), {
    neighborhood: [
      {
        anchor: "string",
        "anchor-internalid": "string",
        arc: { direction: "string", relationship: "string", modifier: "string", value: "number" },
        distance: "number",
        id: "string",
        internalid: "string",
        type: "string",
        ...{ degree: "number", indegree: "number", outdegree: "number", vector: [] },
        properties: { name: "string", age: "number", "a.b": "string" },
        ...{ rankscore: "number", similarity: "number", "hamming-distance": "number" },
        ...{ created: "number", modified: "number", expires: "number" },
        ...{ descriptor: "number", address: "number", handle: "string", "raw-vertex": "string" },
      },
    ],
    counts: { neighbors: "number", arcs: "number" },
    time: { search: "number", result: "number", total: "number" },
  });
});

test("vertex returns its greatest arcs, properties and attributes", async () => {
  for (const port of [0, 1] as const) {
    const parameters = people({ id: "alice", maxarcs: 2 });
    const result = (await response("/svc/builtin/vertex", parameters, undefined, port)) as object;
    assert.equal(Object.keys(result), ["Vertex( alice )"]);
    const [{ attributes, ...rest }] = Object.values(result);
    assert.equal(rest, {
      outarcs: [
        "( alice )-[ saw <M_CNT> 40 ]->( film 40 )",
        "( alice )-[ saw <M_CNT> 39 ]->( film 39 )",
        "(41 more...)",
      ],
      inarcs: [],
      properties: { name: "Ms or Mr alice", age: 41, "a.b": "x" },
    });
    assert.equal([attributes.odeg, attributes.ideg, attributes.deg], [43, 0, 43]);
    assert.equal([attributes.type, attributes.man, attributes.virtual], ["person", "REAL", false]);
    assert.equal(attributes.rank, { c1: 1, c0: 0 });
  }
  const oslo = (await response("/svc/builtin/vertex", people({ id: "oslo" }))) as object;
  const [{ outarcs, inarcs }] = Object.values(oslo);
  assert.equal([outarcs.length, inarcs.length], [0, 3]);
});

/** Path below /svc/builtin, parameters, status, then class and message of the exception. */
const REFUSED: readonly (readonly [
  path: string,
  parameters: Readonly<Record<string, string | number>>,
  status: number,
  exception: string,
  text: RegExp,
])[] = [
  ...["arcs", "vertices", "neighbor", "vertex", "graphinfo", "memory", "eventbacklog"].flatMap(
    (path) =>
      [
        [path, { id: "x" }, 400, "TypeError", /^missing required argument: 'graph'$/],
        [path, { graph: "zz", id: "x" }, 500, "KeyError", /^Graph instance not available: zz$/],
      ] as const,
  ),
  ["status", { graph: "zz" }, 500, "KeyError", /^Graph instance not available: zz$/],
  ["graphinfo", people({ simple: "x" }), 400, "TypeError", /^simple=x \(an integer/],
  ["vertex", people(), 400, "TypeError", /^missing required argument: 'id'$/],
  ["vertex", people({ id: "zz" }), 500, "KeyError", /^Object does not exist: 'zz'$/],
  ["vertex", people({ id: "alice", maxarcs: "x" }), 400, "TypeError", /^maxarcs=x/],
  ["neighbor", people({ id: "zz" }), 500, "KeyError", /^Object does not exist: 'zz'$/],
  ["neighbor", people({ id: "alice", hits: "x" }), 400, "TypeError", /^hits=x \(an integer/],
  ["neighbor", people({ id: "alice", nosuch: 1 }), 500, "TypeError", /^'nosuch' is an invalid/],
  ["neighbor", people({ id: "alice", query: '{"hitz":1}' }), 500, "TypeError", /^'hitz' is an/],
  [
    "neighbor",
    people({ id: "alice", query: '{"__proto__":{"hits":1}}' }),
    500,
    "TypeError",
    /^'__/,
  ],
  ["neighbor", people({ id: "alice", arc: "[1" }), 500, "ValueError", /^Bad query: \[1 \(original/],
  [
    "neighbor",
    people({ id: "alice", memory: 99999 }),
    400,
    "ValueError",
    /^memory must be at most/,
  ],
  ["neighbor", people({ id: "alice", filter: "1 +" }), 400, "QueryError", /at pos=4/],
  ["neighbor", people({ id: "alice", rank: "nope" }), 400, "QueryError", /undefined variable/],
  ["vertices", people({ id: "alice" }), 500, "TypeError", /^'id' is an invalid keyword/],
  ["vertices", people({ condition: '{"nosuch": 1}' }), 500, "QueryError", /nosuch/],
  ["nearest", people({ vector: "[NaN,1]" }), 400, "ValueError", /^vector \(/],
  ["evaluate", people({ expression: "1", memory: -1 }), 400, "ValueError", /^memory must be at le/],
  ["arcs", people({ select: "a: b" }), 400, "QueryError", /undefined variable .* at pos=4/],
];

test("respond with 400 to invalid parameters, and class and message otherwise", async () => {
  for (const [path, parameters, status, exception, text] of REFUSED) {
    for (const port of [0, 1] as const) {
      expectRefused(await request(`/svc/builtin/${path}`, parameters, undefined, port), {
        ...{ status, exception, text },
      });
    }
  }
});

test("respond with 404 to the id of no vertex in nearest", async () => {
  const { status, text } = await request("/svc/builtin/nearest", people({ id: "nope" }));
  assert.is(status, 404, text);
  assert.match(text, /Object does not exist: 'nope'/);
});

const DEEP = `${'{"neighbor":'.repeat(70)}null${"}".repeat(70)}`;

test("reject invalid query texts", async () => {
  const expected = {
    status: 500,
    exception: "ValueError",
    text: /^Bad query: .*\(original except/s,
  };
  const texts = [
    "{",
    "[]",
    "eval(1)",
    "{'hits': 1}",
    '{"hits": 1} x',
    DEEP,
    "\xff",
    `[${"1,".repeat(99)}`,
  ];
  for (const text of texts) {
    expectRefused(await request("/svc/builtin/arcs", people(), text), expected);
    expectRefused(await request("/svc/builtin/arcs", people({ query: text })), expected);
  }
  const long = `{"condition": "${"x".repeat(140_000)}"}`;
  expectRefused(await request("/svc/builtin/vertices", people(), long), expected);
});

test("distinguish unsupported from failed queries", async () => {
  const similarity = { vector: "tail", score: 0.5 };
  const { status, json } = await request(
    "/svc/builtin/vertices",
    people({ query: JSON.stringify({ condition: { similarity } }) }),
  );
  assert.is(status, 501, JSON.stringify(json.message));
  assert.match(JSON.stringify(json.message), /not supported/);
});

function expectRefused(
  response: DecodedResponse,
  expected: { readonly status: number; readonly exception: string; readonly text: RegExp },
): void {
  assert.is(response.status, expected.status, response.text);
  assert.is(response.json.status, "ERROR");
  const [[kind, { exception, value }]] = Object.entries(
    response.json.message as Record<string, { exception: string; value: string }>,
  ) as [[string, { exception: string; value: string }]];
  assert.is(kind, expected.status === 400 ? "svc" : "plugin", response.text);
  assert.is(exception, `<class '${expected.exception}'>`, response.text);
  assert.match(value, expected.text);
}

/** Shape of a value: names of members, kinds of leaves, the first item of lists. */
function shape(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shape);
  if (typeof value !== "object" || value === null) return value === null ? null : typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shape(item)]));
}

test("checks queries without executing them", async () => {
  const check = (call: string, query: string) =>
    response("/svc/builtin/querycheck", people({ call }), query) as Promise<{
      readonly valid: boolean;
      readonly argument: string;
      readonly line: number;
      readonly column: number;
    }>;
  assert.equal(await check("vertices", '{"condition": {"type": "person"}, "hits": 3}'), {
    valid: true,
  });
  assert.equal(await check("neighbor", ""), { valid: true });
  const refusal = await check("neighbor", '{\n  "arc": ["knows", 99]\n}');
  assert.equal([refusal.valid, refusal.argument, refusal.line], [false, "arc[1]", 2]);
  assert.is(refusal.column, '  "arc": ["knows", '.length + 1);
  assert.is((await check("arcs", '{"condition": {"filter": "1 +"}}')).valid, false);
  assert.is((await check("vertices", "[")).valid, false);
});

test.run();
