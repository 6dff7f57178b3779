// Nearest: the vertices whose vectors are most similar to a probe.

import { ExpressionSet } from "../../evaluate/expression-set.js";
import { ValueError } from "../../model/errors.js";
import { misfit } from "../../model/misfit.js";
import type { GraphStore } from "../../store/graph-store.js";
import { NearestHeap } from "../../vectors/nearest-heap.js";
import { probeFor } from "../../vectors/probe.js";
import type { VectorParts } from "../../vectors/vector-parts.js";
import { checkedArguments } from "../parse/query-arguments.js";
import type { ExecuteOptions, VertexCondition } from "../parse/query-options.js";
import { compileVertexCondition } from "../parse/vertex-condition.js";
import { deadlineOf, NO_DEADLINE } from "../walk/deadline.js";
import { efOf, findNearest, type NearestSearch } from "../walk/find-nearest.js";
import { QueryMeter } from "../walk/query-meter.js";
import { testCondition } from "../walk/walk.js";

export interface NearestOptions extends Pick<ExecuteOptions, "timeout" | "limexec"> {
  /** Number of vertices, 10 unless given; negative: all that have a vector. */
  readonly hits?: number;
  /** What the vertices must be. */
  readonly condition?: VertexCondition;
  /**
   * True: an index may be used, where there is one, which finds nearly all of the best. `ef` is how
   * many candidates it looks at, 64 unless given.
   */
  readonly approximate?: boolean | { readonly ef?: number };
}

/** A vertex with its similarity to the probe, -1 to 1. */
export interface Nearest {
  readonly id: string;
  readonly similarity: number;
}

const DEFAULT_HITS = 10;
/** So often it is tried to read what is being changed. */
const MAX_ATTEMPTS = 3;

/**
 * The most similar vertices, the best first.
 * @throws ValueError a probe without components
 * @throws QueryError, SearchError, TypeError
 */
export function nearest(
  store: GraphStore,
  probe: VectorParts,
  options?: NearestOptions,
): Nearest[] {
  const given = checkedArguments("nearest", options);
  if (probe.bytes.length === 0) throw new ValueError("the probe is a null vector");
  const hits = hitsOf(given);
  const ef = efOf(given.approximate);
  const expressions = new ExpressionSet(store, null);
  expressions.vector = probe;
  const test = compileVertexCondition(store, expressions, given.condition, ".condition");
  const deadline = deadlineOf("global", given);
  const meter = QueryMeter.of(store);
  const begun = meter.begin();
  try {
    const search = { store, probe: probeFor(store.vectors, probe, "probe"), test, expressions, ef };
    for (let attempt = 1; ; attempt++) {
      const best = new NearestHeap(hits);
      const { writes } = store.vectors;
      findNearest(search, best, deadline);
      const found = named(search, best, writes);
      if (found.length === best.count || attempt === MAX_ATTEMPTS) return found;
    }
  } finally {
    meter.end(begun);
  }
}

/** What was found, by the ids of vertices; without those that have become something else. */
function named(search: NearestSearch, best: NearestHeap, writes: number): Nearest[] {
  const { store } = search;
  const all = best.sorted();
  const found = all.map(({ vertex, score }) => ({ id: store.ids.idOf(vertex), similarity: score }));
  if (store.vectors.writes === writes) return found;
  const ids = new Set<string>();
  return all.flatMap(({ vertex, score }) => {
    const id = idNow(search, vertex, score);
    if (id === "" || ids.has(id)) return [];
    ids.add(id);
    return { id, similarity: score };
  });
}

/** Id of a vertex that is found now with a score; empty if it is not. */
function idNow({ store, probe, test, expressions }: NearestSearch, vertex: number, score: number) {
  const { vectors } = store;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const { writes } = vectors;
    const id = store.ids.idOf(vertex);
    const isFound = vectors.has(vertex) && probe.similarity(vertex) === score;
    // Expressions may have effects, which must not come twice.
    const isMeant = !expressions.isEmpty || testCondition(store, test, vertex, NO_DEADLINE);
    if (vectors.writes === writes) return isFound && isMeant ? id : "";
  }
  return "";
}

function hitsOf({ hits = DEFAULT_HITS }: NearestOptions): number {
  if (!Number.isSafeInteger(hits)) {
    throw misfit("invalid hits parameter", hits, "an integer", ".hits");
  }
  return hits < 0 ? Number.POSITIVE_INFINITY : hits;
}
