// Assigns codes to names that changes use for the first time. Requires a mutation.

import { nowSeconds } from "../memory/time.js";
import { ArcError, EnumerationError } from "../model/errors.js";
import { isName } from "../model/names.js";
import type { GraphStore } from "../store/graph-store.js";
import { NAME_KINDS, NameKindCode, type NameKindCodeNumber } from "../store/names.js";
import { OperationCode } from "../store/operation.js";
import { validatePropertyKey } from "../store/property-values.js";
import { apply } from "./apply.js";

/** @throws ArcError for an invalid relationship name */
export function ensureRelationshipCode(store: GraphStore, name: string, requestedCode = 0): number {
  const code = store.relationships.codeOf(name);
  if (code !== 0) return code;
  if (!isName(name)) throw new ArcError(`invalid relationship: '${name}'`);
  return define(store, NameKindCode.Relationship, name, requestedCode);
}

/** @throws EnumerationError for an invalid type name */
export function ensureTypeCode(store: GraphStore, name: string, requestedCode = 0): number {
  const code = store.types.codeOf(name);
  if (code !== 0) return code;
  if (!isName(name)) throw new EnumerationError(`invalid vertex type: '${name}'`);
  return define(store, NameKindCode.Type, name, requestedCode);
}

/** @throws ValueError for an invalid property key */
export function ensureKeyCode(store: GraphStore, name: string, requestedCode = 0): number {
  const code = store.keys.codeOf(name);
  if (code !== 0) return code;
  return define(store, NameKindCode.Key, validatePropertyKey(name), requestedCode);
}

/** Assigns a code to a new name; overwrites `store.operation`. */
function define(
  store: GraphStore,
  kind: NameKindCodeNumber,
  name: string,
  requestedCode: number,
): number {
  if (store.isReadonly) throw new EnumerationError("enumerator locked");
  const { operation } = store;
  operation.code = OperationCode.Enumerate;
  operation.name = kind;
  operation.text = name;
  operation.value = requestedCode;
  operation.at = nowSeconds();
  apply(store, operation);
  return NAME_KINDS[kind]!(store).codeOf(name);
}
