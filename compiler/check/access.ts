// Warns about access tags that do not have the expected effect. They are not errors, because a
// service may get its `auth` from another configuration.

import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { PluginRecord } from "../record/plugin-record.js";
import { pluginError } from "./diagnostics.js";

/** @param hasAuth whether the configuration has authentication handlers */
export function checkAccess(plugins: readonly PluginRecord[], hasAuth: boolean): Diagnostic[] {
  const findings = hasAuth ? openPlugins(plugins) : unusedScopes(plugins);
  return findings.map((finding) => ({ ...finding, severity: "warning" as const }));
}

function unusedScopes(plugins: readonly PluginRecord[]): Diagnostic[] {
  return plugins
    .filter(({ scopes }) => scopes.length > 0)
    .map((plugin) => {
      const message = `\`@scope ${plugin.scopes.join(" ")}\` has no effect without \`auth\``;
      return pluginError(plugin, "SVC1251", message, "set `auth` in svc.config.ts");
    });
}

/** If some plugins have scopes, one without is probably an oversight. */
function openPlugins(plugins: readonly PluginRecord[]): Diagnostic[] {
  if (!plugins.some(({ scopes }) => scopes.length > 0)) return [];
  const callable = plugins.filter(({ job }) => job === null);
  const pre = new Set(plugins.filter(({ role }) => role === "pre").map(({ name }) => name));
  return callable
    .filter(({ isPublic, scopes }) => !isPublic && scopes.length === 0)
    .filter(({ name, role }) => role !== "post" || !pre.has(name))
    .map((plugin) => {
      const message = `any principal can call \`${plugin.name}\`: no \`@scope\`, no \`@public\``;
      return pluginError(plugin, "SVC1252", message, "`@scope` with a permission, or `@public`");
    });
}
