// Status of one graph (http-interface, "Graph status and queries").

import { Header } from "../../memory/layout.js";
import { nowSeconds } from "../../memory/time.js";
import type { GraphStore } from "../../store/graph-store.js";
import { readReplicaInput } from "../../store/input-serial.js";
import { type MemoryUsage, memoryUsage, pooledBytes } from "./memory-usage.js";

/** Transactions have no ids; outgoing ones are counted by the instance's log. */
const NO_TRANSACTIONS = { id: "0".repeat(32), serial: 0, count: 0 };

/** Returns true if the last save failed. */
export function hasUnsavedChanges({ memory }: GraphStore): boolean {
  return memory.header.words[Header.SaveFailedAt] !== 0;
}

/** Returns the time of the last save since 1970, 0 for none. */
export function savedAtSeconds({ memory }: GraphStore): number {
  return memory.header.words[Header.SavedAt]!;
}

/** Returns the number of operations since the last save. */
export function pendingOperations({ memory, operationCount }: GraphStore): number {
  const { words } = memory.header;
  const low = words[Header.SavedOperationCount]! >>> 0;
  const saved = words[Header.SavedOperationCountHigh]! * 2 ** 32 + low;
  return Math.max(0, operationCount - saved);
}

/** Returns name, folder and counts. */
export function baseStatus(store: GraphStore, path: string | null) {
  const { name, order, size, propertyCount, vectorFields } = store;
  const base = { name, order, size, properties: propertyCount, vectors: vectorFields.count };
  return { path, base };
}

export function graphStatus(store: GraphStore, path: string | null) {
  const { words } = store.memory.header;
  const usage = memoryUsage(store);
  const current = nowSeconds();
  const queries = words[Header.QueryCount]!;
  return {
    ...baseStatus(store, path),
    time: { current, age: current - words[Header.CreatedAt]! },
    op: { count: store.operationCount },
    transaction: { out: NO_TRANSACTIONS, in: { ...NO_TRANSACTIONS, ...readReplicaInput(store) } },
    enum: enumerations(store),
    ...(!store.constraints.isEmpty && { constraints: { count: store.constraints.count } }),
    memcost: costs(store, usage),
    memory: memoryByKind(usage),
    query: {
      count: queries,
      latency_ms: queries === 0 ? 0 : store.meter.timeUs / 1000 / queries,
    },
  };
}

/**
 * Returns the number of distinct texts and other large property values: interned strings without
 * names. A text that is also a name is not counted.
 */
export function valueCount({ memory, relationships, types, keys }: GraphStore): number {
  const names = relationships.defined + types.defined + keys.defined;
  return Math.max(0, memory.header.words[Header.StringCount]! - names);
}

function enumerations(store: GraphStore) {
  const relationships = store.relationships.list();
  const types = store.types.list();
  return {
    relationship: { codec: relationships, count: Object.keys(relationships).length },
    vertex_type: { codec: types, count: Object.keys(types).length },
    dimension: { count: 0 },
    property: {
      key: { count: store.keys.used },
      string_value: { count: valueCount(store) },
    },
  };
}

/** Returns bytes, and bytes per object. */
function costs(store: GraphStore, usage: MemoryUsage) {
  const cost = (bytes: number, objects: number) => ({
    bytes,
    overhead: objects === 0 ? 0 : bytes / objects,
  });
  return {
    vertex: cost(usage["svc.vertex.object"]!, store.order),
    property: cost(usage["svc.vertex.property"]!, store.propertyCount),
    vector: cost(usage["svc.vector.internal"]!, store.vectorFields.count),
    arc: cost(usage["svc.vertex.arcvector"]!, store.size),
  };
}

function memoryByKind(usage: MemoryUsage) {
  const sum = (...metrics: string[]): number =>
    metrics.reduce((bytes, metric) => bytes + usage[metric]!, 0);
  return {
    vertex: sum("svc.vertex.object"),
    arc: sum("svc.vertex.arcvector"),
    property: sum("svc.vertex.property"),
    index: sum("svc.index.global", "svc.index.type"),
    codec: sum("svc.codec.vertextype", "svc.codec.relationship", "svc.codec.vertexprop"),
    event: sum("svc.event.schedule"),
    vector: sum("svc.vector.internal"),
    string: sum("svc.string"),
    total: pooledBytes(usage),
  };
}
