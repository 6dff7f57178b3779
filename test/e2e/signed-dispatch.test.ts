// The principal and the client of a request reach engines through dispatchers that share a key.
// Other clients cannot name them.
// limit: 90 s

import { createHash } from "node:crypto";
import { connect } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { DispatchSignature } from "../../runtime/http/auth/dispatch-signature.js";
import { ServedProject } from "./support/served-project.js";
import { get, serve } from "./support/server.js";

const ENGINE = `import type { Graph, int, PluginRequest } from "svc-server";

declare global {
  interface SvcPrincipal {
    readonly name: string;
  }
}

/** @plugin */
export function who(request: PluginRequest): string {
  return [request.principal?.name, request.ip, request.content].join(" ");
}

/** @plugin @scope orders:write */
export function order(_request: PluginRequest, n: int): int {
  return n;
}

/** @plugin @public */
export function open(request: PluginRequest): string {
  return ["public", request.principal?.name].join(" ");
}

/** @plugin @public */
export function shown(request: PluginRequest): string {
  return ["shown", request.principal?.name].join(" ");
}

/** @plugin */
export function behind(request: PluginRequest): string {
  return ["behind", request.principal?.name].join(" ");
}

/** @plugin */
export async function* ticks(_request: PluginRequest): AsyncGenerator<number> {
  yield* [1, 2];
}

/** @plugin @graph shop */
export function size(_request: PluginRequest, graph: Graph): int {
  return graph.size;
}
`;
const FORWARD = `import { type PluginRequest, plugin } from "svc-server";

export const order = plugin.pre((request: PluginRequest) => request);

/** @scope orders:write */
export const guarded = plugin.pre((_request: PluginRequest) => "passed");

/** @public */
export const open = plugin.pre((_request: PluginRequest) => "passed");

/** @public */
export const behind = plugin.pre((request: PluginRequest) => request);
`;
const AUTH = `import { apiKeys } from "svc-server";

export const keys = apiKeys({ file: "keys.json" });
`;
const sha256 = (key: string) => createHash("sha256").update(key).digest("hex");
const KEYS = [
  { sha256: sha256("k-reader"), name: "reader" },
  { sha256: sha256("k-clerk"), name: "clerk", scopes: ["orders:write"] },
  { sha256: sha256("k-groups"), name: "groups", groups: "ä".repeat(2700) },
  { sha256: sha256("k-large"), name: "large", groups: "ä".repeat(3000) },
];
const SECRET = "s".repeat(32);

const test = suite("signed dispatch");
let engine: ServedProject;
let middle: ServedProject;
let top: ServedProject;

const makeMatrix = (port: number): string =>
  JSON.stringify({ partitions: [[{ host: "127.0.0.1", port }]], replicas: [{}] });

test.before(async () => {
  const auth = { "src/auth.ts": `${AUTH}`, "secret.txt": `${SECRET}\n` };
  [engine, middle, top] = await Promise.all([
    ServedProject.build({ ...auth, "plugins/e.ts": ENGINE }),
    ServedProject.build({ ...auth, "plugins/p.ts": "export {};\n" }),
    ServedProject.build({
      ...auth,
      "plugins/p.ts": FORWARD,
      "keys.json": JSON.stringify(KEYS),
      "svc.config.ts": 'export default { auth: "src/auth.ts#keys" };\n',
    }),
  ]);
  const key = (project: ServedProject) => ["--dispatcher-key-file", `${project.folder}/secret.txt`];
  await engine.start("data", ...key(engine));
  middle.write("matrix.json", makeMatrix(engine.server.port));
  await middle.start("data", ...key(middle), "--dispatcher", `${middle.folder}/matrix.json`);
  top.write("matrix.json", makeMatrix(middle.server.port));
  await top.start("data", ...key(top), "--dispatcher", `${top.folder}/matrix.json`);
});
test.after(async () => {
  for (const project of [top, middle, engine]) {
    await project.kill();
    project.remove();
  }
});

const request = (path: string, token: string | null, headers: Record<string, string> = {}) =>
  get(top.server.port, `/svc/plugin/${path}`, {
    headers: token === null ? headers : { ...headers, authorization: `Bearer ${token}` },
  });

test("passes principal and client through two dispatchers", async () => {
  const { json, text } = await request("who", "k-reader", { "x-forwarded-for": "192.0.2.1" });
  assert.is(json.response, "reader 127.0.0.1 ", text);
  assert.is((await request("who", "k-clerk")).json.response, "clerk 127.0.0.1 ");
  const refusedResponse = await request("who", null);
  assert.is(refusedResponse.status, 401);
  assert.is(refusedResponse.headers.get("www-authenticate"), "Bearer");
});

