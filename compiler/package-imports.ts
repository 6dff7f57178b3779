// Resolves imports by package name. Installed packages remain imports, so that they run as
// published. Names that lead to project sources are bundled: paths of tsconfig.json, `#imports`,
// and workspace packages that Node.js cannot run because they are linked as TypeScript.

import { dirname, isAbsolute } from "node:path";
import type { OnResolveArgs, OnResolveResult, Plugin, PluginBuild } from "esbuild";
import { nearestManifest } from "./nearest-manifest.js";

/** Marks resolve requests that this plugin makes itself. */
const OWN_REQUEST = Symbol("asked");

/** Collects the imports that are not bundled, for `named-imports.ts`. */
export class PackageImporters {
  readonly packages = new Map<string, { file: string; importers: Set<string> }>();

  add({ path, importer, kind }: OnResolveArgs, file: string): void {
    if (kind !== "import-statement") return;
    const known = this.packages.get(path);
    if (known?.file === file) known.importers.add(importer);
    else this.packages.set(path, { file, importers: new Set([importer]) });
  }
}

/** @param importers receives the imports that are not bundled */
export function packageImports(importers: PackageImporters): Plugin {
  return {
    name: "svc-package-imports",
    setup(build) {
      build.onStart(() => importers.packages.clear());
      build.onResolve({ filter: /^[^./]/ }, (args) =>
        args.pluginData === OWN_REQUEST || isAbsolute(args.path)
          ? undefined
          : resolveImport(build, args, importers),
      );
    },
  };
}

async function resolveImport(
  build: PluginBuild,
  args: OnResolveArgs,
  importers: PackageImporters,
): Promise<OnResolveResult> {
  const { path, kind, importer, resolveDir } = args;
  const asImport = { path, external: true };
  const resolved = await build.resolve(path, {
    kind,
    importer,
    resolveDir,
    pluginData: OWN_REQUEST,
  });
  // TypeScript reports unresolved imports; they may exist at run time.
  if (resolved.errors.length > 0 || resolved.external) {
    return asImport;
  }
  const canRun = !/\.[cm]?tsx?$/.test(resolved.path);
  const isOwn = () => nearestManifest(dirname(resolved.path))?.name === packageName(path);
  if (isInstalled(resolved.path) || (canRun && isOwn())) {
    importers.add(args, resolved.path);
    return asImport;
  }
  return { path: resolved.path, namespace: resolved.namespace, sideEffects: resolved.sideEffects };
}

/** esbuild follows links, so a linked package is resolved at its own location. */
function isInstalled(file: string): boolean {
  return /[\\/]node_modules[\\/]/.test(file);
}

/** Returns `pkg` for `pkg/sub` and `@scope/pkg` for `@scope/pkg/sub`. */
function packageName(specifier: string): string {
  return /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;
}
