// Files with `@plugin` whose extension the default pattern does not match.
// limit: 60 s
// starts processes

import { rmSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { buildProject } from "../../compiler/build.js";
import type { BuildResult } from "../../compiler/build-result.js";
import { ProjectBuilder } from "../../compiler/project-builder.js";
import { addPlugin, TemporaryProject } from "./projects.js";

const test = suite("unmatched files");

function describe({ diagnostics, unchanged }: BuildResult): (string | boolean)[] {
  const lines = diagnostics.map(({ code, severity, position: { file, line, column } }) => {
    return `${code} ${severity} ${file}:${line}:${column}`;
  });
  return [...lines, unchanged];
}

test("are reported by every build until they are renamed", async () => {
  const project = new TemporaryProject({
    "plugins/add.ts": addPlugin(),
    "plugins/help.cts": "// `@plugin` is not meant here.\nexport const a = '@plugin';\n",
    "plugins/types.d.cts": addPlugin("1"),
    "plugins/old.test.cts": addPlugin("1", "tested"),
    "other/old.cts": addPlugin("1", "elsewhere"),
  });
  try {
    assert.equal(describe(await buildProject(project.dir)), [false]);
    assert.equal(describe(await buildProject(project.dir)), [true]);
    project.write("plugins/deep/old.cts", addPlugin("a", "old"));
    const warned = "SVC1250 warning plugins/deep/old.cts:3:11";
    const result = await buildProject(project.dir);
    assert.equal([result.ok, result.plugins, ...describe(result)], [true, 1, warned, true]);
    assert.match(result.diagnostics[0]!.message, "`.cts` files are not scanned for plugins");
    assert.match(result.diagnostics[0]!.help, "`.ts` or `.mts`");
    assert.equal(describe(await buildProject(project.dir)), [warned, true]);
    project.write("svc.config.ts", 'export default { plugins: ["plugins/**/*.{ts,cts}"] };\n');
    const taken = await buildProject(project.dir);
    assert.equal([taken.plugins, ...describe(taken)], [2, false]);
  } finally {
    project.remove();
  }
});

test("are reported by svc dev as soon as they exist", async () => {
  const project = new TemporaryProject({ "plugins/add.ts": addPlugin() });
  const builder = new ProjectBuilder(project.dir);
  try {
    assert.equal(describe(await builder.rebuild()), [false]);
    project.write("plugins/view.tsx", addPlugin("a", "view"));
    const warned = "SVC1250 warning plugins/view.tsx:3:11";
    assert.equal(describe(await builder.rebuild(["plugins/view.tsx"])), [warned, true]);
  } finally {
    await builder.close();
    project.remove();
  }
});

test("include JavaScript, but not what was compiled beside its source", async () => {
  const project = new TemporaryProject({
    "plugins/add.ts": addPlugin(),
    "plugins/add.js": addPlugin(),
    "plugins/old.js": "/** @plugin */\nexport function old(request) {\n  return 1;\n}\n",
  });
  try {
    const warned = "SVC1250 warning plugins/old.js:1:5";
    assert.equal(describe(await buildProject(project.dir)), [warned, false]);
  } finally {
    project.remove();
  }
});

test("are named in the error when there is no other file", async () => {
  const project = new TemporaryProject({ "plugins/add.cts": addPlugin() });
  const failed = () => buildProject(project.dir).catch((error: Error) => error);
  try {
    assert.match(String(await failed()), "plugins/add.cts has `@plugin`, but another ending");
    rmSync(project.path("plugins/add.cts"));
    assert.not.match(String(await failed()), "@plugin");
  } finally {
    project.remove();
  }
});

test.run();
