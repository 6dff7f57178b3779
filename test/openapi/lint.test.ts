// Documents of services and of built-in plugins, checked by a widely used linter: it reports only
// omissions of the project itself. `node test/openapi/run.mjs` installs the linter.
// limit: 180 s

import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Argspec } from "../../argspec/argspec.js";
import { BUILTINS } from "../../argspec/builtins.js";
import { openapiDocument } from "../../argspec/openapi/document.js";
import { packageRoot } from "../../runtime/base/package-info.js";
import { buildProject, fixture } from "../e2e/support/server.js";

const test = suite("linted documents");
const installed = createRequire(new URL("package.json", import.meta.url));
const LINTER = join(dirname(installed.resolve("@redocly/cli/package.json")), "bin/cli.js");
const folder = mkdtempSync(join(tmpdir(), "svc-linted-"));

test.after(() => rmSync(folder, { recursive: true }));

/** Rules with reports, each with its positions. */
function lint(document: object): Promise<string[]> {
  const file = join(folder, "openapi.json");
  writeFileSync(file, JSON.stringify(document));
  const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
  return new Promise((resolve, reject) => {
    const words = [LINTER, "lint", "openapi.json", "--format", "json"];
    execFile(process.execPath, words, { cwd: folder, env }, (_, stdout, stderr) => {
      try {
        const { problems } = JSON.parse(stdout) as { problems: readonly Problem[] };
        resolve(
          problems.map(({ ruleId, location: [location] }) => `${ruleId} ${location?.pointer}`),
        );
      } catch {
        reject(new Error(stdout + stderr));
      }
    });
  });
}

interface Problem {
  readonly ruleId: string;
  readonly location: readonly { readonly pointer?: string }[];
}

function built(project: string): Argspec {
  return JSON.parse(readFileSync(join(project, ".svc/argspec.json"), "utf8")) as Argspec;
}

test("have no lint errors for plugins of all kinds and built-in ones", async () => {
  const argspecs: Argspec[] = [BUILTINS];
  for (const project of [fixture("openapi"), join(packageRoot(), "examples", "matrix")]) {
    await buildProject(project);
    argspecs.push(built(project));
  }
  const security = { token: { type: "http", scheme: "bearer" } } as const;
  const project = {
    version: "1.0.0",
    license: "MIT",
    servers: ["https://shop.test/api"],
    security,
  };
  for (const argspec of argspecs) {
    const service = { ...argspec.service, ...project };
    assert.equal(await lint(openapiDocument({ ...argspec, service })), [], `${service.name}`);
  }
});

test("report only a missing license of a project", async () => {
  const { license, ...service } = built(fixture("openapi")).service;
  const argspec = { ...built(fixture("openapi")), service };
  assert.equal(await lint(openapiDocument(argspec)), ["info-license #/info"], license ?? "");
});

test.run();
