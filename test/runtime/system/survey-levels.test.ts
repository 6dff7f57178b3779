// Surveys by level: dispatchers answer for all that is below them. The root asks only them, and has
// the same rows as one that asks every instance.

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Entry, LevelReader, type LevelTopic } from "../../../runtime/system/level-reader.js";
import { readDescriptor } from "../../../runtime/system/read-descriptor.js";
import { listBranch, planSurvey } from "../../../runtime/system/survey-tree.js";
import type { System } from "../../../runtime/system/system.js";
import { type ShortOverview, SystemWatch } from "../../../runtime/system/system-watch.js";

interface Context {
  server: Server;
  system: System;
  /** Of the dispatchers that answer for their branch. */
  branches: Map<string, SystemWatch>;
  root: SystemWatch;
  down: Set<string>;
  requests: Set<string>;
  /** Replaces the response of D1 for its branch; null keeps the correct one. */
  forged: ((overview: ShortOverview) => unknown) | null;
  /** Replaces the response of D1 for ids; null keeps the correct one. */
  list: ((ids: readonly string[]) => unknown) | null;
}

const test = suite<Context>("surveys by level");
type Rows = readonly (readonly unknown[])[];

function descriptor(hport: number): object {
  return {
    common: { hport },
    instances: {
      A: { type: "admin", host: "127.0.1.1" },
      T: { type: "dispatch", host: "127.0.1.2" },
      "D{1..2}": { type: "dispatch", host: "127.0.2.{1}" },
      "B{1..2}.{1..3}": { type: "builder", host: "127.1.{1}.{2}" },
      "S{1..2}.{1..3}": { type: "search", host: "127.2.{1}.{2}", tport: 1 },
    },
    topology: {
      transaction: { "B{1..2}.{1..3}": ["S{1}.{2}"] },
      dispatch: {
        T: [{ partitions: ["D{1..2}"] }],
        "D{1..2}": [{ partitions: ["S{1}.{1..3}"] }],
      },
    },
  };
}

function node(id: string): object {
  const digest = id.slice(1);
  return { ready: true, "service-in": 1, uptime: 9, digest, "service-rate": id.length };
}

test.before.each(async (context) => {
  Object.assign(context, { down: new Set(), requests: new Set(), forged: null, list: null });
  context.branches = new Map();
  context.server = createServer(async ({ url = "", socket }, response) => {
    const { id } = [...context.system.instances.values()].find(
      ({ host }) => host === socket.localAddress,
    )!;
    context.requests.add(`${id} ${url.split("&")[0]}`);
    if (context.down.has(id)) return socket.destroy();
    const body = url.includes("form=branch")
      ? await branch(context, id, url)
      : url.includes("idlist=")
        ? await counts(context, id, new URLSearchParams(url.split("?")[1]).get("idlist")!)
        : makeReply(id, url);
    return response.end(JSON.stringify({ status: "OK", response: body }));
  });
  await new Promise<void>((resolve) => context.server.listen(0, "0.0.0.0", resolve));
  const hport = (context.server.address() as AddressInfo).port - 1;
  context.system = readDescriptor(descriptor(hport));
  for (const self of ["T", "D1", "D2"]) {
    context.branches.set(self, createWatch(context, self, true));
  }
  context.root = createWatch(context, "T", false);
});
test.after.each(({ server }) => {
  server.closeAllConnections();
  server.close();
});

function makeReply(id: string, url: string): unknown {
  if (url !== "/svc/matrix") return node(id);
  return Array.from({ length: id === "T" ? 2 : 3 }, () => [{ state: "up", answered: id.length }]);
}

async function branch({ branches, forged }: Context, id: string, url: string): Promise<unknown> {
  const query = new URLSearchParams(url.split("?")[1]);
  const { known, cells } = Object.fromEntries(query) as Record<string, string>;
  const overview = await branches.get(id)!.read(id, known!, Number(cells));
  return id === "D1" && forged !== null ? forged(overview) : overview;
}

function createWatch(
  { system }: Pick<Context, "system">,
  self: string,
  isBranch: boolean,
  maxDirect = 0,
) {
  return new SystemWatch(system, null, { self, isBranch, everyMs: 0, maxDirect });
}

