// Warm-up: before a server is Service-IN it calls the examples of readonly plugins only, without
// effect on metrics and logs.
// limit: 60 s

import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { packageRoot } from "../../runtime/base/package-info.js";
import { buildProject, get, type RunningServer, serveWith } from "./support/server.js";
import { TemporaryProject } from "./support/temporary-project.js";

const plugins = (file: string): string => `import { HttpError } from "svc-server";
import type { int, PluginRequest } from "svc-server";

// Types of Node are not installed in this folder.
const { appendFileSync } = (globalThis as any).process.getBuiltinModule("node:fs");
const called = (what: string): void => appendFileSync(${JSON.stringify(file)}, what + "\\n");

/** @plugin
 * @readonly
 * @example ?n=2
 */
export function look(request: PluginRequest, n: int): int {
  called("look " + n);
  return n;
}

/** @plugin
 * @readonly
 * @example ?n=3
 */
export function missing(request: PluginRequest, n: int): int {
  called("missing");
  throw new HttpError(404, "nothing here");
}

/** @plugin
 * @readonly
 * @example ?n=6
 */
export function early(request: PluginRequest, n: int): int {
  throw new Error("the graph is empty");
}

/** @plugin @inline
 * @readonly
 * @example ?n=7
 */
export function earlyInline(request: PluginRequest, n: int): int {
  throw new Error("the graph is empty");
}

/** @plugin
 * @example ?n=4
 */
export function change(request: PluginRequest, n: int): int {
  called("change");
  return n;
}
`;

const test = suite("warm-up");
const SVC = join(packageRoot(), "bin", "svc.cjs");
const project = new TemporaryProject({});
const file = join(project.folder, "called.txt");
const calls = (): string[] =>
  existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
let server: RunningServer | null = null;

test.before(async () => {
  project.write("plugins/p.ts", plugins(file));
  await buildProject(project.folder);
});

test.after.each(async () => {
  await server?.end();
  server = null;
  rmSync(file, { force: true });
});

test.after(() => project.remove());

/** Starts servers until one has called `look` twice: a busy machine may call less in 0.5 s. */
async function serveWarm(...options: readonly string[]): Promise<RunningServer> {
  for (;;) {
    rmSync(file, { force: true });
    server = await serveWith(SVC, project.folder, ...options);
    const called = calls();
    if (called.filter((line) => line === "look 2").length > 1 && called.includes("missing")) {
      return server;
    }
    await server.stop();
  }
}

test("calls examples of readonly plugins without counting or logging them", async () => {
  const { port, log } = await serveWarm("--access-log-sample-every", "1", "--executors", "1");
  assert.not.ok(calls().includes("change"));
  assert.is((await get(port, "/svc/plugin/look?n=5")).json.response, 5);
  const status = (await get(port + 1, "/svc/status")).json.response;
  const { request } = status as { request: { count: number; plugin: number } };
  assert.equal([request.count, request.plugin], [1, 1]);
  const recorded = (await get(port + 1, "/svc/requests")).json.response;
  const { requests } = recorded as { requests: { number: number; plugin: string }[] };
  assert.equal(
    requests.map(({ number, plugin }) => [number, plugin]),
    [[1, "look"]],
  );
  // Log lines may arrive after the response.
  while (!log().includes("/svc/plugin/look")) await delay(20);
  assert.match(log(), "warm-up skipped for example /svc/plugin/missing?n=3: ");
  assert.is(log().split("/svc/plugin/look").length, 2, log());
  assert.not.match(log(), "threw", "no error lines for examples that throw");
  assert.is((await get(port, "/svc/plugin/early?n=6")).status, 500);
  while (!log().includes("early threw Error")) await delay(20);
});

test("calls no plugin with --no-warm-up", async () => {
  server = await serveWith(SVC, project.folder, "--no-warm-up");
  assert.is((await get(server.port, "/svc/plugin/look?n=5")).json.response, 5);
  assert.equal(calls(), ["look 5"]);
});

test("keeps a server started Service-OUT out of service", async () => {
  const { port } = await serveWarm("--service-out");
  assert.is((await get(port, "/svc/hc")).status, 503);
});

test.run();
