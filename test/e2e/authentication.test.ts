// Authentication of the main port: protected and open paths, and the responses to clients.
// limit: 60 s

import { createHash } from "node:crypto";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/client";
import { getDefaultEnvironment, StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { packageRoot } from "../../runtime/base/package-info.js";
import { plainNode } from "../runner/node-command.mjs";
import { RunningProject } from "./support/running-project.js";
import { get, svc } from "./support/server.js";

const sha256 = (key: string) => createHash("sha256").update(key).digest("hex");

const AUTH = `import { apiKeys, HttpError, type Principal, type RequestHead } from "svc-server";

declare global {
  interface SvcPrincipal {
    readonly name?: string;
  }
}

export const keys = apiKeys({ file: "keys.json" });

export async function later(head: RequestHead): Promise<Principal | null> {
  await null;
  if (head.token === "throws") throw new RangeError(\`secret \${head.token}\`);
  if (head.token === "undefined") return undefined as never;
  if (head.token === "paid") throw new HttpError(402, "payment required");
  if (head.token !== "later") return null;
  return { name: \`later \${head.method} \${head.path} \${head.ip}\` };
}
`;
const PLUGINS = `import type { int, PluginRequest } from "svc-server";

/** @plugin */
export function whoami(request: PluginRequest, n: int = 1): string | null {
  return \`\${request.principal?.name} \${n}\`;
}

/** @plugin @inline */
export function inline(request: PluginRequest): string | null {
  return request.principal?.name ?? null;
}

/** @plugin @public */
export function open(request: PluginRequest): string | null {
  return request.principal?.name ?? null;
}

/** @plugin @scope orders:write */
export function order(request: PluginRequest, n: int): int {
  return n;
}

/** @plugin */
export async function* counted(request: PluginRequest): AsyncGenerator<int> {
  yield 1;
}
`;

const test = suite("authentication");
const project = new RunningProject(test, {
  "src/auth.ts": AUTH,
  "plugins/p.ts": PLUGINS,
  "keys.json": JSON.stringify([
    { sha256: sha256("k-reader"), name: "reader" },
    { sha256: sha256("k-clerk"), name: "clerk", scopes: ["orders:write"] },
  ]),
  "svc.config.ts": 'export default { auth: ["src/auth.ts#keys", "src/auth.ts#later"] };\n',
});

const request = (path: string, token: string | null = null) =>
  get(project.server.port, path, {
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
  });

test("covers plugins, streams, built-in plugins, services and files", async () => {
  for (const path of [
    "/svc/plugin/whoami?n=x",
    "/svc/plugin/inline",
    "/svc/plugin/counted",
    "/svc/plugin/missing",
    "/svc/builtin/vertices?graph=g",
    "/svc/builtin/evaluate",
    "/svc/status",
    "/index.html",
  ]) {
    for (const token of [null, "wrong", "k-reader2"]) {
      const refusedResponse = await request(path, token);
      assert.is(refusedResponse.status, 401, `${path} ${token}`);
      assert.is(refusedResponse.headers.get("www-authenticate"), "Bearer");
    }
  }
  assert.is((await request("/svc/status", "k-reader")).status, 200);
  assert.is((await request("/index.html", "k-reader")).status, 404);
  assert.is((await request("/svc/plugin/counted", "k-reader")).status, 200);
});

test("passes the principal to plugins", async () => {
  assert.is((await request("/svc/plugin/whoami", "k-reader")).json.response, "reader 1");
  assert.is((await request("/svc/plugin/inline", "k-reader")).json.response, "reader");
  assert.is((await request("/svc/plugin/whoami?n=x", "k-reader")).status, 400);
  const laterResponse = await request("/svc/plugin/inline?a=b", "later");
  assert.is(laterResponse.json.response, "later GET /svc/plugin/inline 127.0.0.1");
});

test("passes the principal of a token on the admin port", async () => {
  const admin = (path: string, token: string | null = null) =>
    get(project.server.port + 1, path, {
      headers: token === null ? {} : { authorization: `Bearer ${token}` },
    });
  assert.is((await admin("/svc/plugin/inline")).json.response, null);
  assert.is((await admin("/svc/plugin/inline", "k-reader")).json.response, "reader");
  assert.is((await admin("/svc/plugin/inline", "wrong")).status, 401);
  assert.is((await admin("/svc/plugin/order?n=1", "k-reader")).status, 403);
  assert.is((await admin("/svc/status", "wrong")).status, 200);
});

test("accepts commands with the token of the environment", async () => {
  const url = `http://127.0.0.1:${project.server.port}`;
  const { SVC_TOKEN: previousToken } = process.env;
  const run = () => svc("argspec", url).catch((failure: { stderr: string }) => failure);
  assert.match((await run()).stderr, "SVC3024");
  process.env.SVC_TOKEN = "k-reader";
  const { stdout } = (await run()) as { stdout: string };
  if (previousToken === undefined) delete process.env.SVC_TOKEN;
  else process.env.SVC_TOKEN = previousToken;
  const { service, plugins } = JSON.parse(stdout);
  assert.is(service.authenticated, true);
  const access = plugins.map(({ name, access }: { name: string; access?: unknown }) => [
    name,
    access,
  ]);
  assert.equal(Object.fromEntries(access).open, { public: true });
  assert.equal(Object.fromEntries(access).order, { scopes: ["orders:write"] });
});

test("serves MCP tools with the token of the environment", async () => {
  const bin = join(packageRoot(), "bin/svc.cjs");
  const transport = new StdioClientTransport({
    command: plainNode(),
    args: [bin, "mcp", "--from", `http://127.0.0.1:${project.server.port}`],
    env: { ...getDefaultEnvironment(), SVC_TOKEN: "k-reader" },
  });
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport);
  const result = await client.callTool({ name: "whoami", arguments: {} });
  assert.equal(result.content, [{ type: "text", text: "reader 1" }]);
  await client.close();
});

test("leaves @public plugins and the health check open", async () => {
  assert.is((await request("/svc/plugin/open")).json.response, null);
  assert.is((await request("/svc/hc")).status, 200);
});

test("admits a key of `svc key` while it runs", async () => {
  const file = join(project.folder, "keys.json");
  const { stdout } = await svc("key", file, "--name", "late", "--scopes", "orders:write,x");
  const key = stdout.trim();
  while ((await request("/svc/plugin/inline", key)).status === 401) await delay(50);
  assert.is((await request("/svc/plugin/inline", key)).json.response, "late");
  assert.is((await request("/svc/plugin/order?n=2", key)).json.response, 2);
  assert.is((await request("/svc/plugin/inline", "k-reader")).json.response, "reader");
});

test("names the missing scope before arguments are converted", async () => {
  const refusedResponse = await request("/svc/plugin/order?n=x", "k-reader");
  assert.is(refusedResponse.status, 403);
  assert.match(refusedResponse.text, "orders:write");
  assert.is((await request("/svc/plugin/order?n=x", "k-clerk")).status, 400);
  assert.is((await request("/svc/plugin/order?n=2", "k-clerk")).json.response, 2);
});

test("responds with 503 if a handler fails, and logs no part of the token", async () => {
  assert.is((await request("/svc/plugin/whoami", "throws")).status, 503);
  assert.is((await request("/svc/plugin/whoami", "undefined")).status, 503);
  assert.is((await request("/svc/plugin/whoami", "paid")).status, 402);
  const isLogged = () => project.server.log().includes("handler failed: RangeError");
  while (!isLogged()) await delay(5);
  assert.not.match(project.server.log(), "secret");
});

test.run();
