// Nearest: the vertices whose vectors are most similar to a probe. Every one is looked at, or what
// an index finds, or only those that a condition leaves: whichever is likely to cost least.

import { ExpressionSet } from "../../evaluate/expression-set.js";
import { QueryError, ValueError } from "../../model/errors.js";
import type { GraphStore } from "../../store/graph-store.js";
import { MAX_EF, MIN_EF } from "../../vectors/index-layout.js";
import { NearestHeap } from "../../vectors/nearest-heap.js";
import { Probe } from "../../vectors/probe.js";
import { offerAll, type Scan, scanVectors } from "../../vectors/scan-vectors.js";
import type { VectorParts } from "../../vectors/vector-parts.js";
import { HitCounter } from "../hits/hit-sink.js";
import type { VertexTest } from "../match/vertex-test.js";
import { checkedArguments } from "../parse/query-arguments.js";
import type { ExecuteOptions, VertexCondition } from "../parse/query-options.js";
import { compileVertexCondition } from "../parse/vertex-condition.js";
import { Candidates } from "../walk/candidates.js";
import { deadlineOf } from "../walk/deadline.js";
import { QueryMeter } from "../walk/query-meter.js";
import { Walker } from "../walk/walker.js";

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
const DEFAULT_EF = 64;

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
  const best = new NearestHeap(hitsOf(given));
  const meter = QueryMeter.of(store);
  const begun = meter.begin();
  try {
    search(store, new Probe(store.vectors, probe), best, given);
  } finally {
    meter.end(begun);
  }
  return best
    .sorted()
    .map(({ vertex, score }) => ({ id: store.ids.idOf(vertex), similarity: score }))
    .filter(({ id }) => id !== "");
}

function hitsOf({ hits = DEFAULT_HITS }: NearestOptions): number {
  if (!Number.isSafeInteger(hits)) throw new QueryError("invalid hits parameter");
  return hits < 0 ? Number.POSITIVE_INFINITY : hits;
}

/** Candidates of an index, 0 for an exact search. */
function efOf({ approximate = false }: NearestOptions, hits: number): number {
  if (approximate === false) return 0;
  const isOptions = typeof approximate === "object" && approximate !== null;
  if (approximate !== true && !isOptions) throw new QueryError("invalid approximate parameter");
  const { ef = DEFAULT_EF } = approximate === true ? {} : approximate;
  if (!Number.isInteger(ef) || ef < MIN_EF || ef > MAX_EF) {
    throw new QueryError(`ef must be an integer of ${MIN_EF} to ${MAX_EF}`);
  }
  return hits > MAX_EF ? 0 : Math.max(ef, hits);
}

function search(store: GraphStore, probe: Probe, best: NearestHeap, given: NearestOptions): void {
  const ef = efOf(given, best.limit);
  const expressions = new ExpressionSet(store, null);
  const test = compileVertexCondition(store, expressions, given.condition);
  const deadline = deadlineOf("global", given);
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
  const way = cheapest(scan, ef, narrowed(store, test), test !== null);
  if (way === "candidates") offerCandidates(store, scan, test);
  else scanVectors(scan, way === "index" ? ef : 0);
}

/** Number of vertices that a condition leaves to be looked at; infinite where that is not known. */
function narrowed(store: GraphStore, test: VertexTest | null): number {
  if (test === null || test.isNegated) return Number.POSITIVE_INFINITY;
  if (test.ids !== null) return test.ids.handles.length;
  return test.type === null ? Number.POSITIVE_INFINITY : store.typeLists.count(test.type.code);
}

function offerCandidates(store: GraphStore, scan: Scan, test: VertexTest | null): void {
  const candidates = new Candidates(store, test);
  for (let count = candidates.next(); count >= 0; count = candidates.next()) {
    offerAll(scan, candidates.slice.subarray(0, count));
  }
}

/** Vertices that are tried to learn which share of them passes a condition. */
const SAMPLE = 256;

/**
 * By estimates in ns, taken on one machine: a vector that is scanned, one that is read by itself,
 * and what a search of an index does for each of its candidates.
 */
function cheapest(
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
  const share = isKnown ? candidates / count : hasTest ? sampledShare(scan) : 1;
  return searched / Math.min(1, share) < least ? "index" : exact;
}

/** Never 0: none of the sample may mean very few. */
function sampledShare({ table, accepts }: Scan): number {
  let [seen, passed] = [0, 0];
  for (const vertex of table.sample(SAMPLE)) {
    seen++;
    if (accepts(vertex)) passed++;
  }
  return Math.max(passed, 0.5) / Math.max(seen, 1);
}
