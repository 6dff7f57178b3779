// Temporary folders for client benchmarks: an `svc` project for each number of endpoints, with an
// app for each client. They are removed when the process ends.

import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { madePlugins } from "../lib/made-plugins.mjs";
import { build, makeProject } from "../lib/project.mjs";
import { SVC } from "../lib/server.mjs";
import { COMPILERS, runNode } from "./measure.mjs";

const PACKAGES = fileURLToPath(new URL("../node_modules", import.meta.url));

/** The compiler options of `npm create vite` that affect the benchmarks. */
const APP_OPTIONS = {
  target: "es2022",
  lib: ["es2022", "dom", "dom.iterable"],
  module: "esnext",
  moduleResolution: "bundler",
  types: [],
  strict: true,
  skipLibCheck: true,
};

/** Creates and builds a project with ten endpoints per file, and writes its OpenAPI document. */
export function makeService(files) {
  const project = makeProject(madePlugins(files));
  build(project);
  const document = join(project, "openapi.json");
  runNode([SVC, "argspec", project, "--format", "openapi", "--out", document], project);
  return { project, document, files };
}

/**
 * Writes the app of a client.
 * @returns the app, with the arguments that generate the client; null if there is nothing to
 * generate
 */
export function makeApp(client, { project, document, files }) {
  const folder = join(project, "apps", client.name.replace(/\W+/g, "-"));
  const texts = {
    "package.json": '{ "name": "app", "private": true, "type": "module" }\n',
    "tsconfig.json": JSON.stringify({ compilerOptions: APP_OPTIONS, files: ["app.ts"] }),
    ...client.sources(files),
  };
  if (client.declare !== undefined)
    texts["tsconfig.server.json"] = declarationConfig(client.declare);
  for (const [name, text] of Object.entries(texts)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  symlinkSync(PACKAGES, join(folder, "node_modules"), "dir");
  const args = client.generate?.({ project, document, folder }) ?? declarationArgs(client);
  return { client, folder, args, file: join(folder, "app.ts"), endpoints: files * 10 };
}

function declarationConfig(folder) {
  const output = { declaration: true, rootDir: folder, outDir: "declared" };
  return JSON.stringify({ compilerOptions: { ...APP_OPTIONS, ...output }, include: [folder] });
}

function declarationArgs({ declare }) {
  return declare === undefined ? null : [COMPILERS[5], "--project", "tsconfig.server.json"];
}

/** Regenerates a client; @returns seconds, `null` if there is nothing to generate */
export function generate({ client, folder, args }) {
  if (args === null) return null;
  rmSync(join(folder, client.generated), { recursive: true, force: true });
  return runNode(args, folder).seconds;
}
