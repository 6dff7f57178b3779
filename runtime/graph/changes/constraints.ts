// Declares, drops and lists constraints.

import { checkOptions } from "../model/check-argument.js";
import { ValueError } from "../model/errors.js";
import { NAMES, withArgumentDetails } from "../model/invalid-argument.js";
import { isName } from "../model/names.js";
import { apply } from "../operations/apply.js";
import { ensureKeyCode, ensureTypeCode } from "../operations/name-codes.js";
import {
  type ConstraintRules,
  packRules,
  unpackRules,
  VALUE_KINDS,
} from "../store/constraint-rules.js";
import type { GraphStore } from "../store/graph-store.js";
import { OperationCode } from "../store/operation.js";
import { begin } from "./change-vertex.js";
import { requireWritable } from "./vertex-key.js";

/** A property of the vertices of a type. */
export interface ConstrainedProperty {
  readonly type: string;
  readonly key: string;
}

/** Rules for a property of the vertices of a type. */
export interface Constraint extends ConstrainedProperty, ConstraintRules {}

const PROPERTY_NAMES = new Set(["type", "key"]);
const CONSTRAINT_NAMES = new Set(["type", "key", "unique", "required", "value"]);

/**
 * Declares a constraint, replacing that of the same property. Scans the vertices of the type under
 * the mutex.
 * @returns false if the graph already had the same constraint
 * @throws ConstraintError with the first hundred violations; ValueError, AccessError
 */
export function constrain(store: GraphStore, constraint: Constraint): boolean {
  checkOptions(constraint, CONSTRAINT_NAMES);
  checkProperty(constraint);
  const { type, key, value } = constraint;
  for (const name of ["unique", "required"] as const) {
    const flag = constraint[name] ?? false;
    requireThat(typeof flag === "boolean", flag, "true or false", `.${name}`);
  }
  const isKind = value === undefined || VALUE_KINDS.includes(value);
  requireThat(isKind, value, VALUE_KINDS.join(", "), ".value");
  const rules = packRules(constraint);
  requireThat(rules !== 0, constraint, "`unique`, `required` or `value`", "");
  return store.writer.mutate(() => {
    requireWritable(store);
    return declare(store, ensureTypeCode(store, type), ensureKeyCode(store, key), rules);
  });
}

/**
 * Drops a constraint; false if there is none.
 * @throws ValueError, AccessError
 */
export function dropConstraint(store: GraphStore, property: ConstrainedProperty): boolean {
  checkOptions(property, PROPERTY_NAMES);
  checkProperty(property);
  return store.writer.mutate(() => {
    requireWritable(store);
    const type = store.types.codeOf(property.type);
    const key = store.keys.codeOf(property.key);
    return type !== 0 && key !== 0 && declare(store, type, key, 0);
  });
}

/** Drops all constraints. Requires a mutation. */
export function dropConstraints(store: GraphStore): void {
  for (const { type, key } of store.constraints.all()) declare(store, type, key, 0);
}

/** Returns the constraints of a graph, sorted by type and key. */
export function listConstraints({ writer, constraints, types, keys }: GraphStore): Constraint[] {
  if (constraints.isEmpty) return [];
  writer.beginReading();
  try {
    const all = constraints.all().map(({ type, key, rules }) => ({
      type: types.nameOf(type),
      key: keys.nameOf(key),
      ...unpackRules(rules),
    }));
    const nameOf = (each: Constraint): string => `${each.type} ${each.key}`;
    return all.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  } finally {
    writer.end();
  }
}

function declare(store: GraphStore, type: number, key: number, rules: number): boolean {
  if (store.constraints.rulesFor(type, key) === rules) return false;
  const operation = begin(store, OperationCode.Constrain, 0);
  operation.name = key;
  operation.value = type;
  operation.flags = rules;
  return apply(store, operation) > 0;
}

function checkProperty({ type, key }: ConstrainedProperty): void {
  requireThat(typeof type === "string" && isName(type), type, NAMES, ".type");
  requireThat(typeof key === "string" && key !== "", key, NAMES, ".key");
}

function requireThat(isRight: boolean, value: unknown, fits: string, at: string): void {
  if (isRight) return;
  throw withArgumentDetails(new ValueError("invalid constraint"), value, fits, at);
}
