// What becomes of imports by package name. Installed packages stay imports, so that they run as
// their authors wrote them. Names that mean sources of the project are bundled: paths of
// tsconfig.json, `#imports`, and packages of the same workspace that Node could not run, because
// they are linked in as TypeScript.

import { readFileSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import type { OnResolveArgs, OnResolveResult, Plugin, PluginBuild } from "esbuild";

/** Marks the question to esbuild itself, which passes through here again. */
const ASKED = Symbol("asked");

export const packageImports: Plugin = {
  name: "svc-package-imports",
  setup(build) {
    build.onResolve({ filter: /^[^./]/ }, (args) =>
      args.pluginData === ASKED || isAbsolute(args.path) ? undefined : resolveImport(build, args),
    );
  },
};

async function resolveImport(
  build: PluginBuild,
  { path, kind, importer, resolveDir }: OnResolveArgs,
): Promise<OnResolveResult> {
  const asImport = { path, external: true };
  const found = await build.resolve(path, { kind, importer, resolveDir, pluginData: ASKED });
  // What is nowhere to be found is TypeScript's to report; it may be there at run time.
  if (found.errors.length > 0 || found.external || isInstalled(found.path)) {
    return asImport;
  }
  const canRun = !/\.[cm]?tsx?$/.test(found.path);
  if (canRun && nearestPackage(dirname(found.path)) === packageName(path)) {
    return asImport;
  }
  return { path: found.path, namespace: found.namespace, sideEffects: found.sideEffects };
}

/** esbuild follows links, so a linked package is met at its own place. */
function isInstalled(file: string): boolean {
  return /[\\/]node_modules[\\/]/.test(file);
}

/** `pkg` of `pkg/sub`, `@scope/pkg` of `@scope/pkg/sub`. */
function packageName(specifier: string): string {
  return /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;
}

/** Name of the package that a folder belongs to; null when it belongs to none. */
function nearestPackage(folder: string): string | null {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return (manifest as { readonly name?: string }).name ?? null;
  } catch {
    const parent = dirname(folder);
    return parent === folder ? null : nearestPackage(parent);
  }
}