test("runs public plugins of engines without a principal", async () => {
  for (const token of [null, "k-reader", "wrong"]) {
    assert.is((await request("shown", token)).json.response, "shown ");
  }
  // The engine decides: a public pre-processor opens none of its plugins.
  const refusedResponse = await request("behind", null);
  assert.is(refusedResponse.status, 401, refusedResponse.text);
  assert.is(refusedResponse.headers.get("www-authenticate"), "Bearer");
  // Nothing has asked for the principal at the public pre-processor.
  assert.is((await request("behind", "k-reader")).status, 401);
  for (const path of ["builtin/vertices?graph=shop", "status"]) {
    assert.is((await get(top.server.port, `/svc/${path}`)).status, 401, path);
  }
});

test("passes the body and a query with escaped characters", async () => {
  const init = {
    method: "POST",
    body: "ä".repeat(50_000),
    headers: { authorization: "Bearer k-reader" },
  };
  const { json } = await get(top.server.port, "/svc/plugin/who?x=%2F%C3%A4%20+", init);
  assert.match(String(json.response), /^reader 127\.0\.0\.1 /);
});

test("lets engines check scopes, also behind a pre-processor", async () => {
  const refusedResponse = await request("order?n=2", "k-reader");
  assert.is(refusedResponse.status, 403);
  assert.match(refusedResponse.text, "scope orders:write is required");
  assert.not.match((await request("order?n=2", "k-clerk")).text, "orders:write");
});

test("rejects principals that do not fit a header field", async () => {
  assert.is((await request("who", "k-groups")).json.response, "groups 127.0.0.1 ");
  const { status, text } = await request("who", "k-large");
  assert.is(status, 500);
  assert.match(text, "the principal is too large for the back-ends");
});

test("requires the scopes of a pre-processor, and no principal for a public one", async () => {
  assert.is((await request("guarded", null)).status, 401);
  const refusedResponse = await request("guarded", "k-reader");
  assert.is(refusedResponse.status, 403);
  assert.match(refusedResponse.text, "orders:write");
  assert.is((await request("guarded", "k-clerk")).json.response, "passed");
  assert.is((await request("open", null)).json.response, "passed");
});

test("refuses plugins that stream, and counts no back-end as down", async () => {
  for (const [port, token] of [
    [top.server.port, "k-reader"],
    [middle.server.port, null],
  ] as const) {
    const headers: Record<string, string> =
      token === null ? {} : { authorization: `Bearer ${token}` };
    const { status, text } = await get(port, "/svc/plugin/ticks", { headers });
    assert.match(text, /400 Bad Request: a dispatcher cannot stream; call a back-end directly/);
    assert.is(status, 400);
  }
  for (const { server } of [top, middle]) assert.not.match(server.log(), / is down: /);
});

test("ignores a signature that a client sends", async () => {
  const origin = {
    principal: '{"name":"root"}',
    client: "10.0.0.1",
    isTrusted: true,
    isGuarded: true,
  };
  const content = { method: "GET", target: "/svc/plugin/who", body: null };
  const signed = new DispatchSignature(SECRET).sign(content, origin);
  const { json } = await request("who", "k-reader", { "x-svc-signed": signed });
  assert.is(json.response, "reader 127.0.0.1 ");
});

/** Sends lines to the engine and returns the response. */
function raw(lines: readonly string[]): Promise<string> {
  const socket = connect(engine.server.port, "127.0.0.1");
  socket.write(lines.map((line) => `${line}\r\n`).join(""));
  return new Promise((resolve, reject) => {
    socket.on("error", reject);
    socket.once("data", (bytes) => {
      socket.destroy();
      resolve(String(bytes));
    });
  });
}

const IDENT = "XSVCIDENT 1 1 1 0 0 0 1";
const head = (target: string, signed?: string): string[] => [
  `GET ${target} HTTP/1.1`,
  "Host: x",
  ...(signed === undefined ? [] : [`X-SVC-Signed: ${signed}`]),
  "",
];

