// Warm-up targets: documented examples of the server's read-only plugins.

import type { Argspec } from "../../../argspec/argspec.js";
import { exampleQueries, requestTarget } from "../../../argspec/example-target.js";
import type { Routes } from "../contract/plugin-table.js";

/** @returns path and query of each example that requires no body */
export function warmUpTargets({ plugins }: Argspec, routes: Routes): string[] {
  const callable = plugins.filter(({ path, role, readonly, params, result }) => {
    if (!readonly || role !== "engine" || routes[path]?.engine === undefined) return false;
    return result.kind !== "stream" && params.every((param) => param.in === "query");
  });
  return callable.flatMap((plugin) =>
    exampleQueries(plugin).map((query) => requestTarget(plugin, query)),
  );
}
