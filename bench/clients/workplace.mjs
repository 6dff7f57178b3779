// Folders in which clients are made and used: one project of `svc` for each number of endpoints,
// and in it one app for each client. All goes when the process ends.

import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { madePlugins } from "../lib/made-plugins.mjs";
import { build, makeProject } from "../lib/project.mjs";
import { SVC } from "../lib/server.mjs";
import { COMPILERS, runNode } from "./measure.mjs";

const PACKAGES = fileURLToPath(new URL("../node_modules", import.meta.url));

/** What `npm create vite` gives to apps, as far as it tells compilers apart. */
const APP_OPTIONS = {
  target: "es2022",
  lib: ["es2022", "dom", "dom.iterable"],
  module: "esnext",
  moduleResolution: "bundler",
  types: [],
  strict: true,
  skipLibCheck: true,
};

/** A built project of ten endpoints a file, and its OpenAPI document. */
export function makeService(files) {
  const project = makeProject(madePlugins(files));
  build(project);
  const document = join(project, "openapi.json");
  runNode([SVC, "argspec", project, "--format", "openapi", "--out", document], project);
  return { project, document, files };
}

/**
 * Writes the app of a client.
 * @returns the words that make what the client has to have made, if any, and where that goes
 */
export function makeApp(client, { project, document, files }) {
  const folder = join(project, "apps", client.name.replace(/\W+/g, "-"));
  const texts = {
    "package.json": '{ "name": "app", "private": true, "type": "module" }\n',
    "tsconfig.json": JSON.stringify({ compilerOptions: APP_OPTIONS, files: ["app.ts"] }),
    ...client.sources(files),
  };
  if (client.declare !== undefined) texts["tsconfig.server.json"] = declaring(client.declare);
  for (const [name, text] of Object.entries(texts)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  symlinkSync(PACKAGES, join(folder, "node_modules"), "dir");
  const words = client.generate?.({ project, document, folder }) ?? declareWords(client);
  return { client, folder, words, file: join(folder, "app.ts"), endpoints: files * 10 };
}

function declaring(folder) {
  const output = { declaration: true, rootDir: folder, outDir: "declared" };
  return JSON.stringify({ compilerOptions: { ...APP_OPTIONS, ...output }, include: [folder] });
}

function declareWords({ declare }) {
  return declare === undefined ? null : [COMPILERS[5], "--project", "tsconfig.server.json"];
}

/** Makes anew what a client has to have made; @returns seconds, `null` where there is nothing */
export function generate({ client, folder, words }) {
  if (words === null) return null;
  rmSync(join(folder, client.generated), { recursive: true, force: true });
  return runNode(words, folder).seconds;
}