test("rejects dispatchers without a valid signature", async () => {
  const target = "/svc/plugin/who";
  const content = { method: "GET", target, body: null };
  const origin = {
    principal: '{"name":"root"}',
    client: "10.0.0.1",
    isTrusted: true,
    isGuarded: true,
  };
  const signed = (key: string, time?: number) =>
    new DispatchSignature(key).sign(content, origin, time);
  const valid = signed(SECRET);
  assert.match(
    await raw([IDENT, ...head(target, valid)]),
    /^HTTP\/1\.1 200 [\s\S]*root 10\.0\.0\.1/,
  );
  const repeated = await raw([IDENT, ...head(target, valid)]);
  assert.match(repeated, /^HTTP\/1\.1 503 [\s\S]*was used before/);
  const unsigned = await raw([IDENT, ...head(target)]);
  assert.match(unsigned, /^HTTP\/1\.1 401 [\s\S]*has not signed the request/);
  for (const [requestedPath, value] of [
    [target, "forged"],
    [target, signed("x".repeat(32))],
    [target, signed(SECRET, Date.now() - 120_000)],
    [`${target}?a=1`, valid],
    ["/svc/builtin/vertices?graph=shop", valid],
  ] as const) {
    const rejection = await raw([IDENT, ...head(requestedPath, value)]);
    assert.match(rejection, /^HTTP\/1\.1 503 [\s\S]*(invalid; compare|ago; compare)/, value);
  }
});

test("marks an engine with another key as down, and reports the reason", async () => {
  top.write("other.txt", `${SECRET}x\n`);
  top.write("other.json", makeMatrix(engine.server.port));
  const key = ["--dispatcher-key-file", `${top.folder}/other.txt`];
  const matrix = ["--dispatcher", `${top.folder}/other.json`, "--root", `${top.folder}/other`];
  const otherTop = await serve(top.folder, ...key, ...matrix);
  const headers = { authorization: "Bearer k-reader" };
  const { status, json } = await get(otherTop.port, "/svc/plugin/who", { headers });
  assert.equal([status, json.message], [503, "Partition(s) down"]);
  assert.match(otherTop.log(), /health check failed: 503 .*compare http.dispatcherKeyFile of both/);
  await otherTop.end();
});

test("closes the engine to clients without a dispatcher", async () => {
  const { port } = engine.server;
  for (const path of ["/svc/plugin/who", "/svc/builtin/vertices?graph=shop", "/svc/status"]) {
    assert.is((await get(port, path)).status, 401, path);
  }
  assert.is((await get(port, "/svc/hc")).status, 200);
  const valid = new DispatchSignature(SECRET).sign(
    { method: "GET", target: "/svc/plugin/who", body: null },
    { principal: "{}", client: "10.0.0.1", isTrusted: true, isGuarded: true },
  );
  const headers = { "x-svc-signed": valid };
  assert.is((await get(port, "/svc/plugin/who", { headers })).status, 401);
});

/** Changes the graph of the engine as a dispatcher that forwards for a client. */
async function change(isTrusted: boolean): Promise<string> {
  const target = "/svc/builtin/createvertex?graph=shop&id=v1";
  const origin = { principal: null, client: "192.0.2.1", isTrusted, isGuarded: false };
  const content = { method: "POST", target, body: null };
  const fields = ["Host: x.test", "X-Forwarded-For: 192.0.2.1", "X-SVC-Change: 1"];
  return raw([
    IDENT,
    `POST ${target} HTTP/1.1`,
    ...fields,
    `X-SVC-Signed: ${new DispatchSignature(SECRET).sign(content, origin)}`,
    "Content-Length: 0",
    "",
  ]);
}

test("requires scopes of principals of dispatchers without authentication, too", async () => {
  const request = (target: string, isGuarded: boolean): Promise<string> => {
    const content = { method: "GET", target, body: null };
    const origin = { principal: null, client: "10.0.0.1", isTrusted: true, isGuarded };
    return raw([IDENT, ...head(target, new DispatchSignature(SECRET).sign(content, origin))]);
  };
  assert.match(await request("/svc/plugin/who", false), /^HTTP\/1\.1 200 /);
  assert.match(await request("/svc/plugin/open", true), /^HTTP\/1\.1 200 [\s\S]*"public "/);
  for (const [target, isGuarded] of [
    ["/svc/plugin/who", true],
    ["/svc/plugin/order?n=1", false],
    ["/svc/builtin/vertices?graph=shop", true],
  ] as const) {
    assert.match(await request(target, isGuarded), /^HTTP\/1\.1 401 /, target);
  }
});

test("lets clients that the dispatcher trusts change graphs", async () => {
  await request("size", "k-reader");
  assert.match(await change(true), /^HTTP\/1\.1 200 /);
  assert.match(await change(false), /^HTTP\/1\.1 403 [\s\S]*192\.0\.2\.1 may not change graphs/);
});

test.run();
