// A system whose data is divided by key: a dispatcher above a dispatcher with two engines and above
// a third engine. Each key has one owner, requests with a key reach it alone, others are refused.
// limit: 120 s
// takes 10 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { divideSlots, SlotMap } from "../../runtime/base/slot-map.js";
import type { DecodedResponse } from "./support/server.js";
import { UpSystem, until } from "./support/system.js";
import { TemporaryProject } from "./support/temporary-project.js";

const test = suite("slots");
const KEYS = 400;
const PLUGINS = `
import { type Graph, type int, plugin, type str, system } from "svc-server";
import { PluginRequest, PluginResponse } from "svc-server";

function respond(count: int): PluginResponse {
  const response = new PluginResponse();
  response.hitcount = count;
  return response;
}

/**
 * @plugin
 * @graph things
 */
export function load(request: PluginRequest, graph: Graph, count: int): PluginResponse {
  const ids = Array.from({ length: count }, (_, number) => \`k\${number}\`);
  return respond(graph.createVertices(ids.filter((id) => request.owns(id))));
}

/**
 * @plugin
 * @graph things
 */
export function put(request: PluginRequest, graph: Graph, id: str): PluginResponse {
  graph.createVertex(id);
  return respond(request.baseport);
}

/**
 * @plugin
 * @graph things
 * @readonly
 */
export function count(_request: PluginRequest, graph: Graph): PluginResponse {
  return respond(graph.order);
}

/**
 * @plugin
 * @graph things
 */
export function join(_request: PluginRequest, graph: Graph): PluginResponse {
  const ids = graph.vertices() as string[];
  graph.createVertex("root", { type: "kind" });
  let arcs = 0;
  for (const id of ids) if (!id.startsWith("wrong")) arcs += graph.connect("root", "has", id);
  return respond(arcs);
}

/**
 * @plugin
 * @readonly
 */
export function where(_request: PluginRequest, id: str): readonly (str | int)[] {
  const slots = system.slots!;
  return [slots.count, slots.of(id), slots.groupOf(id)];
}

export const route = plugin.pre({ name: "routed" }, (request: PluginRequest): PluginRequest => {
  const id = String(request.get("id"));
  const forwarded = new PluginRequest("put", { id });
  forwarded.key = id;
  forwarded.affinity = request.partitionOf(id);
  return forwarded;
});
`;
const ENGINE = { type: "builder", graph: "things" };
const DESCRIPTOR = {
  name: "Divided",
  graphs: ["things"],
  slots: { graphs: ["things"], everywhere: ["kind"] },
  instances: {
    TD: { type: "dispatch", hport: 9990 },
    D1: { type: "dispatch", hport: 9980 },
    B1: { ...ENGINE, hport: 9100 },
    B2: { ...ENGINE, hport: 9110 },
    B3: { ...ENGINE, hport: 9120 },
  },
  topology: {
    // Partitions are not in the order of the groups.
    dispatch: { TD: [{ partitions: ["B2", "D1"] }], D1: [{ partitions: ["B3", "B1"] }] },
  },
};
const GROUPS = ["B1", "B2", "B3"] as const;
const PORTS = [9100, 9110, 9120];
const map = new SlotMap(divideSlots(4096, 3));
const findOwner = (key: string) => map.ownerOfKey(key);
/** A key of a group. */
const findKey = (group: number, start = "x") => {
  for (let number = 0; ; number++) if (findOwner(start + number) === group) return start + number;
};

let project: TemporaryProject;
let system: UpSystem;

test.before(async () => {
  project = new TemporaryProject({ "plugins/things.ts": PLUGINS });
  system = await UpSystem.start(project.folder, DESCRIPTOR);
  await until(async () => (await call("TD", "count")).status === 200);
});
test.after(async () => {
  await system.close();
  project.remove();
});

function call(id: string, path: string, key?: string): Promise<DecodedResponse> {
  const headers = key === undefined ? {} : { "X-SVC-Key": key };
  return system.get(id, `/svc/plugin/${path}`, 0, { headers });
}

function hits({ json, text }: DecodedResponse): number {
  assert.is(json.status, "OK", text);
  return (json.response as { hitcount: number }).hitcount;
}

const orders = () => Promise.all(GROUPS.map(async (id) => hits(await call(id, "count"))));

test("each key is stored in exactly one group", async () => {
  assert.is(hits(await call("TD", `load?count=${KEYS}`)), KEYS);
  assert.is(hits(await call("TD", `load?count=${KEYS}`)), 0);
  assert.is(hits(await call("TD", "count")), KEYS);
  const expected = [0, 0, 0];
  for (let number = 0; number < KEYS; number++) expected[findOwner(`k${number}`)]!++;
  assert.equal(await orders(), expected);
});

