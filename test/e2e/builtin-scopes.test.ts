// Scopes of graphs and of built-in services: checked before arguments are converted.
// limit: 60 s

import { createHash } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { RunningProject } from "./support/running-project.js";
import { get } from "./support/server.js";

const PRINCIPALS: Readonly<Record<string, readonly string[]>> = {
  nothing: [],
  reader: ["shop:read"],
  writer: ["shop:write"],
  watcher: ["svc:read"],
  operator: ["svc:change"],
};
const CONFIG = `export default {
  auth: "src/auth.ts#keys",
  builtins: { read: "svc:read", change: "svc:change" },
  graphs: {
    shop: { read: "shop:read", change: "shop:write" },
    logs: { read: "logs:read" },
    other: {},
  },
};
`;

const test = suite("scopes of built-in services");
const project = new RunningProject(test, {
  "src/auth.ts":
    'import { apiKeys } from "svc-server";\nexport const keys = apiKeys({ file: "keys.json" });\n',
  "plugins/p.ts": `import type { PluginRequest } from "svc-server";

/** @plugin */
export function one(request: PluginRequest): number {
  return 1;
}
`,
  "keys.json": JSON.stringify(
    Object.entries(PRINCIPALS).map(([name, scopes]) => ({
      sha256: createHash("sha256").update(name).digest("hex"),
      scopes,
    })),
  ),
  "svc.config.ts": CONFIG,
});

const request = (path: string, principal: string, method = "GET") =>
  get(project.server.port, path, {
    method,
    headers: {
      authorization: `Bearer ${principal}`,
      ...(method === "POST" && { "x-svc-change": "1" }),
    },
  });

/** Asserts that the principals with the scope pass, and that others learn its name. */
async function requires(scope: string, path: string, method = "GET"): Promise<void> {
  for (const [principal, scopes] of Object.entries(PRINCIPALS)) {
    const { status, text } = await request(path, principal, method);
    const passes = scopes.includes(scope);
    assert.is(status === 403, !passes, `${principal} ${path}: ${status} ${text}`);
    if (!passes) assert.match(text, `scope ${scope} is required`);
  }
}

test("reading a graph requires its scope, whatever the arguments", async () => {
  for (const path of [
    "/svc/builtin/vertices?graph=shop",
    "/svc/builtin/vertices?graph=shop&hits=x",
    "/svc/builtin/vertices?hits=1&gr%61ph=sh%6fp",
    "/svc/builtin/vertices?graph=other&graph=shop",
    "/svc/builtin/evaluate?graph=shop&expression=1",
    "/svc/builtin/graphinfo?graph=shop",
    "/svc/builtin/status?graph=shop",
    "/svc/builtin/memory?graph=shop",
  ]) {
    await requires("shop:read", path);
  }
  assert.is((await request("/svc/builtin/vertices?graph=shop", "reader")).status, 200);
});

test("changing a graph requires its scope", async () => {
  await requires("shop:write", "/svc/builtin/createvertex?graph=shop&id=a", "POST");
  await requires("svc:change", "/svc/builtin/createvertex?graph=logs&id=a", "POST");
  await requires("logs:read", "/svc/builtin/vertices?graph=logs");
});

test("everything else requires the scopes of `builtins`", async () => {
  for (const path of [
    "/svc/builtin/vertices?graph=other",
    "/svc/builtin/vertices?graph=missing",
    "/svc/builtin/vertices?graph=shop&graph=other",
    "/svc/builtin/vertices",
    "/svc/builtin/vertices?graph=%zz",
    "/svc/builtin/memory?graph=*",
    "/svc/builtin/status",
    "/svc/builtin/argspec",
    "/svc/plugins",
    "/svc/status",
    "/svc/graphsum?graph=shop",
  ]) {
    await requires("svc:read", path);
  }
});

test("plugins and the health check do not require them", async () => {
  assert.is((await request("/svc/plugin/one", "nothing")).json.response, 1);
  assert.is((await get(project.server.port, "/svc/hc")).status, 200);
});

test("the admin port does not require them", async () => {
  const response = await get(project.server.port + 1, "/svc/builtin/vertices?graph=shop");
  assert.is(response.status, 200);
});

test.run();
