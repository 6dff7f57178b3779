// limit: 30 s
// Statistics of graphs as clients read them, over two graphs with known contents and the system
// graph: exact payloads, and sums that agree with the library.

import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type * as Library from "svc-server";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { get } from "./support/server.js";

const built = new URL("../../dist/index.js", import.meta.url).href;
const { Graph, M_INT, LookupError, system }: typeof Library = await import(built);

const test = suite("graph statistics over HTTP");
const root = realpathSync(mkdtempSync(join(tmpdir(), "svc-figures-")));

test.before(async () => {
  await system.initialize("shop", { http: 0, ip: "127.0.0.1", root });
  const people = new Graph("people");
  people.createVertex("ann", "person", { properties: { name: "Ann", age: 30 } });
  people.createVertex("bob", "person", { properties: { name: "Bob" }, lifespan: 100_000 });
  people.connect("ann", ["knows", M_INT, 5], "bob");
  people.connect("ann", ["likes", M_INT, 7], "cake");
  people.neighborhood("ann");
  new Graph("films", { local: true }).createVertex("one");
});

test.after(async () => {
  await system.unload();
  rmSync(root, { recursive: true });
});

/** Response of a service on the main port; that of the admin port must have the same members. */
async function response<T>(path: string): Promise<T> {
  const { base } = system.serverPorts();
  const responses = await Promise.all([get(base, path), get(base + 1, path)]);
  for (const { status, text } of responses) assert.is(status, 200, text);
  assert.equal(shape(responses[0].json.response), shape(responses[1].json.response));
  return responses[0].json.response as T;
}

/** Shape of a value: names of members, kinds of leaves. */
function shape(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value === null ? null : typeof value;
  if (Array.isArray(value)) return value.map(shape);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shape(item)]));
}

const TRANSACTIONS = { id: "0".repeat(32), serial: 0, count: 0 };
const BASE = { name: "people", order: 3, size: 2, properties: 3, vectors: 0 };

interface GraphInfo {
  readonly path: string;
  readonly time: { readonly current: number; readonly age: number };
  readonly op: { readonly count: number };
  readonly memcost: Readonly<Record<string, { bytes: number; overhead: number }>>;
  readonly memory: Readonly<Record<string, number>>;
  readonly query: { readonly count: number; readonly latency_ms: number };
}

test("graphinfo, and status of one graph", async () => {
  for (const path of ["/svc/builtin/graphinfo?graph=people", "/svc/builtin/status?graph=people"]) {
    const { time, op, memcost, memory, query, ...rest } = await response<GraphInfo>(path);
    assert.equal(rest, {
      path: join(root, "people"),
      base: BASE,
      transaction: { out: TRANSACTIONS, in: TRANSACTIONS },
      enum: {
        relationship: { codec: { knows: [512, 1], likes: [513, 1] }, count: 2 },
        vertex_type: { codec: { __vertex__: [17, 1], person: [32, 2] }, count: 2 },
        dimension: { count: 0 },
        property: { key: { count: 2 }, string_value: { count: 2 } },
      },
    });
    assert.ok(Math.abs(time.current - Date.now() / 1000) < 60);
    assert.ok(time.age >= 0 && time.age < 60, `age ${time.age}`);
    assert.is(op.count, new Graph("people").status().op.count);
    assert.equal(Object.keys(memcost), ["vertex", "property", "vector", "arc"]);
    assert.is(memcost.vertex!.overhead, memcost.vertex!.bytes / 3);
    // The arenas of vectors exist and are empty.
    assert.ok(memcost.vector!.bytes < 64);
    assert.is(memcost.vector!.overhead, 0);
    const { total, ...kinds } = memory;
    const names = ["vertex", "arc", "property", "index", "codec", "event", "vector", "string"];
    assert.equal(Object.keys(kinds), names);
    assert.ok(Object.values(kinds).reduce((sum, bytes) => sum + bytes, 0) <= total!);
    assert.ok(memory.event! > 0);
    assert.equal(Object.keys(query), ["count", "latency_ms"]);
    assert.ok(query.count >= 1 && query.latency_ms > 0);
  }
});

test("the simple form has only path and counts", async () => {
  for (const name of ["graphinfo", "status"]) {
    const simple = await response(`/svc/builtin/${name}?graph=people&simple=1`);
    assert.equal(simple, { path: join(root, "people"), base: BASE });
  }
});

