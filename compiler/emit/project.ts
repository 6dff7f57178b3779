// All files of `.svc/` that follow from the records alone, without bundling.

import { MANIFEST_FILE, type ResolvedConfig } from "../../runtime/manifest.js";
import type { PluginRecord } from "../record/plugin-record.js";
import type { TypeTable } from "../record/type-shape.js";
import { emitArgspec } from "./argspec.js";
import { emitConverters } from "./converters.js";
import { inNumberOrder } from "./describe.js";
import { emitManifest, type ManifestFacts } from "./manifest.js";
import { emitPlugins, emitRoutes } from "./plugins.js";
import { emitRegistryTypes } from "./registry-types.js";

const PATH_PREFIX = "/svc/plugin/";
export const CONVERTERS_FILE = "converters.js";
/** In front of imports of generated files, which the bundler takes from memory. */
export const GENERATED_SCHEME = "svc:";

export interface EmittedProject {
  /** Entry of the bundle; it is not written itself. */
  readonly entry: string;
  /** Texts by file name in `.svc/`. */
  readonly files: ReadonlyMap<string, string>;
}

export function emitProject(
  plugins: readonly PluginRecord[],
  types: TypeTable,
  config: ResolvedConfig,
): EmittedProject {
  const numbered = inNumberOrder(plugins);
  const service = { name: config.name, prefix: config.http.prefix };
  const converters = emitConverters(numbered, types, {
    specifier: (module) => `../${module}`,
    convert: "svc-server/convert",
  });
  return {
    entry: emitPlugins(numbered, PATH_PREFIX, `${GENERATED_SCHEME}${CONVERTERS_FILE}`),
    files: new Map([
      ["argspec.json", emitArgspec(service, numbered, types, PATH_PREFIX)],
      [CONVERTERS_FILE, converters],
      ["plugins.d.ts", emitRegistryTypes(numbered, types)],
      ["routes.json", emitRoutes(numbered, PATH_PREFIX)],
    ]),
  };
}

/** Name and text of the manifest. */
export function emitProjectManifest(
  plugins: readonly PluginRecord[],
  facts: ManifestFacts,
): readonly [string, string] {
  return [MANIFEST_FILE, emitManifest(facts, inNumberOrder(plugins), PATH_PREFIX)];
}
