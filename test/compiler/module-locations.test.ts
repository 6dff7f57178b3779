// Files beside a module, found from the bundle in the build folder.

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { bundleExports } from "../../compiler/bundle-exports.js";
import { locateModule } from "../../compiler/module-locations.js";
import { ProjectFixture } from "./project-fixture.js";

const test = suite("locateModule");
const project = new ProjectFixture({
  "plugins/data.txt": "x",
  "formats/a.ts": "export {};",
  "scripts/a.js": "export {};",
  "scripts/a.ts": "export {};",
  "mixed/a.js": "export {};",
  "mixed/b.ts": "export {};",
  "mixed/c.d.ts": "export {};",
});

async function located(text: string) {
  const path = join(project.dir, "plugins/a b.ts");
  return locateModule(project.dir, path, text);
}

test("replaces locations without moving anything", async () => {
  const text =
    "const a = import.meta.url; f(import.meta.dirname, import.meta.filename); // import.meta.url";
  const { text: rewritten } = (await located(text))!;
  assert.is(rewritten.split("\n")[0]!.length, text.length);
  assert.ok(rewritten.startsWith("const a = svc$moduleUrl(); f(svc$moduleDirname(), svc$moduleF"));
  assert.match(rewritten, "// import.meta.url\n");
  assert.match(rewritten, 'new URL("../plugins/a%20b.ts", import.meta.url).href');
});

test("leaves all other code unchanged", async () => {
  assert.is(await located("export const a = 1;"), null);
  const { text } = (await located('const a = "import.meta.url", b = import.meta.resolve("x");'))!;
  assert.is(text, 'const a = "import.meta.url", b = import.meta.resolve("x");');
});

test("imports sources where a pattern names scripts", async () => {
  const text = async (path: string) => (await located(`await import(\`${path}\`);`))!.text;
  assert.is(await text("../formats/${y}.js"), "await import(`../formats/${y}.ts`);");
  assert.is(await text("../scripts/${y}.js"), "await import(`../scripts/${y}.js`);");
  assert.is(await text("../nowhere/${y}.js"), "await import(`../nowhere/${y}.js`);");
});

test("warns about sources that a pattern of scripts does not import", async () => {
  const { text, warnings } = (await located("await import(`../mixed/${y}.js`);"))!;
  assert.is(text, "await import(`../mixed/${y}.js`);");
  assert.equal(
    warnings.map(({ text: message, location }) => [message, location?.column]),
    [["not imported, because the folder has .js files: b.ts", 27]],
  );
  assert.equal((await located("await import(`../scripts/${y}.js`);"))!.warnings, []);
});

test("resolves names of files as URLs", async () => {
  const rewritten = (await located('new URL("./data.txt?v=1", import.meta.url);'))!;
  assert.equal(rewritten.warnings, []);
  const { warnings } = (await located('new URL("./100%.txt", import.meta.url);'))!;
  assert.equal(
    warnings.map(({ text }) => text),
    ["file not found: ./100%.txt"],
  );
});

test("warns about a missing file, with its position", async () => {
  const text = `const a = new URL("./data.txt", import.meta.url);
const b = new URL("./none.txt", import.meta.url);
const c = new URL("https://example.org/", import.meta.url), d = new URL("./", import.meta.url);`;
  const { warnings } = (await located(text))!;
  assert.is(warnings.length, 1);
  const [{ text: message, location } = {}] = warnings;
  assert.equal(
    [message, location?.line, location?.column, location?.length],
    [...["file not found: ./none.txt", 2, 18, 12]],
  );
});

test("replaces locations in handlers of `auth`, which have a bundle of their own", async () => {
  project.write(
    "guards/auth.ts",
    "export const auth = () => [import.meta.url, new URL('../plugins/data.txt', import.meta.url)];",
  );
  const bundle = await bundleExports(project.dir, "tsconfig.json", ["guards/auth.ts#auth"], "a.js");
  assert.equal(bundle.diagnostics, []);
  project.write(".svc/a.mjs", bundle.files.get("a.js")!);
  const url = (path: string) => pathToFileURL(join(project.dir, path)).href;
  const { exported } = (await import(url(".svc/a.mjs"))) as { exported: [() => unknown[]] };
  assert.equal(exported[0]().map(String), [url("guards/auth.ts"), url("plugins/data.txt")]);
});

test.run();
