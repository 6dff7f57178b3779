// Bulk creation of vertices or arcs in one batch.

import { atArgumentPath, withArgumentDetails } from "../model/invalid-argument.js";
import type { ArcSpec } from "../model/parsed-arc.js";
import type { GraphStore } from "../store/graph-store.js";
import type { Access } from "../store/session-view.js";
import { batch } from "./batch.js";
import { type ConnectOptions, connect } from "./connect.js";
import type { VertexKey } from "./vertex-key.js";
import { type CreateOptions, createVertex } from "./vertices.js";

/** A vertex to create: its id, or its id with options. */
export type VertexInput = string | (CreateOptions & { readonly id: string });

/**
 * Creates missing vertices as `createVertex` does.
 * @returns number of vertices created or made real
 */
export function createVertices(access: Access, vertices: readonly VertexInput[]): number {
  const checkedVertices = requireArray(vertices, "vertices");
  return batch(access.store, () => {
    let created = 0;
    for (const [at, vertex] of checkedVertices.entries()) {
      try {
        created +=
          typeof vertex === "object" && vertex !== null
            ? createVertex(access, vertex.id, vertex)
            : createVertex(access, vertex);
      } catch (error) {
        throw atArgumentPath(error, `vertices[${at}]`);
      }
    }
    return created;
  });
}

/** An arc to create, with its terminal. */
export type ArcInput<N> = readonly [arc: ArcSpec, terminal: N];

/**
 * Creates arcs of one vertex as `connect` does.
 * @param keyOf converts the caller's terminal to a key
 * @returns number of new arcs
 */
export function connectMany<N>(
  access: Access,
  initial: VertexKey,
  arcs: readonly ArcInput<N>[],
  keyOf: (store: GraphStore, terminal: N) => VertexKey,
  options?: ConnectOptions,
): number {
  const checkedArcs = requireArray(arcs, "pairs of an arc and a terminal");
  return batch(access.store, () => {
    let created = 0;
    for (const [at, pair] of checkedArcs.entries()) {
      if (!Array.isArray(pair) || pair.length !== 2) {
        const error = new TypeError("expected a pair of an arc and a terminal");
        throw withArgumentDetails(error, pair, "[arc, terminal]", `arcs[${at}]`);
      }
      const [arc, terminal] = pair as ArcInput<N>;
      try {
        created += connect(access, initial, arc, keyOf(access.store, terminal), options);
      } catch (error) {
        throw atArgumentPath(error, `arcs[${at}]`);
      }
    }
    return created;
  });
}

function requireArray<T>(list: readonly T[], items: string): readonly T[] {
  if (!Array.isArray(list)) throw new TypeError(`a list of ${items} is required`);
  return list;
}