test("a request with a key reaches only its owner, at any depth", async () => {
  const before = await orders();
  for (const [group, port] of PORTS.entries()) {
    const id = findKey(group, "é {");
    const key = encodeURIComponent(id);
    assert.is(hits(await call("TD", `put?id=${key}`, key)), port);
    assert.is(hits(await call("TD", "count", key)), before[group]! + 1);
    // Back-ends have reported the plugin as readonly.
    assert.is(hits(await call("TD", "count", key)), before[group]! + 1);
    assert.is(hits(await call("TD", `routed?id=${findKey(group, "pre")}`)), port);
  }
  assert.equal(
    await orders(),
    before.map((order) => order + 2),
  );
});

test("another engine or dispatcher responds with 421 before anything runs", async () => {
  const before = await orders();
  for (const [id, group] of [
    ["B1", 1],
    ["B3", 0],
    ["D1", 1],
  ] as const) {
    const key = findKey(group, "new");
    const { status, json } = await call(id, `put?id=${key}`, key);
    assert.is(status, 421, id);
    const message = JSON.stringify(json.message);
    if (id === "D1") assert.match(message, /no back-end of this dispatcher owns the key/);
    else
      assert.match(
        message,
        new RegExp(`slot ${map.slotOf(key)} belongs to B${group + 1}, not ${id}`),
      );
  }
  const routed = await call("D1", `routed?id=${findKey(1, "new")}`);
  assert.is(routed.status, 421);
  assert.equal(await orders(), before);
});

test("rejects a change of another group's vertex, and names the owner", async () => {
  const id = findKey(2, "wrong");
  const { status, text } = await call("B1", `put?id=${id}`);
  assert.is(status, 500);
  assert.match(text, /OwnerError/);
  assert.match(text, new RegExp(`vertex '${id}': slot ${map.slotOf(id)} belongs to B3, not B1`));
  // Built-in plugins take the same way.
  const path = `/svc/builtin/createvertex?graph=things&id=${id}`;
  const post = (type: string) => {
    const init = { method: "POST", headers: { "X-SVC-Change": "1" } };
    return system.get("B1", `${path}${type}`, 1, init);
  };
  assert.match((await post("")).text, /belongs to B3, not B1/);
  assert.is((await post("&type=kind")).status, 200);
});

test("system.slots is the same in all instances", async () => {
  for (const id of ["B1", "B3"]) {
    const key = findKey(1);
    const { json } = await call(id, `where?id=${key}`);
    assert.equal(json.response, [4096, map.slotOf(key), "B2"]);
  }
});

test("an invalid key is 400, and reaches no engine", async () => {
  const before = await orders();
  for (const key of ["%", "%zz", "%C3", "a b", "é", "%ff", `${"a".repeat(2049)}`]) {
    const { status, text } = await call("TD", `put?id=${findKey(0)}`, key);
    assert.is(status, 400, key);
    assert.match(text, /X-SVC-Key: expected one key/);
  }
  assert.equal(await orders(), before);
});

test("svc admin slots counts vertices, and finds types that should be in every group", async () => {
  assert.is(
    hits(await call("TD", "join")),
    (await orders()).reduce((sum, order) => sum + order) - 4,
  );
  const { code, out, err } = await system.admin("slots");
  assert.is(code, 0, err);
  const rows = [...out.matchAll(/^things +(B\d) +(\S+) +(\d+) *(every group)?$/gm)];
  const kinds = rows.filter(([, , type]) => type === "kind").map(([, ...cells]) => cells.join(" "));
  assert.equal(kinds, ["B1 kind 2 every group", "B2 kind 1 every group", "B3 kind 1 every group"]);
  assert.not.match(out, /things: /);
  // Another descriptor is tried without sending it.
  system.write({ ...DESCRIPTOR, slots: { graphs: ["things"] } });
  const tried = await system.admin("slots");
  assert.is(tried.code, 0, tried.err);
  assert.match(tried.out, /^things: hub: B2: "root" \(kind\) has (\d+) of \1 arcs: add its type/m);
  assert.match(tried.out, /^things: 1 vertices of type kind are in several groups: add the type/m);
  assert.match(tried.out, /^things: B\d: 1 of \d+ examined vertices belong to other groups$/m);
  const { slots: _, ...descriptorWithoutSlots } = DESCRIPTOR;
  system.write(descriptorWithoutSlots);
  assert.match((await system.admin("slots")).err, /SVC3004.*the descriptor has no `slots`/s);
  system.write(DESCRIPTOR);
});

test("slots do not change over graphs with data", async () => {
  system.write({ ...DESCRIPTOR, slots: { graphs: ["things"], count: 1024 } });
  const { code, err } = await system.admin("send-descriptor");
  assert.is(code, 1);
  assert.match(err, /SVC3411.*divides the data by other slots, and B\d has \d+ vertices/s);
  system.write(DESCRIPTOR);
  assert.is((await system.admin("send-descriptor")).code, 0);
});

test.run();
