// Nearest-vector search by the vectors of several names: the threshold algorithm of Fagin. Each
// table yields its best vertices, which are scored by all vectors. A vertex that no table has
// yielded scores at most the sum of the last scores of the tables, so the search ends when the
// worst result reaches that sum; otherwise each table yields more.

import type { SlotFilter } from "../../vectors/hnsw-search.js";
import { listVertices } from "../../vectors/list-vertices.js";
import { NearestTopK } from "../../vectors/nearest-top-k.js";
import type { VectorTable } from "../../vectors/vector-table.js";
import {
  computeScore,
  findInTable,
  hasAllVectors,
  type NearestSearch,
  type NearestSource,
} from "./find-in-table.js";

export interface CombinedSearch extends NearestSearch {
  /** Returns whether a vertex may be a result. */
  readonly accepts: (vertex: number) => boolean;
  /** See `Scan`. */
  readonly filter: SlotFilter | null;
  /** Receives the number of vectors visited; may throw. */
  readonly poll: (count: number) => void;
}

/** Vertices of each table in the first round, and the factor of the next rounds. */
const FIRST_DEPTH = 64;
const GROWTH = 4;
/** Above this share of the vertices of a table, scoring all is faster than another round. */
const LARGE_SHARE = 1 / 8;
/** Vertices scored between two checks of the deadline. */
const BATCH = 256;
/** An index search ends with this many candidates for each one wanted. */
const MAX_INDEX_ROUNDS = 3;

/**
 * Offers the nearest vertices that have a vector in each table; returns what the last round
 * compared.
 */
export function findCombined(search: CombinedSearch, best: NearestTopK): readonly NearestSource[] {
  const { targets, ef } = search;
  const smallest = targets.reduce((a, b) => (b.table.count < a.table.count ? b : a)).table;
  const scored = new Set<number>();
  const sources: NearestSource[] = [];
  let depth = Math.max(FIRST_DEPTH, ef, best.limit);
  for (let round = 1; depth <= smallest.count * LARGE_SHARE; round++, depth *= GROWTH) {
    sources.length = 0;
    const isDone = runRound(search, best, { scored, depth, sources });
    if (isDone || (ef > 0 && round === MAX_INDEX_ROUNDS)) return sources;
  }
  scoreTable(search, best, scored, smallest);
  return [{ origin: "all vectors of the rarest name", count: smallest.count }];
}

/** State of a search, and the number of vertices that each table yields in a round. */
interface Round {
  readonly scored: Set<number>;
  readonly depth: number;
  readonly sources: NearestSource[];
}

/** Returns true if no vertex that is not scored yet can be among the best. */
function runRound(
  search: CombinedSearch,
  best: NearestTopK,
  { scored, depth, sources }: Round,
): boolean {
  let bound = 0;
  const ef = search.ef === 0 ? 0 : depth;
  for (const { table, probe, weight } of search.targets) {
    const nearest = new NearestTopK(depth);
    const { accepts, filter, poll } = search;
    const scan = { table, probe, best: nearest, accepts, filter, poll };
    const source = findInTable({ ...search, ef }, scan);
    sources.push(source);
    // All vertices with a vector in this table are scored.
    const isWhole = nearest.count < depth && search.ef === 0;
    for (const { vertex } of nearest.sorted()) scoreVertex(search, best, scored, vertex);
    if (isWhole) return true;
    bound += weight * nearest.threshold;
  }
  return best.count >= best.limit && best.threshold > bound;
}

/** Scores all vertices of a table, and vertices whose vector was set meanwhile. */
function scoreTable(
  search: CombinedSearch,
  best: NearestTopK,
  scored: Set<number>,
  table: VectorTable,
): void {
  const { writes } = table;
  for (const space of table.spaces()) {
    for (const vertices of listVertices(table, space, BATCH)) {
      for (const vertex of vertices) scoreVertex(search, best, scored, vertex);
      search.poll(vertices.length);
    }
  }
  const changed = table.changedSince(writes);
  if (changed === null) return scoreTable(search, best, scored, table);
  for (const vertex of changed) scoreVertex(search, best, scored, vertex);
}

function scoreVertex(
  { targets, accepts }: CombinedSearch,
  best: NearestTopK,
  scored: Set<number>,
  vertex: number,
): void {
  if (scored.has(vertex)) return;
  scored.add(vertex);
  if (!hasAllVectors(targets, vertex)) return;
  const score = computeScore(targets, vertex);
  if (best.accepts(vertex, score) && accepts(vertex)) best.offer(vertex, score);
}
