// The packages that a build imports, besides this one, with the versions that are installed.

import { existsSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join } from "node:path";
import { BUILD_FOLDER } from "../../runtime/base/build-folder.js";
import { packageInfo } from "../../runtime/base/package-info.js";
import { CONFIG_OUTPUT } from "../../runtime/settings/manifest.js";

/**
 * Returns versions by name. A package that cannot be found gets any version; loading it reports its
 * absence.
 * @param projectDir a built project
 */
export async function importedPackages(projectDir: string): Promise<Record<string, string>> {
  const { build } = await import("esbuild");
  const config = join(projectDir, BUILD_FOLDER, CONFIG_OUTPUT);
  const { metafile } = await build({
    absWorkingDir: projectDir,
    entryPoints: [
      join(projectDir, BUILD_FOLDER, "plugins.js"),
      ...(existsSync(config) ? [config] : []),
    ],
    outdir: ".",
    bundle: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "node",
    packages: "external",
    logLevel: "silent",
  });
  const imports = Object.values(metafile.inputs).flatMap((input) => input.imports);
  const names = imports
    .filter(({ path, external }) => external === true && /^[^.#/]/.test(path))
    .map(({ path }) => /^(?:@[^/]+\/)?[^/]+/.exec(path)![0])
    .filter((name) => !name.startsWith("node:") && name !== packageInfo().name);
  const packages = [...new Set(names)].filter((name) => !isBuiltin(name)).sort();
  return Object.fromEntries(packages.map((name) => [name, installedVersion(projectDir, name)]));
}

function installedVersion(folder: string, name: string): string {
  const file = join(folder, "node_modules", name, "package.json");
  if (existsSync(file)) return JSON.parse(readFileSync(file, "utf8")).version as string;
  const parent = dirname(folder);
  return parent === folder ? "*" : installedVersion(parent, name);
}
