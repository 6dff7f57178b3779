// Executes operations: the only function that changes a graph. Callers hold the writer mutex, have
// validated the change, have filled in an `Operation`, and commit afterwards. Operations are
// idempotent.

import { Header, ReadonlyBy } from "../memory/layout.js";
import { InternalError } from "../model/errors.js";
import { UNTYPED } from "../store/code-ranges.js";
import type { GraphStore } from "../store/graph-store.js";
import { NAME_KINDS } from "../store/names.js";
import { type Operation, OperationCode } from "../store/operation.js";
import { countComponents, isSignIndex } from "../vectors/vector-layout.js";
import { connect, disconnect } from "./arcs.js";
import { indexProperty } from "./index-properties.js";
import { declareTexts, dropTexts } from "./index-texts.js";
import { logOperation } from "./log-operation.js";
import { deleteVertex, truncate, truncateType } from "./removals.js";
import { requireOwner } from "./require-owner.js";
import {
  addVertex,
  markModified,
  promoteVirtual,
  setExpiry,
  setRank,
  setType,
} from "./vertices.js";

/**
 * Executes an operation within a mutation and writes its record to the log ring.
 * @returns number of arcs, vertices or properties created or removed
 * @throws OwnerError for a vertex whose slot another group owns
 */
export function apply(store: GraphStore, operation: Operation): number {
  const { memory, slots } = store;
  const { log } = memory;
  if (slots !== null && store.checksOwner) requireOwner(store, slots, operation);
  if (log?.isOn === true) logOperation(store, log, operation);
  return applyLogged(store, operation);
}

/** Executes an operation whose record is in the log ring. */
export function applyLogged(store: GraphStore, operation: Operation): number {
  store.writer.addWide(store.memory.header, Header.OperationCount, 1);
  // By far the most frequent operation.
  if (operation.code === OperationCode.Connect) return connect(store, operation);
  return perform(store, operation);
}

/** Executes an operation without counting or logging it. */
export function perform(store: GraphStore, operation: Operation): number {
  const { vertex, name, at } = operation;
  switch (operation.code) {
    case OperationCode.CreateVertex:
      return createVertex(store, operation);
    case OperationCode.DeleteVertex:
      return deleteVertex(store, vertex, at);
    case OperationCode.Disconnect:
      return disconnect(store, operation);
    case OperationCode.Truncate:
      return name === 0 ? truncate(store) : truncateType(store, name);
    case OperationCode.Enumerate:
      NAME_KINDS[name]!(store).define(operation.text, operation.value);
      return 1;
    case OperationCode.SetReadonly:
      writeReadonly(store, operation.value);
      return 1;
    case OperationCode.SetAutoTimes:
      store.writer.put(store.memory.header, Header.AutoArcTimes, operation.value);
      return 1;
    case OperationCode.SetSimilarity:
      store.vectorFields.require(operation.flags).changeSetting(name, operation.value);
      return 1;
    case OperationCode.IndexProperty:
      return indexProperty(store, name, operation.value === 1);
    case OperationCode.Constrain:
      return store.constraints.declare(operation.value, name, operation.flags) ? 1 : 0;
    case OperationCode.IndexTexts:
      return operation.value === 1
        ? declareTexts(store, operation.text)
        : dropTexts(store, operation.text);
    case OperationCode.IndexVectors:
      return indexVectors(store, operation);
    default:
      return changeVertex(store, operation);
  }
}

/** Executes operations on a vertex's own attributes; a virtual vertex becomes real. */
function changeVertex(store: GraphStore, operation: Operation): number {
  const { vertex, name } = operation;
  store.writer.touch(0, vertex);
  if (store.vertices.isVirtual(vertex)) promoteVirtual(store, vertex, operation.at);
  markModified(store, vertex, operation.at);
  switch (operation.code) {
    case OperationCode.SetType:
      setType(store, vertex, name);
      return 1;
    case OperationCode.SetExpiry:
      setExpiry(store, vertex, operation.expiresAt);
      return 1;
    case OperationCode.SetRank:
      setRank(store, vertex, operation.c1, operation.c0);
      return 1;
    case OperationCode.SetProperty:
      store.properties.set(vertex, name, operation.property);
      return 1;
    case OperationCode.RemoveProperty:
      return store.properties.remove(vertex, name) ? 1 : 0;
    case OperationCode.RemoveProperties:
      return store.properties.clear(vertex);
    case OperationCode.SetVector:
      store.vectorFields.require(name).set(vertex, operation.vector);
      return 1;
    case OperationCode.RemoveVector:
      return store.vectorFields.find(name)?.remove(vertex) === true ? 1 : 0;
    default:
      throw new InternalError(`no operation ${operation.code}`);
  }
}

function indexVectors({ vectorFields }: GraphStore, { name, value, flags }: Operation): number {
  if (isSignIndex(value)) {
    const length = countComponents(value);
    if (flags === 0) return vectorFields.findSigns(name, length)?.drop() === true ? 1 : 0;
    vectorFields.requireSigns(name, length).request(flags);
    return 1;
  }
  if (flags === 0) return vectorFields.find(name)?.dropIndex(value) === true ? 1 : 0;
  vectorFields.require(name).addIndex(value, flags);
  return 1;
}

/** Creates a vertex or makes it real; sets `operation.vertex` to its handle. */
function createVertex(store: GraphStore, operation: Operation): number {
  const { vertices } = store;
  const { at, name } = operation;
  let applied = 1;
  if (operation.vertex === 0) {
    operation.vertex = addVertex(store, operation.id, name || UNTYPED, true, at);
  } else if (vertices.isVirtual(operation.vertex)) {
    promoteVirtual(store, operation.vertex, at);
    if (name !== 0) setType(store, operation.vertex, name);
  } else applied = 0;
  markModified(store, operation.vertex, at);
  return applied;
}

function writeReadonly({ writer, memory }: GraphStore, isReadonly: number): void {
  const others = memory.header.words[Header.Readonly]! & ~ReadonlyBy.Graph;
  writer.put(memory.header, Header.Readonly, others | (isReadonly === 0 ? 0 : ReadonlyBy.Graph));
}
