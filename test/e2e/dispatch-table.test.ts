// The request table through every shape of a matrix: responses do not depend on whether a single
// engine or a hierarchy serves them, with the exceptions listed here.
// limit: 60 s
// takes 10 s

import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { parseErrorChain } from "../../client/typescript/error-chain.js";
import { type RequestCase, requestTable } from "./request-table.js";
import { ALONE, checkRow, type Hierarchy, sendRow } from "./support/check-row.js";
import { MatrixNode, type NodeOptions } from "./support/matrix.js";
import {
  buildProject,
  type DecodedResponse,
  fixture,
  get,
  strangeLines,
} from "./support/server.js";
import { RING_SIZE, type TableRole } from "./support/table-plugins.js";

const test = suite("dispatch table");
const BUILD = `${fixture("engine")}/.svc`;
const nodes: MatrixNode[] = [];

/** Partition and width at each level, the outermost first. */
type Way = readonly (readonly [partition: number, width: number])[];

interface Shape {
  readonly name: string;
  readonly hierarchy: Hierarchy;
  /** Possible error paths: whichever partition fails first is reported. */
  readonly ways: readonly Way[];
  /** Rows with another correct response, and the reason. */
  readonly others: Readonly<Record<string, Partial<RequestCase> | null>>;
  /** Resolves with the port to call, and that of the instance named in errors. */
  start(): Promise<readonly [asked: number, named: number]>;
}

/** A PluginResponse is merged; the rows cover everything else. */
function mergedHits(level: number, levelparts: number, partials: number): Partial<RequestCase> {
  const hits = [1, 2].flatMap((key) => new Array(partials).fill([key, { key }]));
  return {
    response: {
      level,
      levelparts,
      partials,
      hitcount: hits.length,
      aggregator: [0, 0, 0, 0],
      meta: { made: true },
      entries: hits,
    },
  };
}

const shapes: readonly Shape[] = [
  {
    name: "alone",
    hierarchy: ALONE,
    ways: [],
    others: {},
    start: async () => {
      const [port] = await engines(1);
      return [port!, port!];
    },
  },
  {
    // Responses of the back-end, byte for byte: errors name its port.
    name: "proxy",
    hierarchy: ALONE,
    ways: [],
    others: {},
    start: async () => {
      const [engine] = await engines(1);
      return [await start("none", makeMatrix([engine!])), engine!];
    },
  },
  {
    name: "2x2",
    hierarchy: { level: 1, partitions: [2, 0, 2] },
    ways: [[[0, 2]], [[1, 2]]],
    others: { PluginResponse: mergedHits(1, 2, 2) },
    start: async () => {
      const four = await engines(4);
      const port = await start("post", makeMatrix(four.slice(0, 2), four.slice(2)));
      return [port, port];
    },
  },
  {
    name: "two levels",
    hierarchy: { level: 2, partitions: [2, 0, 3] },
    ways: [
      [
        [0, 2],
        [0, 2],
      ],
      [
        [0, 2],
        [1, 2],
      ],
      [
        [1, 2],
        [0, 1],
      ],
    ],
    others: { PluginResponse: mergedHits(2, 2, 3) },
    start: async () => {
      const [first, second, third] = await engines(3);
      const below = await Promise.all([
        start("none", makeMatrix([first!], [second!])),
        start("post", makeMatrix([third!])),
      ]);
      const port = await start("post", makeMatrix([below[0]], [below[1]]));
      return [port, port];
    },
  },
  {
    name: "ring",
    hierarchy: { level: RING_SIZE, partitions: [1, 0, 1] },
    ways: [new Array(RING_SIZE).fill([0, 1])],
    others: {
      PluginResponse: mergedHits(RING_SIZE, 1, 1),
      // Names without processors loop back: covered by a test of its own.
      "unknown plugin": null,
      "unknown plugin as text": null,
      "path below a plugin": null,
      // Here a pre-processor returns it, which forwards it.
      "PluginRequest from an engine": null,
    },
    start: async () => {
      // Each must know the next one's port before that one runs.
      const ports = await freePorts(RING_SIZE);
      const started = ports.map((port, index) => {
        return start("ring", makeMatrix([ports[(index + 1) % RING_SIZE]!]), port);
      });
      const [port] = await Promise.all(started);
      // The first ones to start have found no back-end yet.
      while ((await get(port!, "/svc/plugin/add?a=1")).status !== 200) await delay(10);
      return [port!, port!];
    },
  },
];

