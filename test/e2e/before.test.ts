// Hooks before plugins: for one plugin or all, synchronous or not; refusals, responses, data for
// the plugin, and that they run before arguments are validated.
// limit: 60 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { RunningProject } from "./support/running-project.js";
import { get, svc } from "./support/server.js";

const GUARDS = `import { HttpError, type PluginRequest, RequestData } from "svc-server";

export const steps = new RequestData<string[]>("steps");

/** Of all plugins. */
export function first(request: PluginRequest): void {
  steps.set(request, ["first"]);
  if (request.header("x-closed") !== null) throw new HttpError(403, "closed");
}

export async function later(request: PluginRequest): Promise<string | undefined> {
  await null;
  steps.get(request).push("later");
  if (request.header("x-later") === "throw") throw new HttpError(401, "later");
  if (request.header("x-later") === "hang") await new Promise(() => {});
  return request.header("x-later") === "answer" ? "answered before" : undefined;
}

export const third = (request: PluginRequest): void => void steps.get(request).push("third");
`;
const PLUGINS = `import type { Graph, int, PluginRequest, str } from "svc-server";
import { later, steps, third as another } from "../src/guards.js";

/** @plugin */
export function plain(request: PluginRequest, n: int = 1): string[] {
  return [...steps.get(request), String(n)];
}

/** @plugin @before later another */
export function both(request: PluginRequest, n: int = 1): string[] {
  return [...steps.get(request), String(n)];
}

/** @plugin @before later @graph people */
export async function bound(request: PluginRequest, graph: Graph, id: str): Promise<number> {
  await null;
  graph.createVertex(id);
  return graph.order;
}

/** @plugin @before src/guards.ts#third */
export function failing(request: PluginRequest): string {
  throw new RangeError(steps.get(request).join());
}
void [later, another];
`;

const test = suite("hooks before plugins");
const project = new RunningProject(test, {
  "src/guards.ts": GUARDS,
  "plugins/p.ts": PLUGINS,
  "svc.config.ts": 'export default { before: ["src/guards.ts#first"] };\n',
});

const request = (path: string, headers: Record<string, string> = {}) =>
  get(project.server.port, `/svc/plugin/${path}`, { headers });

test("run in order and pass data", async () => {
  assert.equal((await request("plain?n=2")).json.response, ["first", "2"]);
  assert.equal((await request("both")).json.response, ["first", "later", "third", "1"]);
  assert.is((await request("bound?id=a")).json.response, 1);
  assert.match((await request("failing")).text, "first,third");
});

test("reject a request before its arguments are validated", async () => {
  const closedResponse = await request("plain?n=x", { "x-closed": "1" });
  assert.is(closedResponse.status, 403);
  assert.match(closedResponse.text, "closed");
  assert.is((await request("plain?n=x")).status, 400);
  assert.is((await request("both?n=x", { "x-later": "throw" })).status, 401);
  assert.is((await request("both?n=x")).status, 400);
  assert.is((await request("bound", { "x-later": "throw" })).status, 401);
  assert.is((await request("bound")).status, 400);
});

test("respond instead of the plugin", async () => {
  assert.is((await request("both?n=x", { "x-later": "answer" })).json.response, "answered before");
});

test("are aborted at the client's deadline", async () => {
  const headers = { "x-later": "hang", "x-svc-deadline": "50" };
  assert.is((await request("bound?id=b", headers)).status, 500);
  assert.is((await request("bound?id=a")).json.response, 1);
});

test("log exceptions but not refusals", async () => {
  await request("plain", { "x-closed": "1" });
  await request("failing");
  while (!project.server.log().includes("first,third")) await request("plain");
  assert.not.match(project.server.log(), "threw HttpError");
});

test("are listed by a build, which rejects invalid ones", async () => {
  const { stdout } = await svc("build", project.folder, "--list");
  assert.match(
    stdout,
    "both  engine  /svc/plugin/both  before src/guards.ts#first, src/guards.ts#later",
  );
  const invalidProject = new RunningProject(test, {
    "plugins/p.ts": `import type { PluginRequest } from "svc-server";
import { join } from "node:path";
const value = 1;
function hidden(): void {}
/** @plugin @before value */
export function a(_request: PluginRequest): number { return value; }
/** @plugin @before hidden, unused */
export function b(_request: PluginRequest): number { hidden(); return join.length; }
/** @plugin @before src/none.ts#auth, ../p.ts#x */
export function d(_request: PluginRequest): number { return 1; }
/** @plugin @before */
export function c(_request: PluginRequest): number { return 1; }
`,
  });
  const findings = await svc("check", invalidProject.folder).then(String, String);
  assert.is(findings.match(/SVC1144/g)?.length, 6, findings);
  invalidProject.remove();
});

test.run();
