// A plugin as `addPlugin` registers it: its code, and its contract for clients.

import type { Argspec, PluginSpec } from "../../../argspec/argspec.js";
import type { PluginEntry } from "./plugin-entry.js";

export interface RegisteredPlugin extends PluginEntry {
  readonly spec: PluginSpec;
  /** Named types that `spec` refers to, by their names in its build. */
  readonly $defs: Argspec["$defs"];
}
