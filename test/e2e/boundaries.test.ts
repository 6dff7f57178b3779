// Attacks of clients on other clients and on operators, in one place: a server with its default
// limits has to serve the others. Costly queries have tests of their own, as do pages of plugins
// (admin-origin.test.ts) and proxies (proxy-configurations.test.ts).
// limit: 120 s
// takes 7 s

import { connect, type Socket } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { RunningProject } from "./support/running-project.js";
import { NODE_TYPES } from "./support/temporary-project.js";

const PLUGINS = `import { setTimeout as sleep } from "node:timers/promises";
import type { Graph, int, json, PluginRequest } from "svc-server";

/** @plugin */
export async function slow(request: PluginRequest): Promise<int> {
  await sleep(20_000, null, { signal: request.signal });
  return 1;
}

/** @plugin @graph g */
export function quick(_request: PluginRequest, graph: Graph): int {
  return graph.order;
}

/** Connects each of 40 vertices with each. @plugin @graph g */
export function fill(_request: PluginRequest, graph: Graph): int {
  for (let at = 0; at < 1600; at++) graph.connect("v" + at % 40, "to", "v" + Math.floor(at / 40));
  return graph.order;
}

/** @plugin */
export function depth(_request: PluginRequest, content: json): int {
  return String(content).length;
}
`;
const ADDRESSES = Array.from({ length: 60 }, (_, number) => `127.0.1.${number + 1}`);
const CONNECTIONS_EACH = 18;
const GOOD = "127.0.2.1";
const SMALL_QUERY = "GET /svc/builtin/neighbor?graph=g&id=v1&hits=3";

const test = suite("boundaries between clients");
const project = new RunningProject(test, {
  "plugins/p.ts": PLUGINS,
  "tsconfig.json": NODE_TYPES,
});
let opened: Socket[] = [];
test.after.each(() => {
  for (const socket of opened) socket.destroy();
  opened = [];
});

function open(localAddress: string, port: number): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", localAddress });
  opened.push(socket);
  return new Promise((resolve) => {
    socket.on("error", () => resolve(socket));
    for (const event of ["connect", "close"]) socket.on(event, () => resolve(socket));
  });
}

/** Sends a request from an address, and returns the whole response. */
async function request(
  localAddress: string,
  line: string,
  { port = project.server.port, fields = [] as string[], body = "" } = {},
): Promise<string> {
  const socket = await open(localAddress, port);
  const headers = ["Connection: close", `Content-Length: ${body.length}`];
  const names = fields.some((field) => field.startsWith("Host:")) ? [] : ["Host: 127.0.0.1"];
  socket.write([`${line} HTTP/1.1`, ...names, ...headers, ...fields, "", body].join("\r\n"));
  let text = "";
  for await (const bytes of socket) text += bytes;
  return text;
}

for (const [name, offset] of [
  ["main", 0],
  ["admin", 1],
] as const) {
  test(`idle connections of 60 addresses do not close the ${name} port`, async () => {
    const port = project.server.port + offset;
    for (let turn = 0; turn < CONNECTIONS_EACH; turn++) {
      await Promise.all(ADDRESSES.map((address) => open(address, port)));
    }
    for (let requests = 0; requests < 5; requests++) {
      assert.match(await request(GOOD, "GET /svc/hc", { port }), /^HTTP\/1\.1 200 /);
    }
  });
}

test("slow requests of one client leave slots for other clients", async () => {
  const slow = await Promise.all(
    Array.from({ length: 40 }, () => open("127.0.1.1", project.server.port)),
  );
  for (const socket of slow) socket.write("GET /svc/plugin/slow HTTP/1.1\r\nHost: x\r\n\r\n");
  for (let requests = 0; requests < 5; requests++) {
    assert.match(await request(GOOD, "GET /svc/plugin/quick"), /^HTTP\/1\.1 200 /);
  }
});

/** Traverses ten arcs in all directions, without a match. */
function endless(): string {
  let neighbor: object = { id: "nobody" };
  for (let depth = 0; depth < 10; depth++) neighbor = { traverse: { arc: ["to"], neighbor } };
  return JSON.stringify({ neighbor });
}

