// Nearest-vector search in one table of vectors. Scans all vectors, searches the HNSW index, or
// tests the vertices that a condition leaves, whichever has the lowest estimated cost.

import type { ExpressionSet } from "../../evaluate/expression-set.js";
import type { GraphStore } from "../../store/graph-store.js";
import type { SlotFilter } from "../../vectors/hnsw-search.js";
import { MAX_EF } from "../../vectors/index-layout.js";
import type { Scan } from "../../vectors/offer-vertices.js";
import { hasExactRow } from "../../vectors/precision.js";
import type { Probe } from "../../vectors/probe.js";
import { scanVectors, scoreListed } from "../../vectors/scan-vectors.js";
import { findSigns, type SignTable } from "../../vectors/sign-table.js";
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
export function findInTable(
  { store, test, ef: requestedEf }: NearestSearch,
  scan: Scan,
): NearestSource {
  const { best, table } = scan;
  const ef = best.limit > MAX_EF || requestedEf === 0 ? 0 : Math.max(requestedEf, best.limit);
  const { filter } = scan;
  const isOpen = test === null || filter === null;
  const passing = isOpen ? ALL_PASS : estimatePassing(store, test, table, filter);
  const costs = estimateCosts(scan, ef, passing.share, isOpen);
  const narrowed = test === null ? null : narrow(store, test, table.count, costs, passing);
  if (narrowed !== null) {
    scoreListed(scan, narrowed.vertices);
    return { origin: narrowed.origin, count: narrowed.vertices.length };
  }
  if (costs.scan < Math.min(costs.throughRefused, costs.overRefused)) {
    scanVectors(scan, 0);
    return { origin: ALL, count: table.count };
  }
  if (costs.throughRefused <= costs.overRefused) scanVectors(scan, ef);
  else {
    const isRare = passing.share < RARE;
    scanVectors(scan, isRare ? Math.min(MAX_EF, 2 * ef) : ef, passing.share);
  }
  const isOfSigns = signsOf(scan) !== null;
  return { origin: isOfSigns ? "HNSW sign index" : "HNSW index", count: ef };
}

/** Estimated share of the vertices that meet a condition. */
interface Passing {
  readonly share: number;
  /** Number of vertices that an index counts; null if none does. */
  readonly counted: number | null;
}

const ALL_PASS: Passing = { share: 1, counted: null };
/** Last estimate of a condition, which counts as long as the same vertices meet it. */
const estimates = new WeakMap<
  VertexTest,
  { serial: number; table: VectorTable; passing: Passing }
>();
/** Number of vertices that are sampled. */
const SAMPLE = 256;
/** Below this share, a walk over refused vertices needs twice the candidates. */
const RARE = 0.05;

function estimatePassing(
  store: GraphStore,
  test: VertexTest,
  table: VectorTable,
  filter: SlotFilter,
): Passing {
  const known = estimates.get(test);
  const { serial } = filter;
  if (known?.serial === serial && known.table === table && serial !== 0) return known.passing;
  const passing = samplePassing(store, test, table, filter);
  estimates.set(test, { serial, table, passing });
  return passing;
}

