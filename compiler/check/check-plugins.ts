// Checks records against the rules of the plugin contract. The reader has already reported errors
// that are visible only in the syntax tree, such as overloads and destructured parameters.

import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { sortDiagnostics } from "../diagnostics/sort.js";
import type { ModuleState, PluginRecord } from "../record/plugin-record.js";
import type { TypeTable } from "../record/type-shape.js";
import { checkAccess } from "./access.js";
import { checkAmbiguousText } from "./ambiguous-text.js";
import { checkDefaults } from "./defaults.js";
import { checkExamples } from "./examples.js";
import { checkMergeable } from "./mergeable.js";
import { checkModuleState } from "./module-state.js";
import {
  checkDuplicateNames,
  checkFiles,
  checkParameterNames,
  checkPluginName,
} from "./name-rules.js";
import { checkBoundGraph, checkFirstArgument, checkPostArguments } from "./signature.js";
import { checkValueClasses } from "./value-classes.js";

export interface CheckOptions {
  /** Configured number of executors; `auto` can be several. */
  readonly executors: number | "auto";
  /** Module variables of plugins that functions change. */
  readonly moduleState?: readonly ModuleState[];
  /** True if the configuration has authentication handlers. */
  readonly hasAuth?: boolean;
}

/** Checks the plugins of a project; returns the diagnostics sorted by position. */
export function checkPlugins(
  plugins: readonly PluginRecord[],
  types: TypeTable,
  { executors, moduleState = [], hasAuth = false }: CheckOptions,
): Diagnostic[] {
  const findings = plugins.flatMap((plugin) => [
    ...checkPluginName(plugin),
    ...checkParameterNames(plugin),
    ...checkFiles(plugin),
    ...checkFirstArgument(plugin),
    ...checkPostArguments(plugin),
    ...checkBoundGraph(plugin),
    ...checkAmbiguousText(plugin, types),
    ...checkDefaults(plugin, types),
    ...checkExamples(plugin, types),
    ...checkValueClasses(plugin, types),
  ]);
  return sortDiagnostics([
    ...findings,
    ...checkDuplicateNames(plugins),
    ...checkMergeable(plugins),
    ...checkModuleState(moduleState, executors),
    ...checkAccess(plugins, hasAuth),
  ]);
}
