// Nearest-vector search. Scans all vectors, searches the HNSW index, or tests the vertices that a
// condition leaves, whichever has the lowest estimated cost.

import type { ExpressionSet } from "../../evaluate/expression-set.js";
import { invalidArgument } from "../../model/invalid-argument.js";
import type { GraphStore } from "../../store/graph-store.js";
import { MAX_EF, MIN_EF } from "../../vectors/index-layout.js";
import type { NearestTopK } from "../../vectors/nearest-top-k.js";
import type { Probe } from "../../vectors/probe.js";
import { type Scan, scanVectors, scoreAll } from "../../vectors/scan-vectors.js";
import { HitCounter } from "../hits/hit-sink.js";
import type { Deadline } from "../match/deadline.js";
import { bindTest, type VertexTest } from "../match/vertex-test.js";
import { Candidates } from "./candidates.js";
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

/**
 * Offers the nearest vertices.
 * @throws SearchError after the deadline
 */
export function findNearest(search: NearestSearch, best: NearestTopK, deadline: Deadline): void {
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
  const way = chooseStrategy(scan, ef, countNarrowed(store, test), test !== null);
  if (way === "candidates") offerCandidates(store, scan, test);
  else scanVectors(scan, way === "index" ? ef : 0);
}

/** Returns the number of vertices that a condition leaves; Infinity if unknown. */
function countNarrowed(store: GraphStore, test: VertexTest | null): number {
  if (test === null || test.isNegated) return Number.POSITIVE_INFINITY;
  if (test.ids !== null) return test.ids.handles.length;
  return test.type === null ? Number.POSITIVE_INFINITY : store.typeLists.count(test.type.code);
}

function offerCandidates(store: GraphStore, scan: Scan, test: VertexTest | null): void {
  const candidates = new Candidates(store, test, Number.POSITIVE_INFINITY);
  for (let count = candidates.next(); count >= 0; count = candidates.next()) {
    scoreAll(scan, candidates.slice.subarray(0, count));
  }
}

/** Number of vertices sampled to estimate the selectivity of a condition. */
const SAMPLE = 256;

/**
 * Compares estimated costs in ns, measured on one machine: a vector in a scan, a vector read by
 * itself, and a candidate of an index search.
 */
function chooseStrategy(
  scan: Scan,
  ef: number,
  candidates: number,
  hasTest: boolean,
): "scan" | "candidates" | "index" {
  const { table, probe } = scan;
  const count = table.count;
  const scanned = count * (6 + probe.length / 16);
  const gathered = candidates * (80 + probe.length / 3);
  const least = Math.min(scanned, gathered);
  const exact = gathered < scanned ? "candidates" : "scan";
  const searched = (20_000 + ef * 2000) * (1 + probe.length / 400);
  if (ef === 0 || searched > least) return exact;
  const isKnown = candidates < Number.POSITIVE_INFINITY;
  const share = isKnown ? candidates / count : hasTest ? sampleSelectivity(scan) : 1;
  return searched / Math.min(1, share) < least ? "index" : exact;
}

/** Never 0: no match in the sample may still mean a few in the graph. */
function sampleSelectivity({ table, accepts }: Scan): number {
  let [seen, passed] = [0, 0];
  for (const vertex of table.sample(SAMPLE)) {
    seen++;
    if (accepts(vertex)) passed++;
  }
  return Math.max(passed, 0.5) / Math.max(seen, 1);
}
