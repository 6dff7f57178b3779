// `svc build --standalone`: writes a folder with a build and the runtime that serves it, without
// compilers. The folder is a package with the name of this package, so that the build resolves the
// runtime as in a project:
//
//   package.json   exports of the runtime; other imports of the project as dependencies
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
/** Generated files of a standalone folder. All other files in it belong to the user. */
const GENERATED = ["dist", BUILD_FOLDER, "serve.mjs", "package.json"];

/**
 * Writes or rewrites the generated files of the folder.
 * @param projectDir a built project
 * @returns names of packages to install in the folder before serving it
 * @throws SvcError SVC3171 if the folder contains other files or cannot be written
 */
export async function writeStandalone(projectDir: string, folder: string): Promise<string[]> {
  const dependencies = await importedPackages(projectDir);
  try {
    prepareFolder(folder);
    await bundleRuntime(join(folder, "dist"));
    cpSync(join(projectDir, BUILD_FOLDER), join(folder, BUILD_FOLDER), { recursive: true });
    copyAssets(projectDir, folder);
    writeFileSync(join(folder, "serve.mjs"), SERVE);
    // Written last: without it, the folder is incomplete.
    writeFileSync(join(folder, "package.json"), manifest(dependencies));
  } catch (error) {
    if (error instanceof SvcError) throw error;
    throw new SvcError("SVC3171", (error as Error).message, { cause: error });
  }
  return Object.keys(dependencies);
}

function prepareFolder(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const isStandalone = existsSync(join(folder, "serve.mjs")) && readServe(folder) === SERVE;
  if (!isStandalone && readdirSync(folder).length > 0) {
    throw new SvcError("SVC3171", `${folder} contains other files`);
  }
  // Written first, so that an incomplete folder is recognized and rewritten.
  writeFileSync(join(folder, "serve.mjs"), SERVE);
  for (const name of GENERATED) {
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
