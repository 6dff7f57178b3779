// Vertices: all vertices of a graph that meet a condition.

import type { ExpressionSet } from "../../evaluate/expression-set.js";
import { ARC_WORDS } from "../../memory/layout.js";
import { F_ANCHOR, F_ANCHOR_OBID, F_ID, F_PRED } from "../../model/constants.js";
import type { GraphStore } from "../../store/graph-store.js";
import type { TextScores } from "../../texts/text-scores.js";
import { NearestTopK } from "../../vectors/nearest-top-k.js";
import type { Probe } from "../../vectors/probe.js";
import { ArcBatch, type HitSink } from "../hits/hit-sink.js";
import { type Deadline, NO_DEADLINE } from "../match/deadline.js";
import type { TextCheck } from "../match/text-check.js";
import type { ExecuteOptions, GlobalQueryOptions } from "../parse/query-options.js";
import { findTextCheck } from "../parse/vertex-condition.js";
import { EntryQuery } from "../render/entry-query.js";
import { createHighlights, type Highlights } from "../render/highlights.js";
import type { HitSource, HitSourceResult } from "../render/hit-source.js";
import type { Row } from "../render/row.js";
import type { VerticesResult } from "../render/typed-results.js";
import {
  explainNearest,
  findNearest,
  type NearestSource,
  parseEf,
} from "../walk/nearest-search.js";
import { explainScan, planVertexScan, scanVertices, type VertexScan } from "../walk/scan.js";
import { testCondition } from "../walk/walk.js";
import { planCache } from "./plan-cache.js";

/** Options of `vertices` and `arcs`. */
export type VerticesOptions = GlobalQueryOptions & ExecuteOptions;

class VerticesSource implements HitSource {
  readonly store: GraphStore;
  readonly arc = null;
  readonly kind = "vertex";
  readonly timed = "global";
  readonly listName = "vertices";
  readonly defaultFields = F_ID;
  readonly missingFields = F_ANCHOR | F_ANCHOR_OBID | F_PRED;
  readonly expressions: ExpressionSet;
  readonly texts: TextScores | null;
  readonly #text: TextCheck | null;
  readonly #highlights: Highlights | null;
  readonly #plan: VertexScan;
  readonly #ef: number;
  /** Sources of vectors of the last search for the nearest vertices. */
  #nearest: readonly NearestSource[] | null = null;

  constructor(store: GraphStore, options: GlobalQueryOptions) {
    this.store = store;
    this.#plan = planVertexScan(store, options.condition, options.memory);
    this.expressions = this.#plan.expressions;
    this.#text = findTextCheck(this.#plan.test);
    this.#highlights = createHighlights(store, this.#text?.searched ?? null, options);
    this.texts = this.#text?.scores ?? null;
    this.expressions.texts = this.texts;
    this.#ef = parseEf(options.approximate);
  }

  nearest(probe: Probe, hits: number, sink: HitSink, deadline: Deadline): boolean {
    const { store, expressions } = this;
    if (expressions.hasEffects || sink.room === 0) return false;
    const best = new NearestTopK(hits);
    const { test } = this.#plan;
    const targets = [{ table: store.vectors, probe, weight: 1 }];
    const search = { store, targets, test, expressions, ef: this.#ef };
    this.#nearest = findNearest(search, best, deadline);
    if (best.count < hits) return false;
    const words = new Uint32Array(best.count * ARC_WORDS);
    for (const [index, { vertex }] of best.sorted().entries()) words[index * ARC_WORDS] = vertex;
    const batch = new ArcBatch(words);
    batch.end = words.length;
    if (words.length > 0) sink.take(batch);
    return true;
  }

  search(_anchor: number, sink: HitSink, deadline: Deadline): void {
    this.#nearest = null;
    scanVertices(this.#plan, sink, deadline);
  }

  highlight(entry: object, vertex: number): boolean {
    this.#highlights?.add(entry, vertex, this.#text!.hasTypos);
    return this.#highlights !== null;
  }

  isCurrent({ store, head }: Row): boolean {
    // The time limit applies to the search, which is complete.
    if (!store.vertices.isUsed(head)) return false;
    // Expressions may have side effects, which must not happen twice.
    if (!this.expressions.isEmpty) return true;
    return testCondition(store, this.#plan.test, head, NO_DEADLINE);
  }

  explain(): string[] {
    const { test } = this.#plan;
    return this.#nearest === null
      ? explainScan(this.#plan, test)
      : explainNearest(this.#nearest, test);
  }

  counts({ hits }: HitSourceResult): { vertices: number } {
    return { vertices: hits };
  }
}

/** @throws QueryError, SearchError, UnsupportedError */
export function planVertices(
  store: GraphStore,
  options: GlobalQueryOptions,
  isPartial = false,
): EntryQuery {
  return new EntryQuery(new VerticesSource(store, options), options, isPartial);
}

/**
 * Returns entries for the matching vertices (queries, "vertices").
 * @throws QueryError, SearchError, UnsupportedError, TypeError
 */
export function vertices<const O extends VerticesOptions = object>(
  store: GraphStore,
  options?: O,
): VerticesResult<O> {
  const { plan, limits } = planKnown(store, options);
  return plan.execute(0, limits) as VerticesResult<O>;
}

const planKnown = planCache<VerticesOptions, EntryQuery>("global", (store, options) =>
  planVertices(store, options),
);
