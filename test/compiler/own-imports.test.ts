// Bundles of plugins import as little of the package as they need.

import { build } from "esbuild";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { markOwnImports, narrowOwnImports, PLUGIN_NAMES } from "../../compiler/own-imports.js";
import * as whole from "../../runtime/index.js";
import * as part from "../../runtime/plugins.js";

const test = suite("own imports");

/** Bundles the text of a module like the plugins of a project. */
async function bundle(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents },
    ...{ bundle: true, write: false, format: "esm", plugins: [markOwnImports()] },
    external: ["svc-server"],
  });
  return narrowOwnImports(outputFiles[0]!.text);
}

test("the part for plugins has the listed names, which the whole package has too", () => {
  const names = Object.keys(part).filter((name) => !name.startsWith("S_"));
  assert.equal(names.sort(), [...PLUGIN_NAMES].sort());
  for (const [name, value] of Object.entries(part)) {
    assert.is((whole as Record<string, unknown>)[name], value, name);
  }
  const orders = Object.keys(whole).filter((name) => name.startsWith("S_"));
  assert.equal(
    orders.filter((name) => !Object.hasOwn(part, name)),
    [],
  );
});

test("a bundle imports the part for plugins if it contains all names", async () => {
  const small =
    'import { HttpError as E, S_DESC, plugin } from "svc-server"; f(E, S_DESC, plugin);';
  assert.match(await bundle(small), 'from "svc-server/plugins";');
  for (const source of [
    'import { Graph } from "svc-server"; f(Graph);',
    'import * as svc from "svc-server"; f(svc);',
    'import "svc-server";',
    'export * from "svc-server";',
  ]) {
    const text = await bundle(`${small}\n${source}`);
    assert.not.match(text, "svc-server/", source);
    assert.ok(text.split('"svc-server"').length > 1, source);
  }
});

test("a bundle keeps texts that look like imports", async () => {
  const text = 'import { plugin } from "svc-server";';
  const code = await bundle(`${text}\nf(plugin, \`\n${text}\n\`);`);
  assert.match(code, "svc-server/plugins");
  assert.match(code, `\n${text}\n`);
});

test.run();
