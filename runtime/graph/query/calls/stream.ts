// Streams of vertices and arcs. Hits are found one slice of vertices at a time while the caller
// iterates, so results of any length need constant memory. Between items the caller may query and
// change the graph.

import { F_AARC, F_ANCHOR, F_ANCHOR_OBID, F_ID, F_PRED, R_STR } from "../../model/constants.js";
import { invalidArgument } from "../../model/invalid-argument.js";
import type { GraphStore } from "../../store/graph-store.js";
import { readConsistently } from "../../store/read-consistently.js";
import { HitBuffer } from "../hits/hit-buffer.js";
import { ArcBatch, type HitSink } from "../hits/hit-sink.js";
import { NO_DEADLINE } from "../match/deadline.js";
import { bindRule, bindTest, type VertexTest } from "../match/vertex-test.js";
import { checkedArguments } from "../parse/query-arguments.js";
import type { ResultFormat, ResultOptions, VertexCondition } from "../parse/query-options.js";
import { fieldsFor } from "../render/entry-options.js";
import { MAX_RENDERINGS, resolveRemovals } from "../render/entry-query.js";
import type { EntrySource } from "../render/hit-source.js";
import { entryRenderer, type RenderEntry } from "../render/render-entries.js";
import { resultFormat } from "../render/result-format.js";
import { Row } from "../render/row.js";
import type { ScannedArc, ScannedVertex } from "../render/typed-results.js";
import { Candidates, SLICE } from "../walk/candidates.js";
import { planArcScan, planVertexScan } from "../walk/scan.js";
import { Walker } from "../walk/walker.js";

/** Options of `scan` and `scanArcs`. */
export interface ScanOptions extends Pick<ResultOptions, "fields" | "select"> {
  readonly condition?: VertexCondition;
  /** An `R_` constant or its name: "simple", "str", "list" or "dict". */
  readonly result?: number | ResultFormat;
}

/** How a stream searches the vertices of a slice. */
interface Stream extends EntrySource {
  readonly store: GraphStore;
  /** Condition on vertices; null for any. */
  readonly test: VertexTest | null;
  /** Whether the test must collect no hits. */
  readonly isQuiet: boolean;
  bind(): void;
  /** Passes the hits of a matching vertex to the sink. */
  take(walker: Walker, vertex: number, sink: HitSink): void;
}

/**
 * Yields entries of the vertices that meet a condition, each once, in no order. A vertex is tested
 * with its slice; vertices created or deleted meanwhile may or may not be included.
 * @throws QueryError, SearchError, TypeError, when the stream is created
 */
export function scanVertexEntries<const O extends ScanOptions = object>(
  store: GraphStore,
  options?: O,
): IterableIterator<ScannedVertex<O>> {
  const checkedOptions: ScanOptions = checkedArguments("scan", options);
  const { test, expressions } = planVertexScan(store, checkedOptions.condition);
  const batch = new ArcBatch(new Uint32Array([0, 0, 0]));
  batch.end = batch.words.length;
  const stream: Stream = {
    ...{ store, test, expressions, isQuiet: true },
    defaultFields: F_ID,
    missingFields: F_ANCHOR | F_ANCHOR_OBID | F_PRED,
    bind: () => {},
    take: (_walker, vertex, sink) => {
      batch.words[0] = vertex;
      sink.take(batch);
    },
  };
  return streamEntries(stream, renderer(stream, checkedOptions)) as IterableIterator<
    ScannedVertex<O>
  >;
}

/**
 * Yields entries of the arcs whose tails meet a condition, as `arcs` finds them, in no order. The
 * arcs of one vertex are read at once.
 * @throws QueryError, SearchError, TypeError, when the stream is created
 */
export function scanArcEntries<const O extends ScanOptions = object>(
  store: GraphStore,
  options?: O,
): IterableIterator<ScannedArc<O>> {
  const checkedOptions: ScanOptions = checkedArguments("scan", options);
  const { tail, rule, expressions } = planArcScan(store, checkedOptions.condition);
  const stream: Stream = {
    ...{ store, test: tail, expressions, isQuiet: false },
    defaultFields: F_AARC,
    missingFields: 0,
    bind: () => bindRule(rule, store),
    take: (walker, vertex) => {
      walker.walk(rule, vertex, 1);
    },
  };
  return streamEntries(stream, renderer(stream, checkedOptions)) as IterableIterator<ScannedArc<O>>;
}

/** @throws QueryError unknown format or fields */
function renderer(stream: Stream, options: ScanOptions): RenderEntry {
  const { format, hasCounts, hasTiming } = resultFormat(options, R_STR);
  if (hasCounts || hasTiming) {
    const text = "a stream has nothing beside its entries";
    throw invalidArgument(
      text,
      options.result,
      "R_ formats without R_COUNTS and R_TIMING",
      ".result",
    );
  }
  return entryRenderer(format, fieldsFor(stream, options));
}

function* streamEntries(stream: Stream, render: RenderEntry): Generator<unknown, void, void> {
  const { store, test, expressions } = stream;
  if (test !== null) bindTest(test, store);
  stream.bind();
  const memory = new Uint32Array(SLICE);
  const candidates = new Candidates(store, test, Number.POSITIVE_INFINITY, memory);
  for (let count = candidates.next(); count >= 0; count = candidates.next()) {
    const slice = candidates.slice.subarray(0, count);
    yield* readConsistently(store, expressions.hasEffects, () =>
      renderSlice(stream, render, slice),
    );
  }
}

/**
 * Returns the entries of a slice. Renders again if vertices were removed meanwhile, because their
 * handles may have been reused.
 */
function renderSlice(stream: Stream, render: RenderEntry, slice: Uint32Array): unknown[] {
  const { store, expressions } = stream;
  for (let reading = 1; ; reading++) {
    const removals = resolveRemovals(store);
    const hits = searchSlice(stream, slice);
    const row = new Row(store, 0, null, null);
    const entries: unknown[] = [];
    for (let slot = 0; slot < hits.length; slot++) {
      row.load(hits, slot);
      if (store.vertices.isUsed(row.head)) entries.push(render(row));
    }
    const isLast = expressions.hasEffects || reading === MAX_RENDERINGS;
    if (isLast || resolveRemovals(store) === removals) return entries;
  }
}

/** Searches a slice. Other queries may have run since the last one, so shared state is reset. */
function searchSlice(
  { store, test, expressions, isQuiet, take }: Stream,
  slice: Uint32Array,
): HitBuffer {
  const walker = Walker.of(store);
  const run = expressions.isEmpty ? null : expressions.start(() => {});
  const sink = new SliceHits();
  walker.start(sink, NO_DEADLINE, isQuiet, run);
  for (const vertex of slice) {
    if (test !== null ? walker.test(test, vertex, 0) : store.vertices.isUsed(vertex)) {
      take(walker, vertex, sink);
    }
  }
  return sink.hits;
}

/** Keeps all hits of a slice. */
class SliceHits implements HitSink {
  readonly room = Number.POSITIVE_INFINITY;
  readonly countsNeighbors = false;
  readonly isCountOnly = false;
  readonly hits = new HitBuffer();

  take(batch: ArcBatch): boolean {
    this.hits.push(batch, batch.end);
    return true;
  }

  count(): void {}
  addNeighbors(): void {}
}
