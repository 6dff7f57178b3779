// The compact overview of a system: first responses, and later differences.

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readDescriptor } from "../../../runtime/system/read-descriptor.js";
import { type ShortOverview, SystemWatch } from "../../../runtime/system/system-watch.js";

interface Context {
  server: Server;
  watch: SystemWatch;
  /** Metrics of all instances. */
  node: Record<string, unknown>;
  /** Ids of instances that close connections. */
  down: Set<string>;
  matrix: unknown;
  requests: string[];
}

const test = suite<Context>("system watch");
const NODE = {
  ...{ ready: true, "service-in": 1, uptime: 100, "idle-ms": 5000, "snapshot-age": 0 },
  ...{ "memory-total": 1000, "memory-available": 503, "memory-process": 5_100_000 },
  ...{ "service-rate": 2.5, "service-95th-ms": 1, "connected-clients": 3, replica: null },
};
/** Host of each instance: they share a port. */
const HOSTS = { TD: "127.0.0.1", B1: "127.0.0.2", S1: "127.0.0.3" } as const;

test.before.each(async (context) => {
  Object.assign(context, { node: { ...NODE }, down: new Set(), requests: [] });
  context.matrix = [[{ state: "up", answered: 7, port: 1 }]];
  context.server = createServer(({ url, socket }, response) => {
    const [id] = Object.entries(HOSTS).find(([, host]) => host === socket.localAddress)!;
    context.requests.push(`${id} ${url}`);
    if (context.down.has(id)) return socket.destroy();
    const reply = url === "/svc/matrix" ? context.matrix : context.node;
    return response.end(JSON.stringify({ status: "OK", response: reply }));
  });
  await new Promise<void>((resolve) => context.server.listen(0, "0.0.0.0", resolve));
  const hport = (context.server.address() as AddressInfo).port - 1;
  const instance = (id: keyof typeof HOSTS, type: string) => ({ type, host: HOSTS[id], hport });
  const system = readDescriptor({
    ...{ name: "Watched", graphs: [] },
    instances: {
      TD: instance("TD", "dispatch"),
      B1: instance("B1", "builder"),
      S1: { ...instance("S1", "search"), tport: 1 },
    },
    topology: { transaction: { B1: ["S1"] }, dispatch: { TD: [{ partitions: ["S1"] }] } },
  });
  context.watch = new SystemWatch(system, null, { self: "TD", isBranch: false, everyMs: 0 });
});
test.after.each(({ server }) => {
  server.closeAllConnections();
  server.close();
});

type Rows = readonly (readonly unknown[])[];

