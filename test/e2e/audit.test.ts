// The audit log of a server: changes of graphs, admin operations and refusals.
// takes 4 s

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ServedProject } from "./support/served-project.js";
import { get } from "./support/server.js";

const PLUGINS = `import type { Graph, PluginRequest } from "svc-server";

/** @plugin @graph shop */
export function size(_request: PluginRequest, graph: Graph): number {
  return graph.size;
}
`;
const AUTH = `import { apiKeys } from "svc-server";

export const keys = apiKeys({ file: "keys.json" });
`;
const SHA256 = createHash("sha256").update("k-clerk").digest("hex");

const test = suite("audit log");
let project: ServedProject;

test.before(async () => {
  project = await ServedProject.build({
    "plugins/p.ts": PLUGINS,
    "src/auth.ts": AUTH,
    "keys.json": JSON.stringify([{ sha256: SHA256, name: "clerk" }]),
    "svc.config.ts": 'export default { auth: "src/auth.ts#keys" };\n',
  });
});
test.after(() => project.remove());
test.after.each(() => project.kill());

const KEY = { authorization: "Bearer k-clerk" };
const CHANGE = { "x-svc-change": "1" };

async function actions(): Promise<void> {
  const { port } = project.server;
  await get(port, "/svc/plugin/size", { headers: KEY });
  const post = { method: "POST" };
  await get(port, "/svc/builtin/createvertex?graph=shop&id=v1&properties=%7B%22secret%22%3A1%7D", {
    ...post,
    headers: { ...KEY, ...CHANGE, "x-request-id": "order-7" },
  });
  await get(port, "/svc/plugin/size?secret=1", { headers: { authorization: "Bearer secret" } });
  await get(port, "/svc/builtin/deletevertex?graph=shop&id=v1", { ...post, headers: KEY });
  const { json } = await get(port + 1, "/svc/builtin/ADMIN_GetAuthToken", {
    ...post,
    headers: CHANGE,
  });
  const { authtoken } = json.response as { authtoken: string };
  await get(port + 1, `/svc/builtin/ADMIN_Persist?authtoken=${authtoken}`, {
    ...post,
    headers: CHANGE,
  });
}

/** Ids that the server has made. */
const MADE_ID = "made";
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const EXPECTED = [
  ["change", "/svc/builtin/createvertex", 200, "main", "clerk", "order-7", "v1"],
  ["refused", "/svc/plugin/size", 401, "main", undefined, MADE_ID, undefined],
  ["refused", "/svc/builtin/deletevertex", 403, "main", "clerk", MADE_ID, undefined],
  ["operation", "/svc/builtin/ADMIN_GetAuthToken", 200, "admin", undefined, MADE_ID, undefined],
  ["operation", "/svc/builtin/ADMIN_Persist", 200, "admin", undefined, MADE_ID, undefined],
];

function audited(text: string): unknown[][] {
  const lines = text.split("\n").filter((line) => line.includes('"audit":'));
  return lines.map((line) => {
    const { audit, path, status, port, principal, request, id, client } = JSON.parse(line);
    assert.is(client, "127.0.0.1");
    return [audit, path, status, port, principal, request.replace(UUID, MADE_ID), id];
  });
}

test("is written to a file of its own", async () => {
  const folder = join(project.folder, "filed");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "audit.log");
  await project.start("filed", "--audit", file, "--log-format", "json");
  await actions();
  await project.stop("SIGTERM");
  const text = readFileSync(file, "utf8");
  assert.equal(audited(text), EXPECTED);
  assert.not.match(text, /secret|authtoken|k-clerk/);
});

test("is part of the server log", async () => {
  await project.start("logged", "--audit", "log", "--log-format", "json");
  const { server } = project;
  await actions();
  await project.stop("SIGTERM");
  assert.equal(audited(server.log()), EXPECTED);
});

test("assigns ids to requests without one, also in the response", async () => {
  const file = join(project.folder, "ids.log");
  await project.start("ids", "--audit", file, "--log-format", "json");
  const { port } = project.server;
  const refusedResponse = await get(port, "/svc/plugin/size");
  const change = "/svc/builtin/createvertex?graph=shop&id=v9";
  const changed = await get(port, change, { method: "POST", headers: { ...KEY, ...CHANGE } });
  const read = await get(port, "/svc/plugin/size", { headers: KEY });
  await project.stop("SIGTERM");
  const lines = readFileSync(file, "utf8").trim().split("\n");
  const ids = [refusedResponse, changed].map(({ headers }) => headers.get("x-request-id"));
  assert.equal(
    lines.map((line) => JSON.parse(line).request),
    ids,
  );
  assert.match(ids[0]!, UUID);
  assert.is(read.headers.get("x-request-id"), null);
});

test("lists requests that the transport refuses, and counts the rest of them", async () => {
  const file = join(project.folder, "rates.log");
  const limits = ["--max-request-rate-per-client", "10"];
  await project.start("rates", "--audit", file, "--log-format", "json", ...limits);
  const { port } = project.server;
  // All at once: a slow machine would stay within the limit.
  const responses = Array.from({ length: 60 }, () =>
    get(port, "/svc/plugin/size", { headers: KEY }),
  );
  const statuses = (await Promise.all(responses)).map(({ status }) => status);
  await project.stop("SIGTERM");
  const entries = readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const refusals = statuses.filter((status) => status === 429).length;
  assert.ok(refusals > 10);
  assert.is(entries.length, 11);
  const { path, status, reason, client } = entries[0];
  assert.equal([path, status, reason, client], ["/svc/plugin/size", 429, "rate", "127.0.0.1"]);
  assert.is(entries[10].refusals, refusals - 10);
  assert.equal([entries[10].status, entries[10].client], [429, "127.0.0.1"]);
});

test("is off by default", async () => {
  await project.start("none", "--log-format", "json");
  const { server } = project;
  await actions();
  await project.stop("SIGTERM");
  assert.equal(audited(server.log()), []);
});

test.run();
