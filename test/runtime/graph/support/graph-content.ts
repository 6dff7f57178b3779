// All contents of a graph as plain comparable data, independent of handles, addresses and pointers.

import { vectorIndexes } from "../../../../runtime/graph/changes/index-vectors.js";
import { Header } from "../../../../runtime/graph/memory/layout.js";
import type { ArcRuns } from "../../../../runtime/graph/store/arc-runs.js";
import type { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { virtualCount } from "./header-words.js";

export interface GraphContent {
  readonly graph: unknown;
  /** By id. */
  readonly vertices: Readonly<Record<string, unknown>>;
}

export function graphContent(store: GraphStore): GraphContent {
  const { vertices, ids } = store;
  const content: Record<string, unknown> = {};
  const used = Array.from({ length: vertices.end }, (_, vertex) => vertex).filter((vertex) =>
    vertices.isUsed(vertex),
  );
  for (const vertex of used) content[ids.idOf(vertex)] = vertexContent(store, vertex);
  return { graph: wholeContent(store), vertices: content };
}

function wholeContent(store: GraphStore): unknown {
  const { order, size, propertyCount, operationCount, isReadonly, name } = store;
  const indexes = vectorIndexes(store).map(({ length, ef }) => [length, ef]);
  return {
    ...{ name, order, size, propertyCount, operationCount, isReadonly },
    virtualCount: virtualCount(store.memory),
    createdAt: store.memory.header.words[Header.CreatedAt],
    relationships: store.relationships.list(),
    types: store.types.list(),
    keys: store.keys.list(),
    ...(store.vectors.count > 0 && { vectors: store.vectors.count }),
    ...(indexes.length > 0 && { indexes }),
    scheduled: store.expiry.count,
    next: store.expiry.next,
  };
}

function vertexContent(store: GraphStore, vertex: number): unknown {
  const { vertices, ids, types } = store;
  return {
    found: ids.find(ids.idOf(vertex)) === vertex,
    internalId: ids.internalIdOf(vertex),
    type: types.nameOf(vertices.typeOf(vertex)),
    isReal: vertices.isReal(vertex),
    times: [vertices.createdAt(vertex), vertices.modifiedAt(vertex), vertices.expiresAt(vertex)],
    rank: [vertices.c1(vertex), vertices.c0(vertex)],
    operation: vertices.operationOf(vertex),
    held: [store.locks.ownerOf(vertex), store.locks.countOf(vertex)],
    properties: store.properties.all(vertex),
    // Omitted if there is none: fixtures hold contents from before vectors existed.
    ...(store.vectors.has(vertex) && { vector: store.vectors.get(vertex) }),
    ...namedVectors(store, vertex),
    degrees: [vertices.outDegree(vertex), vertices.inDegree(vertex)],
    out: listArcs(store, store.outArcs, vertex),
    in: listArcs(store, store.inArcs, vertex),
  };
}

function namedVectors({ vectorFields, keys }: GraphStore, vertex: number): object {
  const tables = vectorFields.all().filter(({ key }) => key !== 0);
  const vectors = tables
    .filter((table) => table.has(vertex))
    .map((table) => [keys.nameOf(table.key), table.get(vertex)]);
  return vectors.length > 0 ? { vectors: Object.fromEntries(vectors) } : {};
}

function listArcs(store: GraphStore, arcs: ArcRuns, vertex: number): string[] {
  return Array.from({ length: arcs.length(vertex) }, (_, position) => {
    const word1 = arcs.word1At(vertex, position);
    const relationship = store.relationships.nameOf(word1 >>> 16);
    const neighbor = store.ids.idOf(arcs.otherAt(vertex, position));
    return `${relationship} ${word1 & 0xffff} ${arcs.valueAt(vertex, position)} ${neighbor}`;
  }).sort();
}
