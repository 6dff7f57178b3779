// The TypeScript clients of all examples in a project of their own: generated, compiled under
// strict options, and run as ES modules and CommonJS against live servers.
// limit: 60 s
// builds examples
// takes 30 s

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { packageRoot } from "../../runtime/base/package-info.js";
import {
  type ClientProgram,
  commonjsProgram,
  moduleProgram,
  PROGRAMS,
  wrongProgram,
} from "./client-programs.js";
import { ClientProject } from "./support/client-project.js";
import { buildProject, type Served, serve, svc } from "./support/server.js";

const test = suite("typescript clients");
const EXAMPLES = join(packageRoot(), "examples");
const root = mkdtempSync(join(tmpdir(), "svc-clients-"));

test.after(() => rmSync(root, { recursive: true }));

test("have a program for every example", () => {
  assert.equal(readdirSync(EXAMPLES).sort(), Object.keys(PROGRAMS).sort());
});

for (const [example, program] of Object.entries(PROGRAMS)) {
  test(`compile and call ${example}`, async () => {
    const folder = join(EXAMPLES, example);
    await buildProject(folder);
    const servers = await start(example, folder);
    const project = new ClientProject();
    try {
      await project.generate(folder);
      await compileAll(project, program);
      const url = `http://127.0.0.1:${servers[0]!.port}`;
      assert.equal(await project.run("out/use.mjs", url), program.prints, "module");
      assert.equal(await project.run("out/use.cjs", url), program.prints, "CommonJS");
      // A dispatcher does not list the plugins of its engines.
      if (servers.length === 1) await compareWithServer(project, url);
    } finally {
      project.remove();
      await Promise.all(servers.map((server) => server.stop()));
    }
  });
}

/** The one to call comes first. */
async function start(example: string, folder: string): Promise<readonly Served[]> {
  const own = () => ["--root", mkdtempSync(join(root, `${example}-`))];
  if (example !== "matrix") return [await serve(folder, ...own())];
  const engine = () => serve(folder, "--role", "engine", ...own());
  const engines = await Promise.all([engine(), engine()]);
  const matrix = join(root, "matrix.json");
  const partitions = engines.map(({ port }) => [{ host: "127.0.0.1", port }]);
  const replicas = [{ channels: 8, priority: 1 }];
  writeFileSync(matrix, JSON.stringify({ partitions, replicas }));
  const roles = ["--role", "dispatcher", "--dispatcher", matrix];
  return [await serve(folder, ...roles, ...own()), ...engines];
}

async function compileAll(project: ClientProject, program: ClientProgram): Promise<void> {
  project.write("use.mts", moduleProgram(project.name, program));
  project.write("use.cts", commonjsProgram(project.name, program));
  project.write("wrong.mts", wrongProgram(project.name, program));
  const all = await project.compile("nodenext", ["use.mts", "use.cts", "wrong.mts"]);
  assert.is(all, "", "nodenext");
  assert.is(await project.compile("bundler", ["use.mts", "wrong.mts"]), "", "bundler");
}

async function compareWithServer(project: ClientProject, url: string): Promise<void> {
  const out = join(project.folder, "live");
  await svc("client", "--from", url, "--out", out);
  assert.equal(filesOf(out), filesOf(join(project.folder, "sdk")));
}

function filesOf(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder).sort();
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

test("are left unchanged by a second run, and written again after a change", async () => {
  const folder = join(EXAMPLES, "hello");
  await buildProject(folder);
  const out = join(root, "twice");
  const write = () => svc("client", "--from", join(folder, ".svc"), "--out", out);
  const times = () => readdirSync(out).map((name) => statSync(join(out, name)).mtimeMs);
  assert.match((await write()).stdout, "written, 4 plugins");
  const before = filesOf(out);
  const made = times();
  assert.match((await write()).stdout, "current");
  assert.equal(times(), made);
  writeFileSync(join(out, "index.js"), `${before["index.js"]} `);
  assert.match((await write()).stdout, "written");
  assert.equal(filesOf(out), before);
});

test("do not overwrite other files", async () => {
  const out = mkdtempSync(join(root, "other-"));
  const manifest = join(out, "package.json");
  writeFileSync(manifest, "{}");
  const run = svc("client", "--from", join(EXAMPLES, "hello"), "--out", out);
  const error = await run.catch((failed: { stderr: string }) => failed);
  assert.match(error.stderr, "SVC3020");
  assert.is(readFileSync(manifest, "utf8"), "{}");
  assert.equal(readdirSync(out), ["package.json"]);
});

test.run();
