// `svc argspec` from arguments to output, on an argspec file.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { BUILTINS } from "../../argspec/builtins.js";
import { openapiDocument } from "../../argspec/openapi/document.js";
import { readArgspec } from "../../argspec/read-argspec.js";
import { emitTypescriptTypes } from "../../argspec/typescript/client.js";
import { run } from "./run-main.js";

const test = suite("svc argspec");
const ping = BUILTINS.plugins.find(({ name }) => name === "ping")!;
/** Has a plugin of its own named like a built-in one, and an unused type. */
const SHOP = readArgspec({
  ...BUILTINS,
  service: { name: "shop", prefix: null },
  plugins: [{ ...ping, path: "/svc/plugin/ping", summary: "Rings." }],
});
let folder = "";
let file = "";

test.before(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-cli-argspec-"));
  file = join(folder, "shop.json");
  writeFileSync(file, JSON.stringify(SHOP));
});
test.after(() => rmSync(folder, { recursive: true }));

/** Output of a successful command. */
async function printed(...words: string[]): Promise<string> {
  const { stdout, stderr, code } = await run("argspec", ...words);
  assert.is(stderr, "");
  assert.is(code, 0);
  return stdout;
}

test("prints the schema", async () => {
  assert.is(await printed(file), `${JSON.stringify(SHOP, null, 2)}\n`);
});

test("prints an OpenAPI document in either form of JSON parameters", async () => {
  const openapi = ["--format", "openapi"];
  assert.equal(JSON.parse(await printed(file, ...openapi)), openapiDocument(SHOP));
  const words = [...openapi, "--plugin", "metrics"];
  const content = await printed(file, ...words);
  const string = await printed(file, ...words, "--json-params", "string");
  assert.match(content, '"application/json": ');
  assert.not.match(content, "contentMediaType");
  assert.match(string, '"contentMediaType": "application/json"');
});

test("prints declarations", async () => {
  assert.is(await printed(file, "--format", "typescript"), await emitTypescriptTypes(SHOP));
});

test("prints one plugin, the service's own before a built-in one", async () => {
  const selected = JSON.parse(await printed(file, "--plugin", "ping"));
  assert.equal(selected, { ...SHOP, $defs: {} });
  const builtin = JSON.parse(await printed(file, "--plugin", "matrixplugins"));
  assert.equal(builtin.plugins.length, 1);
  assert.is(builtin.plugins[0].path, "/svc/builtin/matrixplugins");
  assert.equal(Object.keys(builtin.$defs), ["PluginDescription"]);
  assert.equal(builtin.service, SHOP.service);
});

test("writes a file and creates its parent folders", async () => {
  const out = join(folder, "new/folder/shop.json");
  assert.is(await printed(file, "--out", out), "");
  assert.is(readFileSync(out, "utf8"), await printed(file));
  const { stderr, code } = await run("argspec", file, "--out", join(file, "x"));
  assert.match(stderr, "svc: error SVC3019: ");
  assert.is(code, 1);
});

test("reports unsupported output", async () => {
  const unknownResult = await run("argspec", file, "--plugin", "neigbor");
  assert.match(
    unknownResult.stderr,
    "SVC3018: plugin not found: `neigbor`, did you mean `neighbor`?",
  );
  assert.is(unknownResult.code, 1);
  const uselessResult = await run("argspec", file, "--json-params", "string");
  assert.match(uselessResult.stderr, "SVC3003: --json-params requires `--format openapi`");
  assert.is(uselessResult.code, 2);
  assert.match((await run("argspec", file, "--format", "record")).stderr, "SVC3014: ");
});

test("prints no control sequences of a document", async () => {
  const hostile = join(folder, "hostile.json");
  const named = JSON.stringify({ ...SHOP, $defs: { "\u001b[2J\u009b": {} } });
  for (const text of [named, '{"argspec":\u001b[2J}']) {
    writeFileSync(hostile, text);
    const { stderr, code } = await run("argspec", hostile);
    assert.match(stderr, "SVC3015: ");
    assert.match(stderr, "\\u001b");
    assert.not.match(stderr, /(?!\n)\p{Cc}/u);
    assert.is(code, 1);
  }
});

test.run();