/** @param columns ports of each partition's replicas */
function makeMatrix(...columns: readonly (readonly number[])[]): object {
  const partitions = columns.map((ports) => ports.map((port) => ({ host: "127.0.0.1", port })));
  return { partitions, replicas: columns[0]!.map(() => ({})) };
}

async function start(role: TableRole, dispatcher?: object, port?: number): Promise<number> {
  const options: NodeOptions = { table: { folder: BUILD, role } };
  const node = await MatrixNode.start({
    ...options,
    ...(dispatcher && { dispatcher }),
    ...(port && { port }),
  });
  nodes.push(node);
  return node.port;
}

const shared: Promise<number>[] = [];

/** Engines shared by all shapes. */
function engines(count: number): Promise<number[]> {
  while (shared.length < count) shared.push(start("engine"));
  return Promise.all(shared.slice(0, count));
}

/** Consecutive free ports. */
async function freePorts(count: number): Promise<number[]> {
  const held: Server[] = [];
  const ports: number[] = [];
  while (ports.length < count) {
    const port = await hold(0);
    if (port !== 0 && (await hold(port + 1)) !== 0) ports.push(port);
  }
  await Promise.all(held.map((server) => once(server.close(), "close")));
  return ports;

  /** The bound port, 0 for none. */
  async function hold(count: number): Promise<number> {
    const server = createServer().listen(count, "127.0.0.1");
    const isBound = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!isBound) return 0;
    held.push(server);
    return (server.address() as AddressInfo).port;
  }
}

/** Expected row at this number of levels. */
function checkThrough(
  row: RequestCase,
  response: DecodedResponse,
  shape: Shape,
  port: number,
): void {
  const { ways } = shape;
  const isRefusedHere = row.status === 405;
  if (row.status === 200 || isRefusedHere || ways.length === 0) {
    return checkRow(row, response, [port, 0], shape.hierarchy);
  }
  assert.is(response.status, 500);
  const text = row.text === undefined ? (response.json.message as string) : response.text;
  const chain = parseErrorChain(text);
  const way = chain.levels.map(({ partition, width }) => [partition, width]);
  assert.ok(ways.map(String).includes(String(way)), `the way ${JSON.stringify(way)}`);
  const [rootStatus, ...others] = chain.levels.map(({ status }) => status).reverse();
  assert.is(rootStatus, row.status);
  assert.equal(
    others,
    others.map(() => 500),
  );
  const cause = chain.innermost as { readonly [kind: string]: { value: string } };
  if (row.message !== undefined) assert.equal(cause, row.message);
  if (row.messageLike) assert.match(JSON.stringify(cause), row.messageLike);
  if (row.text !== undefined) {
    const errorText = `ERROR: ${Object.values(cause)[0]!.value}`;
    if (typeof row.text === "string") assert.is(errorText, row.text);
    else assert.match(errorText, row.text);
  }
}

test.before(async () => {
  await buildProject(fixture("engine"));
});

test.after(async () => {
  for (const node of nodes) assert.is(strangeLines(node.log), "");
  await Promise.all(nodes.map((node) => node.kill()));
});

for (const shape of shapes) {
  let ports: readonly [asked: number, named: number];

  test(`${shape.name} starts`, async () => {
    ports = await shape.start();
  });

  if (shape.name === "ring") {
    test("cycle: an unknown name is rejected after one round", async () => {
      const { status, json } = await get(ports[0], "/svc/plugin/nothere");
      assert.is(status, 500);
      assert.match(String(json.message), /^dispatch loop: request returned to a dispatcher/);
      assert.equal(json.port, [ports[0], 0]);
    });
  }

  for (const row of requestTable) {
    const otherShape = shape.others[row.name];
    if (otherShape === null) continue;
    test(`${shape.name}: ${row.name}`, async () => {
      const response = await sendRow(row, ports[0]);
      const named = row.status === 405 ? ports[0] : ports[1];
      checkThrough({ ...row, ...otherShape }, response, shape, named);
    });
  }

  test(`${shape.name}: every exception names a row`, () => {
    const names = new Set(requestTable.map(({ name }) => name));
    assert.equal(
      Object.keys(shape.others).filter((name) => !names.has(name)),
      [],
    );
  });
}

test.run();
