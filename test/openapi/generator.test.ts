// Clients generated from our documents by hey-api's generator: they compile under `strict`, wrong
// calls do not, and a live server responds to them. `node test/openapi/run.mjs` installs the
// generator.
// limit: 60 s

import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openapiDocument } from "../../argspec/openapi/document.js";
import { packageRoot } from "../../runtime/base/package-info.js";
import { buildProject, fixture, type RunningServer, serve } from "../e2e/support/server.js";

const test = suite("clients of another generator");
const installed = createRequire(new URL("package.json", import.meta.url));
const GENERATOR = join(
  dirname(installed.resolve("@hey-api/openapi-ts/package.json")),
  "bin/run.js",
);
const COMPILERS = [
  installed.resolve("typescript/bin/tsc"),
  fileURLToPath(new URL("../../node_modules/typescript/bin/tsc", import.meta.url)),
];
const folder = mkdtempSync(join(tmpdir(), "svc-generated-"));
const HELLO = join(packageRoot(), "examples", "hello");
const served = new Map<string, RunningServer>();

test.before(async () => {
  for (const project of [fixture("openapi"), HELLO]) {
    await buildProject(project);
    served.set(project, await serve(project, "--root", mkdtempSync(join(folder, "data-"))));
  }
});
test.after(async () => {
  for (const server of served.values()) await server.stop();
  rmSync(folder, { recursive: true });
});

test("have types throughout for parameters as content", async () => {
  assert.equal(await generatedCalls(fixture("openapi"), "content"), {
    ...{ size: 2, unit: "km", x: 1, y: 2 },
    entries: [[4, { x: 2, y: 0 }]],
    hitcount: 3,
    aggregator: [1, 0, 0.5, 0],
    counted: [
      ["a", 2],
      ["b", 1],
    ],
    exception: "<class 'RangeError'>",
    status: "ERROR",
    bytes: 3,
    names: ["a", "b"],
    echoed: { value: { deep: ["ü&", null] }, raw: null },
  });
});

test("need no generator support for parameters as strings", async () => {
  const raw = Buffer.from("ü").toString("latin1");
  const value = await generatedCalls(fixture("openapi"), "string", "string");
  assert.equal(value, { size: 1, echoed: { value: "a text", raw } });
});

test("work for the first example", async () => {
  assert.equal(await generatedCalls(HELLO, "hello"), {
    greetings: ["Hello, ü & you!", "Hello, ü & you!"],
    power: 2.25,
    digest: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    entries: [["Oslo", { population: 717710 }]],
    status: 400,
  });
});

/**
 * Results of calls through a client generated for them.
 * @param name file of the calls
 */
async function generatedCalls(
  service: string,
  name: string,
  jsonParams: "content" | "string" = "content",
): Promise<unknown> {
  const project = join(folder, name);
  for (const file of ["tsconfig.json", `${name}.ts`]) {
    cpSync(join(fixture("openapi"), "client", file), join(project, file));
  }
  const argspec = JSON.parse(readFileSync(join(service, ".svc/argspec.json"), "utf8"));
  const document = join(project, "openapi.json");
  writeFileSync(document, JSON.stringify(openapiDocument(argspec, { jsonParams })));
  const generated = join(project, "generated");
  await run(GENERATOR, "-i", document, "-o", generated, "-c", "@hey-api/client-fetch");
  for (const compiler of COMPILERS) await run(compiler, "-p", project);

  const outfile = join(project, "calls.mjs");
  const entryPoints = [join(project, `${name}.ts`)];
  await build({ entryPoints, outfile, bundle: true, format: "esm", logLevel: "error" });
  const { calls } = await import(pathToFileURL(outfile).href);
  return calls(`http://127.0.0.1:${served.get(service)!.port}`);
}

/** Runs a script to completion; rejects with its output when it fails. */
async function run(script: string, ...args: string[]): Promise<void> {
  await promisify(execFile)(process.execPath, [script, ...args], { cwd: folder }).catch((error) => {
    throw new Error(`${script} ${args.join(" ")}\n${error.stdout}${error.stderr}`);
  });
}

test.run();
