// Similarity functions of a graph: its settings, shared by all threads, and its projection sets. A
// root vertex leads to a set for each seed, and a set to its anchors, which applications connect to
// items. The sets are read from the graph itself, so threads, snapshots and replicas agree on them.

import { connect } from "../changes/connect.js";
import type { GraphAccess } from "../changes/sessions/graph-access.js";
import { setSimilarity } from "../changes/similarity.js";
import { findVectors } from "../changes/vectors.js";
import { createVertex, deleteVertex } from "../changes/vertices.js";
import { refuseFurther } from "../model/check-argument.js";
import { M_UINT } from "../model/constants.js";
import { ValueError } from "../model/errors.js";
import { terminals } from "../query/calls/lists.js";
import { type Approximate, parseEf } from "../query/walk/nearest-search.js";
import { computeSimilarity } from "../vectors/measures/measures.js";
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
import { parseVector, Vector, type VectorLike } from "../vectors/vector.js";
import { type GraphHandle, getAccess } from "./graph-handle.js";

const ROOT = "_|";
const ROOT_TYPE = "projection_root";
const ANCHOR_TYPE = "projection";
const TO_SET = "subset";
const TO_ANCHOR = "projection";
const MAX_ANCHORS = Math.max(...KEY_SIZES.map(anchorCount));

export class GraphSimilarity extends Similarity {
  readonly #graph: GraphHandle;

  constructor(graph: GraphHandle) {
    super();
    this.#graph = graph;
  }

