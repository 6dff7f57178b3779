// `svc build --standalone`: a folder with a build and the runtime that serves it, without the
// compilers that this package brings along. The folder is a package of the same name, so that the
// build in it finds its runtime as it does in a project:
//
//   package.json   exports of the runtime; what else the project imports, as dependencies
//   serve.mjs      `node serve.mjs [options of svc serve]`
//   dist/          the runtime, bundled; pages of the console
//   .svc/          the build

import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { BUILD_FOLDER } from "../../runtime/base/build-folder.js";
import { SvcError } from "../../runtime/base/errors.js";
import { packageInfo, packageRoot } from "../../runtime/base/package-info.js";
import { bundleRuntime } from "./bundle-runtime.js";
import { copyAssets } from "./copy-assets.js";
import { importedPackages } from "./imported-packages.js";

const EXPORTS = {
  ".": "index",
  "./config": "config",
  "./convert": "convert",
  "./plugins": "plugins",
};
const SERVE = `// Serves what is in this folder: node serve.mjs [options of \`svc serve\`]
import "./dist/standalone.js";
`;
/** Files of a standalone folder; all others in it belong to the user. */
const OWN = ["dist", BUILD_FOLDER, "serve.mjs", "package.json"];

/**
 * Writes or rewrites the folder; data in it stay.
 * @param projectDir a built project
 * @returns names of packages to install in it, empty if it can be served at once
 * @throws SvcError SVC3171 for a folder with other contents, or that cannot be written
 */
export async function writeStandalone(projectDir: string, folder: string): Promise<string[]> {
  const dependencies = await importedPackages(projectDir);
  try {
    makeRoom(folder);
    await bundleRuntime(join(folder, "dist"));
    cpSync(join(projectDir, BUILD_FOLDER), join(folder, BUILD_FOLDER), { recursive: true });
    copyAssets(projectDir, folder);
    writeFileSync(join(folder, "serve.mjs"), SERVE);
    // Written last: a folder without it is incomplete and is rewritten.
    writeFileSync(join(folder, "package.json"), manifest(dependencies));
  } catch (error) {
    if (error instanceof SvcError) throw error;
    throw new SvcError("SVC3171", (error as Error).message, { cause: error });
  }
  return Object.keys(dependencies);
}

function makeRoom(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const isOurs = existsSync(join(folder, "serve.mjs")) && readServe(folder) === SERVE;
  if (!isOurs && readdirSync(folder).length > 0) {
    throw new SvcError("SVC3171", `${folder} holds other files`);
  }
  // Written first, so that an incomplete folder is recognized as ours.
  writeFileSync(join(folder, "serve.mjs"), SERVE);
  for (const name of OWN) {
    if (name !== "serve.mjs") rmSync(join(folder, name), { recursive: true, force: true });
  }
}

function readServe(folder: string): string {
  return readFileSync(join(folder, "serve.mjs"), "utf8");
}

function manifest(dependencies: Readonly<Record<string, string>>): string {
  const { name, version } = packageInfo();
  const { engines } = JSON.parse(readFileSync(join(packageRoot(), "package.json"), "utf8"));
  const exports = Object.entries(EXPORTS).map(([path, file]) => [path, `./dist/${file}.js`]);
  const content = {
    name,
    version,
    private: true,
    type: "module",
    engines,
    exports: { ...Object.fromEntries(exports), "./package.json": "./package.json" },
    scripts: { start: "node serve.mjs" },
    dependencies,
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}
