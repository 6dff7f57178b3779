// The change feed over HTTP: both formats, resumption after kills, slow clients, positions that
// expired, limits and scopes.
// limit: 120 s
// takes 20 s

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { MAX_CHANGE_FEEDS } from "../../runtime/base/limits.js";
import { HAS_PYTHON, PYTHON } from "../support/python.js";
import { rounds } from "../support/rounds.js";
import { MatrixNode } from "./support/matrix.js";
import { buildProject, get, type RunningServer, serve, svc } from "./support/server.js";
import { TemporaryProject } from "./support/temporary-project.js";

const PLUGINS = `import type { Graph, int, PluginRequest } from "svc-server";

/** Sets a property of vertices, one after the other. @plugin @graph shop */
export async function change(
  _request: PluginRequest, graph: Graph, from: int, to: int, text: int = 0,
): Promise<int> {
  for (let n = from; n < to; n++) {
    const properties = { n, text: "x".repeat(text) };
    graph.createVertex("v" + n % 100, { type: "product", properties });
    if (n % 50 === 0) await Promise.resolve();
  }
  return to;
}

/** Follows without sending anything. @plugin @readonly @graph shop */
export async function* watch(request: PluginRequest, graph: Graph): AsyncGenerator<int> {
  for await (const _ of graph.changes()) if (graph.order === -1) yield 1;
  request.log.info("watch ended");
}
`;
const CONFIG = `export default {
  auth: "src/auth.ts#keys",
  graphs: { shop: { read: "shop:read" } },
};
`;

const test = suite("change feed over HTTP");
const project = new TemporaryProject({
  "plugins/p.ts": PLUGINS,
  "svc.config.ts": CONFIG,
  "src/auth.ts":
    'import { apiKeys } from "svc-server";\nexport const keys = apiKeys({ file: "keys.json" });\n',
  "keys.json": JSON.stringify(
    [["reader", ["shop:read"]] as const, ["nothing", []] as const].map(([name, scopes]) => ({
      ...{ sha256: createHash("sha256").update(name).digest("hex"), scopes },
    })),
  ),
});
/** A kill loses nothing that a plugin has returned from. */
const DURABLE = ["--durability", "full"];
let server: RunningServer;

test.before(async () => {
  await buildProject(project.folder);
  server = await serve(project.folder, ...DURABLE);
});

test.after(async () => {
  await server.end();
  project.remove();
});

const AUTHORIZATION = { authorization: "Bearer reader" };
const EVENTS = { accept: "text/event-stream" };

const change = async (
  from: number,
  to: number,
  text = 0,
  { port } = server as Pick<RunningServer, "port">,
): Promise<void> => {
  const path = `/svc/plugin/change?from=${from}&to=${to}&text=${text}`;
  assert.is((await get(port, path, { headers: AUTHORIZATION })).status, 200);
};

interface Item {
  readonly kind: string;
  readonly position: string;
  readonly value?: unknown;
}

/** A client that follows the graph until it is closed. */
class Follower {
  readonly items: Item[] = [];
  readonly ids: string[] = [];
  error = "";
  #text = "";
  readonly #request: ClientRequest;
  response: IncomingMessage | null = null;

  constructor(query: string, headers: Readonly<Record<string, string>> = {}, port = server.port) {
    const path = `/svc/builtin/changes?graph=shop&${query}`;
    const fields = { ...AUTHORIZATION, ...EVENTS, ...headers };
    this.#request = request({ host: "127.0.0.1", port, path, headers: fields });
    this.#request.on("response", (response) => {
      this.response = response;
      response.setEncoding("utf8").on("data", (text: string) => this.#receive(text));
      response.on("error", () => {});
    });
    this.#request.on("error", () => {});
    this.#request.end();
  }

  #receive(text: string): void {
    this.#text += text;
    const events = this.#text.split("\n\n");
    this.#text = events.pop()!;
    for (const event of events) {
      for (const line of event.split("\n")) {
        if (line.startsWith("id: ")) this.ids.push(line.slice(4));
        else if (line.startsWith("event: error")) this.error = event;
        else if (line.startsWith("data: ") && this.error === "")
          this.items.push(JSON.parse(line.slice(6)) as Item);
      }
    }
  }

  async until(holds: () => boolean): Promise<void> {
    const giveUpAt = performance.now() + 90_000;
    while (!holds()) {
      if (performance.now() > giveUpAt) {
        throw new Error(`${this.items.length} items, ${this.response?.statusCode}: ${this.#text}`);
      }
      await delay(5);
    }
  }

  close(): void {
    this.#request.destroy();
  }
}