const METRICS = [
  ...["svc.vertex.object", "svc.vertex.arcvector", "svc.vertex.property", "svc.string"],
  ...["svc.index.global", "svc.index.type", "svc.codec.vertextype", "svc.codec.relationship"],
  ...["svc.codec.vertexprop", "svc.codec.dimension", "svc.vector.internal"],
  ...["svc.vector.external", "svc.vector.dimension", "svc.event.schedule"],
  ...["svc.ephemeral.string", "svc.ephemeral.vector", "svc.ephemeral.vertexmap", "svc.runtime"],
  ...["system.process", "system.available", "system.global"],
];
const UNUSED = /vector\.external|dimension|ephemeral/;

test("memory of one graph, and of all", async () => {
  const usage = await response<Record<string, number>>("/svc/builtin/memory?graph=people");
  assert.equal(Object.keys(usage), METRICS);
  for (const [metric, bytes] of Object.entries(usage)) {
    assert.ok(Number.isInteger(bytes) && bytes > 0 !== UNUSED.test(metric), `${metric} ${bytes}`);
  }
  const usageByGraph = await response<Record<string, Record<string, number>>>(
    "/svc/builtin/memory?graph=*",
  );
  assert.equal(Object.keys(usageByGraph), ["films", "people"]);
  assert.equal(Object.keys(usageByGraph.films!), METRICS);
  assert.is(usageByGraph.people!["svc.vertex.object"], usage["svc.vertex.object"]);
});

test("eventbacklog counts pending expirations", async () => {
  const stages = "IN[ 0 ] -> SCH[ {L:1 M:0 S:0} -> X:0 ] -> EXEC[ 0 ]";
  const backlog = (state: string): string =>
    `Event Processor Backlog(people): ${stages} <${state}>`;
  const path = "/svc/builtin/eventbacklog?graph=people";
  assert.is(await response(path), backlog("RUNNING"));
  system.suspendEvents();
  assert.is(await response(path), backlog("PAUSED"));
  system.resumeEvents();
});

interface GraphSum {
  readonly graphsum: { readonly digest: string; readonly query: object; readonly vprop: object };
}

test("graphsum and objcnt sum over all graphs", async () => {
  const counts = { order: 4, size: 2, properties: 3, vectors: 0 };
  assert.equal(await response("/svc/objcnt"), { "master-serial": "0", ...counts });
  const { digest, query, vprop, ...rest } = (await response<GraphSum>("/svc/graphsum")).graphsum;
  assert.equal(rest, {
    "master-serial": "0",
    names: ["films", "people"],
    "local-only": ["films"],
    ...counts,
    enumerator: { relationship: 2, vertextype: 3, key: 2, string: 2, dimension: 0 },
    engine: { exceptions: { warning: 0, error: 0, critical: 0 } },
  });
  assert.match(digest, /^[0-9a-f]{32}$/);
  assert.is((await response<{ digest: string }>("/svc/nodestat")).digest, digest);
  assert.equal(shape(query), { count: "number", "ns-acc": "number" });
  assert.equal(shape(vprop), { bytes: "number", count: "number" });
  const digestWith = async (name: string): Promise<string> => {
    new Graph(name).createVertex("two");
    const { graphsum } = await response<GraphSum>("/svc/graphsum");
    new Graph(name).deleteVertex("two");
    return graphsum.digest;
  };
  assert.is.not(await digestWith("people"), digest);
  const now = (await response<GraphSum>("/svc/graphsum")).graphsum.digest;
  assert.is(await digestWith("films"), now, "a local graph, which replicas have not");
});

test("totals count vectors, also those with a name", async () => {
  const films = new Graph("films");
  films.createVertex("shown", { vector: [1, 2], vectors: { poster: [1] } });
  const status = await response<Status>("/svc/builtin/status?simple=1");
  const vectorCounts = [
    (await response<{ vectors: number }>("/svc/objcnt")).vectors,
    (await response<{ graphsum: { vectors: number } }>("/svc/graphsum")).graphsum.vectors,
    (await response<Record<string, unknown>>("/svc/nodestat"))["graph-vectors"],
    (status.graphs[join(root, "films")] as { vectors: number }).vectors,
  ];
  films.deleteVertex("shown");
  assert.equal(vectorCounts, [2, 2, 2, 2]);
});

test("nodestat includes graph statistics", async () => {
  const before = await response<Record<string, unknown>>("/svc/nodestat");
  const figures = Object.entries(before).filter(([name]) => name.startsWith("graph-"));
  assert.equal(Object.fromEntries(figures), {
    ...{ "graph-order": 4, "graph-size": 2, "graph-properties": 3, "graph-vectors": 0 },
    ...{ "graph-nrel": 2, "graph-nvtx": 3, "graph-ndim": 0, "graph-nkey": 2, "graph-nval": 2 },
  });
  assert.equal(
    [before.readonly, before["local-only"], before["snapshot-writing"]],
    [false, 1, false],
  );
  system.setReadonly();
  assert.is((await response<{ readonly: boolean }>("/svc/nodestat")).readonly, true);
  system.clearReadonly();
});

