// What a server may call by itself before it is in service: the examples of plugins that change
// nothing and that it has.

import type { Argspec } from "../../argspec/argspec.js";
import { exampleQueries, requestTarget } from "../../argspec/example-target.js";
import type { Routes } from "../plugin/contract/plugin-table.js";

/** @returns path and query of each; none that asks for a body */
export function warmUpTargets({ plugins }: Argspec, routes: Routes): string[] {
  const asked = plugins.filter(({ path, role, readonly, params, result }) => {
    if (!readonly || role !== "engine" || routes[path]?.engine === undefined) return false;
    return result.kind !== "stream" && params.every((param) => param.in === "query");
  });
  return asked.flatMap((plugin) =>
    exampleQueries(plugin).map((query) => requestTarget(plugin, query)),
  );
}
