// A plugin as `addPlugin` registers it: what runs it, and what its clients may know of it.

import type { Argspec, PluginSpec } from "../../../argspec/argspec.js";
import type { PluginEntry } from "./plugin-entry.js";

export interface RegisteredPlugin extends PluginEntry {
  readonly spec: PluginSpec;
  /** Named types that `spec` refers to, by their names in the build it comes from. */
  readonly $defs: Argspec["$defs"];
}
