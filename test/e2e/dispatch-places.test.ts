// Routing of a request to back-ends of a matrix, and its position as seen there.
// limit: 60 s
// takes 4 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { MatrixNode, matrix, type TestMatrix } from "./support/matrix.js";
import { get, strangeLines } from "./support/server.js";

const test = suite("dispatch positions");
const PRIMARY_ROW = 1;
let smallMatrix: TestMatrix;

test.before(async () => {
  smallMatrix = await matrix(2, 2, { replicas: [{ channels: 4 }, { channels: 5, primary: 1 }] });
});

test.after(async () => {
  for (const { log } of [smallMatrix.dispatcher, ...smallMatrix.engines()])
    assert.is(strangeLines(log), "");
  await smallMatrix.stop();
});

interface Arrival {
  readonly partition: number;
  readonly replica: number;
  readonly [attribute: string]: unknown;
}

/** The request as the engines saw it, by partition. */
async function arrivals(
  path: string,
  headers: Record<string, string> = {},
  port = smallMatrix.dispatcher.port,
): Promise<Arrival[]> {
  const { json, text } = await get(port, `/svc/plugin/${path}`, { headers });
  assert.is(json.status, "OK", text);
  return (json.response as { entries: [number, Arrival][] }).entries.map(([, item]) => item);
}

/** Partition and replica of each engine that received a request. */
async function places(path: string, headers: Record<string, string> = {}): Promise<number[][]> {
  return (await arrivals(path, headers)).map(({ partition, replica }) => [partition, replica]);
}

test("a request has its position", async () => {
  const rows = await arrivals("where?x=1");
  for (const [partition, arrival] of rows.entries()) {
    const { baseport, ...attributes } = arrival;
    assert.equal(attributes, {
      ident: [1, 2, 2, 4, partition, 0, 0, 0],
      width: 2,
      height: 2,
      depth: 4,
      partition,
      replica: 0,
      channel: 0,
      primary: 0,
      toplevel: false,
      partial: null,
      hasmatrix: false,
      path: "/svc/plugin/where?x=1",
      method: "GET",
    });
    assert.is(baseport, smallMatrix.place(partition, 0).engine.port);
  }
  assert.is(rows.length, 2);
});

test("a pre-processor at the top level has no parent", async () => {
  const { json } = await get(smallMatrix.dispatcher.port, "/svc/plugin/arrival");
  assert.equal(json.response, {
    primary: 1,
    ident: [0, 1, 1, 1, 0, 0, 0, 1],
    toplevel: true,
    hasmatrix: true,
  });
});

test("a primary request goes to the primary row of all partitions", async () => {
  const rows = await arrivals("primary");
  assert.equal(
    rows.map(({ partition, replica, primary, ident }) => [partition, replica, primary, ident]),
    [0, 1].map((partition) => [
      partition,
      PRIMARY_ROW,
      1,
      [1, 2, 2, 5, partition, PRIMARY_ROW, 0, 1],
    ]),
  );
});

test("an affinity selects a row modulo the number of rows", async () => {
  for (const [affinity, row] of [
    [0, 0],
    [1, 1],
    [2, 0],
    [5, 1],
  ] as const) {
    assert.equal(await places(`affine?n=${affinity}`), [
      [0, row],
      [1, row],
    ]);
  }
});

test("a target in the header selects the primary replica of a partition", async () => {
  for (const [target, partition] of [
    ["0", 0],
    ["1", 1],
    ["4", 0],
    ["1000001", 1],
    // Rounded to a double it would select the other partition.
    ["9007199254740993", 1],
    ["18446744073709551615", 1],
    [`${"9".repeat(400)}8`, 0],
  ] as const) {
    const [arrival, ...others] = await arrivals("where", { "X-SVC-Partial-Target": target });
    assert.equal(others, []);
    const { replica, primary, partial } = arrival!;
    assert.equal([arrival!.partition, replica, primary], [partition, PRIMARY_ROW, 1]);
    // The next dispatcher applies its own modulo.
    assert.is(partial, Math.min(Number(target), Number.MAX_SAFE_INTEGER));
  }
});

