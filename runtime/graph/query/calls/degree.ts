// Degree: the number of arcs of a vertex that pass a filter.

import { D_ANY } from "../../model/constants.js";
import type { GraphStore } from "../../store/graph-store.js";
import { type Anchor, findAnchor } from "../match/anchor.js";
import type { ArcTest } from "../match/arc-test.js";
import { type Deadline, NO_DEADLINE } from "../match/deadline.js";
import { describeArcs } from "../match/describe-test.js";
import { compileArcFilter } from "../parse/arc-filter.js";
import { checkedArguments } from "../parse/query-arguments.js";
import type { ArcFilter } from "../parse/query-options.js";
import { type Explainable, type ExplainedBy, runExplained } from "../render/explained.js";
import { countArcs, countNeighborhood, planWalk } from "../walk/walk.js";
import type { LimitOptions } from "./adjacent.js";

/** Test that passes every arc, independent of the graph; most calls have no filter. */
let anyArc: ArcTest | null = null;

/** Options of `degree`. */
export interface DegreeOptions extends LimitOptions {
  readonly arc?: ArcFilter;
  readonly filter?: string;
}

/**
 * Returns the number of arcs, in both directions unless the filter names one (queries, "degree and
 * arcValue").
 * @throws KeyError no such vertex
 * @throws QueryError, SearchError after the time limit, UnsupportedError, TypeError
 */
export function degree<O extends Explainable<DegreeOptions> = DegreeOptions>(
  store: GraphStore,
  anchor: Anchor,
  options?: O,
): Degree<O> {
  store.enlargeIfRequested();
  if (options === undefined) {
    anyArc ??= compileArcFilter(store, undefined, D_ANY);
    return countArcs(store, findAnchor(store, anchor), anyArc, NO_DEADLINE) as Degree<O>;
  }
  const checkedOptions: O = checkedArguments("degree", options);
  const { arc, filter } = checkedOptions;
  const isFiltered = filter !== undefined && filter !== null;
  const plan = isFiltered ? planWalk(store, { arc, filter }, D_ANY) : null;
  const test = plan?.arc ?? compileArcFilter(store, arc, D_ANY);
  const vertex = findAnchor(store, anchor);
  const count = (deadline: Deadline): number =>
    plan === null
      ? countArcs(store, vertex, test, deadline)
      : countNeighborhood(plan, vertex, deadline);
  return runExplained("degree", "aggregation", checkedOptions, count, (matched) => {
    const source = test.isUnfiltered && plan === null ? ["from counters"] : [];
    return { plan: [`${describeArcs(test)} of one vertex`, ...source], matched };
  });
}

type Degree<O> = ExplainedBy<O, "degree", number>;
