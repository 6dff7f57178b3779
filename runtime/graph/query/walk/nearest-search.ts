// Nearest-vector search. Scans all vectors, searches the HNSW index, or tests the vertices that a
// condition leaves, whichever has the lowest estimated cost.

import type { ExpressionSet } from "../../evaluate/expression-set.js";
import { invalidArgument } from "../../model/invalid-argument.js";
import type { GraphStore } from "../../store/graph-store.js";
import { MAX_EF, MIN_EF } from "../../vectors/index-layout.js";
import type { NearestTopK } from "../../vectors/nearest-top-k.js";
import type { Probe } from "../../vectors/probe.js";
import { type Scan, scanVectors, scoreListed } from "../../vectors/scan-vectors.js";
import { HitCounter } from "../hits/hit-sink.js";
import type { Deadline } from "../match/deadline.js";
import { explainTest } from "../match/describe-test.js";
import { bindTest, type VertexTest } from "../match/vertex-test.js";
import { findSource } from "./candidate-sources.js";
import { Walker } from "./walker.js";

/** The `approximate` option. */
export type Approximate = boolean | { readonly ef?: number } | null | undefined;

const DEFAULT_EF = 64;

/**
 * Returns the number of index candidates; 0 for an exact search.
 * @throws QueryError
 */
export function parseEf(approximate: Approximate): number {
  if (approximate === undefined || approximate === null || approximate === false) return 0;
  if (approximate !== true && typeof approximate !== "object") {
    throw invalidArgument(
      "invalid approximate parameter",
      approximate,
      "true, { ef }",
      ".approximate",
    );
  }
  const { ef = DEFAULT_EF } = approximate === true ? {} : approximate;
  if (!Number.isInteger(ef) || ef < MIN_EF || ef > MAX_EF) {
    const fits = `an integer of ${MIN_EF} to ${MAX_EF}`;
    throw invalidArgument(`ef must be ${fits}`, ef, fits, ".approximate.ef");
  }
  return ef;
}

export interface NearestSearch {
  readonly store: GraphStore;
  readonly probe: Probe;
  /** Null for any vertex. */
  readonly test: VertexTest | null;
  readonly expressions: ExpressionSet;
  readonly ef: number;
}

/** The vectors that a search compared, for an explanation. */
export interface NearestSource {
  readonly origin: string;
  readonly count: number;
}

/** Returns the vectors that a search compared, and what it tested. */
export function explainNearest(
  { origin, count }: NearestSource,
  test: VertexTest | null,
): string[] {
  const isIndexed = origin !== ALL && origin !== LIST_OF_TYPE;
  return [`nearest vectors: ${origin}: ${count} candidates`, ...explainTest(test, isIndexed)];
}

const ALL = "all vectors";
const LIST_OF_TYPE = "list of a type";

/**
 * Offers the nearest vertices; returns the source of the vectors that were compared.
 * @throws SearchError after the deadline
 */
export function findNearest(
  search: NearestSearch,
  best: NearestTopK,
  deadline: Deadline,
): NearestSource {
  const { store, probe, test, expressions } = search;
  if (test !== null) bindTest(test, store);
  const walker = Walker.of(store);
  const run = expressions.start((steps) => deadline.spend(steps));
  walker.start(new HitCounter(), deadline, true, run);
  const scan: Scan = {
    table: store.vectors,
    probe,
    best,
    accepts: (vertex) => test === null || walker.test(test, vertex, 0),
    poll: (count) => deadline.spend(count),
  };
  const ef = best.limit > MAX_EF || search.ef === 0 ? 0 : Math.max(search.ef, best.limit);
  const costs = estimateCosts(scan, ef);
  const share = test === null || ef === 0 ? 1 : sampleShare(scan, FIRST_SAMPLE);
  const narrowed = test === null ? null : narrow(store, test, costs, share);
  if (narrowed !== null) {
    scoreListed(scan, narrowed.vertices);
    return { origin: narrowed.origin, count: narrowed.vertices.length };
  }
  const isByIndex = isIndexFaster(scan, costs, share);
  scanVectors(scan, isByIndex ? ef : 0);
  return isByIndex
    ? { origin: "HNSW index", count: ef }
    : { origin: ALL, count: store.vectors.count };
}

/** Vertices to score, and where they come from. */
interface Narrowed {
  readonly vertices: Uint32Array;
  readonly origin: string;
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
 * @param share estimated share of the vertices that meet the condition
 */
function narrow(store: GraphStore, test: VertexTest, costs: Costs, share: number): Narrowed | null {
  if (test.isNegated) return null;
  const { type } = test;
  // No vertex can have a type without a code.
  if (type !== null && type.code === 0) {
    return { vertices: new Uint32Array(0), origin: LIST_OF_TYPE };
  }
  const { count } = store.vectors;
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
function sampleShare({ table, accepts }: Scan, size: number): number {
  const sampled = table.sample(size);
  const passed = sampled.filter((vertex) => accepts(vertex)).length;
  return Math.max(passed, 0.5) / Math.max(sampled.length, 1);
}
