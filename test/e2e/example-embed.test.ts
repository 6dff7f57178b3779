// Embedding of the recommend example: hashed n-grams without the package of models, its model with
// it; a model that could not be downloaded is asked for again.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { transformSync } from "esbuild";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type * as Example from "../../examples/recommend/src/embed.js";

const SOURCE = join(import.meta.dirname, "../../examples/recommend/src/embed.ts");
const test = suite("embedding of the recommend example");
const folder = mkdtempSync(join(tmpdir(), "svc-embed-"));
test.after(() => rmSync(folder, { recursive: true, force: true }));

/** Loads a copy of the example beside a package with this code, if any. */
async function load(name: string, code: string | null): Promise<typeof Example> {
  const project = join(folder, name);
  const installed = join(project, "node_modules/@huggingface/transformers");
  mkdirSync(project);
  if (code !== null) {
    mkdirSync(installed, { recursive: true });
    writeFileSync(join(installed, "package.json"), '{ "type": "module", "main": "index.js" }');
    writeFileSync(join(installed, "index.js"), code);
  }
  writeFileSync(join(project, "package.json"), '{ "type": "module" }');
  const { code: script } = transformSync(readFileSync(SOURCE, "utf8"), { loader: "ts" });
  writeFileSync(join(project, "embed.js"), script);
  return (await import(pathToFileURL(join(project, "embed.js")).href)) as typeof Example;
}

test("adds up n-grams without the package", async () => {
  const { findEmbed, embedGrams } = await load("without", null);
  assert.equal(await (await findEmbed())(["gardener"]), [embedGrams("gardener")]);
});

test("asks for the model again after a failure", async () => {
  const { findEmbed } = await load(
    "with",
    `let failures = 1;
    export async function pipeline() {
      if (failures-- > 0) throw new Error("no download");
      return async (texts) => ({ tolist: () => texts.map((text) => [text.length]) });
    }`,
  );
  const failure = await findEmbed().catch(({ message }: Error) => message);
  assert.is(failure, "no download");
  assert.equal(await (await findEmbed())(["four"]), [[4]]);
});

test("reports a package that does not load", async () => {
  const { findEmbed } = await load("broken", `throw new Error("broken");`);
  assert.is(await findEmbed().catch(({ message }: Error) => message), "broken");
  const { findEmbed: findPart } = await load("part", `import "needed-by-it";`);
  assert.match(String(await findPart().catch(({ message }: Error) => message)), "needed-by-it");
});

test.run();
