// The errors that clients know by name. Each name is one kind, whichever plugins throw it.

import { isDeepStrictEqual } from "node:util";
import type { ErrorSpec, JsonSchema } from "./argspec.js";
import type { Operation } from "./operations.js";

export interface ErrorKindSpec {
  readonly kind: string;
  /** In ascending order. */
  readonly statuses: readonly number[];
  /** Schema of the details; null unless every plugin declares one. */
  readonly details: JsonSchema | null;
  /** Descriptions by the plugins' authors. */
  readonly descriptions: readonly string[];
}

export type TypedError = ErrorSpec & { readonly status: number };

export function isTyped(error: ErrorSpec): error is TypedError {
  return error.status !== undefined;
}

/** Sorted by name. */
export function listErrorKinds(operations: readonly Operation[]): readonly ErrorKindSpec[] {
  const byKind = new Map<string, TypedError[]>();
  for (const error of operations.flatMap(({ errors }) => errors.filter(isTyped))) {
    byKind.set(error.exception, [...(byKind.get(error.exception) ?? []), error]);
  }
  const kinds = [...byKind].sort(([a], [b]) => (a < b ? -1 : 1));
  return kinds.map(([kind, errors]) => ({
    kind,
    statuses: [...new Set(errors.map(({ status }) => status))].sort((a, b) => a - b),
    details: detailsOf(errors),
    descriptions: [...new Set(errors.map(({ description }) => description))].filter(Boolean),
  }));
}

function detailsOf(errors: readonly TypedError[]): JsonSchema | null {
  const schemas: JsonSchema[] = [];
  for (const { details } of errors) {
    if (details === undefined) return null;
    if (!schemas.some((schema) => isDeepStrictEqual(schema, details))) schemas.push(details);
  }
  return schemas.length === 1 ? schemas[0]! : { anyOf: schemas };
}

/** Statuses of one operation by error name. */
export function listStatuses({ errors }: Operation): ReadonlyMap<string, readonly number[]> {
  const statuses = new Map<string, number[]>();
  for (const { exception, status } of errors.filter(isTyped)) {
    const known = statuses.get(exception) ?? [];
    if (!known.includes(status)) statuses.set(exception, [...known, status]);
  }
  return statuses;
}