function samplePassing(
  store: GraphStore,
  test: VertexTest,
  table: VectorTable,
  filter: SlotFilter,
): Passing {
  const sampled = table.sample(SAMPLE);
  const passed = sampled.filter((vertex) => filter.accepts(vertex));
  // Never 0: no match in the sample may still mean a few in the graph.
  const ofSample = Math.max(passed.length, 0.5) / Math.max(sampled.length, 1);
  if (test.isNegated) return { share: ofSample, counted: null };
  const counts = test.indexed.map((check) => check.estimate()).filter((count) => count !== null);
  if (counts.length === 0) return { share: ofSample, counted: null };
  const counted = Math.min(...counts);
  const ofIndex = Math.max(counted, 0.5) / Math.max(1, store.order);
  // Other checks may refuse most of what the index counts.
  const share = test.checks.length === 1 ? ofIndex : Math.min(ofSample, ofIndex);
  return { share: Math.min(1, share), counted };
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

/** Estimated costs in ns, measured on one machine; those of index searches with a surcharge. */
interface Costs {
  /** Of a scan of all vectors. */
  readonly scan: number;
  /** Of index searches through refused vertices and over them; Infinity if none is allowed. */
  readonly throughRefused: number;
  readonly overRefused: number;
  /** Of an index search that every vertex may be a result of. */
  readonly index: number;
  /** Of a candidate that is read by itself. */
  readonly candidate: number;
}

/** Factor of a search whose condition is tested for each vertex. */
const PASSED = 1.17;
/** Part of the cost of an index search that grows with the number of refused vertices. */
const REFUSED = 0.7;

/** Factor of index searches: they find less, so that they have to save more than a little. */
const INEXACT = 1.5;
/** Factor of a scan that bounds the scores of vectors of larger precision. */
const BOUNDED = 1.7;

/** Signs are bits: as many take the time of an int8 component. */
const SIGNS_PER_BYTE = 8;

/** Returns the signs that an index search compares; null if it compares vectors. */
function signsOf({ table, probe }: Pick<Scan, "table" | "probe">): SignTable | null {
  const signs = findSigns(table, probe.length);
  return signs === null || signs.ef === 0 ? null : signs;
}

function estimateCosts({ table, probe }: Scan, ef: number, share: number, isOpen: boolean): Costs {
  const { length } = probe;
  const compared = signsOf({ table, probe }) === null ? length : length / SIGNS_PER_BYTE;
  const walk = ef === 0 ? Number.POSITIVE_INFINITY : (7500 + ef * 290) * (1 + compared / 400);
  const index = INEXACT * walk;
  const bounding = hasExactRow(table.precision) ? BOUNDED : 1;
  return {
    scan: table.count * (5 + length / 20) * bounding,
    index,
    throughRefused: isOpen ? index : (index * PASSED) / share,
    overRefused: share > MAX_WALKED_OVER ? Number.POSITIVE_INFINITY : index * (1 + REFUSED / share),
    candidate: 42 + length / 12,
  };
}

/** With a larger share, refused vertices are few enough to walk through. */
const MAX_WALKED_OVER = 0.5;

/**
 * Returns the vertices that a condition leaves, if ids, arcs, a type or an index of properties
 * names so few that scoring each of them is fastest: then the search is exact. Each is tested
 * anyway.
 * @param count number of vectors
 */
function narrow(
  store: GraphStore,
  test: VertexTest,
  count: number,
  costs: Costs,
  { share, counted }: Passing,
): Narrowed | null {
  if (test.isNegated) return null;
  const { type } = test;
  // No vertex can have a type without a code.
  if (type !== null && type.code === 0) {
    return { vertices: new Uint32Array(0), origin: LIST_OF_TYPE };
  }
  const limit = computeLimit(count, costs);
  // Reading a source up to the limit would cost as much as the index search.
  const expected = counted ?? (costs.index < costs.scan && test.ids === null ? share * count : 0);
  const found = expected > 2 * limit ? null : findSource(store, test, limit);
  const capacity = found?.handles.length ?? limit;
  if (type !== null && store.typeLists.count(type.code) < capacity) {
    const vertices = new Uint32Array(capacity);
    const ofType = store.typeLists.count(type.code);
    const copied = store.typeLists.copyBefore(type.code, ofType, vertices);
    return { vertices: vertices.subarray(0, copied), origin: LIST_OF_TYPE };
  }
  if (found === null) return null;
  return { vertices: Uint32Array.from(found.handles), origin: found.label };
}

/**
 * Returns the number m of candidates that cost as much as a scan, or as an index search: that takes
 * index * (1 + REFUSED * n / m) if m of n vertices meet the condition.
 */
function computeLimit(count: number, { scan, index, candidate }: Costs): number {
  const half = index / candidate / 2;
  const crossing = half + Math.sqrt(half * half + 2 * half * REFUSED * count);
  return Math.floor(Math.min(scan / candidate, crossing, MAX_NARROWED));
}

/** Maximum number of candidates of a source. */
const MAX_NARROWED = 65_536;
