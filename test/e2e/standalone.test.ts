// `svc build --standalone` and `svc init --docker`: a folder that serves without this package, with
// the environment of the machine where it runs.
// limit: 120 s
// takes 15 s

import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { plainNode } from "../runner/node-command.mjs";
import { get, started, svc } from "./support/server.js";
import { TemporaryProject } from "./support/temporary-project.js";

const test = suite("standalone");
const run = promisify(execFile);

const COUNTER = `import { type Graph, HttpError, type int, type PluginRequest } from "svc-server";
import { factor } from "far-package";

declare const process: { readonly env: Readonly<Record<string, string | undefined>> };

/** Counts itself. @plugin @graph visits */
export function visit(_request: PluginRequest, graph: Graph, by: int = 1): int {
  if (by > 9) throw new HttpError(404, "so many");
  return graph.newVertex("all").incProperty("visits", by * factor);
}

/** Tells a variable. @plugin */
export function mode(_request: PluginRequest): string {
  return \`\${process.env.NODE_ENV} \${process.env.GREETING}\`;
}
`;
const FILES = {
  "plugins/visit.ts": COUNTER,
  "svc.config.ts": `import { defineConfig } from "svc-server/config";

export default defineConfig({
  http: { prefix: process.env.PREFIX ?? "/built" },
  durability: "full",
});
`,
  "node_modules/far-package/package.json":
    '{ "name": "far-package", "version": "3.2.1", "type": "module", "exports": "./index.js" }\n',
  "node_modules/far-package/index.js": "export const factor = 2;\n",
  "node_modules/far-package/index.d.ts": "export declare const factor: number;\n",
};
const PACKAGE = "node_modules/far-package";

let project: TemporaryProject;
let folder = "";
let serve = "";
let written = "";

test.before(async () => {
  project = new TemporaryProject(FILES);
  folder = join(mkdtempSync(join(tmpdir(), "svc-standalone-")), "out");
  serve = join(folder, "serve.mjs");
  written = (await svc("build", project.folder, "--standalone", folder)).stdout;
});
test.after(() => {
  project.remove();
  rmSync(join(folder, ".."), { recursive: true });
});

test("names the packages to install, with the versions of the project", () => {
  assert.match(written, "run `npm install --omit=dev` in ");
  assert.match(written, "which adds far-package");
  const { dependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  assert.equal(dependencies, { "far-package": "3.2.1" });
  // Simulates npm.
  cpSync(join(project.folder, PACKAGE), join(folder, PACKAGE), { recursive: true });
});

test("serves from anywhere, and keeps its graphs across builds", async () => {
  const first = await started([serve, "--port", "0"]);
  try {
    assert.is((await get(first.port, "/svc/plugin/visit?by=3")).json.response, 6);
    assert.is((await get(first.port, "/svc/plugin/visit?by=10")).status, 404);
    assert.is((await get(first.port + 1, "/")).status, 200, "the console");
  } finally {
    await first.stop();
  }
  await svc("build", project.folder, "--standalone", folder);
  cpSync(join(project.folder, PACKAGE), join(folder, PACKAGE), { recursive: true });
  const second = await started([serve, "--port", "0"]);
  try {
    assert.is((await get(second.port, "/svc/plugin/visit")).json.response, 8);
  } finally {
    await second.stop();
  }
});

test("reads PORT, .env and the configuration at run time", async () => {
  writeFileSync(join(folder, ".env"), "GREETING=hello\nPREFIX=/from-file\nNODE_ENV=staging\n");
  const { PREFIX: _, ...others } = process.env;
  const server = await started([serve], { ...others, PORT: "0", NODE_ENV: "test" });
  try {
    assert.is((await get(server.port, "/from-file/svc/plugin/mode")).json.response, "test hello");
    assert.is((await get(server.port, "/built/svc/plugin/mode")).status, 404);
  } finally {
    await server.stop();
    rmSync(join(folder, ".env"));
  }
  const failure = await run(plainNode(), [serve], { env: { ...others, PORT: "many" } }).catch(
    (error) => error,
  );
  assert.match(failure.stderr, /SVC3003: PORT: expected .*, got "many"/);
  const startFailure = await run(plainNode(), [serve, "--port", "0"], {
    env: { ...others, PREFIX: "no slash" },
  }).catch((error) => error);
  assert.match(startFailure.stderr, /SVC3170: .*prefix/);
});

test("does not modify folders with other contents", async () => {
  const failure = await svc("build", project.folder, "--standalone", project.folder).catch(
    (error) => error,
  );
  assert.match(failure.stderr, /SVC3171: .* contains other files/);
  assert.ok(existsSync(join(project.folder, "svc.config.ts")));
});

test("adds a Dockerfile once, with a health check of its server", async () => {
  const added = await svc("init", project.folder, "--docker");
  assert.match(added.stdout, "Dockerfile");
  const again = await svc("init", project.folder, "--docker").catch((error) => error);
  assert.match(again.stderr, /SVC3009: .*Dockerfile already exists/);
  const ignored = readFileSync(join(project.folder, ".dockerignore"), "utf8");
  assert.ok(ignored.split("\n").includes("node_modules"));
  const text = readFileSync(join(project.folder, "Dockerfile"), "utf8");
  const probe = JSON.parse(/^ +CMD (\[.*\])$/m.exec(text)![1]!) as string[];
  const start = JSON.parse(/^CMD (\[.*\])$/m.exec(text)![1]!) as string[];
  const server = await started([serve, ...start.slice(2)], { ...process.env, PORT: "0" });
  const env = { ...process.env, PORT: String(server.port) };
  try {
    await run(plainNode(), probe.slice(1), { env });
  } finally {
    await server.stop();
  }
  const dead = await run(plainNode(), probe.slice(1), { env }).catch((error) => error);
  assert.is(dead.code, 1);
});

test("names an unreadable .env file", async () => {
  const otherProject = new TemporaryProject({ ".env/inner": "" });
  const failure = await svc("build", otherProject.folder).catch((error) => error);
  otherProject.remove();
  assert.match(failure.stderr, /SVC3172: .*\.env/);
});

test.run();
