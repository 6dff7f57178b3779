// The TypeScript clients of all examples in a project of their own: generated, compiled under
// strict options, and run as ES modules and CommonJS against live servers.
// limit: 60 s
// takes 15 s

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { packageRoot } from "../../runtime/base/package-info.js";
import { commonjsProgram, moduleProgram, PROGRAMS, wrongProgram } from "./client-programs.js";
import { ClientProject } from "./support/client-project.js";
import { buildProject, type RunningServer, serve, svcHere } from "./support/server.js";

const test = suite("typescript clients");
const EXAMPLES = join(packageRoot(), "examples");
const root = mkdtempSync(join(tmpdir(), "svc-clients-"));

const project = new ClientProject();
const outputs = { nodenext: "", bundler: "" };

/** All clients and their programs, compiled together. */
test.before(async () => {
  const examples = Object.entries(PROGRAMS);
  for (const [example, program] of examples) {
    const folder = join(EXAMPLES, example);
    await buildProject(folder);
    await project.generate(folder, `${example}-client`);
    project.write(`${example}.mts`, moduleProgram(project.name, program));
    project.write(`${example}.cts`, commonjsProgram(project.name, program));
    project.write(`${example}.wrong.mts`, wrongProgram(project.name, program));
  }
  const modules = examples.flatMap(([name]) => [`${name}.mts`, `${name}.wrong.mts`]);
  const common = examples.map(([name]) => `${name}.cts`);
  outputs.nodenext = await project.compile("nodenext", [...modules, ...common]);
  outputs.bundler = await project.compile("bundler", modules);
});
test.after(() => {
  project.remove();
  rmSync(root, { recursive: true });
});

test("have a program for every example", () => {
  assert.equal(readdirSync(EXAMPLES).sort(), Object.keys(PROGRAMS).sort());
});

test("compile under strict options, and reject wrong calls", () => {
  assert.equal(outputs, { nodenext: "", bundler: "" });
});

for (const [example, program] of Object.entries(PROGRAMS)) {
  test(`call ${example}`, async () => {
    const servers = await start(example, join(EXAMPLES, example));
    try {
      const url = `http://127.0.0.1:${servers[0]!.port}`;
      assert.equal(await project.run(`out/${example}.mjs`, url), program.prints, "module");
      // All packages export their CommonJS form alike.
      if (example === "hello") {
        assert.equal(await project.run(`out/${example}.cjs`, url), program.prints, "CommonJS");
      }
      // A dispatcher does not list the plugins of its engines.
      const admin = `http://127.0.0.1:${servers[0]!.port + 1}`;
      if (servers.length === 1) await compareWithServer(example, admin);
    } finally {
      await Promise.all(servers.map((server) => server.end()));
    }
  });
}

/** The one to call comes first. */
async function start(example: string, folder: string): Promise<readonly RunningServer[]> {
  const freshRoot = () => ["--root", mkdtempSync(join(root, `${example}-`))];
  if (example !== "matrix") return [await serve(folder, ...freshRoot())];
  const engine = () => serve(folder, "--role", "engine", ...freshRoot());
  const engines = await Promise.all([engine(), engine()]);
  const matrix = join(root, "matrix.json");
  const partitions = engines.map(({ port }) => [{ host: "127.0.0.1", port }]);
  const replicas = [{ channels: 8, priority: 1 }];
  writeFileSync(matrix, JSON.stringify({ partitions, replicas }));
  const roles = ["--role", "dispatcher", "--dispatcher", matrix];
  return [await serve(folder, ...roles, ...freshRoot()), ...engines];
}

async function compareWithServer(example: string, url: string): Promise<void> {
  const out = join(root, `${example}-live`);
  assert.is((await svcHere("client", "--from", url, "--out", out)).code, 0);
  assert.equal(readFiles(out), readFiles(join(project.folder, `${example}-client`)));
}

function readFiles(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder).sort();
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

test("are left unchanged by a second run, and written again after a change", async () => {
  const out = join(root, "twice");
  const write = () => svcHere("client", "--from", join(EXAMPLES, "hello", ".svc"), "--out", out);
  const times = () => readdirSync(out).map((name) => statSync(join(out, name)).mtimeMs);
  assert.match((await write()).stdout, "written, 4 plugins");
  const before = readFiles(out);
  const created = times();
  assert.match((await write()).stdout, "current");
  assert.equal(times(), created);
  writeFileSync(join(out, "index.js"), `${before["index.js"]} `);
  assert.match((await write()).stdout, "written");
  assert.equal(readFiles(out), before);
});

test("do not overwrite other files", async () => {
  const out = mkdtempSync(join(root, "other-"));
  const manifest = join(out, "package.json");
  writeFileSync(manifest, "{}");
  const { code, stderr } = await svcHere("client", "--from", join(EXAMPLES, "hello"), "--out", out);
  assert.is(code, 1);
  assert.match(stderr, "SVC3020");
  assert.is(readFileSync(manifest, "utf8"), "{}");
  assert.equal(readdirSync(out), ["package.json"]);
});

test.run();
