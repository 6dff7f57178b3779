// The start and stop functions of the configuration, as `.svc/plugins.js` exports them.

import { posix } from "node:path";
import type { ResolvedConfig } from "../../runtime/settings/config-rule.js";
import type { ModuleExport } from "../record/module-export.js";
import type { PluginModules } from "./modules.js";

type Functions = Pick<ResolvedConfig, "onStart" | "onStop">;

const KEYS = ["onStart", "onStop"] as const;
const SCOPES = ["instance", "executor"] as const;

/** Returns the functions that the configuration names. */
export function lifecycleExports(config: Functions): ModuleExport[] {
  const all = KEYS.flatMap((key) => SCOPES.map((scope) => config[key][scope]));
  return all.flatMap((reference) => (reference === null ? [] : [toExport(reference)]));
}

/** @returns a statement; empty without such functions */
export function emitLifecycle(config: Functions, modules: PluginModules): string {
  const parts = KEYS.flatMap((key) => {
    const members = SCOPES.flatMap((scope) => {
      const reference = config[key][scope];
      return reference === null ? [] : [`${scope}: ${modules.reference(toExport(reference))}`];
    });
    return members.length === 0 ? [] : [`  ${key}: { ${members.join(", ")} },\n`];
  });
  return parts.length === 0 ? "" : `\nexport const lifecycle = {\n${parts.join("")}};\n`;
}

function toExport(reference: string): ModuleExport {
  const [module = "", exportPath = ""] = reference.split("#");
  return { module: posix.normalize(module), exportPath };
}
