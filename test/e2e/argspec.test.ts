// limit: 60 s
// `svc argspec` on builds and on running servers: the same output. Built-in services respond as the
// package describes them.
// takes 4 s

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { BUILTINS } from "../../argspec/builtins.js";
import { SERVICES } from "../../argspec/services.js";
import { packageRoot } from "../../runtime/base/package-info.js";
import { plainNode } from "../runner/node-command.mjs";
import { buildProject, fixture, get, type RunningServer, serve, svc } from "./support/server.js";

const test = suite("svc argspec");
const PROJECT = fixture("engine");
let server: RunningServer;
let url = "";

test.before(async () => {
  await buildProject(PROJECT);
  server = await serve(PROJECT);
  url = `http://127.0.0.1:${server.port}`;
});
test.after(async () => {
  await server.end();
});

async function printed(...words: string[]): Promise<string> {
  return (await svc("argspec", ...words)).stdout;
}

test("prints the build, from a project and from its build folder", async () => {
  const file = join(PROJECT, ".svc/argspec.json");
  const text = readFileSync(file, "utf8");
  for (const source of [PROJECT, join(PROJECT, ".svc"), file]) {
    assert.ok((await printed(source)) === text, source);
  }
});

test("prints the same from a running server", async () => {
  for (const format of ["schema", "openapi", "typescript", "record"]) {
    const [built, served] = await Promise.all([
      printed(PROJECT, "--format", format),
      printed(url, "--format", format),
    ]);
    assert.ok(served === built, format);
  }
});

test("prints one plugin as the server describes it", async () => {
  for (const name of ["echo", "neighbor"]) {
    const words = ["--plugin", name, "--format", "record"];
    const fromServer = JSON.parse(await printed(url, ...words));
    assert.equal(JSON.parse(await printed(PROJECT, ...words)), fromServer);
    const { json } = await get(server.port, `/svc/builtin/argspec?plugin=${name}`);
    assert.equal(fromServer, json.response);
  }
});

test("exits quietly when the reader closes the pipe", () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-head-"));
  const [file, bin] = [join(folder, "large.json"), join(packageRoot(), "bin/svc.cjs")];
  const description = "x".repeat(1 << 19);
  const plugins = BUILTINS.plugins.map((plugin) => ({ ...plugin, description }));
  writeFileSync(file, JSON.stringify({ ...BUILTINS, plugins }));
  const words = ["-c", '"$0" "$@" | head -c 2', plainNode(), bin, "argspec", file];
  const { stdout, stderr } = spawnSync("sh", words, { encoding: "utf8" });
  rmSync(folder, { recursive: true });
  assert.is(stdout, "{\n");
  assert.is(stderr, "");
});

test("describes built-in services as they respond", async () => {
  const ajv = new Ajv2020({ strict: true });
  ajv.addKeyword("x-svc-range");
  for (const { path, isText, result, params } of SERVICES) {
    const query = params.map(({ name }) => `${name}=3`).join("&");
    const response = await get(server.port, `${path}?${query}`);
    assert.is(response.status, 200, path);
    if (isText) {
      assert.match(response.headers.get("content-type")!, "text/plain", path);
    } else if (result.kind === "value") {
      const isValid = ajv.validate(result.schema, response.json.response);
      assert.ok(isValid, `${path}: ${ajv.errorsText()}`);
    } else {
      assert.unreachable(path);
    }
  }
});

test.run();
