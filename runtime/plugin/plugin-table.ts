// The user plugins as the threads without their code need them.

import type { PluginDescription } from "./plugin-entry.js";

/** Path of each engine to its plugin number, by which requests name it between threads. */
export type Routes = Readonly<Record<string, number>>;

export interface PluginTable {
  readonly routes: Routes;
  readonly descriptions: readonly PluginDescription[];
}
