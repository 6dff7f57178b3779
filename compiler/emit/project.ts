// All files of `.svc/` except the bundle and the manifest. Executed files refer to each other by a
// hash of their content, so that a process that loads a newer build never combines it with older
// files:
//
//     plugins.js ── converters.js?<hash> ── modules.js?<hash> (bundle of the project's sources)

import type { ResolvedConfig } from "../../runtime/settings/config-rule.js";
import { hashContent, MANIFEST_FILE } from "../../runtime/settings/manifest.js";
import type { ModuleExport } from "../record/module-export.js";
import type { PluginRecord } from "../record/plugin-record.js";
import type { TypeTable } from "../record/type-shape.js";
import { emitArgspec } from "./argspec.js";
import { emitConverters } from "./converters.js";
import { inNumberOrder } from "./describe.js";
import { emitManifest, type ManifestFacts } from "./manifest.js";
import { PluginModules } from "./modules.js";
import { emitPlugins, emitRoutes } from "./plugins.js";
import { emitRegistryTypes } from "./registry-types.js";

/** The bundle of the project's sources. */
export const MODULES_FILE = "modules.js";
const CONVERTERS_FILE = "converters.js";
const PATH_PREFIX = "/svc/plugin/";

/** Entry point of the bundle, relative to the project's folder. */
export function emitBundleEntry(
  plugins: readonly PluginRecord[],
  others: readonly ModuleExport[] = [],
): string {
  return new PluginModules(inNumberOrder(plugins), others).emit((module) => `./${module}`);
}

/**
 * Returns the files of `.svc/` by name.
 * @param bundle text of MODULES_FILE
 * @param refinedTypes types refined by their schemas, for the contract
 */
export function emitProject(
  plugins: readonly PluginRecord[],
  types: TypeTable,
  config: ResolvedConfig,
  bundle: string,
  refinedTypes: TypeTable = types,
): Map<string, string> {
  const numbered = inNumberOrder(plugins);
  const { name, http, api, auth } = config;
  const { version, license, servers, security } = api;
  const service = {
    ...{ name, prefix: http.prefix },
    ...(version !== null && { version }),
    ...(license !== null && { license }),
    ...(servers.length > 0 && { servers }),
    ...(auth.length > 0 && { authenticated: true as const }),
    ...(Object.keys(security).length > 0 && { security }),
  };
  // Clients cannot call jobs.
  const callable = numbered.filter(({ job }) => job === null);
  const converters = emitConverters(numbered, types, {
    modules: versioned(MODULES_FILE, bundle),
    convert: "svc-server/convert",
  });
  return new Map([
    ["argspec.json", emitArgspec(service, callable, refinedTypes, PATH_PREFIX)],
    [CONVERTERS_FILE, converters],
    ["plugins.d.ts", emitRegistryTypes(callable, types)],
    [
      "plugins.js",
      emitPlugins(numbered, types, PATH_PREFIX, {
        converters: versioned(CONVERTERS_FILE, converters),
        modules: versioned(MODULES_FILE, bundle),
        functions: config,
      }),
    ],
    ["routes.json", emitRoutes(numbered, PATH_PREFIX)],
  ]);
}

/** Name and text of the manifest. */
export function emitProjectManifest(
  plugins: readonly PluginRecord[],
  facts: ManifestFacts,
): readonly [string, string] {
  return [MANIFEST_FILE, emitManifest(facts, inNumberOrder(plugins), PATH_PREFIX)];
}

function versioned(file: string, content: string): string {
  return `./${file}?${hashContent(content)}`;
}
