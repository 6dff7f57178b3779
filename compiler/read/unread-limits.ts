// Reports limits that no plugin uses. The reading of each file lists the limits that it declares
// and the limits that its plugins use, so this needs no TypeScript.

import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { PluginRecord } from "../record/plugin-record.js";
import type { SourcePosition } from "../record/source-position.js";
import type { NamedShape } from "./named-type.js";
import { findReachableTypes } from "./type-table.js";

/** A limit of a declaration. */
export interface StatedLimit {
  /** Identifies the limit, even after its file is parsed again. */
  readonly location: string;
  readonly word: string;
  readonly position: SourcePosition;
}

/** Limits that the files of a project declare, and `location` of the limits that each file uses. */
export interface ProjectLimits {
  readonly stated: readonly StatedLimit[];
  readonly reads: readonly (readonly string[])[];
}

/** Warns of limits on unused types, on variables, and on parameters of other functions. */
export function findUnreadLimits(
  { stated, reads }: ProjectLimits,
  plugins: readonly PluginRecord[],
  named: ReadonlyMap<string, NamedShape>,
): Diagnostic[] {
  if (stated.length === 0) return [];
  // While types are read recursively, one may lack the limits of another, so all of them count.
  const types = findReachableTypes(plugins, named);
  const read = new Set([...reads, ...types.map((type) => type.reads)].flat());
  return stated
    .filter(({ location }) => !read.has(location))
    .map(({ word, position }) => ({
      code: "SVC1146",
      severity: "warning",
      position,
      length: word.length + 1,
      message: `\`@${word}\` limits nothing: no plugin takes or returns this declaration`,
      help: "a plugin that uses it, or another comment",
    }));
}