/** Reads until a poll has ended after the one that was known. */
async function read(watch: SystemWatch, last?: ShortOverview, cells = -1): Promise<ShortOverview> {
  for (;;) {
    const overview = await watch.read("TD", last?.revision ?? "", cells);
    const isNew = overview.polled > (last?.polled ?? 0);
    if (isNew) return overview;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

/** A poll that ran during a change may have missed it; the next one did not. */
async function readTwice(watch: SystemWatch, last: ShortOverview, cells = -1) {
  const { polled } = await read(watch, last);
  return read(watch, { ...last, polled }, cells);
}

/** One column of an answer by place. */
function column(overview: ShortOverview, kind: "live" | "rest", name: string): readonly unknown[] {
  const { [kind]: names } = overview.columns as Record<string, readonly string[]>;
  const rows = (overview[kind] ?? []) as Rows;
  return [...rows]
    .sort((a, b) => Number(a[0]) - Number(b[0]))
    .map((row) => {
      return row[1 + names!.indexOf(name)];
    });
}

test("reports all instances at first, by one request each", async ({ watch, requests }) => {
  const overview = await read(watch);
  assert.equal([overview.id, overview.name], ["TD", "Watched"]);
  assert.equal(
    (overview.instances as Rows).map(([id, type, , , provider]) => [id, type, provider]),
    [
      ["TD", "dispatch", null],
      ["B1", "builder", null],
      ["S1", "search", "B1"],
    ],
  );
  assert.equal(overview.matrices, { TD: [["S1"]] });
  assert.equal(column(overview, "live", "service-rate"), [2.5, 2.5, 2.5]);
  assert.equal(column(overview, "live", "memory-available"), [500, 500, 500]);
  assert.equal(column(overview, "rest", "health"), [1, 1, 1]);
  assert.equal(column(overview, "rest", "matrix-complete"), [true, null, null]);
  assert.equal(overview.cells, undefined);
  const first = requests.slice(0, 4).sort();
  assert.equal(first, [
    ...["B1 /svc/nodestat", "S1 /svc/nodestat", "TD /svc/matrix", "TD /svc/nodestat"],
  ]);
});

test("reports nothing to a reader that knows all of a system at rest", async (context) => {
  const { watch, node } = context;
  const first = await read(watch);
  // Ages grow and memory varies.
  Object.assign(node, { uptime: 101, "idle-ms": 5900, "memory-available": 504 });
  Object.assign(node, { "memory-process": 5_100_900 });
  const second = await readTwice(watch, first);
  assert.equal(Object.keys(second).sort(), ["at", "id", "polled", "revision"]);
  assert.is(second.revision, first.revision);
});

test("reports the rows that changed", async ({ watch, node, down }) => {
  const first = await read(watch);
  node["service-rate"] = 9;
  const second = await readTwice(watch, first);
  assert.equal(column({ ...first, ...second }, "live", "service-rate"), [9, 9, 9]);
  assert.is(second.rest, undefined);
  down.add("S1");
  const third = await readTwice(watch, second);
  const rest = third.rest as Rows;
  assert.equal(
    rest.map(([position, health]) => [position, health]),
    [
      [0, 1],
      [2, 4],
    ],
  );
  assert.equal(column({ ...first, ...third }, "rest", "matrix-complete")[0], false);
  assert.equal(column({ ...first, ...third }, "rest", "back-ends-down")[0], 1);
  // The outage began when it was noticed, also in later polls.
  const fourth = await read(watch, third);
  assert.is(fourth.rest, undefined);
});

test("reports cells to readers that ask for them", async (context) => {
  const first = await read(context.watch, undefined, 0);
  const cells = first.cells as Rows;
  assert.equal(cells[0]!.slice(0, 3), [0, 0, 0]);
  assert.ok(cells[0]!.includes("up") && cells[0]!.includes(7) && cells[0]!.at(-1) === true);
  const number = Number(first.revision.split("-")[1]);
  const second = await read(context.watch, first, number);
  assert.is(second.cells, undefined);
  const failures = { timeout: 1, connection: 2, refused: 0, error: "x" };
  context.matrix = [[{ state: "up", answered: 8, port: 1, failures }]];
  const third = await readTwice(context.watch, second, number);
  assert.ok((third.cells as Rows)[0]!.includes(8));
  const column = 3 + (first.columns as { cells: string[] }).cells.indexOf("failures");
  assert.is(cells[0]![column], null);
  assert.equal((third.cells as Rows)[0]![column], [1, 2, 0, 0]);
});

test("limits the size of reports of other instances", async (context) => {
  context.node["service-out-reason"] = "x".repeat(10_000);
  context.node.replica = { state: ["y"] };
  context.matrix = [["z"], 5];
  const overview = await read(context.watch, undefined, 0);
  assert.is(String(column(overview, "rest", "service-out-reason")[0]).length, 200);
  assert.is(column(overview, "rest", "replica")[0], null);
  assert.ok((overview.cells as Rows)[0]!.slice(3, -1).every((value) => value === null));
  context.node = 5 as never;
  const odd = await readTwice(context.watch, overview);
  assert.ok((odd.rest as Rows).length === 3);
});

test("starts over for a reader of another process", async ({ watch }) => {
  const first = await read(watch);
  const otherReply = { ...first, polled: first.polled, revision: "0000-99" };
  assert.ok((await read(watch, otherReply)).instances !== undefined);
});

test("is the watch of a system with the same descriptor", () => {
  const systemWith = (partitions: readonly string[]) =>
    readDescriptor({
      instances: { T: { hport: 9000 }, "S{1..2}": { hport: 9000, host: "s{1}" } },
      topology: { dispatch: { T: [{ partitions }] } },
    });
  const watch = new SystemWatch(systemWith(["S1"]), null, { self: "T", isBranch: false });
  assert.ok(watch.isFor(systemWith(["S1"])));
  assert.not.ok(watch.isFor(systemWith(["S2"])));
});

test.run();
