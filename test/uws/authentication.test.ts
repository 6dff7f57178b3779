// Authentication on the `uws` transport: handlers that answer at once and later, and long tokens.
// limit: 60 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { RunningProject } from "../e2e/support/running-project.js";
import { get } from "../e2e/support/server.js";

const test = suite("authentication on uws");
const project = new RunningProject(test, {
  "src/auth.ts": `import type { Principal, RequestHead } from "svc-server";

const find = ({ token, certificate }: RequestHead): Principal | null =>
  certificate === null && token?.startsWith("k") ? { scopes: [String(token.length)] } : null;

export const now = (head: RequestHead) => (head.token === "later" ? null : find(head));

export async function later(head: RequestHead): Promise<Principal | null> {
  await null;
  return head.token === "later" ? { scopes: ["later"] } : null;
}
`,
  "plugins/p.ts": `import type { PluginRequest } from "svc-server";

/** @plugin */
export function scopes(request: PluginRequest): unknown {
  return request.principal?.scopes;
}

/** @plugin @scope 2 */
export function limited(request: PluginRequest): number {
  return 1;
}
`,
  "svc.config.ts": `export default {
  auth: ["src/auth.ts#now", "src/auth.ts#later"],
  http: { transport: "uws" },
};
`,
});

const request = (path: string, token: string | null = null) =>
  get(project.server.port, `/svc/${path}`, {
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
  });

test("behaves as on the other transport", async () => {
  assert.is((await request("plugin/scopes")).status, 401);
  assert.is((await request("plugin/scopes", "x")).status, 401);
  assert.is((await request("status")).status, 401);
  assert.is((await request("hc")).status, 200);
  assert.equal((await request("plugin/scopes", "later")).json.response, ["later"]);
  assert.equal((await request("plugin/scopes", "k")).json.response, ["1"]);
  assert.is((await request("plugin/limited", "k")).status, 403);
  assert.is((await request("plugin/limited", "k2")).status, 200);
  const long = "k".repeat(16 * 1024);
  assert.equal((await request("plugin/scopes", long)).json.response, ["16384"]);
  assert.is((await request("plugin/scopes", `${long}k`)).status, 401);
});

test.run();
