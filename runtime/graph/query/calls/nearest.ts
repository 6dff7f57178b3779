// Nearest: the vertices whose vectors are most similar to a probe vector.

import { ExpressionSet } from "../../evaluate/expression-set.js";
import { ValueError } from "../../model/errors.js";
import { invalidArgument } from "../../model/invalid-argument.js";
import type { GraphStore } from "../../store/graph-store.js";
import { QueryMeter } from "../../store/query-meter.js";
import { NearestTopK, type Neighbor } from "../../vectors/nearest-top-k.js";
import { probeFor } from "../../vectors/probe.js";
import type { VectorParts } from "../../vectors/vector-parts.js";
import { type Deadline, NO_DEADLINE } from "../match/deadline.js";
import { checkedArguments } from "../parse/query-arguments.js";
import type { ExecuteOptions, VertexCondition } from "../parse/query-options.js";
import { compileVertexCondition } from "../parse/vertex-condition.js";
import { type Explainable, type ExplainedBy, runExplained } from "../render/explained.js";
import {
  explainNearest,
  findNearest,
  type NearestSearch,
  type NearestSource,
  parseEf,
} from "../walk/nearest-search.js";
import { testCondition } from "../walk/walk.js";

export interface NearestOptions extends Pick<ExecuteOptions, "timeout" | "limexec"> {
  /** Number of vertices (default: 10); negative: all that have a vector. */
  readonly hits?: number;
  /** Condition that the vertices must meet. */
  readonly condition?: VertexCondition;
  /**
   * True to allow the HNSW index, where there is one: faster, but may miss some of the nearest.
   * `ef` is the number of candidates it examines (default: 64).
   */
  readonly approximate?: boolean | { readonly ef?: number };
}

/** A vertex with its similarity to the probe vector, -1 to 1. */
export interface NearestResult {
  readonly id: string;
  readonly similarity: number;
}

/** Vertices without `hits`. */
export const DEFAULT_NEAREST = 10;
/** Searches that are tried when results change before they are returned. */
const MAX_ATTEMPTS = 3;

/**
 * Returns the most similar vertices, most similar first.
 * @throws ValueError a probe vector without components
 * @throws QueryError, SearchError, TypeError
 */
export function nearest<O extends Explainable<NearestOptions> = NearestOptions>(
  store: GraphStore,
  probe: VectorParts,
  options?: O,
): ExplainedBy<O, "nearest", NearestResult[]> {
  const given: O = checkedArguments("nearest", options);
  if (probe.bytes.length === 0) throw new ValueError("the probe is a null vector");
  const hits = hitsOf(given);
  const ef = parseEf(given.approximate);
  const expressions = new ExpressionSet(store, null);
  expressions.vector = probe;
  const test = compileVertexCondition(store, expressions, given.condition, ".condition");
  store.enlargeIfRequested();
  const search = { store, probe: probeFor(store.vectors, probe, "probe"), test, expressions, ef };
  let source: NearestSource | null = null;
  const execute = (deadline: Deadline): NearestResult[] => {
    const meter = QueryMeter.of(store);
    const begun = meter.begin();
    try {
      for (let attempt = 1; ; attempt++) {
        const best = new NearestTopK(hits);
        const { writes } = store.vectors;
        source = findNearest(search, best, deadline);
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
  return runExplained("nearest", "global", given, execute, (results) => {
    const kept = hits === Number.POSITIVE_INFINITY ? "all" : `${hits} at most`;
    return { plan: [...explainNearest(source!, test), `${kept} kept`], matched: results.length };
  });
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
  if (store.vectors.writes === writes) return results;
  const now = new Map(found.flatMap(({ vertex }) => reread(search, vertex)));
  return [...now]
    .map(([id, similarity]) => ({ id, similarity }))
    .sort((a, b) => b.similarity - a.similarity);
}

/** Returns the current id and similarity of a vertex; empty if it no longer qualifies. */
function reread(search: NearestSearch, vertex: number): [id: string, similarity: number][] {
  const { store, probe, test, expressions } = search;
  const generation = store.vertices.generationOf(vertex);
  const id = store.ids.idOf(vertex);
  if (!store.vectors.has(vertex)) return [];
  const similarity = probe.similarity(vertex);
  // Expressions may have side effects, which must not happen twice.
  const isMeant = !expressions.isEmpty || testCondition(store, test, vertex, NO_DEADLINE);
  const isSame = store.vertices.generationOf(vertex) === generation;
  return isMeant && isSame && store.vectors.has(vertex) ? [[id, similarity]] : [];
}

function hitsOf({ hits = DEFAULT_NEAREST }: NearestOptions): number {
  if (!Number.isSafeInteger(hits)) {
    throw invalidArgument("invalid hits parameter", hits, "an integer", ".hits");
  }
  return hits < 0 ? Number.POSITIVE_INFINITY : hits;
}
