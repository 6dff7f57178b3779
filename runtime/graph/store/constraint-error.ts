// Errors of constraints: they name the vertex that breaks a rule and the vertex it conflicts with.

import { ConstraintError } from "../model/errors.js";

/** Maximum violations listed by an error. */
export const MAX_LISTED = 100;

/** A rule that a vertex breaks, by codes and handles. */
export interface BrokenRule {
  readonly vertex: number;
  readonly type: number;
  readonly key: number;
  /** `unique`, `required`, or the kind of value. */
  readonly rule: string;
  /** The vertex that already has the unique value; 0 for other rules. */
  readonly other: number;
  /** Kind of the value that the vertex has. */
  readonly found: string;
}

/** Names of vertices, types and keys. */
export interface NamedVertices {
  readonly ids: { idOf(vertex: number): string };
  readonly types: { nameOf(code: number): string };
  readonly keys: { nameOf(code: number): string };
}

/** @param broken at least one; all of one constraint if there are several */
export function makeConstraintError(
  names: NamedVertices,
  broken: readonly BrokenRule[],
): ConstraintError {
  const { type, key } = broken[0]!;
  const property = `${names.types.nameOf(type)}.${names.keys.nameOf(key)}`;
  const violations = broken.map((each) => ({
    id: names.ids.idOf(each.vertex),
    rule: each.rule,
    ...(each.other !== 0 && { other: names.ids.idOf(each.other) }),
  }));
  const listed = broken.map((each) => describe(names, each)).join("; ");
  return new ConstraintError(`constraint of ${property}: ${listed}`, violations);
}

function describe({ ids }: NamedVertices, { vertex, rule, other, found }: BrokenRule): string {
  const id = ids.idOf(vertex);
  if (rule === "unique") return `'${id}' has the same value as '${ids.idOf(other)}'`;
  if (rule === "required") return `'${id}' has no value`;
  return `value of '${id}' is ${found}, expected ${rule}`;
}
