// A stream of vertices: found a slice at a time, while the one who asks goes through them, so that
// results of any length take no memory. In between he may ask and change what he likes.

import type { GraphStore } from "../../store/graph-store.js";
import { HitCounter } from "../hits/hit-sink.js";
import { bindTest } from "../match/vertex-test.js";
import { checkedArguments } from "../parse/query-arguments.js";
import type { VertexCondition } from "../parse/query-options.js";
import { Candidates } from "../walk/candidates.js";
import { NO_DEADLINE } from "../walk/deadline.js";
import { planVertexScan, type VertexScan } from "../walk/scan.js";
import { Walker } from "../walk/walker.js";

/** Options of `scan`. */
export interface ScanOptions {
  readonly condition?: VertexCondition;
}

/**
 * Ids of the vertices that meet a condition, each once, in no order. Each is looked at when its
 * slice is; what comes or goes meanwhile may be given or not.
 * @throws QueryError, SearchError, TypeError, when it is made
 */
export function scanIds(store: GraphStore, options?: ScanOptions): IterableIterator<string> {
  const given: ScanOptions = checkedArguments("scan", options);
  return idsOf(planVertexScan(store, given.condition));
}

function* idsOf(plan: VertexScan): Generator<string, void, void> {
  const { store, test } = plan;
  if (test !== null) bindTest(test, store);
  const candidates = new Candidates(store, test, Number.POSITIVE_INFINITY);
  for (let count = candidates.next(); count >= 0; count = candidates.next()) {
    yield* passing(plan, candidates.slice.subarray(0, count));
  }
}

/** Other queries may have run since the last slice: what all of a thread share is set up anew. */
function passing({ store, test, expressions }: VertexScan, vertices: Uint32Array): string[] {
  const walker = Walker.of(store);
  const run = expressions.isEmpty ? null : expressions.start(() => {});
  walker.start(new HitCounter(), NO_DEADLINE, true, run);
  const ids: string[] = [];
  for (const vertex of vertices) {
    if (test !== null && !walker.test(test, vertex, 0)) continue;
    const id = store.ids.idOf(vertex);
    if (id !== "") ids.push(id);
  }
  return ids;
}
