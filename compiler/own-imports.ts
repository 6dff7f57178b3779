// Narrows the imports of this package in a bundle of plugins. A bundle that needs neither graphs
// nor servers imports from a part of the package, so that executors load less code.

import type { Plugin } from "esbuild";

/** The exports of runtime/plugins.ts, except sort orders. */
export const PLUGIN_NAMES: ReadonlySet<string> = new Set([
  ...["ArgumentError", "PluginError", "RequestError", "ResponseError", "SvcError"],
  ...["bytes", "float", "int", "json", "str", "plugin", "PluginRequest", "RequestData"],
  ...["UploadedFile", "HttpError", "HttpResponse", "Cursor", "Page", "PluginResponse"],
  ...["rateLimit", "ValidationError", "validate"],
]);

const SORT_ORDER = /^S_/;
/** Marks import statements while bundling, to distinguish them from strings that look like one. */
const MARKED = "svc-server/imported-by-the-bundle";
const STATEMENT = new RegExp(`^(?:import|export) \\{\\s([^}]*)\\s\\} from "${MARKED}";$`, "gm");

/** Marks the imports of this package. */
export function markOwnImports(): Plugin {
  return {
    name: "svc-own-imports",
    setup(build) {
      build.onResolve({ filter: /^svc-server$/ }, ({ kind }) =>
        kind === "import-statement" ? { path: MARKED, external: true } : undefined,
      );
    },
  };
}

/** Returns the text of a bundle, with imports of the whole package or of the part for plugins. */
export function narrowOwnImports(bundle: string): string {
  const lists = [...bundle.matchAll(STATEMENT)].map(([, list]) => list!.split(","));
  const names = lists.flat().map((item) => item.trim().split(" as ", 1)[0]!);
  // Other statements import everything, or run the package without using a name of it.
  const isEachRead = lists.length === bundle.split(MARKED).length - 1;
  const isPart =
    isEachRead && names.every((name) => PLUGIN_NAMES.has(name) || SORT_ORDER.test(name));
  return bundle.replaceAll(`"${MARKED}"`, isPart ? '"svc-server/plugins"' : '"svc-server"');
}