const QUERY = `kinds=${encodeURIComponent('["propertySet"]')}&properties=%5B%22n%22%5D`;

test("sends changes as events with positions, and as lines of JSON", async () => {
  const follower = new Follower("");
  // A client that loses its connection before any change needs a position, too.
  await follower.until(() => follower.ids.length === 1);
  assert.is(follower.response!.headers["content-type"], "text/event-stream; charset=UTF-8");
  await change(0, 2);
  await follower.until(() => follower.items.length === 6);
  assert.equal(
    follower.ids.slice(1),
    follower.items.map(({ position }) => position),
  );
  assert.equal(
    follower.items.map(({ kind }) => kind),
    [
      ...["vertexCreated", "propertySet", "propertySet"],
      ...["vertexCreated", "propertySet", "propertySet"],
    ],
  );
  follower.close();
  const since = follower.ids[1]!;
  const lines = await fetch(
    `http://127.0.0.1:${server.port}/svc/builtin/changes?graph=shop&since=${since}`,
    { headers: AUTHORIZATION },
  );
  assert.is(lines.headers.get("content-type"), "application/x-ndjson; charset=UTF-8");
  const reader = lines.body!.getReader();
  const { value } = await reader.read();
  await reader.cancel();
  const [first] = Buffer.from(value!).toString().split("\n");
  assert.equal(JSON.parse(first!), follower.items[1]);
});

test("reports progress to a client whose filter matches no change", async () => {
  const follower = new Follower(`types=${encodeURIComponent('["user"]')}`);
  await follower.until(() => follower.ids.length > 0);
  for (let n = 2; follower.ids.length < 2; n++) await change(n, n + 1);
  assert.is(follower.items.length, 0);
  follower.close();
});

/** Values of a property that a generated client receives, whatever happens to its connections. */
async function receiveValues(
  values: unknown[],
  signal: AbortSignal,
  port = () => server.port,
): Promise<void> {
  const sdk = join(project.folder, "sdk");
  await svc("client", "--from", project.folder, "--out", sdk);
  const { Client } = await import(pathToFileURL(join(sdk, "index.js")).href);
  // The server has another port after each restart.
  const send = (url: string, init: RequestInit): Promise<Response> =>
    fetch(url.replace(":1/", `:${port()}/`), init);
  const client = new Client({ baseUrl: "http://127.0.0.1:1", token: "reader", fetch: send });
  const filter = { graph: "shop", kinds: ["propertySet"], properties: ["n"] };
  for await (const change of client.builtin.changes(filter, { signal })) {
    values.push(change.value);
  }
}

test("continues after kills without loss or repetition", async () => {
  const values: unknown[] = [];
  let last = "";
  await change(999, 1000);
  const first = new Follower("");
  await first.until(() => first.response !== null);
  await change(1000, 1001);
  await first.until(() => first.items.length > 0);
  last = first.ids.at(-1)!;
  first.close();
  let n = 1001;
  const received: unknown[] = [];
  const controller = new AbortController();
  const receiving = receiveValues(received, controller.signal);
  // A test that fails does not wait for it.
  receiving.catch(() => {});
  for (; received.length === 0; n++) await change(n, n + 1);
  for (let kill = 0; kill < rounds(5); kill++) {
    const follower = new Follower(QUERY, { "last-event-id": last });
    await change(n, n + 300);
    await follower.until(() => follower.items.length > 20 + kill * 50);
    await server.stop("SIGKILL");
    for (const item of follower.items) values.push(item.value);
    last = follower.ids.at(-1)!;
    server = await serve(project.folder, ...DURABLE);
    n += 300;
  }
  // The field precedes the parameter, which `EventSource` repeats.
  const follower = new Follower(`${QUERY}&since=${first.ids[0]}`, { "last-event-id": last });
  await change(n, n + 1);
  await follower.until(() => follower.items.at(-1)?.value === n && received.at(-1) === n);
  controller.abort();
  assert.is((await receiving.catch((error: { kind: string }) => error))?.kind, "aborted");
  for (const item of follower.items) values.push(item.value);
  follower.close();
  assert.equal(
    values,
    Array.from({ length: n - 1001 + 1 }, (_, index) => 1001 + index),
  );
  assert.equal(received, values.slice(-received.length));
});