test("a target counts as one of all partitions", async () => {
  const headers = { "X-SVC-Partial-Target": "1" };
  const { json } = await get(smallMatrix.dispatcher.port, "/svc/plugin/find?n=1", { headers });
  assert.equal([json.level, json.partitions], [1, [2, 0, 1]]);
});

test("a target as an attribute selects a partition", async () => {
  for (const [target, partition] of [
    [0, 0],
    [1, 1],
    [7, 1],
  ] as const) {
    assert.equal(await places(`partial?n=${target}`), [[partition, PRIMARY_ROW]]);
  }
});

test("a target that is not an integer is rejected without being sent", async () => {
  for (const target of ["-1", "x", "1x", "", "0x1", "1.5", "1e3"]) {
    const headers = { "X-SVC-Partial-Target": target };
    for (const name of ["where", "find"]) {
      const { status, json } = await get(smallMatrix.dispatcher.port, `/svc/plugin/${name}`, {
        headers,
      });
      assert.is(status, 400, JSON.stringify(target));
      assert.match(String(json.message), /^X-SVC-Partial-Target: /);
    }
  }
});

/** Rows of partition 0 for concurrent requests. */
async function rowsAtOnce(dispatcher: MatrixNode, count: number): Promise<number[]> {
  const responses = await Promise.all(
    Array.from({ length: count }, () => get(dispatcher.port, "/svc/plugin/wait?ms=600")),
  );
  const rows = responses.map(({ json }) => {
    return (json.response as { entries: [number, number][] }).entries[0]![1];
  });
  return rows.sort();
}

test("concurrent requests are distributed by cost", async () => {
  assert.equal(await rowsAtOnce(smallMatrix.dispatcher, 5), [0, 0, 0, 1, 1]);
  for (const [replicas, count, expected] of [
    // Row 0 always costs 0, but has only three channels.
    [[{ channels: 3, priority: 0 }, {}], 5, [0, 0, 0, 1, 1]],
    [[{ priority: 3 }, { priority: 1 }], 6, [0, 0, 1, 1, 1, 1]],
  ] as const) {
    const dispatcher = await MatrixNode.start({ dispatcher: { ...smallMatrix.config, replicas } });
    assert.equal(await rowsAtOnce(dispatcher, count), expected);
    await dispatcher.kill();
  }
});

test("a dispatcher reports its backlog to the level above", async () => {
  const path = "/svc/plugin/wait?ms=1000";
  const running = [1, 2, 3].map(() => get(smallMatrix.dispatcher.port, path));
  const headers = { accept: "application/x-svc-partial" };
  // Until all three have arrived; their own responses come much later.
  for (let slot: string | null = null; slot !== "0003"; ) {
    const response = await get(smallMatrix.dispatcher.port, "/svc/plugin/find", { headers });
    slot = response.headers.get("x-svc-backlog");
  }
  for (const { status } of await Promise.all(running)) assert.is(status, 200);
});

test("the configuration is returned as given", async () => {
  assert.equal(await smallMatrix.dispatcher.order("dispatcherConfig"), smallMatrix.config);
  assert.is(await smallMatrix.place(0, 0).engine.order("dispatcherConfig"), null);
});

test("a restart keeps the matrix", async () => {
  await smallMatrix.dispatcher.order("restart");
  assert.is((await get(smallMatrix.dispatcher.port, "/svc/plugin/where")).status, 503);
  await smallMatrix.dispatcher.serviceIn(true);
  assert.equal(await places("where"), [
    [0, 0],
    [1, 0],
  ]);
});

test("a stop finishes running requests and rejects new ones", async () => {
  const { dispatcher } = smallMatrix;
  const runningResponse = get(dispatcher.port, "/svc/plugin/wait?ms=500");
  await new Promise((resolve) => setTimeout(resolve, 100));
  const stopped = dispatcher.order("stop");
  await new Promise((resolve) => setTimeout(resolve, 100));
  const newcomer = await get(dispatcher.port, "/svc/plugin/where");
  assert.equal([newcomer.status, newcomer.json.message], [503, "Service Out"]);
  assert.is((await runningResponse).status, 200);
  await stopped;
  const { proxy } = smallMatrix.place(0, 0);
  while (proxy.open > 0) await new Promise((resolve) => setTimeout(resolve, 1));
});

test.run();
