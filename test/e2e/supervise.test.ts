// `svc serve --supervise`: the server restarts on its port after any exit, and stops on request.
// limit: 60 s
// takes 15 s

import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { restartDelayMs } from "../../cli/serving/instance.js";
import { buildProject, get, type RunningServer, serve, svc } from "./support/server.js";
import { NODE_TYPES, TemporaryProject } from "./support/temporary-project.js";

const test = suite("svc serve --supervise");
const PLUGINS = `
import type { PluginRequest, str } from "svc-server";

/** @plugin */
export function pid(_request: PluginRequest) {
  return process.pid;
}

/** @plugin */
export function end(_request: PluginRequest, signal: str) {
  return process.kill(process.pid, signal);
}
`;
let project: TemporaryProject;
let server: RunningServer | null = null;

test.before(async () => {
  project = new TemporaryProject({ "plugins/all.ts": PLUGINS, "tsconfig.json": NODE_TYPES });
  await buildProject(project.folder);
});
test.after(() => project.remove());
test.after.each(async () => {
  await server?.stop("SIGKILL");
  server = null;
});

/** The process that responds, once it is not `former`. */
async function waitForPid(port: number, previousPid = 0): Promise<number> {
  for (;;) {
    const response = await get(port, "/svc/plugin/pid").catch(() => null);
    const pid = response?.json.response;
    if (typeof pid === "number" && pid !== previousPid) return pid;
    await delay(50);
  }
}

test("restarts the server after it dies", async () => {
  server = await serve(project.folder, "--supervise");
  const { port } = server;
  let pid = await waitForPid(port);
  assert.is.not(pid, server.process.pid);
  for (const signal of ["SIGKILL", "SIGTERM"]) {
    await get(port, `/svc/plugin/end?signal=${signal}`).catch(() => null);
    pid = await waitForPid(port, pid);
  }
  assert.match(server.log(), /server exited \(SIGKILL\); restarting in 1000 ms/);
  assert.match(server.log(), /server exited \(exit code 0\); restarting in 2000/);
  assert.is(await server.stop(), 0);
  assert.is(await get(port, "/svc/hc").catch(() => null), null);
});

test("stops the server when the supervisor dies", async () => {
  server = await serve(project.folder, "--supervise");
  const { port } = server;
  await waitForPid(port);
  await server.stop("SIGKILL");
  while ((await get(port, "/svc/hc").catch(() => null)) !== null) await delay(50);
});

test("does not restart a server that never started", async () => {
  server = await serve(project.folder);
  const { port } = server;
  const words = ["serve", project.folder, "--supervise", "--port", String(port)];
  const failed = await svc(...words).catch((error: { stderr: string }) => error);
  assert.match(failed.stderr, /SVC2202/);
  assert.match(failed.stderr, /SVC3070: server exited: exit code 1/);
});

test("increases the delay between restarts in a crash loop", () => {
  const delays = [0, 1, 2, 3, 4, 5, 6, 7, 8, 100].map(restartDelayMs);
  assert.equal(
    delays,
    [1, 1, 2, 4, 8, 16, 32, 60, 60, 60].map((seconds) => seconds * 1000),
  );
});

test.run();