test("holds no memory for a client that does not read", async () => {
  const follower = new Follower(QUERY);
  await follower.until(() => follower.response !== null);
  follower.response!.pause();
  const before = await usedMemory();
  for (let n = 5000; n < 8000; n += 500) await change(n, n + 500, 20_000);
  const grown = (await usedMemory()) - before;
  // 60 MB were written meanwhile.
  assert.ok(grown < 40 * 2 ** 20, `${grown} bytes`);
  follower.response!.resume();
  await follower.until(() => follower.items.at(-1)?.value === 7999);
  assert.is(follower.items.length, 3000);
  follower.close();
});

/** Memory of the process besides its graphs. */
async function usedMemory(): Promise<number> {
  const { response } = (await get(server.port, "/svc/nodestat", { headers: AUTHORIZATION })).json;
  return (response as { memory: { external: number } }).memory?.external ?? 0;
}

test("ends a loop of a plugin when its client disconnects", async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const url = `http://127.0.0.1:${server.port}/svc/plugin/watch`;
  await fetch(url, { headers: AUTHORIZATION, signal });
  controller.abort();
  while (!server.log().includes("watch ended")) await delay(10);
});

test("rejects invalid requests", async () => {
  const status = async (query: string, principal = "reader"): Promise<number> => {
    const path = `/svc/builtin/changes?${query}`;
    const headers = { authorization: `Bearer ${principal}` };
    return (await get(server.port, path, { headers })).status;
  };
  assert.is(await status("graph=none"), 404);
  assert.is(await status("graph=shop&since=x"), 400);
  assert.is(await status(`graph=shop&kinds=${encodeURIComponent('["x"]')}`), 400);
  assert.is(await status("graph=shop", "nothing"), 403);
  assert.is(await status("graph=shop", "stranger"), 401);
});

/** The place of a client that has left becomes free a moment later. */
async function follow(): Promise<Follower> {
  for (;;) {
    const follower = new Follower(QUERY);
    await follower.until(() => follower.response !== null);
    if (follower.response!.statusCode === 200) return follower;
    follower.close();
    await delay(20);
  }
}

test("limits the number of clients", async () => {
  const followers = await Promise.all(Array.from({ length: MAX_CHANGE_FEEDS }, follow));
  const path = "/svc/builtin/changes?graph=shop";
  const { status, text } = await get(server.port, path, { headers: AUTHORIZATION });
  assert.is(status, 503);
  assert.match(text, /clients follow changes already/);
  for (const follower of followers) follower.close();
  (await follow()).close();
});

test("responds with 410 for a position whose changes are not in the log", async () => {
  // Without the clients of the test before, whose places become free one after the other.
  await server.stop();
  server = await serve(project.folder);
  const follower = new Follower("");
  await follower.until(() => follower.response !== null);
  await change(9000, 9001);
  await follower.until(() => follower.items.at(-1)?.value === "");
  const since = follower.ids.at(-1)!;
  follower.close();
  await server.stop();
  server = await serve(project.folder, "--durability", "off");
  const request = () =>
    get(server.port, `/svc/builtin/changes?graph=shop&since=${since}`, { headers: AUTHORIZATION });
  assert.match((await request()).text, /is not logged/);
  await change(9001, 9002);
  await server.stop();
  server = await serve(project.folder);
  const { status, text } = await request();
  assert.is(status, 410, text);
  assert.match(text, /PositionExpiredError/);
});

/** Two partitions without common changes, and a dispatcher. */
async function withMatrix(
  use: (
    dispatcher: number,
    second: () => RunningServer,
    restart: () => Promise<void>,
  ) => Promise<void>,
): Promise<void> {
  const root = ["--root", join(project.folder, "second")];
  let second = await serve(project.folder, ...DURABLE, ...root);
  const { port } = second;
  const partitions = [server, second].map((server) => [{ host: "127.0.0.1", port: server.port }]);
  const config = { partitions, replicas: [{}] };
  const dispatcher = await MatrixNode.start({ dispatcher: config, processors: false });
  try {
    await use(
      dispatcher.port,
      () => second,
      async () => {
        await second.stop("SIGKILL");
        second = await serve(project.folder, ...DURABLE, ...root, "--port", String(port));
      },
    );
  } finally {
    await dispatcher.kill();
    await second.end();
  }
}

