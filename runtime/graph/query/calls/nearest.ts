// Nearest: the vertices whose vectors are most similar to one or several probe vectors.

import { findVectors, UNNAMED } from "../../changes/vectors.js";
import { ExpressionSet } from "../../evaluate/expression-set.js";
import { checkObject } from "../../model/check-argument.js";
import { ValueError } from "../../model/errors.js";
import { invalidArgument } from "../../model/invalid-argument.js";
import type { GraphStore } from "../../store/graph-store.js";
import { NearestTopK, type Neighbor } from "../../vectors/nearest-top-k.js";
import { probeFor } from "../../vectors/probe.js";
import { NULL_PARTS, type VectorParts } from "../../vectors/vector-parts.js";
import { type Deadline, NO_DEADLINE } from "../match/deadline.js";
import type { ExecuteOptions, VertexCondition } from "../parse/query-options.js";
import { compileVertexCondition } from "../parse/vertex-condition.js";
import { type Explainable, type ExplainedBy, runExplained } from "../render/explained.js";
import {
  computeScore,
  hasAllVectors,
  type NearestSearch,
  type SearchTarget,
} from "../walk/find-in-table.js";
import {
  explainNearest,
  findNearest,
  type NearestSource,
  NO_VECTORS,
  parseEf,
} from "../walk/nearest-search.js";
import { testCondition } from "../walk/walk.js";
import { planCache } from "./plan-cache.js";

export interface NearestOptions extends Pick<ExecuteOptions, "timeout" | "limexec"> {
  /** Number of vertices (default: 10); negative: all vertices with a vector. */
  readonly hits?: number;
  /** Condition that the vertices must meet. */
  readonly condition?: VertexCondition;
  /**
   * True to use the HNSW index if there is one: faster, but may miss some of the nearest vertices.
   * `ef` is the number of candidates that the search examines (default: 64).
   */
  readonly approximate?: boolean | { readonly ef?: number };
  /** Weights of probes by name (default: 1 each); they must be above 0. */
  readonly weights?: { readonly [name: string]: number };
}

/** A probe vector and the name of the vectors that it is compared with. */
export interface NearestTarget {
  readonly name: string;
  readonly parts: VectorParts;
}

/** A vertex with its similarity to the probe; of several probes, the sum by their weights. */
export interface NearestResult {
  readonly id: string;
  readonly similarity: number;
}

/** Default of `hits`. */
export const DEFAULT_NEAREST = 10;
/** Maximum searches if results change before they are returned. */
const MAX_ATTEMPTS = 3;

/**
 * Returns the most similar vertices, most similar first. Skips vertices that lack a vector of one
 * of the names.
 * @throws ValueError if a probe vector has no components
 * @throws QueryError, SearchError, TypeError
 */
export function nearest<O extends Explainable<NearestOptions> = NearestOptions>(
  store: GraphStore,
  probes: readonly NearestTarget[],
  options?: O,
): ExplainedBy<O, "nearest", NearestResult[]> {
  const { plan } = planKnown(store, options);
  const { hits, test, expressions } = plan;
  const weights = parseWeights(probes, options?.weights);
  const targets = probes.map((probe, at) => createTarget(store, probe, weights[at]!));
  const [first] = probes;
  expressions.vector = first!.name === UNNAMED ? first!.parts : NULL_PARTS;
  store.enlargeIfRequested();
  const isKnown = targets.every((target) => target !== null);
  const search: NearestSearch | null = isKnown ? { ...plan, targets } : null;
  let sources: readonly NearestSource[] = [NO_VECTORS];
  const execute = (deadline: Deadline): NearestResult[] => {
    if (search === null) return [];
    const { meter } = store;
    const begun = meter.begin();
    try {
      for (let attempt = 1; ; attempt++) {
        const best = new NearestTopK(hits);
        const writes = countWrites(search);
        sources = findNearest(search, best, deadline);
        const found = best.sorted();
        const results = toResults(search, found, writes);
        const isStill = results.every(({ similarity }, at) => similarity === found[at]!.score);
        if ((isStill && results.length === found.length) || attempt === MAX_ATTEMPTS) {
          return results;
        }
      }
    } finally {
      meter.end(begun);
    }
  };
  const limits = (options ?? {}) as O;
  return runExplained("nearest", "global", limits, execute, (results) => {
    const kept = hits === Number.POSITIVE_INFINITY ? "all" : `${hits} at most`;
    return { plan: [...explainNearest(sources, test), `${kept} kept`], matched: results.length };
  });
}

