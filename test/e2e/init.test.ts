// `svc init` as a user runs it: the package is packed and installed from the tarball, creates a
// project, and that project is installed, built, tested, served and called outside of the
// repository.
// limit: 120 s
// takes 20 s

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { packageRoot } from "../../runtime/base/package-info.js";
import { get, serveWith } from "./support/server.js";

const test = suite("svc init");
let scratch = "";
let project = "";

/** Runs a command to completion; npm prefers its cache. */
function run(cwd: string, command: string, ...words: string[]): string {
  const env = { ...process.env, npm_config_prefer_offline: "true", npm_config_loglevel: "error" };
  const { status, stdout, stderr } = spawnSync(command, words, { cwd, env, encoding: "utf8" });
  assert.is(status, 0, `${command} ${words.join(" ")}\n${stdout}${stderr}`);
  return stdout;
}

test.before(() => {
  scratch = mkdtempSync(join(tmpdir(), "svc-init-"));
  project = join(scratch, "my-service");
});
test.after(() => rmSync(scratch, { recursive: true }));

test("the package can be packed and installed, without sources or tests", () => {
  run(packageRoot(), "npm", "pack", "--ignore-scripts", "--pack-destination", scratch);
  const [tarball] = readdirSync(scratch).filter((name) => name.endsWith(".tgz"));
  const tools = join(scratch, "tools");
  mkdirSync(tools);
  writeFileSync(join(tools, "package.json"), '{ "private": true }\n');
  run(tools, "npm", "install", "--no-audit", "--no-fund", join(scratch, tarball!));
  const installed = readdirSync(join(tools, "node_modules", "svc-server"));
  assert.ok(installed.includes("dist") && installed.includes("templates"));
  assert.not(installed.includes("test") || installed.includes("runtime"));
});

test("init writes a project that can be installed", () => {
  const output = run(scratch, join(scratch, "tools/node_modules/.bin/svc"), "init", "my-service");
  assert.match(output, "not from a registry");
  const { name, dependencies } = JSON.parse(readFileSync(join(project, "package.json"), "utf8"));
  assert.is(name, "my-service");
  assert.match(dependencies["svc-server"], /^file:/);
  run(project, "npm", "install", "--no-audit", "--no-fund");
});

test("its tests pass", () => {
  run(project, "npm", "test");
});

const VISITS = `import { D_OUT, type Graph, type int, M_CNT, S_VAL, type str } from "svc-server";
import type { PluginRequest } from "svc-server";

/** Counts a visit. @plugin @graph visits */
export function visit(_request: PluginRequest, graph: Graph, user: str, page: str): int {
  using vertex = graph.newVertex(page, "page");
  vertex.incProperty("visits");
  return graph.count(user, "visits", page);
}

/** Most visited pages of a user. @plugin @graph visits */
export function favourites(_request: PluginRequest, graph: Graph, user: str): str[] {
  return graph.neighborhood(user, { arc: ["visits", D_OUT, M_CNT], sortby: S_VAL, hits: 3 });
}

/** The same with how often. @plugin @graph visits */
export function counts(_request: PluginRequest, graph: Graph, user: str): Record<str, int> {
  const found = graph.neighborhood(user, { result: "dict", fields: ["id", "value"] });
  return Object.fromEntries(found.map(({ id, arc }) => [id, arc.value]));
}
`;

test("it builds and serves, including plugins with graphs", async () => {
  const { scripts } = JSON.parse(readFileSync(join(project, "package.json"), "utf8"));
  assert.is(scripts.start, "svc build && svc serve");
  writeFileSync(join(project, "plugins", "visits.ts"), VISITS);
  run(project, "npm", "run", "check");
  run(project, "npx", "svc", "build");
  // As with `npx svc serve`: plugins load the copy of the package that serves them.
  const bin = join(project, "node_modules", "svc-server", "bin", "svc.cjs");
  const server = await serveWith(bin, project);
  try {
    const { json } = await get(server.port, "/svc/plugin/hello?name=you&times=2");
    assert.equal(json.response, ["Hello, you!", "Hello, you!"]);
    const call = async (plugin: string) => {
      const { json, text } = await get(server.port, `/svc/plugin/${plugin}`);
      assert.is(json.status, "OK", text + server.log());
      return json.response;
    };
    for (const page of ["a", "b", "b"]) await call(`visit?user=ann&page=${page}`);
    assert.equal(await call("favourites?user=ann"), ["b", "a"]);
    assert.equal(await call("counts?user=ann"), { a: 1, b: 2 });
  } finally {
    assert.is(await server.stop(), 0);
  }
});

test.run();
