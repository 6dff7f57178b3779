// Nearest-vector search in one table of vectors. Scans all vectors, searches the HNSW index, or
// tests the vertices that a condition leaves, whichever has the lowest estimated cost.

import type { ExpressionSet } from "../../evaluate/expression-set.js";
import type { GraphStore } from "../../store/graph-store.js";
import { MAX_EF } from "../../vectors/index-layout.js";
import type { Probe } from "../../vectors/probe.js";
import { type Scan, scanVectors, scoreListed } from "../../vectors/scan-vectors.js";
import type { VectorTable } from "../../vectors/vector-table.js";
import type { VertexTest } from "../match/vertex-test.js";
import { findSource } from "./candidate-sources.js";

/** Vectors to search, and what they are compared with. */
export interface SearchTarget {
  readonly table: VectorTable;
  readonly probe: Probe;
  /** Factor of the similarity; 1 for a single target. */
  readonly weight: number;
}

export interface NearestSearch {
  readonly store: GraphStore;
  readonly targets: readonly SearchTarget[];
  /** Null for any vertex. */
  readonly test: VertexTest | null;
  readonly expressions: ExpressionSet;
  /** 0: no index. */
  readonly ef: number;
}

/** The vectors that a search compared, for an explanation. */
export interface NearestSource {
  readonly origin: string;
  readonly count: number;
}

const ALL = "all vectors";
const LIST_OF_TYPE = "list of a type";

/** Returns whether an index named the vertices that were compared. */
export function isSelective({ origin }: NearestSource): boolean {
  return origin !== ALL && origin !== LIST_OF_TYPE;
}

/** Offers the vertices with the nearest vectors of one table; returns what it compared. */
export function findInTable({ store, test, ef: wanted }: NearestSearch, scan: Scan): NearestSource {
  const { best } = scan;
  const ef = best.limit > MAX_EF || wanted === 0 ? 0 : Math.max(wanted, best.limit);
  const costs = estimateCosts(scan, ef);
  const share = test === null || ef === 0 ? 1 : sampleShare(scan, FIRST_SAMPLE);
  const narrowed = test === null ? null : narrow(store, test, scan.table.count, costs, share);
  if (narrowed !== null) {
    scoreListed(scan, narrowed.vertices);
    return { origin: narrowed.origin, count: narrowed.vertices.length };
  }
  const isByIndex = isIndexFaster(scan, costs, share);
  scanVectors(scan, isByIndex ? ef : 0);
  return isByIndex ? { origin: "HNSW index", count: ef } : { origin: ALL, count: scan.table.count };
}

/** Vertices to score, and where they come from. */
interface Narrowed {
  readonly vertices: Uint32Array;
  readonly origin: string;
}

/** Returns whether a vertex has a vector in each table. */
export function hasAllVectors(targets: readonly SearchTarget[], vertex: number): boolean {
  return targets.every(({ table }) => table.has(vertex));
}

/** Returns the sum of the similarities of a vertex by their weights. */
export function computeScore(targets: readonly SearchTarget[], vertex: number): number {
  let sum = 0;
  for (const { probe, weight } of targets) sum += weight * probe.similarity(vertex);
  return sum;
}

/** Estimated costs in ns, measured on one machine. */
interface Costs {
  /** Of a scan of all vectors. */
  readonly scan: number;
  /** Of an index search that every vertex may be a result of; Infinity if none is allowed. */
  readonly index: number;
  /** Of a candidate that is read by itself. */
  readonly candidate: number;
}

function estimateCosts({ table, probe }: Scan, ef: number): Costs {
  const { length } = probe;
  return {
    scan: table.count * (6 + length / 16),
    index: ef === 0 ? Number.POSITIVE_INFINITY : (20_000 + ef * 2000) * (1 + length / 400),
    candidate: 80 + length / 3,
  };
}

/**
 * Returns the vertices that a condition leaves, if ids, arcs, a type or an index of properties
 * names so few that scoring each of them is fastest: then the search is exact. Each is tested
 * anyway.
 * @param count number of vectors
 * @param share estimated share of the vertices that meet the condition
 */
function narrow(
  store: GraphStore,
  test: VertexTest,
  count: number,
  costs: Costs,
  share: number,
): Narrowed | null {
  if (test.isNegated) return null;
  const { type } = test;
  // No vertex can have a type without a code.
  if (type !== null && type.code === 0) {
    return { vertices: new Uint32Array(0), origin: LIST_OF_TYPE };
  }
  // With m of n vertices left, an index search takes n / m times as long, and m candidates m times.
  const crossing = Math.sqrt((count * costs.index) / costs.candidate);
  const limit = Math.floor(Math.min(costs.scan / costs.candidate, crossing, MAX_NARROWED));
  // Reading a source up to the limit would cost as much as the index search.
  const isWide = costs.index < costs.scan && test.ids === null && share * count > 2 * limit;
  const found = isWide ? null : findSource(store, test, limit);
  const most = found?.handles.length ?? limit;
  if (type !== null && store.typeLists.count(type.code) < most) {
    const vertices = new Uint32Array(most);
    const ofType = store.typeLists.count(type.code);
    const copied = store.typeLists.copyBefore(type.code, ofType, vertices);
    return { vertices: vertices.subarray(0, copied), origin: LIST_OF_TYPE };
  }
  if (found === null) return null;
  return { vertices: Uint32Array.from(found.handles), origin: found.label };
}

/** Maximum number of candidates of a source. */
const MAX_NARROWED = 65_536;
/** Vertices sampled to estimate the share that meets a condition, and more if few of them do. */
const FIRST_SAMPLE = 24;
const SAMPLE = 256;
const LARGE_SHARE = 0.25;

function isIndexFaster(scan: Scan, costs: Costs, share: number): boolean {
  if (costs.index > costs.scan) return false;
  return costs.index / (share >= LARGE_SHARE ? share : sampleShare(scan, SAMPLE)) < costs.scan;
}

/** Never 0: no match in the sample may still mean a few in the graph. */
function sampleShare({ table, mayAccept }: Scan, size: number): number {
  const sampled = table.sample(size);
  const passed = sampled.filter((vertex) => mayAccept(vertex)).length;
  return Math.max(passed, 0.5) / Math.max(sampled.length, 1);
}
