// Packages that `svc client` writes: their names, and the contents of a Python package.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { emitArgspec } from "../../compiler/emit/argspec.js";
import { HAS_PYTHON, PYTHON } from "../support/python.js";
import { run } from "./run-main.js";

const test = suite("client packages");
const scratch = mkdtempSync(join(tmpdir(), "svc-packages-"));
const from = join(scratch, "argspec.json");
const out = join(scratch, "sdk");

test.before.each(() => {
  const service = { name: 'Shop \u007f"', prefix: null, version: "3.1.4" };
  writeFileSync(from, emitArgspec(service, [], {}, "/svc/plugin/"));
});
test.after.each(() => rmSync(out, { recursive: true, force: true }));
test.after(() => rmSync(scratch, { recursive: true }));

const written = (name: string) => readFileSync(join(out, name), "utf8");
const client = (...words: string[]) => run("client", "--from", from, "--out", out, ...words);

test("have the given name and version, or those of the service", async () => {
  assert.is((await client()).code, 0);
  const { name, version } = JSON.parse(written("package.json"));
  assert.equal([name, version], ["shop-client", "3.1.4"]);
  assert.is((await client("--name", "@org/shop", "--version", "1.0.0-rc.1")).code, 0);
  const ordered = JSON.parse(written("package.json"));
  assert.equal([ordered.name, ordered.version], ["@org/shop", "1.0.0-rc.1"]);
  assert.match(written("README.md"), 'from "@org/shop"');
});

test("have metadata, the module and the type marker in Python", async () => {
  assert.is((await client("--lang", "python", "--name", "Shop-Client.2")).code, 0);
  assert.equal(readdirSync(out, { recursive: true }).sort(), [
    ...["README.md", "pyproject.toml", "shop_client_2"],
    ...[join("shop_client_2", "__init__.py"), join("shop_client_2", "py.typed")],
  ]);
  const project = written("pyproject.toml");
  assert.match(project, 'name = "Shop-Client.2"\nversion = "3.1.4"\n');
  assert.match(project, 'description = "Client of Shop \\""\n');
  assert.match((await client("--lang", "python", "--name", "Shop-Client.2")).stdout, "current");
  if (!HAS_PYTHON) return;
  const program = "import shop_client_2; print(shop_client_2.Client.__name__)";
  const { stdout, stderr } = spawnSync(PYTHON, ["-B", "-c", program], {
    cwd: out,
    encoding: "utf8",
  });
  assert.is(stdout, "Client\n", stderr);
});

test("reject names and versions that no package manager accepts", async () => {
  const rejectedCommands: readonly (readonly [string, readonly string[]])[] = [
    ["SVC3091", ["--name", "Shop"]],
    ["SVC3091", ["--name", "../x"]],
    ["SVC3091", ["--name=-x", "--lang", "python"]],
    ["SVC3091", ["--name", "shop_", "--lang", "python"]],
    ["SVC3091", ["--version", "1.0", "--lang", "python"]],
    ["SVC3092", ["--version", "1.0"]],
    ["SVC3092", ["--name", "shop", "--version", "1.0-x", "--lang", "python"]],
  ];
  for (const [code, words] of rejectedCommands) {
    const { stderr } = await client(...words);
    assert.match(stderr, `svc: error ${code}: `, words.join(" "));
  }
});

test.run();
