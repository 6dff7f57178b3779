// The user plugins as the threads without their code need them.

import type { SharedArgspec } from "../register/shared-argspec.js";
import type { PluginDescription, PluginRole } from "./plugin-entry.js";

/** Path to the numbers of its plugins, by which requests name them between threads. */
export type Routes = Readonly<Record<string, PathRoutes>>;
/** An engine, or a pre-processor, a post-processor or both. */
export type PathRoutes = ByRole & {
  /** Milliseconds that those of them may run that say so. */
  readonly timeouts?: ByRole;
  /** The engine runs in the IO thread as long as it is short. */
  readonly inline?: true;
};

type ByRole = Readonly<Partial<Record<PluginRole, number>>>;

export interface PluginList {
  readonly routes: Routes;
  readonly descriptions: readonly PluginDescription[];
}

export interface PluginTable extends PluginList {
  /** Of these plugins alone; its `service` is that of their build. */
  readonly argspec: SharedArgspec;
}
