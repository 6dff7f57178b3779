// Lists the packages that a build imports, except this one, with their installed versions.

import { existsSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join } from "node:path";
import { AUTH_FILE, BUILD_FOLDER, ENV_FILE } from "../../runtime/base/build-folder.js";
import { packageInfo } from "../../runtime/base/package-info.js";
import { CONFIG_OUTPUT } from "../../runtime/settings/manifest.js";

/**
 * Returns versions by name. The version of a package that is not installed is `*`; loading the
 * package reports the error.
 * @param projectDir a built project
 */
export async function importedPackages(projectDir: string): Promise<Record<string, string>> {
  const { build } = await import("esbuild");
  const optional = [CONFIG_OUTPUT, AUTH_FILE, ENV_FILE].map((name) =>
    join(projectDir, BUILD_FOLDER, name),
  );
  const { metafile } = await build({
    absWorkingDir: projectDir,
    entryPoints: [
      join(projectDir, BUILD_FOLDER, "plugins.js"),
      ...optional.filter((file) => existsSync(file)),
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
  if (usesTokens(projectDir)) names.push("jose");
  const packages = [...new Set(names)].filter((name) => !isBuiltin(name)).sort();
  return Object.fromEntries(packages.map((name) => [name, installedVersion(projectDir, name)]));
}

/** Returns whether `jwt` is imported, which needs an optional peer of this package. */
function usesTokens(projectDir: string): boolean {
  const file = join(projectDir, BUILD_FOLDER, AUTH_FILE);
  if (!existsSync(file)) return false;
  const imports = readFileSync(file, "utf8").matchAll(/\{([^{}]*)\} from "([^"]+)"/g);
  return [...imports].some(
    ([, names, from]) => from === packageInfo().name && /\bjwt\b/.test(names!),
  );
}

function installedVersion(folder: string, name: string): string {
  const file = join(folder, "node_modules", name, "package.json");
  if (existsSync(file)) return JSON.parse(readFileSync(file, "utf8")).version as string;
  const parent = dirname(folder);
  return parent === folder ? "*" : installedVersion(parent, name);
}
