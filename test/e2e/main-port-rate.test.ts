// `http.rateLimit`: one limit for everything that the main port serves.

import { createHash } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { RunningProject } from "./support/running-project.js";
import { get } from "./support/server.js";

const LIMIT = 8;
const sha256 = (key: string) => createHash("sha256").update(key).digest("hex");

const test = suite("rate limit of the main port");
const project = new RunningProject(test, {
  "src/auth.ts": `import { apiKeys } from "svc-server";

export const keys = apiKeys({ file: "keys.json" });
`,
  "plugins/p.ts": `import type { int, PluginRequest } from "svc-server";

/** @plugin */
export function one(_request: PluginRequest): int {
  return 1;
}

/** @plugin */
export async function* items(_request: PluginRequest): AsyncGenerator<int> {
  yield 1;
}
`,
  "keys.json": JSON.stringify([
    { sha256: sha256("k-1"), name: "one" },
    { sha256: sha256("k-2"), name: "two" },
  ]),
  "svc.config.ts": `export default {
  auth: "src/auth.ts#keys",
  http: { rateLimit: { by: "principal", perMinute: ${LIMIT} } },
};
`,
});

const request = (path: string, token: string) =>
  get(project.server.port, path, { headers: { authorization: `Bearer ${token}` } });
const PATHS = [
  "/svc/plugin/items",
  "/svc/builtin/graphs",
  "/svc/plugin/one",
  "/svc/status",
  "/a.txt",
];

test("counts plugins, streams, built-in services and files together", async () => {
  for (let index = 0; index < LIMIT; index++) {
    const path = PATHS[index % PATHS.length]!;
    assert.is((await request(path, "k-1")).status === 429, false, path);
  }
  for (const path of PATHS) {
    const { status, headers, text } = await request(path, "k-1");
    assert.is(status, 429, path);
    assert.match(text, `more than ${LIMIT} requests per minute`);
    assert.is(headers.get("ratelimit-policy"), `"http";q=${LIMIT};w=60`);
    assert.match(headers.get("ratelimit") ?? "", /^"http";r=0;t=\d+$/);
    assert.match(headers.get("retry-after") ?? "", /^\d+$/);
  }
  assert.is((await request("/svc/plugin/one", "k-2")).status, 200, "another principal");
});

test("counts guesses of credentials by client", async () => {
  const statuses = [];
  for (let index = 0; index < LIMIT + 2; index++) {
    statuses.push((await request("/svc/plugin/one", `guess ${index}`)).status);
  }
  assert.equal(statuses, [...Array(LIMIT).fill(401), 429, 429]);
});

test("counts neither probes nor the admin port", async () => {
  const { port } = project.server;
  for (let index = 0; index < 2 * LIMIT; index++) {
    assert.is((await get(port, "/svc/hc")).status, 200);
    assert.is((await get(port + 1, "/svc/status")).status, 200);
  }
});

test.run();
