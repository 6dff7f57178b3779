// Similarity as one graph offers it: beside values the settings, which all its threads share, and
// the vertices that its projections are made of. A root leads to a set for each seed, and a set to
// its anchors; applications connect anchors to items. The graph alone says which sets there are, so
// that threads, snapshots and replicas know.

import { connect } from "../changes/connect.js";
import { setSimilarity } from "../changes/similarity.js";
import { createVertex, deleteVertex } from "../changes/vertices.js";
import { M_UINT } from "../model/constants.js";
import { ValueError } from "../model/errors.js";
import { terminals } from "../query/calls/lists.js";
import type { GraphAccess } from "../sessions/graph-access.js";
import { requireSameKind } from "../vectors/probe.js";
import {
  anchorCount,
  anchorId,
  computeProjections,
  KEY_SIZES,
  PROJECTION_SEEDS,
  type ProjectionKeySize,
  type ProjectionOptions,
  type Projections,
  setId,
} from "../vectors/projections.js";
import { Similarity } from "../vectors/similarity.js";
import type { SimilaritySettings } from "../vectors/similarity-settings.js";
import { partsOfLike, Vector, type VectorLike } from "../vectors/vector.js";
import { similarityOf } from "../vectors/vector-parts.js";
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

  /** How similar two vectors are: the cosine; of features what the settings make of them. */
  similarity(a: VectorLike, b: VectorLike): number {
    return similarityOf(partsOfLike(a, "a"), partsOfLike(b, "b"), this.#settings);
  }

  /** Settings, by the names that they have in the interface. */
  asDict(): SimilaritySettings & { readonly seeds: readonly number[] } {
    return { ...this.#settings, seeds: [...PROJECTION_SEEDS] };
  }

  /** Most differing bits of fingerprints with which features match; 0 to 64. */
  get hamming_threshold(): number {
    return this.#settings.hamming_threshold;
  }

  set hamming_threshold(value: number) {
    setSimilarity(accessOf(this.#graph), "hamming_threshold", value);
  }

  /**
   * Least similarity with which vectors are equal in expressions; -1 to 1. At 1 they have to be the
   * same.
   */
  get sim_threshold(): number {
    return this.#settings.sim_threshold;
  }

  set sim_threshold(value: number) {
    setSimilarity(accessOf(this.#graph), "sim_threshold", value);
  }

  /** Power of the cosine in the similarity of features; the other is 1 less this. */
  get cosine_exp(): number {
    return this.#settings.cosine_exp;
  }

  set cosine_exp(value: number) {
    setSimilarity(accessOf(this.#graph), "cosine_exp", value);
  }

  /** Power of the jaccard in the similarity of features; the other is 1 less this. */
  get jaccard_exp(): number {
    return this.#settings.jaccard_exp;
  }

  set jaccard_exp(value: number) {
    setSimilarity(accessOf(this.#graph), "jaccard_exp", value);
  }

  /** Features with a smaller cosine have no similarity; 0 to 1. */
  get min_cosine(): number {
    return this.#settings.min_cosine;
  }

  set min_cosine(value: number) {
    setSimilarity(accessOf(this.#graph), "min_cosine", value);
  }

  /** Features with a smaller jaccard have no similarity; 0 to 1. */
  get min_jaccard(): number {
    return this.#settings.min_jaccard;
  }

  set min_jaccard(value: number) {
    setSimilarity(accessOf(this.#graph), "min_jaccard", value);
  }

  /** Vectors with fewer features in common have no similarity; 1 to 48. */
  get min_isect(): number {
    return this.#settings.min_isect;
  }

  set min_isect(value: number) {
    setSimilarity(accessOf(this.#graph), "min_isect", value);
  }

  get #settings(): SimilaritySettings {
    return accessOf(this.#graph).store.vectors.settings;
  }

  /**
   * Makes the anchors of projections; those that are there stay.
   * @param nseeds number of sets, 1 to 8
   * @param ksize bits of a key; 8, 10 and 12 make 4,096, 12,288 and 61,440 anchors a set
   * @returns seeds of the sets
   * @throws ValueError, AccessError, CapacityError, which leaves the sets that were complete
   */
  createProjectionSets(nseeds: number, ksize: ProjectionKeySize): number[] {
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
    return computeProjections(partsOfLike(vector, "vector"), size, options);
  }
}

/**
 * A vector of the kind that a graph's vectors are of.
 * @throws ValueError, TypeError
 */
export function requireCompatibleVector(graph: GraphHandle, elements: unknown): Vector {
  const parts = partsOfLike(elements, "vector");
  requireSameKind(accessOf(graph).store.vectors, parts, "it");
  return new Vector(parts);
}

/** @throws ValueError there are no sets */
export function projectionSize(access: GraphAccess): ProjectionKeySize {
  const size = sizeOf(access);
  if (size !== null) return size;
  throw new ValueError("no projection sets (forgot to call createProjectionSets()?)");
}

/** Told by the last anchor of the first set, for the first set is there whenever one is. */
function sizeOf(access: GraphAccess): ProjectionKeySize | null {
  const [seed] = PROJECTION_SEEDS;
  if (!isComplete(access, seed!)) return null;
  const { ids } = access.store;
  const isLast = (size: ProjectionKeySize): boolean =>
    ids.resolve(anchorId(anchorCount(size) - 1, seed!)) !== 0;
  return [...KEY_SIZES].reverse().find(isLast) ?? null;
}

/** The arc from the root is what is made last, and removed first. */
function isComplete(access: GraphAccess, seed: number): boolean {
  const { store } = access;
  const sets = store.ids.resolve(ROOT) === 0 ? [] : terminals(store, ROOT);
  return sets.includes(setId(seed));
}

function createSet(access: GraphAccess, size: ProjectionKeySize, seed: number): void {
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
