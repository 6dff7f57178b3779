// Reports engines behind a dispatcher that do not return a PluginResponse: a dispatcher merges such
// responses and rejects all others. Only engines that a pre-processor of the project forwards to by
// name are known.

import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { PluginRecord } from "../record/plugin-record.js";
import { pluginError } from "./diagnostics.js";

export function checkMergeable(plugins: readonly PluginRecord[]): Diagnostic[] {
  const dispatchers = new Map<string, PluginRecord>();
  for (const plugin of plugins) for (const name of plugin.forwards) dispatchers.set(name, plugin);
  return plugins.flatMap((engine) => {
    const dispatcher = dispatchers.get(engine.name);
    if (dispatcher === undefined || engine.role !== "engine") return [];
    // The plugin may distinguish the cases by `request.toplevel`.
    if (engine.result.kind !== "value") return [];
    const message =
      `engine \`${engine.name}\` responds to pre plugin \`${dispatcher.name}\` of a dispatcher, ` +
      `which cannot merge \`${engine.result.typeText}\``;
    const finding = pluginError(engine, "SVC1046", message, "a `PluginResponse`");
    return [{ ...finding, severity: "warning" }];
  });
}
