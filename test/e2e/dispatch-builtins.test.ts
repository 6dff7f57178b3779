// Built-in plugins for a whole matrix, called at an engine, at its dispatcher, and one level above;
// and the requests at back-ends in `/svc/inspect`.
// limit: 60 s
// takes 4 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { MatrixNode, matrix, type TestMatrix } from "./support/matrix.js";
import { type DecodedResponse, get } from "./support/server.js";

const test = suite("dispatch built-ins");
let lowerMatrix: TestMatrix;
let parentNode: MatrixNode;

test.before(async () => {
  lowerMatrix = await matrix(2, 2, { replicas: [{ channels: 4 }, { channels: 4, primary: 1 }] });
  const addresses = [{ host: "127.0.0.1", port: lowerMatrix.dispatcher.port }];
  const dispatcher = { partitions: [addresses, addresses], replicas: [{ channels: 4 }] };
  parentNode = await MatrixNode.start({ dispatcher, processors: false });
});

test.after(async () => {
  await parentNode.kill();
  await lowerMatrix.stop();
});

async function request(
  port: number,
  name: string,
  init: RequestInit = {},
): Promise<DecodedResponse> {
  const response = await get(port, `/svc/builtin/${name}`, init);
  assert.is(response.status, 200, response.text);
  return response;
}

interface Merged<K, T> {
  readonly level: number;
  readonly levelparts: number;
  readonly partials: number;
  readonly entries: readonly (readonly [K, T])[];
}

interface Tree {
  readonly ident: string;
  readonly address: string;
  readonly hostname: string;
  readonly registry?: object;
  readonly matrix?: readonly (readonly [number, Tree])[];
}

function parsePort({ address }: Tree): number {
  return Number(address.split(":")[1]);
}

test("Identify shows an engine", async () => {
  const { engine } = lowerMatrix.place(0, 0);
  const { json } = await request(engine.port, "Identify");
  const { level, entries } = json.response as Merged<number, Tree>;
  assert.is(level, 0);
  assert.is(entries.length, 1);
  const [key, tree] = entries[0]!;
  assert.is(key, 0);
  assert.is(tree.ident, "(0, 1, 1, 1, 0, 0, 0, 1)");
  assert.is(parsePort(tree), engine.port);
  assert.equal(tree.registry, {});
});

test("Identify walks the primary rows of two levels", async () => {
  const { json } = await request(parentNode.port, "Identify");
  assert.is(json.level, 2);
  assert.equal(json.partitions, [2, 0, 4]);
  const top = json.response as Tree;
  assert.equal(Object.keys(top), ["ident", "address", "hostname", "matrix"]);
  assert.is(parsePort(top), parentNode.port);
  assert.equal(
    top.matrix!.map(([partition, tree]) => [partition, parsePort(tree)]),
    [
      [0, lowerMatrix.dispatcher.port],
      [1, lowerMatrix.dispatcher.port],
    ],
  );
  for (const [partition, { ident, matrix: engines }] of top.matrix!) {
    assert.match(ident, new RegExp(`^\\(1, 2, 1, 4, ${partition}, 0, \\d, 1\\)$`));
    assert.equal(
      engines!.map(([position, tree]) => [position, parsePort(tree), Object.keys(tree).at(-1)]),
      [
        [0, lowerMatrix.place(0, 1).engine.port, "registry"],
        [1, lowerMatrix.place(1, 1).engine.port, "registry"],
      ],
    );
  }
});

test("the admin port of a dispatcher covers the whole matrix", async () => {
  for (const name of ["Identify", "MatrixObjects"]) {
    const [main, admin] = await Promise.all(
      [parentNode.port, parentNode.port + 1].map((port) => get(port, `/svc/builtin/${name}`)),
    );
    assert.is(admin!.status, 200);
    const known = ({ json }: DecodedResponse) => JSON.stringify(json.partitions);
    assert.equal([known(admin!), known(main!)], ["[2,0,4]", "[2,0,4]"]);
  }
});

test("MatrixObjects sums over all partitions", async () => {
  const emptyGraph = { order: 0, size: 0, properties: 0, vectors: 0 };
  const { response } = (await request(lowerMatrix.place(0, 0).engine.port, "MatrixObjects")).json;
  assert.equal((response as Merged<number, object>).entries, [[1, emptyGraph]]);
  const summed = await request(parentNode.port, "MatrixObjects");
  assert.equal(summed.json.response, { level: 2, objects: emptyGraph });
  assert.equal(summed.json.partitions, [2, 0, 4]);
});

interface Listed {
  readonly path: string;
  readonly description: string;
  readonly matrix: { readonly location: string; readonly level: number };
}

