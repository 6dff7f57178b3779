// Changes of a graph as a whole.

import { Header } from "../memory/layout.js";
import { nameUnit } from "../memory/writer.js";
import { checkTextOrNull } from "../model/check-argument.js";
import { AccessError, EnumerationError } from "../model/errors.js";
import { apply } from "../operations/apply.js";
import { ensureKeyCode, ensureRelationshipCode, ensureTypeCode } from "../operations/name-codes.js";
import { UNTYPED } from "../store/code-ranges.js";
import type { GraphStore } from "../store/graph-store.js";
import { OperationCode } from "../store/operation.js";
import { readonlyError } from "../store/readonly-error.js";
import type { Access } from "../store/session-view.js";
import { begin } from "./change-vertex.js";
import { dropConstraints } from "./constraints.js";
import { runWithLocks, waitForLock } from "./run-with-locks.js";
import { requireWritable } from "./vertex-key.js";

/**
 * Removes all vertices, or those of a type (null: untyped), with all their arcs.
 * @returns number of vertices removed
 * @throws AccessError
 */
export function truncate(access: Access, type?: string | null): number {
  const { store } = access;
  if (type !== undefined) checkTextOrNull(type, "a type");
  return removeAlone(access, () => {
    let code = 0;
    if (type !== undefined) code = type === null ? UNTYPED : store.types.codeOf(type);
    if (type !== undefined && code === 0) return 0;
    begin(store, OperationCode.Truncate, 0).name = code;
    return apply(store, store.operation);
  });
}

/**
 * Empties a graph that is about to be erased. Drops the constraints first, because a graph with
 * constraints is truncated vertex by vertex.
 * @throws AccessError
 */
export function clear(access: Access): void {
  const { store } = access;
  removeAlone(access, () => {
    dropConstraints(store);
    begin(store, OperationCode.Truncate, 0).name = 0;
    return apply(store, store.operation);
  });
}

/** Runs a removal while no session has a vertex open. */
function removeAlone(access: Access, remove: () => number): number {
  const { store, session } = access;
  if (session.readonlyHeld + session.writableHeld > 0) {
    throw new AccessError("Current thread holds one or more vertex locks, cannot truncate.");
  }
  if (store.writer.isWriting) throw new AccessError(`truncate is not allowed in a ${nameUnit()}`);
  return runWithLocks(access, 0, () => {
    if (store.isReadonly) throw readonlyError(store, ", cannot truncate.");
    if (store.memory.header.words[Header.LocksHeld] !== 0) waitForLock(store, firstHeld(store));
    return remove();
  });
}

function firstHeld(store: GraphStore): number {
  return store.locks.entries()[0]!.vertex;
}

/** Makes a graph read-only or writable again. The caller checks whether that is allowed. */
export function setReadonly(store: GraphStore, isReadonly: boolean): void {
  store.writer.mutate(() => {
    begin(store, OperationCode.SetReadonly, 0).value = isReadonly ? 1 : 0;
    apply(store, store.operation);
  });
}

/**
 * Sets whether new arcs get creation and modification times in companion arcs.
 * @throws AccessError
 */
export function setAutoTimes(store: GraphStore, isOn: boolean): void {
  store.writer.mutate(() => {
    requireWritable(store);
    begin(store, OperationCode.SetAutoTimes, 0).value = isOn ? 1 : 0;
    apply(store, store.operation);
  });
}

/** Kinds of names that have codes. */
export type NameKind = "relationship" | "type" | "key";

const ENSURE_CODE = {
  relationship: ensureRelationshipCode,
  type: ensureTypeCode,
  key: ensureKeyCode,
} as const;

const NAME_TABLES = { relationship: "relationships", type: "types", key: "keys" } as const;

/**
 * Returns the code of a name, assigning one if needed.
 * @param requestedCode code that the name must have or get; 0: any code
 * @throws EnumerationError, ArcError, ValueError, AccessError
 */
export function enumerate(
  store: GraphStore,
  kind: NameKind,
  name: string,
  requestedCode = 0,
): number {
  const names = store[NAME_TABLES[kind]];
  return store.writer.mutate(() => {
    if (requestedCode !== 0 && names.codeOf(name) === 0 && !names.isFree(requestedCode)) {
      throw new EnumerationError(`code ${requestedCode} is taken or out of range for a ${kind}`);
    }
    const code = ENSURE_CODE[kind](store, name, requestedCode);
    if (requestedCode === 0 || code === requestedCode) return code;
    throw new EnumerationError(`'${name}' has another code: ${code}`);
  });
}
