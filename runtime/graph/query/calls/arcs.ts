// Arcs: all arcs of a graph whose tail meets a condition. The condition's `traverse` filters the
// arcs and their heads.

import type { ExpressionSet } from "../../evaluate/expression-set.js";
import { F_AARC } from "../../model/constants.js";
import { invalidArgument } from "../../model/invalid-argument.js";
import type { GraphStore } from "../../store/graph-store.js";
import type { HitSink } from "../hits/hit-sink.js";
import type { Deadline } from "../match/deadline.js";
import { describeRule } from "../match/describe-test.js";
import type { GlobalQueryOptions } from "../parse/query-options.js";
import { arcExists } from "../render/arc-exists.js";
import { EntryQuery } from "../render/entry-query.js";
import { createHighlights } from "../render/highlights.js";
import type { HitSource, HitSourceResult } from "../render/hit-source.js";
import type { Row } from "../render/row.js";
import type { ArcsResult } from "../render/typed-results.js";
import { type ArcScan, explainScan, planArcScan, scanArcs } from "../walk/scan.js";
import { planCache } from "./plan-cache.js";
import type { VerticesOptions } from "./vertices.js";

class ArcsSource implements HitSource {
  readonly store: GraphStore;
  readonly arc = null;
  readonly kind = "arc";
  readonly timed = "global";
  readonly listName = "arcs";
  readonly defaultFields = F_AARC;
  readonly missingFields = 0;
  readonly expressions: ExpressionSet;
  readonly #plan: ArcScan;

  constructor(store: GraphStore, options: GlobalQueryOptions) {
    if (options.approximate) {
      const text = "approximate is for vertices alone";
      throw invalidArgument(text, options.approximate, "none", ".approximate");
    }
    // Their entries are arcs, and the condition is that of their tails.
    createHighlights(store, null, options);
    this.store = store;
    this.#plan = planArcScan(store, options.condition, options.memory);
    this.expressions = this.#plan.expressions;
  }

  search(_anchor: number, sink: HitSink, deadline: Deadline): void {
    scanArcs(this.#plan, sink, deadline);
  }

  isCurrent(row: Row): boolean {
    return arcExists(row);
  }

  explain(): string[] {
    const { tail, rule } = this.#plan;
    const [source, ...tests] = explainScan(this.#plan, tail);
    return [`tails: ${source}`, ...tests, `arcs: ${describeRule(rule)}`];
  }

  counts({ hits }: HitSourceResult): { arcs: number } {
    return { arcs: hits };
  }
}

/** @throws QueryError, SearchError, UnsupportedError */
export function planArcs(
  store: GraphStore,
  options: GlobalQueryOptions,
  isPartial = false,
): EntryQuery {
  return new EntryQuery(new ArcsSource(store, options), options, isPartial);
}

/**
 * Returns entries for the matching arcs (queries, "arcs").
 * @throws QueryError, SearchError, UnsupportedError, TypeError
 */
export function arcs<const O extends VerticesOptions = object>(
  store: GraphStore,
  options?: O,
): ArcsResult<O> {
  const { plan, limits } = planKnown(store, options);
  return plan.execute(0, limits) as ArcsResult<O>;
}

const planKnown = planCache<VerticesOptions, EntryQuery>("global", (store, options) =>
  planArcs(store, options),
);
