// Compiled code of a module, kept in a file of node_modules.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { CodeCache } from "../../../compiler/read/code-cache.js";
import { ProjectFixture } from "../project-fixture.js";

const test = suite("code cache");

const MODULE = "node_modules/deep/node_modules/big/big.js";
const CODE = Buffer.from("compiled code");

test("keeps code below the outermost node_modules until the module changes", () => {
  const project = new ProjectFixture({ [MODULE]: "exports.a = 1;" });
  const cache = new CodeCache(join(project.dir, MODULE));
  assert.is(cache.read(), undefined);
  cache.write(CODE);
  assert.equal(new CodeCache(join(project.dir, MODULE)).read(), CODE);
  const [name, ...others] = readdirSync(join(project.dir, "node_modules/.cache/svc-server"));
  assert.match(name!, /^big\.js-v\d+\.\d+\.\d+-[0-9a-f]+\.code$/);
  assert.equal(others, []);
  project.write(MODULE, "exports.a = 12;");
  assert.is(new CodeCache(join(project.dir, MODULE)).read(), undefined);
});

test("belongs to one build of Node.js: V8 accepts code of others, and crashes", () => {
  const project = new ProjectFixture({ [MODULE]: "", node: "another build" });
  const module = join(project.dir, MODULE);
  new CodeCache(module).write(CODE);
  const { execPath } = process;
  try {
    process.execPath = join(project.dir, "node");
    assert.is(new CodeCache(module).read(), undefined);
    process.execPath = join(project.dir, "removed");
    assert.is(new CodeCache(module).read(), undefined);
  } finally {
    process.execPath = execPath;
  }
  assert.equal(new CodeCache(module).read(), CODE);
});

test("ignores a file that was altered or truncated", () => {
  const project = new ProjectFixture({ [MODULE]: "" });
  const cache = new CodeCache(join(project.dir, MODULE));
  cache.write(CODE);
  const folder = join(project.dir, "node_modules/.cache/svc-server");
  const file = join(folder, readdirSync(folder)[0]!);
  const content = readFileSync(file);
  for (const length of [0, content.length - CODE.length - 2, content.length - 1]) {
    writeFileSync(file, content.subarray(0, length));
    assert.is(cache.read(), undefined, `${length} bytes`);
  }
  content[content.length - 1]! ^= 1;
  writeFileSync(file, content);
  assert.is(cache.read(), undefined);
});

test("caches nothing where it cannot write, or outside node_modules", () => {
  const project = new ProjectFixture({ [MODULE]: "", "own.js": "" });
  project.write("node_modules/.cache", "a file where the folder should be");
  for (const module of [MODULE, "own.js"]) {
    const cache = new CodeCache(join(project.dir, module));
    cache.write(CODE);
    assert.is(cache.read(), undefined);
  }
});

test.run();
