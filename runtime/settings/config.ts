// Public entry "svc-server/config": the types of `svc.config.ts`, and an identity function that
// lets the editor check them; `svc build` validates the values and resolves the defaults.

import type { ConfigInputGroup, GroupOf } from "./setting.js";
import type { SETTINGS } from "./table.js";

export type {
  DispatcherBackEnd,
  DispatcherConfig,
  DispatcherReplicas,
  GraphConfig,
  IndexConfig,
  JsonValue,
  PluginDeclaration,
} from "./config-values.js";

type Table = typeof SETTINGS;

export type HttpConfig = ConfigInputGroup<Table, "http">;

export type SvcConfig = ConfigInputGroup<Table, ""> & {
  readonly [Group in GroupOf<Table>]?: ConfigInputGroup<Table, Group> | undefined;
};

/**
 * Gives `svc.config.ts` its types.
 *
 * @param config the configuration, which is returned as it is
 * @example
 * export default defineConfig({ name: "shop", http: { port: 8000 } });
 */
export function defineConfig(config: SvcConfig): SvcConfig {
  return config;
}