test("is one feed of all partitions through a dispatcher", () =>
  withMatrix(async (port, second, restart) => {
    const received: unknown[] = [];
    const controller = new AbortController();
    const receiving = receiveValues(received, controller.signal, () => port);
    const lost = receiving.then(() => assert.unreachable("it has ended"));
    lost.catch(() => {});
    const follower = new Follower(QUERY, {}, port);
    await follower.until(() => follower.ids.length > 0);
    for (let n = 0; received.length === 0; n++) await Promise.race([change(n, n + 1), lost]);
    await change(10_000, 10_100);
    await change(20_000, 20_100, 0, second());
    await restart();
    await change(20_100, 20_200, 0, second());
    const isLast = (value: unknown) => value === 20_199;
    await follower.until(() => follower.items.some(({ value }) => isLast(value)));
    await follower.until(() => received.some(isLast));
    controller.abort();
    await receiving.catch(() => {});
    const ofPartition = (values: unknown[], from: number) =>
      values.filter((value) => Number(value) >= from && Number(value) < from + 1000);
    for (const values of [follower.items.map(({ value }) => value), received]) {
      assert.equal(ofPartition(values, 10_000), range(10_000, 10_100));
      assert.equal(ofPartition(values, 20_000), range(20_000, 20_200));
    }
    // Every position continues behind its change, in both partitions.
    const { position } = follower.items.find(({ value }) => value === 20_050)!;
    const rest = follower.items.slice(
      follower.items.findIndex((item) => item.value === 20_050) + 1,
    );
    follower.close();
    const later = new Follower(QUERY, { "last-event-id": position }, port);
    await later.until(() => later.items.length >= rest.length);
    const values = (items: readonly Item[]) => items.map(({ value }) => Number(value)).sort();
    assert.equal(values(later.items), values(rest));
    later.close();
    if (HAS_PYTHON) assert.equal(await receiveInPython(port, position, rest.length), values(rest));
    const request = (query: string, principal = "reader") =>
      get(port, `/svc/builtin/changes?graph=shop&${query}`, {
        headers: { authorization: `Bearer ${principal}` },
      });
    const swapped = position.replace(/^\((.*),(.*)\)$/, "($2,$1)");
    for (const since of ["x", swapped, position.slice(0, -1), first(position)]) {
      const { status, text } = await request(`since=${encodeURIComponent(since)}`);
      assert.is(status, 400, since);
      assert.match(text, /PositionError/);
    }
    assert.is((await request(`kinds=${encodeURIComponent('["x"]')}`)).status, 400);
    assert.is((await request("", "nothing")).status, 403);
    for (const basePort of [port, server.port]) {
      const options = { headers: AUTHORIZATION, method: "POST", body: '{"kinds":["x"]}' };
      const { status, text } = await get(basePort, "/svc/builtin/changes?graph=shop", options);
      assert.is(status, 400);
      assert.match(text, "must be in the query");
    }
  }));

const PYTHON_CLIENT = `
import sys
from client import Client
service = Client(sys.argv[1], token="reader")
wanted = {"kinds": ["propertySet"], "properties": ["n"], "since": sys.argv[2]}
for number, change in enumerate(service.builtin.changes(graph="shop", **wanted), 1):
    print(change["value"])
    if number == int(sys.argv[3]):
        break
`;

/** Sorted values of that many changes after a position. */
async function receiveInPython(port: number, since: string, count: number): Promise<number[]> {
  const cwd = join(project.folder, "py");
  await svc("client", "--from", project.folder, "--lang", "python", "--out", cwd);
  const words = ["-c", PYTHON_CLIENT, `http://127.0.0.1:${port}`, since, String(count)];
  const { stdout } = await promisify(execFile)(PYTHON, words, { cwd });
  return stdout.trim().split("\n").map(Number).sort();
}

/** The position of the first partition. */
const first = (position: string): string => position.slice(1, position.indexOf(","));

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}

test.run();