/** Parsed options of a call, without its probes. */
type NearestPlan = Omit<NearestSearch, "targets"> & { readonly hits: number };

const planKnown = planCache<Explainable<NearestOptions>, NearestPlan>(
  "nearest",
  (store, options) => {
    const hits = hitsOf(options);
    const ef = parseEf(options.approximate);
    const expressions = new ExpressionSet(store, null);
    const test = compileVertexCondition(store, expressions, options.condition, ".condition");
    return { store, hits, ef, test, expressions };
  },
);

/**
 * Returns null if the graph has no vectors of the name.
 * @throws ValueError if a probe vector has no components, or is of the other kind
 */
function createTarget(
  store: GraphStore,
  { name, parts }: NearestTarget,
  weight: number,
): SearchTarget | null {
  const place = name === UNNAMED ? "the probe" : `the probe of "${name}"`;
  if (parts.bytes.length === 0) throw new ValueError(`${place} is a null vector`);
  const table = findVectors(store, name);
  return table === null ? null : { table, probe: probeFor(table, parts, "probe"), weight };
}

/** @throws QueryError, TypeError */
function parseWeights(
  probes: readonly NearestTarget[],
  weights: NearestOptions["weights"],
): number[] {
  if (weights === undefined || weights === null) return probes.map(() => 1);
  checkObject(weights, "weights");
  const names = probes.map(({ name }) => name);
  const unknown = Object.keys(weights).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw invalidArgument("weight without a probe", unknown, names.join(", "), ".weights");
  }
  const factors = names.map((name) => {
    const weight = weights[name] ?? 1;
    if (typeof weight === "number" && weight > 0 && Number.isFinite(weight)) return weight;
    throw invalidArgument("invalid weight", weight, "a number above 0", `.weights.${name}`);
  });
  return factors.length === 1 ? [1] : factors;
}

function countWrites({ targets }: NearestSearch): number {
  return targets.reduce((sum, { table }) => sum + table.writes, 0);
}

/** Resolves the vertices found to ids, re-reading them if the graph was written meanwhile. */
function toResults(
  search: NearestSearch,
  found: readonly Neighbor[],
  writes: number,
): NearestResult[] {
  const { store } = search;
  const results = found.map(({ vertex, score }) => {
    return { id: store.ids.idOf(vertex), similarity: score };
  });
  if (countWrites(search) === writes) return results;
  const now = new Map(found.flatMap(({ vertex }) => reread(search, vertex)));
  return [...now]
    .map(([id, similarity]) => ({ id, similarity }))
    .sort((a, b) => b.similarity - a.similarity);
}

/** Returns the current id and similarity of a vertex; empty if it no longer qualifies. */
function reread(search: NearestSearch, vertex: number): [id: string, similarity: number][] {
  const { store, test, expressions, targets } = search;
  const generation = store.vertices.generationOf(vertex);
  const id = store.ids.idOf(vertex);
  if (!hasAllVectors(targets, vertex)) return [];
  const similarity = computeScore(targets, vertex);
  // Expressions may have side effects, which must not happen twice.
  const isMatch = !expressions.isEmpty || testCondition(store, test, vertex, NO_DEADLINE);
  const isSame = store.vertices.generationOf(vertex) === generation;
  return isMatch && isSame && hasAllVectors(targets, vertex) ? [[id, similarity]] : [];
}

function hitsOf({ hits = DEFAULT_NEAREST }: NearestOptions): number {
  if (!Number.isSafeInteger(hits)) {
    throw invalidArgument("invalid hits parameter", hits, "an integer", ".hits");
  }
  return hits < 0 ? Number.POSITIVE_INFINITY : hits;
}