/** Without those of every server. */
async function ownProperties(): Promise<object> {
  const stored = await response<Record<string, unknown>>("/svc/builtin/properties");
  const { SYSTEM_Descriptor: _, SYSTEM_DescriptorIdent: __, ...remaining } = stored;
  return remaining;
}

test("system properties are in no list of graphs", async () => {
  const alone = await response<Record<string, object>>("/svc/builtin/properties");
  assert.equal(Object.keys(alone), ["SYSTEM_Descriptor", "SYSTEM_DescriptorIdent"]);
  assert.equal(alone.SYSTEM_DescriptorIdent, "G1");
  assert.equal(alone.SYSTEM_Descriptor, await response("/svc/builtin/system_descriptor"));
  assert.equal(await response("/svc/builtin/status?graph=people&simple=1"), {
    path: join(root, "people"),
    base: BASE,
  });
  system.setProperty("descriptor", { instances: { G1: { group: 1.1 } } });
  system.setProperties({ ident: "G1", ADMIN_DisableAuth: 1 });
  const properties = {
    descriptor: { instances: { G1: { group: 1.1 } } },
    ident: "G1",
    ADMIN_DisableAuth: 1,
  };
  assert.equal(await ownProperties(), properties);
  assert.equal(system.getProperties(), properties);
  assert.is(system.getProperty("ident"), "G1");
  assert.is(system.getProperty("none", 5), 5);
  assert.equal([system.hasProperty("ident"), system.hasProperty("none")], [true, false]);
  system.removeProperty("ident");
  assert.throws(
    () => system.removeProperty("ident"),
    (error: unknown) => error instanceof LookupError,
  );
  assert.is(system.numProperties(), 2);
  assert.equal(Object.keys(system.registry()), ["films", "people"]);
  const { graphsum } = await response<{ graphsum: { names: string[] } }>("/svc/graphsum");
  assert.equal(graphsum.names, ["films", "people"]);
  const base = { name: "_system", order: 1, size: 0, properties: 2, vectors: 0 };
  for (const name of ["system", "_system"]) {
    const simple = await response(`/svc/builtin/status?graph=${name}&simple=1`);
    assert.equal(simple, { path: join(root, "_system"), base });
  }
});

interface Status {
  readonly graphs: Readonly<Record<string, object>>;
  readonly performance: { readonly internal_queries: number };
  readonly memory: Readonly<Record<string, number>>;
}

test("status shows every graph, including the system graph", async () => {
  const { graphs, performance, memory } = await response<Status>("/svc/builtin/status");
  const counts = {
    [join(root, "_system")]: { order: 1, size: 0, properties: 2, vectors: 0 },
    [join(root, "films")]: { order: 1, size: 0, properties: 0, vectors: 0 },
    [join(root, "people")]: { order: 3, size: 2, properties: 3, vectors: 0 },
  };
  const figures = { pooled_bytes: "number", pooled_to_svc_process_ratio: "number" };
  const shapes = Object.values(shape(counts) as object).map((graph) => ({ ...graph, ...figures }));
  assert.equal(Object.values(shape(graphs) as object), shapes);
  assert.ok(performance.internal_queries >= 1);
  assert.ok(memory.system_pooled_bytes! > 0 && memory.system_property_bytes! > 0);
  assert.ok(memory.svc_pooled_bytes! > memory.system_pooled_bytes!);
  const simple = await response<Status>("/svc/builtin/status?simple=1");
  assert.equal(simple.graphs, counts);
});

test("graphs and statistics are restored after a restart", async () => {
  await system.unload(true);
  await system.initialize("shop", { http: 0, ip: "127.0.0.1", root });
  assert.equal(Object.keys(await ownProperties()), ["descriptor", "ADMIN_DisableAuth"]);
  assert.is((await response<{ order: number }>("/svc/objcnt")).order, 4);
  const { readonly, "snapshot-age": age } =
    await response<Record<string, number | boolean>>("/svc/nodestat");
  assert.is(readonly, false);
  assert.ok((age as number) >= 0 && (age as number) < 60, `snapshot-age ${age}`);
  assert.is(system.removeProperties(), 2);
  assert.equal(await ownProperties(), {});
});

test.run();