/** Not trusted: the header field of a proxy that is not configured. */
const FORWARDED = "X-Forwarded-For: 192.0.2.1";
const SPARSE = `{${Array.from({ length: 50_001 }, (_, number) => `"${number * 7919}":1`).join()}}`;
const JSON_FIELDS = ["Content-Type: application/json"];
const HUNGRY: readonly ((address: string) => Promise<string>)[] = [
  (address) => {
    const options = { body: endless(), fields: [FORWARDED] };
    return request(address, "POST /svc/builtin/neighbor?graph=g&id=v1", options);
  },
  (address) =>
    request(address, "POST /svc/plugin/depth", { body: "[".repeat(500_000), fields: JSON_FIELDS }),
  (address) => request(address, "POST /svc/plugin/depth", { body: SPARSE, fields: JSON_FIELDS }),
  // Half of a body.
  async (address) => {
    const socket = await open(address, project.server.port);
    socket.write("POST /svc/plugin/depth HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n[");
    for await (const _ of socket) break;
    return "";
  },
];

test("60 idle or demanding clients leave room for a well-behaved one", async () => {
  assert.match(await request("127.0.0.1", "GET /svc/plugin/fill"), /"response": 4\d,/);
  const { port } = project.server;
  let isHungry = true;
  let responses = 0;
  const eat = async (address: string, number: number): Promise<void> => {
    while (isHungry) {
      const response = await HUNGRY[number % HUNGRY.length]!(address).catch(() => "");
      if (response !== "") responses++;
    }
  };
  for (let turn = 0; turn < 10; turn++) {
    await Promise.all(ADDRESSES.map((address) => open(address, port)));
  }
  const slow = await Promise.all(Array.from({ length: 20 }, () => open(ADDRESSES[0]!, port)));
  for (const socket of slow) socket.write("GET /svc/plugin/slow HTTP/1.1\r\nHost: x\r\n\r\n");
  const eating = ADDRESSES.map(eat);
  try {
    for (let requests = 0; requests < 20 || responses < 60; requests++) {
      const line = requests % 2 === 0 ? "GET /svc/plugin/quick" : SMALL_QUERY;
      assert.match(await request(GOOD, line, { fields: [FORWARDED] }), /^HTTP\/1\.1 200 /);
    }
  } finally {
    isHungry = false;
    for (const socket of opened) socket.destroy();
    await Promise.all(eating);
  }
});

test("a client behind an unknown local proxy is not trusted", async () => {
  const line = "POST /svc/builtin/createvertex?graph=g&id=v";
  const fields = ["X-SVC-Change: 1"];
  for (const field of ["X-Forwarded-For: 127.0.0.1", "Forwarded: for=127.0.0.1"]) {
    assert.match(
      await request("127.0.0.1", line, { fields: [...fields, field] }),
      /^HTTP\/1\.1 403 /,
    );
  }
  assert.match(await request("127.0.0.1", line, { fields }), /^HTTP\/1\.1 200 /);
});

test("a rebound host name reaches neither the admin port nor changes", async () => {
  const port = project.server.port + 1;
  const fields = ["Host: evil.test", "X-SVC-Change: 1"];
  assert.match(await request(GOOD, "GET /svc/status", { port, fields }), /^HTTP\/1\.1 403 /);
  const change = "POST /svc/builtin/createvertex?graph=g&id=w";
  assert.match(await request("127.0.0.1", change, { fields }), /^HTTP\/1\.1 403 /);
});

test("JSON with excessive depth or keys is rejected before it is parsed", async () => {
  const keys = Array.from({ length: 60_000 }, (_, number) => `"${number * 7919}":1`).join();
  const deep = "[".repeat(1_000_000);
  const fields = ["Content-Type: application/json"];
  for (const body of [deep, `{${keys}}`]) {
    const text = await request(GOOD, "POST /svc/plugin/depth", { fields, body });
    assert.match(text, /^HTTP\/1\.1 400 /);
    assert.match(text, /nested deeper than 500 levels|more than 20000 keys/);
  }
  const query = await request(GOOD, "POST /svc/builtin/vertices?graph=g", {
    body: deep.slice(0, 9000),
  });
  assert.match(query, "nested deeper than 500 levels");
});

test.run();
