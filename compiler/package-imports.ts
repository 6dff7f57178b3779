// Resolves imports by package name. Installed packages stay imports, so that they run as published.
// Names of project sources are bundled: paths of tsconfig.json, `#imports`, and workspace packages
// that Node.js cannot run, because they are linked as TypeScript.

import { dirname, isAbsolute } from "node:path";
import type { OnResolveArgs, OnResolveResult, Plugin, PluginBuild } from "esbuild";
import { nearestManifest } from "./nearest-manifest.js";

/** Marks resolve requests that this plugin makes itself. */
const ASKED = Symbol("asked");

/** Imports that stay, see `named-imports.ts`. */
export class PackageImporters {
  readonly packages = new Map<string, { file: string; importers: Set<string> }>();

  add({ path, importer, kind }: OnResolveArgs, file: string): void {
    if (kind !== "import-statement") return;
    const known = this.packages.get(path);
    if (known?.file === file) known.importers.add(importer);
    else this.packages.set(path, { file, importers: new Set([importer]) });
  }
}

/** @param left receives the imports that stay */
export function packageImports(left: PackageImporters): Plugin {
  return {
    name: "svc-package-imports",
    setup(build) {
      build.onStart(() => left.packages.clear());
      build.onResolve({ filter: /^[^./]/ }, (args) =>
        args.pluginData === ASKED || isAbsolute(args.path)
          ? undefined
          : resolveImport(build, args, left),
      );
    },
  };
}

async function resolveImport(
  build: PluginBuild,
  args: OnResolveArgs,
  left: PackageImporters,
): Promise<OnResolveResult> {
  const { path, kind, importer, resolveDir } = args;
  const asImport = { path, external: true };
  const found = await build.resolve(path, { kind, importer, resolveDir, pluginData: ASKED });
  // TypeScript reports unresolved imports; they may exist at run time.
  if (found.errors.length > 0 || found.external) {
    return asImport;
  }
  const canRun = !/\.[cm]?tsx?$/.test(found.path);
  const isOwn = () => nearestManifest(dirname(found.path))?.name === packageName(path);
  if (isInstalled(found.path) || (canRun && isOwn())) {
    left.add(args, found.path);
    return asImport;
  }
  return { path: found.path, namespace: found.namespace, sideEffects: found.sideEffects };
}

/** esbuild follows links, so a linked package is resolved at its own location. */
function isInstalled(file: string): boolean {
  return /[\\/]node_modules[\\/]/.test(file);
}

/** Returns `pkg` for `pkg/sub` and `@scope/pkg` for `@scope/pkg/sub`. */
function packageName(specifier: string): string {
  return /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;
}