const TOPIC: LevelTopic = {
  plugin: "system_counts",
  paths: () => ["/svc/objcnt"],
  describe: ({ instance, figures }) => ({ id: instance.id, counted: figures["/svc/objcnt"] }),
};

/** Answers as an instance does. */
async function counts(
  { system, list }: Pick<Context, "system" | "list">,
  self: string,
  idlist: string,
  reader = new LevelReader(),
) {
  const ids = idlist.split(",");
  const scope = { system, self, secure: null };
  const entries = self === "D1" && list !== null ? list(ids) : reader.read(scope, TOPIC, ids);
  return { instances: (await entries) as readonly Entry[] };
}

/** Reads until all rows fulfil a condition. */
async function readUntil(watch: SystemWatch, isDone: (rows: Rows, overview: Overview) => boolean) {
  const latest: Overview = { live: new Map(), rest: new Map(), cells: new Map() };
  for (let known = ""; ; ) {
    const overview = await watch.read("T", known, 0);
    known = overview.revision;
    for (const [kind, rows] of Object.entries(latest)) {
      const width = kind === "cells" ? 3 : 1;
      for (const row of (overview[kind] ?? []) as Rows) rows.set(row.slice(0, width).join(), row);
    }
    const rest = [...latest.rest.values()].sort((a, b) => Number(a[0]) - Number(b[0]));
    if (isDone(rest, latest)) return latest;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

interface Overview {
  readonly live: Map<string, readonly unknown[]>;
  readonly rest: Map<string, readonly unknown[]>;
  readonly cells: Map<string, readonly unknown[]>;
}

const isKnown = (rows: Rows) => rows.length === 16 && rows.every(([, health]) => health !== 0);
/** On a loaded machine instances are slow. */
const isUp = (rows: Rows) => {
  return rows.length === 16 && rows.every(([, health]) => health === 1 || health === 2);
};
const COMPLETE = 3;
const DEGRADED = 4;

test("query each instance once", ({ system }) => {
  const tree = planSurvey(system);
  assert.equal(tree.tops, ["T", "A"]);
  assert.equal(tree.below.get("T"), ["D1", "D2"]);
  assert.equal(tree.below.get("D2"), ["B2.1", "B2.2", "B2.3", "S2.1", "S2.2", "S2.3"]);
  const branchIds = tree.tops.flatMap((id) => listBranch(tree, id));
  assert.equal([...branchIds].sort(), [...system.instances.keys()].sort());
  // A dispatch loop, and dispatchers with the same back-ends.
  const loop = readDescriptor({
    instances: { "D{1..3}": { hport: 9000, host: "d{1}" }, S: { hport: 1 } },
    topology: {
      dispatch: {
        D1: [{ partitions: ["D2"] }],
        D2: [{ partitions: ["D1"] }, { partitions: ["S"] }],
        D3: [{ partitions: ["S"] }],
      },
    },
  });
  const looped = planSurvey(loop);
  assert.equal(looped.tops, ["D3", "D1"]);
  const each = looped.tops.flatMap((id) => listBranch(looped, id));
  assert.equal(each, ["D3", "S", "D1", "D2"]);
});

test("return the rows of a survey of every instance with fewer requests", async (context) => {
  const overview = await readUntil(
    context.root,
    (rows, { cells }) => isUp(rows) && cells.size === 8,
  );
  const requests = [...context.requests].sort();
  assert.ok(requests.includes("D1 /svc/builtin/system_overview?form=branch"));
  assert.ok(!requests.includes("T /svc/builtin/system_overview?form=branch"));
  const direct = createWatch(context, "T", false, 100);
  const same = await readUntil(direct, (rows, { cells }) => isUp(rows) && cells.size === 8);
  assert.equal([...overview.live].sort(), [...same.live].sort());
  assert.equal([...overview.cells].sort(), [...same.cells].sort());
  const flags = ({ rest }: Overview) =>
    [...rest].map(([index, row]) => [index, row.slice(2, 7)]).sort();
  assert.equal(flags(overview), flags(same));
  // From the admin instance the dispatcher at the top is asked.
  context.requests.clear();
  await readUntil(createWatch(context, "A", false), isKnown);
  assert.ok(context.requests.has("T /svc/builtin/system_overview?form=branch"));
});

test("report instances that fail, up to the top", async ({ root, down }) => {
  await readUntil(root, isKnown);
  down.add("S2.3");
  const ids = (await root.read("T", "", -1)).instances as Rows;
  const [index, top] = [ids, ids].map((rows, n) =>
    rows.findIndex(([id]) => id === ["S2.3", "T"][n]),
  );
  await readUntil(root, (rows) => {
    const [leaf, flags] = [rows[index!]!, rows[top!]!];
    return leaf[1] === 4 && flags[COMPLETE] === false && flags[DEGRADED] === true;
  });
});

test("query the instances below a dispatcher that does not respond for them", async (context) => {
  context.down.add("D1");
  await readUntil(context.root, isKnown);
  assert.ok(context.requests.has("S1.1 /svc/nodestat"));
  context.down.clear();
  context.forged = (overview) => ({ ...overview, layout: "of another descriptor" });
  context.requests.clear();
  await readUntil(createWatch(context, "T", false), isUp);
  assert.ok(context.requests.has("D1 /svc/nodestat"));
});

test("accept only rows of instances below, of bounded size", async (context) => {
  await readUntil(context.root, isKnown);
  const ids = ((await context.root.read("T", "", -1)).instances as Rows).map(([id]) => id);
  const [ownIndex, foreign, above] = ["S1.1", "D2", "D1"].map((id) => ids.indexOf(id));
  const text = "x".repeat(10_000);
  const deep = [[[[1]]], { a: 1 }];
  context.forged = (overview) => ({
    ...overview,
    rest: [[ownIndex, 3, null, ...Array(300).fill(text)], [-1, 3], [1e9, 3], [text], 5, null],
    live: [[ownIndex, deep], { length: 9 }],
    cells: [[above, 0, -1], [above], [above, 0, 1], [above, 9, 0], [foreign, 2, 0, text], text],
  });
  context.down.add("D2");
  const watch = createWatch(context, "T", false);
  const overview = await readUntil(watch, (rows) => rows[ownIndex!]![1] === 3);
  assert.is(overview.rest.size, 16);
  assert.ok(overview.rest.get(`${ownIndex}`)!.length < 50);
  assert.is(overview.rest.get(`${ownIndex}`)![5], text.slice(0, 200));
  assert.equal(overview.live.get(`${ownIndex}`)!.slice(0, 2), [ownIndex, [[null], null]]);
  assert.equal(
    [...overview.cells.keys()].filter((key) => !key.startsWith(`${ids.indexOf("T")},`)),
    [],
  );
  context.forged = (overview) => ({ ...overview, rest: 5, live: {}, cells: text });
  await readUntil(createWatch(context, "T", false), (rows) => rows[ids.indexOf("S2.1")]![1] !== 0);
});

test("count by level, with one request for each dispatcher", async (context) => {
  const { requests, system } = context;
  const allIds = [...system.instances.keys()];
  const { instances } = await counts(context, "A", [...allIds, "nobody"].join());
  assert.equal(
    instances.map(({ id, counted }) => [id, (counted as { digest: string }).digest]),
    allIds.map((id) => [id, id.slice(1)]),
  );
  const by = (text: string) => [...requests].filter((request) => request.includes(text));
  assert.equal(
    by("idlist")
      .map((request) => request.split(" ")[0])
      .sort(),
    ["D1", "D2", "T"],
  );
  // No request goes up.
  requests.clear();
  await counts(context, "D1", "S1.2,D1");
  assert.equal(by("/svc/objcnt").sort(), ["D1 /svc/objcnt", "S1.2 /svc/objcnt"]);
  assert.equal(by("idlist"), []);
  // A leaf asks the top for the others.
  requests.clear();
  await counts(context, "S1.1", "S2.2,S1.1");
  assert.equal(
    by("idlist").map((request) => request.split(" ")[0]),
    ["T", "D1", "D2"],
  );
});

test("count the instances below a dispatcher that does not respond for them", async (context) => {
  const { requests, down } = context;
  down.add("D2");
  const { instances } = await counts(context, "T", "S2.1,D2,S1.1");
  assert.equal(
    instances.map(({ id, counted }) => [id, typeof counted]),
    [
      ["D2", "undefined"],
      ["S1.1", "object"],
      ["S2.1", "object"],
    ],
  );
  assert.ok(requests.has("S2.1 /svc/objcnt"));
});

test("accept only counts of the requested instances", async (context) => {
  context.list = () => [{ id: "S2.1", counted: "forged" }, { id: 5 }, null, "S1.1"];
  const { instances } = await counts(context, "T", "S1.1,S2.1");
  assert.equal(
    instances.map(({ id, counted }) => [id, typeof counted]),
    [
      ["S1.1", "object"],
      ["S2.1", "object"],
    ],
  );
});

test("query a dispatcher for many ids in parts, and once for all callers", async (context) => {
  const { hport } = context.system.instances.get("T")!;
  context.system = readDescriptor({
    common: { hport },
    instances: {
      T: { type: "dispatch", host: "127.0.1.2" },
      D1: { type: "dispatch", host: "127.0.2.1" },
      "S{1..127}": { type: "search", host: "127.1.1.{1}" },
      "R{1..127}": { type: "search", host: "127.1.2.{1}" },
    },
    topology: {
      dispatch: {
        T: [{ partitions: ["D1"] }],
        D1: [{ partitions: ["S{1..127}"] }, { partitions: ["R{1..127}"] }],
      },
    },
  });
  const parts: number[] = [];
  context.list = (ids) => {
    parts.push(ids.length);
    return ids.map((id) => ({ id }));
  };
  const queriedIds = [...context.system.instances.keys()].filter((id) => id !== "T").join();
  const reader = new LevelReader();
  const both = await Promise.all([1, 2].map(() => counts(context, "T", queriedIds, reader)));
  assert.equal(
    both.map(({ instances }) => instances.length),
    [255, 255],
  );
  assert.equal(parts, [200, 55]);
});

test("send one request for callers that arrive during a request", async (context) => {
  let times = 0;
  context.list = (ids) => {
    times++;
    return ids.map((id) => ({ id }));
  };
  const reader = new LevelReader(0);
  const request = (idlist: string) => counts(context, "T", idlist, reader);
  const responses = await Promise.all([request("S1.1,S1.2"), request("S1.2,nobody,S1.1,S1.1")]);
  assert.equal(responses[0], responses[1]);
  assert.is(times, 1);
  await request("S1.1,S1.2");
  assert.is(times, 2);
});

test("query each instance once for any number of requested lists", async (context) => {
  const requestedUrls: string[] = [];
  context.list = (ids) => {
    requestedUrls.push(...ids);
    return ids.map((id) => ({ id }));
  };
  const reader = new LevelReader();
  const request = (idlist: string) => counts(context, "T", idlist, reader);
  const branchIds = ["S1.1", "S1.2", "S1.3", "B1.1", "B1.2", "B1.3"];
  const lists = branchIds.flatMap((id, index) =>
    branchIds.slice(index + 1).map((otherId) => `${id},${otherId}`),
  );
  const responses = await Promise.all(lists.map(request));
  for (const [index, list] of lists.entries()) {
    const expected = branchIds.filter((id) => list.includes(id)).sort();
    assert.equal(responses[index]!.instances.map(({ id }) => String(id)).sort(), expected);
  }
  assert.equal(requestedUrls.sort(), branchIds.sort());
  // Another system has other instances with the same ids.
  context.system = readDescriptor(context.system.descriptor);
  await request("S1.1");
  assert.is(requestedUrls.length, branchIds.length + 1);
});

test("keep the rows of a dispatcher that has just started", async (context) => {
  await readUntil(context.root, isKnown);
  const ids = ((await context.root.read("T", "", -1)).instances as Rows).map(([id]) => id);
  const [leaf, above] = ["S1.1", "D1"].map((id) => ids.indexOf(id));
  context.forged = (overview) => ({
    ...overview,
    rest: [
      [leaf, 0],
      [above, 2],
    ],
  });
  const overview = await readUntil(context.root, (rows) => rows[above!]![1] === 2);
  assert.is.not(overview.rest.get(`${leaf}`)![1], 0);
});

test.run();
