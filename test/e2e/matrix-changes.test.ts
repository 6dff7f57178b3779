// Changes of a matrix under load: replicas and partitions are added and removed, weights change,
// and no request is lost.
// limit: 120 s
// takes 15 s

import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { packageRoot } from "../../runtime/base/package-info.js";
import { buildProject } from "./support/server.js";
import { UpSystem } from "./support/system.js";

const test = suite("matrix changes");
const PROJECT = join(packageRoot(), "examples", "matrix");
/** Between two requests of a client, so that the clients take little of the CPU. */
const PAUSE_MS = 20;

interface Row {
  readonly partitions: readonly string[];
  readonly channels?: number;
  readonly priority?: number;
}

const BOTH: readonly Row[] = [{ partitions: ["S1.1", "S1.2"] }, { partitions: ["S2.1", "S2.2"] }];
const FIRST: readonly Row[] = [{ partitions: ["S1.1", "S1.2"] }];

function descriptor(rows: readonly Row[]) {
  return {
    common: { type: "search", "s-in": true },
    instances: {
      TD: { type: "dispatch", hport: 9990 },
      "S1.1": { hport: 9110 },
      "S1.2": { hport: 9120 },
      "S2.1": { hport: 9210 },
      "S2.2": { hport: 9220 },
      // Never started.
      "S3.1": { hport: 9310 },
      "S3.2": { hport: 9320 },
    },
    topology: { dispatch: { TD: rows } },
  };
}

let system: UpSystem;
const statuses = new Map<number, number>();
let isDone = false;
let clients: Promise<void>[] = [];

async function client(): Promise<void> {
  for (; !isDone; await delay(PAUSE_MS)) {
    const { status } = await system.get("TD", "/svc/plugin/mountains?n=1");
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
}

/** Resolves after n further responses. */
async function more(count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    assert.is((await system.get("TD", "/svc/plugin/mountains?n=1")).status, 200);
  }
}

async function send(rows: readonly Row[]) {
  system.write(descriptor(rows));
  return system.admin("send-descriptor", "TD");
}

interface Entry {
  readonly priority: number;
  readonly channels: number;
}

async function matrix(): Promise<Entry[][]> {
  return (await system.get("TD", "/svc/matrix", 1)).json.response as Entry[][];
}

test.before(async () => {
  await buildProject(PROJECT);
  system = new UpSystem(PROJECT, descriptor(BOTH));
  await system.up("--only", "TD,S1*,S2*");
  clients = Array.from({ length: 4 }, client);
});
test.after(async () => {
  isDone = true;
  await Promise.allSettled(clients);
  await system.close();
});

test("change weights", async () => {
  const [light, heavy] = BOTH;
  const rows = [
    { ...light!, priority: 1, channels: 8 },
    { ...heavy!, priority: 9, channels: 4 },
  ];
  const { code, out, err } = await send(rows);
  assert.is(code, 0, out + err);
  assert.is(out, "TD: system descriptor updated, matrix changed\n");
  const shape = (await matrix()).map((replicas) => replicas.map((entry) => entry.channels));
  assert.equal(shape, [
    [8, 4],
    [8, 4],
  ]);
  await more(20);
  assert.is((await send(rows)).out, "TD: system descriptor updated\n");
});

test("remove a replica, which may then stop", async () => {
  assert.match((await send(FIRST)).out, /matrix changed/);
  assert.equal(
    (await matrix()).map(({ length }) => length),
    [1, 1],
  );
  await more(20);
  assert.is((await system.down("--only", "S2.*", "--descriptor", system.file)).code, 0);
  await more(20);
});

test("are rejected as a whole when a partition would have no back-end", async () => {
  const { code, out } = await send([{ partitions: ["S3.1", "S3.2"] }]);
  assert.is(code, 1);
  assert.match(out, /only 0 of 2 partitions would have a live back-end/);
  assert.equal(
    (await matrix()).map(({ length }) => length),
    [1, 1],
  );
  await more(20);
});

test("add a replica that is down, and use it once it is up", async () => {
  const { code, out } = await send([...FIRST, { partitions: ["S3.1", "S3.2"] }]);
  assert.is(code, 0, out);
  assert.equal(
    (await matrix()).map(({ length }) => length),
    [2, 2],
  );
  await more(20);
  assert.match((await send(FIRST)).out, /matrix changed/);
});

test("change partitions while running requests finish", async () => {
  for (let round = 0; round < 3; round++) {
    assert.match((await send([{ partitions: ["S1.1"] }])).out, /matrix changed/);
    await more(10);
    assert.match((await send(FIRST)).out, /matrix changed/);
    await more(10);
  }
});

test("lose no request", async () => {
  isDone = true;
  await Promise.all(clients);
  assert.equal([...statuses.keys()], [200]);
  assert.ok(statuses.get(200)! > 20);
});

test.run();
