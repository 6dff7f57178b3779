// Similarity as one graph offers it: beside values, the vertices that its projections are made of.
// A root leads to a set for each seed, and a set to its anchors; applications connect anchors to
// items. The graph alone says which sets there are, so that threads, snapshots and replicas know.

import { connect } from "../changes/connect.js";
import { createVertex, deleteVertex } from "../changes/vertices.js";
import { M_UINT } from "../model/constants.js";
import { ValueError } from "../model/errors.js";
import { terminals } from "../query/calls/lists.js";
import type { GraphAccess } from "../sessions/graph-access.js";
import {
  anchorCount,
  anchorId,
  KEY_SIZES,
  type KeySize,
  PROJECTION_SEEDS,
  type ProjectionOptions,
  type Projections,
  projectionsOf,
  setId,
} from "../vectors/projections.js";
import { Similarity } from "../vectors/similarity.js";
import { partsOfLike, type VectorLike } from "../vectors/vector.js";
import { accessOf, type GraphHandle } from "./graph-handle.js";

const ROOT = "_|";
const ROOT_TYPE = "projection_root";
const ANCHOR_TYPE = "projection";
const TO_SET = "subset";
const TO_ANCHOR = "projection";
const MOST_ANCHORS = Math.max(...KEY_SIZES.map(anchorCount));

export class GraphSimilarity extends Similarity {
  readonly #graph: GraphHandle;

  constructor(graph: GraphHandle) {
    super();
    this.#graph = graph;
  }

  /**
   * Makes the anchors of projections; those that are there stay.
   * @param nseeds number of sets, 1 to 8
   * @param ksize bits of a key; 8, 10 and 12 make 4,096, 12,288 and 61,440 anchors a set
   * @returns seeds of the sets
   * @throws ValueError, AccessError, CapacityError, which leaves the sets that were complete
   */
  createProjectionSets(nseeds: number, ksize: KeySize): number[] {
    if (!Number.isInteger(nseeds) || nseeds < 1 || nseeds > PROJECTION_SEEDS.length) {
      throw new ValueError(`nseeds must be 1 - ${PROJECTION_SEEDS.length}`);
    }
    if (!KEY_SIZES.includes(ksize)) throw new ValueError("ksize must be 8, 10 or 12");
    const access = accessOf(this.#graph);
    const there = sizeOf(access) ?? ksize;
    if (there !== ksize) {
      throw new ValueError(`there are projection sets of ksize ${there}: delete them before`);
    }
    createVertex(access, ROOT, { type: ROOT_TYPE });
    const seeds = PROJECTION_SEEDS.slice(0, nseeds);
    for (const seed of seeds) if (!isComplete(access, seed)) createSet(access, ksize, seed);
    return seeds;
  }

  /**
   * Deletes all anchors, and with them their arcs to items.
   * @returns number of vertices that were deleted
   * @throws AccessError
   */
  deleteProjectionSets(): number {
    const access = accessOf(this.#graph);
    let deleted = deleteVertex(access, ROOT);
    for (const seed of PROJECTION_SEEDS) {
      if (access.store.ids.resolve(setId(seed)) === 0) continue;
      deleted += deleteVertex(access, setId(seed));
      // Also those that an interrupted call made and did not connect.
      for (let place = 0; place < MOST_ANCHORS; place++) {
        const anchor = anchorId(place, seed);
        if (access.store.ids.resolve(anchor) !== 0) deleted += deleteVertex(access, anchor);
      }
    }
    return deleted;
  }

  /**
   * The anchors of a vector: what an item is connected to, and where a search begins.
   * @throws ValueError no sets, or none of that seed; TypeError
   */
  projections(vector: VectorLike, options: ProjectionOptions = {}): Projections {
    const access = accessOf(this.#graph);
    const { seed = PROJECTION_SEEDS[0]! } = options;
    const size = projectionSize(access);
    if (!isComplete(access, seed))
      throw new ValueError(`there is no projection set of seed ${seed}`);
    return projectionsOf(partsOfLike(vector, "vector"), size, options);
  }
}

/** @throws ValueError there are no sets */
export function projectionSize(access: GraphAccess): KeySize {
  const size = sizeOf(access);
  if (size !== null) return size;
  throw new ValueError("no projection sets (forgot to call createProjectionSets()?)");
}

/** Told by the last anchor of the first set, for the first set is there whenever one is. */
function sizeOf(access: GraphAccess): KeySize | null {
  const [seed] = PROJECTION_SEEDS;
  if (!isComplete(access, seed!)) return null;
  const { ids } = access.store;
  const isLast = (size: KeySize): boolean =>
    ids.resolve(anchorId(anchorCount(size) - 1, seed!)) !== 0;
  return [...KEY_SIZES].reverse().find(isLast) ?? null;
}

/** The arc from the root is what is made last, and removed first. */
function isComplete(access: GraphAccess, seed: number): boolean {
  const { store } = access;
  const sets = store.ids.resolve(ROOT) === 0 ? [] : terminals(store, ROOT);
  return sets.includes(setId(seed));
}

function createSet(access: GraphAccess, size: KeySize, seed: number): void {
  const set = setId(seed);
  createVertex(access, set);
  const count = anchorCount(size);
  for (let place = 0; place < count; place++) {
    const anchor = anchorId(place, seed);
    createVertex(access, anchor, { type: ANCHOR_TYPE });
    connect(access, set, [TO_ANCHOR, M_UINT, place], anchor);
  }
  connect(access, ROOT, [TO_SET, M_UINT, seed], set);
}
