// Nearest: the vertices whose vectors are most similar to a probe.

import { QueryError, ValueError } from "../../model/errors.js";
import type { GraphStore } from "../../store/graph-store.js";
import { NearestHeap } from "../../vectors/nearest-heap.js";
import { Probe } from "../../vectors/probe.js";
import { type Scan, scanVectors } from "../../vectors/scan-vectors.js";
import type { VectorParts } from "../../vectors/vector-parts.js";
import { HitCounter } from "../hits/hit-sink.js";
import { checkedArguments } from "../parse/query-arguments.js";
import type { ExecuteOptions, VertexCondition } from "../parse/query-options.js";
import { compileVertexCondition } from "../parse/vertex-condition.js";
import { type Deadline, deadlineOf } from "../walk/deadline.js";
import { QueryMeter } from "../walk/query-meter.js";
import { Walker } from "../walk/walker.js";

export interface NearestOptions extends Pick<ExecuteOptions, "timeout" | "limexec"> {
  /** Number of vertices, 10 unless given; negative: all that have a vector. */
  readonly hits?: number;
  /** What the vertices must be. */
  readonly condition?: VertexCondition;
}

/** A vertex with its similarity to the probe, -1 to 1. */
export interface Nearest {
  readonly id: string;
  readonly similarity: number;
}

const DEFAULT_HITS = 10;
/** What a scan has done between two looks at the clock. */
const STEPS = 1024;

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
  const deadline = deadlineOf("global", given);
  const meter = QueryMeter.of(store);
  const begun = meter.begin();
  try {
    scanVectors(scanFor(store, probe, best, { deadline, condition: given.condition }));
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

function scanFor(
  store: GraphStore,
  parts: VectorParts,
  best: NearestHeap,
  { deadline, condition }: { deadline: Deadline; condition: VertexCondition | undefined },
): Scan {
  const test = compileVertexCondition(store, condition);
  const walker = Walker.of(store);
  walker.start(new HitCounter(), deadline, true);
  return {
    table: store.vectors,
    probe: new Probe(store.vectors, parts),
    best,
    accepts: (vertex) => test === null || walker.test(test, vertex, 0),
    poll: () => deadline.spend(STEPS),
  };
}
