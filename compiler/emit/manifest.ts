// `.svc/manifest.json`, from which `svc serve` starts.

import { MANIFEST_FORMAT, type Manifest } from "../../runtime/settings/manifest.js";
import type { PluginRecord } from "../record/plugin-record.js";
import { describePlugin } from "./describe.js";
import { jsonFile } from "./text.js";

export type ManifestFacts = Omit<Manifest, "format" | "plugins">;

/** @param plugins in plugin-number order */
export function emitManifest(
  facts: ManifestFacts,
  plugins: readonly PluginRecord[],
  pathPrefix: string,
): string {
  return jsonFile({
    format: MANIFEST_FORMAT,
    svc: facts.svc,
    checked: facts.checked,
    hasWarnings: facts.hasWarnings,
    tsconfig: facts.tsconfig,
    config: facts.config,
    isConfigOpen: facts.isConfigOpen,
    plugins: plugins.map((plugin) => ({
      name: plugin.name,
      role: plugin.role,
      graph: plugin.graph,
      readonly: plugin.readonly,
      description: describePlugin(plugin, pathPrefix),
      ...(plugin.before.length > 0 && {
        before: plugin.before.map(({ module, exportPath }) => `${module}#${exportPath}`),
      }),
    })),
    files: facts.files,
    inputs: facts.inputs,
    outputs: facts.outputs,
  } satisfies Manifest);
}

/** Returns the manifest with the types marked as checked. */
export function checkedManifest(text: string): string {
  return jsonFile({ ...(JSON.parse(text) as Manifest), checked: true } satisfies Manifest);
}
