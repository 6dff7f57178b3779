// Aggregate: sums over the arcs that a neighborhood query would collect.

import { ARC_WORDS } from "../../memory/layout.js";
import { arcSortValue } from "../../model/arc-number.js";
import {
  D_BOTH,
  D_OUT,
  F_DEG,
  F_DEGREES,
  F_IDEG,
  F_ODEG,
  F_VAL,
  R_COUNTS,
} from "../../model/constants.js";
import { invalidArgument } from "../../model/invalid-argument.js";
import type { GraphStore } from "../../store/graph-store.js";
import { readConsistently } from "../../store/read-consistently.js";
import type { ArcBatch, HitSink } from "../hits/hit-sink.js";
import { type Anchor, findAnchor } from "../match/anchor.js";
import type { ArcTest } from "../match/arc-test.js";
import { type Deadline, readDeadline } from "../match/deadline.js";
import { explainRule } from "../match/describe-test.js";
import { HandleSet } from "../match/handle-set.js";
import type { AggregateQueryOptions } from "../parse/query-options.js";
import { fieldMask } from "../render/fields.js";
import { type ResultFormat, resultFormat, Stopwatch } from "../render/result-format.js";
import type { AggregateResult, Explanation, QueryTiming } from "../render/typed-results.js";
import { planWalk, type WalkPlan, walkNeighborhood } from "../walk/walk.js";
import type { LimitOptions } from "./adjacent.js";
import type { Plan } from "./plan.js";
import { planCache } from "./plan-cache.js";

/** Options of `aggregate`. */
export type AggregateOptions = AggregateQueryOptions & LimitOptions;

/** Sums the arcs of a traversal and the degrees of their heads. */
class AggregateSink implements HitSink {
  readonly room = Number.POSITIVE_INFINITY;
  readonly countsNeighbors = true;
  readonly isCountOnly = false;
  readonly #store: GraphStore;
  /** Heads whose degrees are already included; null if no degree is requested. */
  readonly #heads: HandleSet | null;
  neighbors = 0;
  arcs = 0;
  value = 0;
  indegree = 0;
  outdegree = 0;

  constructor(store: GraphStore, fields: number) {
    this.#store = store;
    this.#heads = (fields & F_DEGREES) === 0 ? null : new HandleSet();
  }

  take({ words, from, end, length }: ArcBatch): boolean {
    this.arcs += length;
    for (let arc = from; arc < end; arc += ARC_WORDS) {
      this.value += arcSortValue(words[arc + 1]!, words[arc + 2]!);
      if (this.#heads === null || !this.#heads.add(words[arc]!)) continue;
      this.indegree += this.#store.vertices.inDegree(words[arc]!);
      this.outdegree += this.#store.vertices.outDegree(words[arc]!);
    }
    return true;
  }

  count(hits: number): void {
    this.arcs += hits;
  }

  addNeighbors(count: number): void {
    this.neighbors += count;
  }
}

/** Reusable plan of an aggregation. */
export class Aggregation implements Plan {
  readonly #plan: WalkPlan;
  readonly #format: ResultFormat;
  /** `F_` bits of the requested sums. */
  readonly #fields: number;

  /** @throws QueryError, SearchError, UnsupportedError */
  constructor(store: GraphStore, options: AggregateQueryOptions) {
    const { arc, neighbor, collect, repeat, through, pre, filter, post, memory } = options;
    const walk = { arc, neighbor, collect, repeat, through, pre, filter, post, memory };
    this.#plan = planWalk(store, walk, D_OUT);
    if (this.#plan.arc.direction === D_BOTH) {
      const text = "Bi-directional arc aggregation is not possible";
      throw invalidArgument(text, this.#plan.arc.direction, "D_OUT, D_IN, D_ANY", ".arc");
    }
    this.#format = resultFormat(options, R_COUNTS);
    this.#fields = this.#fieldsOf(options);
  }

  get arc(): ArcTest {
    return this.#plan.arc;
  }

  get isVolatile(): boolean {
    return this.#plan.expressions.isVolatile;
  }

  execute(anchor: number, options: LimitOptions): unknown {
    const { store, expressions } = this.#plan;
    const { hasTiming, hasExplanation } = this.#format;
    const watch = hasTiming || hasExplanation ? new Stopwatch() : null;
    const { meter } = store;
    const begun = meter.begin();
    const deadline = readDeadline("aggregation", options, hasExplanation);
    const sums = readConsistently(store, expressions.hasEffects, () =>
      this.#sums(anchor, deadline),
    );
    watch?.split();
    const shown = this.#render(sums);
    meter.end(begun);
    if (watch === null) return shown;
    const { time } = watch;
    return {
      aggregation: shown,
      ...(hasTiming && { time }),
      ...(hasExplanation && { explain: this.#explain(sums, deadline.spent, time) }),
    };
  }

  #sums(anchor: number, deadline: Deadline): AggregateSink {
    const sums = new AggregateSink(this.#plan.store, this.#fields);
    walkNeighborhood(this.#plan, anchor, sums, deadline);
    return sums;
  }

  #explain({ arcs }: AggregateSink, looked: number, time: QueryTiming): Explanation {
    return { plan: [...explainRule(this.#plan.rule), "summed"], looked, matched: arcs, time };
  }

  #fieldsOf({ fields }: AggregateQueryOptions): number {
    const hasModifier = this.#plan.arc.parts.modifier !== 0;
    const requested = fieldMask(fields, 0) & (F_VAL | F_DEGREES);
    if ((requested & F_VAL) !== 0 && !hasModifier) {
      const text = "modifier filter required to aggregate on predicator value";
      throw invalidArgument(text, fields, "F_VAL beside an arc with a modifier", ".fields");
    }
    return requested === 0 && hasModifier ? F_VAL : requested;
  }

  #render(sums: AggregateSink): unknown {
    const { neighbors, arcs, value, indegree, outdegree } = sums;
    const fields = this.#fields;
    const totals = {
      ...((fields & F_VAL) !== 0 && { predicator_value: value }),
      ...((fields & F_DEG) !== 0 && { degree: indegree + outdegree }),
      ...((fields & F_IDEG) !== 0 && { indegree }),
      ...((fields & F_ODEG) !== 0 && { outdegree }),
    };
    if (this.#format.hasCounts) return { neighbors, arcs, ...totals };
    const values = Object.values(totals);
    return values.length === 1 ? values[0] : totals;
  }
}

/**
 * Sums over the matching arcs of `anchor` (queries, "aggregate").
 * @throws KeyError no such vertex
 * @throws QueryError, SearchError, UnsupportedError, TypeError
 */
export function aggregate<const O extends AggregateOptions = object>(
  store: GraphStore,
  anchor: Anchor,
  options?: O,
): AggregateResult<O> {
  const { plan, limits } = planKnown(store, options);
  return plan.execute(findAnchor(store, anchor), limits) as AggregateResult<O>;
}

const planKnown = planCache<AggregateOptions, Aggregation>(
  "aggregate",
  (store, options) => new Aggregation(store, options),
);