test("matrixplugins lists every level once, by path, top level first", async () => {
  const { json } = await request(parentNode.port, "matrixplugins");
  const listed = json.response as Listed[];
  const places = listed.map(({ path, matrix: { location, level } }) => [path, location, level]);
  const places2 = places.filter(([path]) => String(path) === "/svc/plugin/params");
  assert.equal(places2, [
    ["/svc/plugin/params", "dispatch", 1],
    ["/svc/plugin/params", "engine", 0],
  ]);
  const paths = listed.map(({ path }) => path);
  assert.equal(paths, [...paths].sort());
  assert.is(new Set(places.map(String)).size, places.length);
  const { response } = (await request(lowerMatrix.dispatcher.port, "matrixplugins")).json;
  const tops = (response as Listed[]).filter(({ matrix: { level } }) => level === 1);
  assert.ok(tops.every(({ matrix: { location } }) => location === "top-dispatch"));
  assert.ok(tops.length > 0);
});

test("matrixplugins of an engine lists its plugins on the main port only", async () => {
  const { port } = lowerMatrix.place(0, 0).engine;
  const { response } = (await request(port, "matrixplugins")).json;
  const [key, { path, matrix: position }] = (response as Merged<string, Listed>).entries[0]!;
  assert.is(key, `${path} [00ff]`);
  assert.equal(position, { location: "engine", level: 0 });
  for (const base of [port, parentNode.port]) {
    const refusedResponse = await get(base + 1, "/svc/builtin/matrixplugins");
    assert.is(refusedResponse.status, 500);
    const { exception, value } = (
      refusedResponse.json.message as { plugin: Record<string, string> }
    ).plugin;
    assert.is(exception, "<class 'Exception'>");
    const ports = `base port ${base} required for this request, port ${base + 1} was used`;
    assert.is(value, `Server ${ports}`);
  }
});

test("primary-row plugins respond with 503 with their row", async () => {
  const { engine } = lowerMatrix.place(0, 1);
  await engine.serviceIn(false);
  try {
    const response = await get(lowerMatrix.dispatcher.port, "/svc/builtin/Identify");
    assert.is(response.status, 503);
    assert.is(response.json.message, "Partition(s) down");
    await request(lowerMatrix.dispatcher.port, "matrixplugins");
  } finally {
    await engine.serviceIn(true);
  }
});

interface Inspected {
  readonly client: { readonly state: string };
  readonly request: { readonly path: string | null };
  readonly partial: { readonly ident: { readonly position: string } | null };
  readonly matrix: {
    readonly "target-partial": number;
    readonly "n-channels": number;
    readonly channels: readonly Record<string, unknown>[];
  };
}

/** `/svc/inspect` for the requests of a path, once a condition holds. */
async function inspected(
  port: number,
  path: string,
  isReached: (inspected: readonly Inspected[]) => boolean,
): Promise<readonly Inspected[]> {
  for (;;) {
    const response = (await get(port, "/svc/inspect?level=3")).json.response;
    const { connections } = response as { connections: readonly Inspected[] };
    const matching = connections.filter(({ request }) => request.path === path);
    if (isReached(matching)) return matching;
  }
}

test("inspect shows the channels of a dispatched request", async () => {
  const path = "/svc/plugin/wait?ms=1500";
  const { port } = lowerMatrix.dispatcher;
  const response = get(port, path, { headers: { "X-SVC-Partial-Target": "3" } });
  const [connection] = await inspected(port, path, ([first]) => {
    return first?.matrix.channels[0]?.state === "RECV_INITIAL";
  });
  assert.is(connection!.client.state, "DISPATCH");
  assert.is(connection!.matrix["target-partial"], 3);
  assert.is(connection!.matrix["n-channels"], 1);
  const [channel] = connection!.matrix.channels;
  assert.equal(Object.keys(channel!), [
    ...["matrix-id", "state", "cost", "socket-out", "bytes-sent", "bytes-recv", "total-requests"],
  ]);
  assert.match(String(channel!["matrix-id"]), /^1\.1\.\d$/);
  assert.is(channel!.cost, 2);
  assert.ok(Number(channel!["bytes-sent"]) > 100);
  assert.ok(Number(channel!["total-requests"]) >= 1);
  const { engine } = lowerMatrix.place(1, 1);
  const [there] = await inspected(engine.port, path, ({ length }) => length === 1);
  assert.match(there!.partial.ident!.position, /^1\.1\.\d$/);
  assert.is((await response).status, 200);
});

test("inspect shows requests that wait for channels", async () => {
  const path = "/svc/plugin/wait?ms=1000";
  const { port } = lowerMatrix.dispatcher;
  // Four channels per replica.
  const responses = Array.from({ length: 9 }, () => get(port, path));
  const states = (await inspected(port, path, ({ length }) => length === 9)).map(
    ({ client, matrix: { channels } }) => `${client.state} ${channels.length}`,
  );
  const counts = [states.filter((state) => state === "DISPATCH 2").length];
  counts.push(states.filter((state) => state === "AWAIT_DISPATCH 0").length);
  assert.equal(counts, [8, 1], states.join());
  for (const response of responses) assert.is((await response).status, 200);
});

test("other built-in plugins run at the called instance", async () => {
  assert.is((await request(parentNode.port, "ping")).json.response, true);
  assert.is((await request(parentNode.port, "ping")).json.level, 0);
});

test.run();