  /** Returns the similarity of two vectors: the cosine, or for features by the graph's settings. */
  similarity(a: VectorLike, b: VectorLike, ...further: never[]): number {
    refuseFurther(further, "b");
    const { settings, measure } = getAccess(this.#graph).store.vectors;
    return computeSimilarity(parseVector(a, "a"), parseVector(b, "b"), settings, measure);
  }

  /** Returns the settings by their interface names. */
  asDict(): SimilaritySettings & { readonly seeds: readonly number[] } {
    return { ...this.#settings, seeds: [...PROJECTION_SEEDS] };
  }

  /** Maximum Hamming distance of fingerprints at which features match, 0 to 64. */
  get hamming_threshold(): number {
    return this.#settings.hamming_threshold;
  }

  set hamming_threshold(value: number) {
    setSimilarity(getAccess(this.#graph), "hamming_threshold", value);
  }

  /**
   * Minimum similarity at which vectors are equal in expressions, -1 to 1; at 1 they must be
   * identical.
   */
  get sim_threshold(): number {
    return this.#settings.sim_threshold;
  }

  set sim_threshold(value: number) {
    setSimilarity(getAccess(this.#graph), "sim_threshold", value);
  }

  /** Exponent of the cosine in the similarity of features; 1 minus `jaccard_exp`. */
  get cosine_exp(): number {
    return this.#settings.cosine_exp;
  }

  set cosine_exp(value: number) {
    setSimilarity(getAccess(this.#graph), "cosine_exp", value);
  }

  /** Exponent of the Jaccard similarity in the similarity of features; 1 minus `cosine_exp`. */
  get jaccard_exp(): number {
    return this.#settings.jaccard_exp;
  }

  set jaccard_exp(value: number) {
    setSimilarity(getAccess(this.#graph), "jaccard_exp", value);
  }

  /** Minimum cosine of similar features, 0 to 1. */
  get min_cosine(): number {
    return this.#settings.min_cosine;
  }

  set min_cosine(value: number) {
    setSimilarity(getAccess(this.#graph), "min_cosine", value);
  }

  /** Minimum Jaccard similarity of similar features, 0 to 1. */
  get min_jaccard(): number {
    return this.#settings.min_jaccard;
  }

  set min_jaccard(value: number) {
    setSimilarity(getAccess(this.#graph), "min_jaccard", value);
  }

  /** Minimum number of common features of similar vectors, 1 to 48. */
  get min_isect(): number {
    return this.#settings.min_isect;
  }

  set min_isect(value: number) {
    setSimilarity(getAccess(this.#graph), "min_isect", value);
  }

  get #settings(): SimilaritySettings {
    return getAccess(this.#graph).store.vectors.settings;
  }

  /**
   * Creates the anchors of projections; existing ones stay.
   * @param nseeds number of sets, 1 to 8
   * @param ksize bits per key; 8, 10 and 12 give 4,096, 12,288 and 61,440 anchors per set
   * @returns seeds of the sets
   * @throws ValueError, AccessError, CapacityError; complete sets remain
   */
  createProjectionSets(nseeds: number, ksize: ProjectionKeySize, ...further: never[]): number[] {
    refuseFurther(further, "ksize");
    if (!Number.isInteger(nseeds) || nseeds < 1 || nseeds > PROJECTION_SEEDS.length) {
      throw new ValueError(`nseeds must be 1 - ${PROJECTION_SEEDS.length}`);
    }
    if (!KEY_SIZES.includes(ksize)) throw new ValueError("ksize must be 8, 10 or 12");
    const access = getAccess(this.#graph);
    const existing = sizeOf(access) ?? ksize;
    if (existing !== ksize) {
      throw new ValueError(`projection sets of ksize ${existing} exist: delete them first`);
    }
    createVertex(access, ROOT, { type: ROOT_TYPE });
    const seeds = PROJECTION_SEEDS.slice(0, nseeds);
    for (const seed of seeds) if (!isComplete(access, seed)) createSet(access, ksize, seed);
    return seeds;
  }

  /**
   * Deletes all anchors with their arcs to items.
   * @returns number of deleted vertices
   * @throws AccessError
   */
  deleteProjectionSets(): number {
    const access = getAccess(this.#graph);
    let deleted = deleteVertex(access, ROOT);
    for (const seed of PROJECTION_SEEDS) {
      if (access.store.ids.resolve(setId(seed)) === 0) continue;
      deleted += deleteVertex(access, setId(seed));
      // Includes anchors that an interrupted call created but did not connect.
      for (let position = 0; position < MAX_ANCHORS; position++) {
        const anchor = anchorId(position, seed);
        if (access.store.ids.resolve(anchor) !== 0) deleted += deleteVertex(access, anchor);
      }
    }
    return deleted;
  }

  /**
   * Returns the anchors of a vector: what an item is connected to, and where a search begins.
   * @throws ValueError no sets, or none of that seed; TypeError
   */
  projections(
    vector: VectorLike,
    options: ProjectionOptions = {},
    ...further: never[]
  ): Projections {
    refuseFurther(further, "options");
    const access = getAccess(this.#graph);
    const { seed = PROJECTION_SEEDS[0]! } = options;
    const size = projectionSize(access);
    if (!isComplete(access, seed))
      throw new ValueError(`there is no projection set of seed ${seed}`);
    return computeProjections(parseVector(vector, "vector"), size, options);
  }
}

/**
 * Returns a vector of the kind of the graph's vectors of a name.
 * @throws ValueError, TypeError
 */
export function requireCompatibleVector(graph: GraphHandle, elements: unknown, name = ""): Vector {
  const parts = parseVector(elements, "vector");
  const table = findVectors(getAccess(graph).store, name);
  if (table !== null) requireSameKind(table, parts, "it");
  return new Vector(parts);
}

/** @throws ValueError there are no sets */
export function projectionSize(access: GraphAccess): ProjectionKeySize {
  const size = sizeOf(access);
  if (size !== null) return size;
  throw new ValueError("no projection sets (forgot to call createProjectionSets()?)");
}

/** Returns the key size of existing sets, according to the last anchor of the first set. */
function sizeOf(access: GraphAccess): ProjectionKeySize | null {
  const [seed] = PROJECTION_SEEDS;
  if (!isComplete(access, seed!)) return null;
  const { ids } = access.store;
  const isLast = (size: ProjectionKeySize): boolean =>
    ids.resolve(anchorId(anchorCount(size) - 1, seed!)) !== 0;
  return [...KEY_SIZES].reverse().find(isLast) ?? null;
}

/** Returns whether a set is complete: the arc from the root is created last and removed first. */
function isComplete(access: GraphAccess, seed: number): boolean {
  const { store } = access;
  const sets = store.ids.resolve(ROOT) === 0 ? [] : terminals(store, ROOT);
  return sets.includes(setId(seed));
}

function createSet(access: GraphAccess, size: ProjectionKeySize, seed: number): void {
  const set = setId(seed);
  createVertex(access, set);
  const count = anchorCount(size);
  for (let position = 0; position < count; position++) {
    const anchor = anchorId(position, seed);
    createVertex(access, anchor, { type: ANCHOR_TYPE });
    connect(access, set, [TO_ANCHOR, M_UINT, position], anchor);
  }
  connect(access, ROOT, [TO_SET, M_UINT, seed], set);
}

/** @throws QueryError an `approximate` option that `nearest` rejects */
export function requireApproximate(approximate: unknown): void {
  parseEf(approximate as Approximate);
}
