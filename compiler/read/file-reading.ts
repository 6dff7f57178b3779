// Joins the readings of single files. Nothing here needs TypeScript, so that it is not loaded for
// unchanged files.

import { hasErrors } from "../build-result.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { sortDiagnostics } from "../diagnostics/sort.js";
import type { ModuleState, PluginRecord } from "../record/plugin-record.js";
import type { TypeTable } from "../record/type-shape.js";
import type { NamedShape } from "./named-type.js";
import { nameTypes } from "./type-table.js";
import { findUnreadLimits, type ProjectLimits } from "./unread-limits.js";

export interface ReadResult {
  /** Sorted by name, then by role. */
  readonly plugins: PluginRecord[];
  readonly types: TypeTable;
  readonly diagnostics: Diagnostic[];
  /** Module variables of plugins that functions change, for the rules. */
  readonly moduleState: ModuleState[];
  /** Source files of the program without installed packages, relative to the project and sorted. */
  readonly dependencies: string[];
}

/** Result of reading one file. */
export interface FileReading {
  readonly plugins: readonly PluginRecord[];
  readonly moduleState: readonly ModuleState[];
  readonly diagnostics: readonly Diagnostic[];
}

export function joinReadings(
  readings: readonly FileReading[],
  named: ReadonlyMap<string, NamedShape>,
  limits: ProjectLimits,
): Omit<ReadResult, "dependencies"> {
  const read = readings.flatMap((reading) => reading.plugins);
  const { plugins, types } = nameTypes(read, named);
  const diagnostics = readings.flatMap((reading) => reading.diagnostics);
  // A type with an error may not have been read completely.
  const unread = hasErrors(diagnostics) ? [] : findUnreadLimits(limits, read, named);
  return {
    plugins: plugins.sort(compareByNameAndRole),
    types,
    moduleState: readings.flatMap((reading) => reading.moduleState),
    diagnostics: sortDiagnostics(removeDuplicates([...diagnostics, ...unread])),
  };
}

/** Returns each diagnostic once: several files may use the same constant. */
function removeDuplicates(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const found = new Map<string, Diagnostic>();
  for (const diagnostic of diagnostics) {
    const { file, line, column } = diagnostic.position;
    const key = JSON.stringify([diagnostic.code, file, line, column, diagnostic.message]);
    if (!found.has(key)) found.set(key, diagnostic);
  }
  return [...found.values()];
}

function compareByNameAndRole(a: PluginRecord, b: PluginRecord): number {
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  return a.role < b.role ? -1 : Number(a.role > b.role);
}
