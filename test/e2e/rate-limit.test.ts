// Rate limits of plugins: counted by principal, client or an own key, in all executors together.

import { createHash } from "node:crypto";
import { connect } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ServedProject } from "./support/served-project.js";
import { get } from "./support/server.js";

const LIMITS = `import { apiKeys, type PluginRequest, rateLimit } from "svc-server";

export const keys = apiKeys({ file: "keys.json" });
export const perUser = rateLimit({ by: "principal", perMinute: 5, name: "user" });
export const perClient = rateLimit({ by: "client", perMinute: 3, name: "client" });
export const perOrder = rateLimit({
  by: (request: PluginRequest) => String(request.params.order),
  perMinute: 2,
  name: "order",
});
`;
const PLUGINS = `import type { PluginRequest } from "svc-server";

/** @plugin @before src/limits.ts#perUser */
export function mine(request: PluginRequest): number {
  return request.executor;
}

/** @plugin @public @before src/limits.ts#perClient */
export function open(request: PluginRequest): string {
  return request.ip;
}

/** @plugin @public @before src/limits.ts#perOrder */
export function order(request: PluginRequest, order: string): string {
  return order;
}
`;
const sha256 = (key: string) => createHash("sha256").update(key).digest("hex");

const test = suite("rate limits");
let project: ServedProject;

test.before(async () => {
  project = await ServedProject.build({
    "src/limits.ts": LIMITS,
    "plugins/p.ts": PLUGINS,
    "keys.json": JSON.stringify([
      { sha256: sha256("k-1"), name: "one" },
      { sha256: sha256("k-2"), name: "two" },
    ]),
    "svc.config.ts": 'export default { auth: "src/limits.ts#keys" };\n',
  });
  await project.start("data", "--executors", "2");
});
test.after(async () => {
  await project.kill();
  project.remove();
});

const request = (path: string, token?: string) =>
  get(project.server.port, `/svc/plugin/${path}`, {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  });

async function statuses(path: string, count: number, token?: string): Promise<number[]> {
  const responses = await Promise.all(Array.from({ length: count }, () => request(path, token)));
  return responses.map(({ status }) => status).sort();
}

const list = (allowed: number, rejected: number): number[] => [
  ...Array<number>(allowed).fill(200),
  ...Array<number>(rejected).fill(429),
];

/** Sends requests at once, which all executors take, and returns statuses and executors. */
async function burst(count: number, token: string): Promise<[number[], Set<string>]> {
  const socket = connect({ port: project.server.port, host: "127.0.0.1" });
  const fields = `Host: x\r\nAuthorization: Bearer ${token}\r\n`;
  const line = "GET /svc/plugin/mine HTTP/1.1\r\n";
  const last = `${line}Connection: close\r\n${fields}\r\n`;
  socket.write(`${line}${fields}\r\n`.repeat(count - 1) + last);
  let text = "";
  for await (const bytes of socket) text += bytes;
  const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
  const executors = text.matchAll(/"response": (\d+)/g);
  return [statuses.sort(), new Set([...executors].map(([, executor]) => executor!))];
}

test("count the requests of a principal in all executors", async () => {
  const [admitted, executors] = await burst(12, "k-1");
  assert.equal(admitted, list(5, 7));
  assert.ok(executors.size > 1, [...executors].join());
  assert.equal(await statuses("mine", 5, "k-2"), list(5, 0));
});

test("follow a principal, however it sends its key", async () => {
  const responses = await Promise.all(
    [
      { authorization: "bearer   k-1" },
      { authorization: "Bearer k-1", "x-forwarded-for": "192.0.2.1" },
      { authorization: "Bearer k-1", forwarded: "for=192.0.2.1" },
      { authorization: "Bearer k-1", "x-svc-builtin-client": "http://192.0.2.9:1/" },
      { authorization: "Bearer k-1", "x-svc-signed": "e30.x" },
      { authorization: "Bearer k-1", accept: "application/x-svc-partial" },
      { authorization: "Bearer k-1, Bearer k-2" },
      { authorization: "Bearer k-1 k-2" },
    ].map((headers) => get(project.server.port, "/svc/plugin/mine", { headers })),
  );
  assert.equal(
    responses.map(({ status }) => status),
    [429, 429, 429, 429, 429, 429, 401, 401],
  );
});

test("name the limit and the time to wait", async () => {
  const { status, headers, json } = await request("mine", "k-1");
  assert.is(status, 429);
  assert.match(JSON.stringify(json.message), "more than 5 requests per minute");
  assert.is(headers.get("ratelimit-policy"), '"user";q=5;w=60');
  const seconds = Number(headers.get("retry-after"));
  assert.ok(seconds >= 1 && seconds <= 12, `${seconds} s`);
  assert.is(headers.get("ratelimit"), `"user";r=0;t=${seconds}`);
});

const FORGED = ["X-Svc-Builtin-Client: http://*:1/", "X-Forwarded-For: *", "Forwarded: for=*"];

/** Asks from an address of its own; forged header fields do not change the client. */
function statusFrom(localAddress: string, requests: number): Promise<number> {
  const socket = connect({ port: project.server.port, host: "127.0.0.1", localAddress });
  const forged = FORGED.join("\r\n").replaceAll("*", `192.0.2.${requests}`);
  socket.write(`GET /svc/plugin/open HTTP/1.1\r\nHost: x\r\n${forged}\r\n\r\n`);
  return new Promise((resolve, reject) => {
    socket.on("error", reject);
    socket.once("data", (bytes) => {
      socket.destroy();
      resolve(Number(String(bytes).split(" ")[1]));
    });
  });
}

test("count the requests of a client by its address", async () => {
  for (const client of ["127.0.0.7", "127.0.0.8"]) {
    const statuses = [];
    for (let requests = 0; requests < 5; requests++)
      statuses.push(await statusFrom(client, requests));
    assert.equal(statuses, list(3, 2), client);
  }
});

test("count by a function", async () => {
  assert.equal(await statuses("order?order=a", 4), list(2, 2));
  assert.equal(await statuses("order?order=b", 2), list(2, 0));
});

test("respond to plain-text clients with the same fields", async () => {
  const init = { headers: { accept: "text/plain" } };
  const { status, text, headers } = await get(
    project.server.port,
    "/svc/plugin/order?order=a",
    init,
  );
  assert.is(status, 429);
  assert.match(text, /^ERROR: HttpError: more than 2 requests per minute/);
  assert.ok(headers.has("retry-after"));
});

test.run();
