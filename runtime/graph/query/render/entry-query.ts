// Executes queries that return entries: search, sort, select the page, render. A source supplies
// the hits and applies filters and conditions.
//
// By the time a row is rendered, its vertex may have been removed and its handle reused. If any id
// was removed since the search began, every row is validated, and outdated rows are dropped.

import { Header } from "../../memory/layout.js";
import { F_ID, R_DICT, R_LIST, R_STR } from "../../model/constants.js";
import type { GraphStore } from "../../store/graph-store.js";
import { readConsistently } from "../../store/read-consistently.js";
import type { Probe } from "../../vectors/probe.js";
import type { Facet } from "../hits/facet-counters.js";
import { countedKeys, countFacets, countPartialFacets, namesOfCounted } from "../hits/facets.js";
import { HeadList } from "../hits/head-list.js";
import { HitCollector } from "../hits/hit-collector.js";
import { type Grouping, HitGroups } from "../hits/hit-groups.js";
import type { HitOrder } from "../hits/hit-order.js";
import { HitCounter } from "../hits/hit-sink.js";
import type { ArcTest } from "../match/arc-test.js";
import { type Deadline, readDeadline } from "../match/deadline.js";
import { HandleSet } from "../match/handle-set.js";
import { parseFacets, parseGroupBy } from "../parse/facet-option.js";
import { type Page, parseIncomplete, parsePage } from "../parse/query-arguments.js";
import type { ExecuteOptions } from "../parse/query-options.js";
import {
  fieldsFor,
  type RankedOptions,
  rebindProbe,
  resolveProbe,
  resolveSortOrder,
} from "./entry-options.js";
import { type CountedFacets, explainSummary } from "./explain-summary.js";
import type { HitSource } from "./hit-source.js";
import { describeGroups, keyEntries } from "./partial-entries.js";
import type { PartialHead, PartialResult } from "./partial-result.js";
import { createCursor, type QueryCursor } from "./query-cursor.js";
import { entryRenderer, type RenderEntry } from "./render-entries.js";
import { type ResultFormat, resultFormat, Stopwatch } from "./result-format.js";
import { Row } from "./row.js";
import type { Explanation, QueryTiming } from "./typed-results.js";

/** Maximum number of renderings of a page while vertices are removed. */
export const MAX_RENDERINGS = 3;
/** Cost of rendering a row, in visited arcs. */
const ROW_UNITS = 16;
/** Cost of marking the words of an entry: its texts can be long. */
const HIGHLIGHT_UNITS = 1024;

export class EntryQuery {
  readonly #source: HitSource;
  readonly #format: ResultFormat;
  readonly #render: RenderEntry;
  readonly #order: HitOrder | null;
  readonly #probe: Probe | null;
  readonly #isDistinct: boolean;
  readonly #facets: readonly Facet[] | null;
  readonly #grouping: Grouping | null;
  readonly #cursor: QueryCursor | null;
  readonly #isIncompleteKept: boolean;
  /** True if an entry is just the id of the head, alone or in a list. */
  readonly #isId: boolean;
  readonly #isList: boolean;
  readonly #isDictionary: boolean;
  /** True if results are partial ones, to be merged with those of other partitions. */
  readonly #isPartial: boolean;
  readonly #unknownKeys: Set<string> | null;

  /**
   * @throws QueryError malformed options
   * @throws ValueError, TypeError not a vector
   */
  constructor(source: HitSource, options: RankedOptions, isPartial = false) {
    this.#source = source;
    this.#isPartial = isPartial;
    this.#format = resultFormat(options, R_STR);
    const { format } = this.#format;
    const fields = fieldsFor(source, options);
    this.#render = entryRenderer(format, fields);
    this.#isList = format === R_LIST;
    this.#isDictionary = format === R_DICT;
    this.#isId = fields[0]!.bit === F_ID && fields.length === 1 && format !== R_DICT;
    this.#probe = resolveProbe(source, options.vector);
    this.#cursor = createCursor(source, options);
    this.#isIncompleteKept = parseIncomplete(options);
    const isTotal = this.#cursor !== null || isPartial;
    this.#order = resolveSortOrder(source, options, this.#probe, this.#cursor !== null, isTotal);
    this.#isDistinct = source.kind === "head";
    this.#unknownKeys = isPartial ? new Set() : null;
    const keys = { store: source.store, unknown: this.#unknownKeys };
    this.#facets = parseFacets(keys, options.facets);
    this.#grouping = parseGroupBy(keys, options.groupBy);
  }

  /** See `EntryPlan`. The positions of a cursor are those of one vector. */
  rebind(vector: unknown): boolean {
    if (this.#probe === null || this.#cursor !== null) return false;
    return rebindProbe(this.#source, this.#probe, vector);
  }

  get arc(): ArcTest | null {
    return this.#source.arc;
  }

  get isVolatile(): boolean {
    return this.#source.expressions.isVolatile;
  }

  /**
   * Returns the result in the requested format; a `PartialResult` of a partial query.
   * @throws SearchError after the time limit
   */
  execute(anchor: number, options: ExecuteOptions): unknown {
    const { store, expressions } = this.#source;
    return readConsistently(store, expressions.hasEffects, () =>
      this.#executeOnce(anchor, options),
    );
  }

  /**
   * Returns the number of hits of a complete execution, without rendering a result.
   * @throws SearchError after the time limit
   */
  count(anchor: number, options: ExecuteOptions): number {
    const { store, expressions } = this.#source;
    return readConsistently(store, expressions.hasEffects, () => this.#countOnce(anchor, options));
  }

  #executeOnce(anchor: number, options: ExecuteOptions): unknown {
    const { store, timed } = this.#source;
    const { hasTiming, hasExplanation } = this.#format;
    const requested = parsePage(options);
    const page = this.#isPartial ? this.#partialPage(requested) : requested;
    const deadline = readDeadline(timed, options, hasExplanation || this.#isIncompleteKept);
    const { meter } = store;
    const begun = meter.begin();
    const watch = hasTiming || hasExplanation ? new Stopwatch() : null;
    const removals = resolveRemovals(store);
    const found = this.#find(anchor, page, deadline);
    watch?.split();
    const rendered = this.#renderPage(anchor, page, found, removals);
    meter.end(begun);
    if (this.#isPlain && !this.#isPartial) return rendered.entries;
    const extras = this.#extras(found, rendered.excluded, watch, page);
    return this.#isPartial
      ? this.#partialResult(anchor, requested, found, rendered, extras)
      : this.#wholeResult(anchor, page, found, rendered, extras);
  }

  /**
   * Searches, sorts, groups and counts the hits. Creates no closures or lists that most queries do
   * not need, because they cost as much as a small query.
   */
  #find(anchor: number, page: Page, deadline: Deadline): FoundHits {
    const source = this.#source;
    const isComplete = this.#isWhole;
    const after = this.#cursor?.position(anchor, this.#order!, this.#isPartial) ?? null;
    const all = this.#facets === null ? null : new HeadList(countedKeys(this.#facets));
    const isListed = source.listsHeads === true && this.#order?.isSelective !== true;
    const kept = this.#grouping === null ? page.offset + page.hits : Number.POSITIVE_INFINITY;
    const collector = new HitCollector({
      order: this.#order,
      keep: page.hits === 0 && this.#grouping === null ? 0 : kept,
      isComplete,
      countsNeighbors: this.#format.hasCounts && source.kind === "arc",
      heads: this.#isDistinct ? new HandleSet() : null,
      all: isListed ? null : all,
      after: this.#grouping === null ? after : null,
    });
    const target = { collector, page, deadline, all, isListed };
    const isSearched = page.hits > 0 || isComplete || source.expressions.hasEffects;
    if (isSearched && this.#isIncompleteKept) this.#searchToLimit(anchor, target);
    else if (isSearched) this.#search(anchor, target);
    const slots = this.#sort(collector, deadline);
    const groups =
      this.#grouping && new HitGroups(source.store, this.#grouping, collector.hits, slots);
    if (after !== null) groups?.keepBehind(after, collector.hits, this.#isPartial);
    return {
      collector,
      deadline,
      slots: groups?.firsts ?? slots,
      groups,
      facets: all && this.#countFacets(all, deadline),
      bounded: deadline.exceeded ?? source.notice?.() ?? null,
    };
  }

  #search(anchor: number, { collector, page, deadline, all, isListed }: SearchTarget): void {
    if (this.#takeNearest(collector, page, deadline)) return;
    if (this.#takeBest(collector, page, deadline, all)) return;
    this.#source.search(anchor, collector, deadline, isListed ? all : null);
  }

  /** As `#search`, but without an error at a limit. */
  #searchToLimit(anchor: number, target: SearchTarget): void {
    target.deadline.runSearch(() => this.#search(anchor, target));
  }

  /** True if the result is the list of entries alone. */
  get #isPlain(): boolean {
    const { hasTiming, hasExplanation } = this.#format;
    if (this.#isWhole || this.#cursor !== null) return false;
    return !hasTiming && !hasExplanation && !this.#isIncompleteKept;
  }

  #extras(found: FoundHits, excluded: number, watch: Stopwatch | null, page: Page): ResultExtras {
    const { hasCounts, hasTiming, hasExplanation } = this.#format;
    const { arcs: hits, neighbors } = found.collector;
    const counts = this.#source.counts({ hits, neighbors, excluded });
    const time = watch === null ? null : watch.time;
    const looked = found.deadline.spent;
    return {
      ...(hasCounts && { counts: counts as Readonly<Record<string, number>> }),
      ...(hasTiming && { time: time! }),
      ...(hasExplanation && {
        explain: { plan: this.#explain(found, page), looked, matched: hits, time: time! },
      }),
    };
  }

  #explain(found: FoundHits, page: Page): string[] {
    return [...this.#source.explain(), ...explainSummary(found), this.#kept(page)];
  }

  #wholeResult(
    anchor: number,
    page: Page,
    { collector, slots, groups, facets, bounded }: FoundHits,
    { entries, places }: RenderedPage,
    extras: ResultExtras,
  ): object {
    const count = groups?.firsts.length ?? collector.offered;
    return {
      [this.#source.listName]: entries,
      ...(groups !== null && { groups: places.map((place) => groups.at(place)) }),
      ...(facets !== null && { facets: facets.whole }),
      ...(this.#cursor !== null && {
        cursor: this.#cursor.next(anchor, this.#order!, collector.hits, slots!, page, count),
      }),
      ...extras,
      ...(bounded !== null && { bounded }),
    };
  }

  #partialResult(
    anchor: number,
    { hits, offset }: Page,
    { collector, slots, groups, facets, bounded }: FoundHits,
    { entries, places }: RenderedPage,
    { counts = null, time = null, explain = null }: ResultExtras,
  ): PartialResult {
    const { store, listName } = this.#source;
    const found = groups?.firsts.length ?? collector.offered;
    const head: PartialHead = {
      ...{ listName, hits: hits === Number.POSITIVE_INFINITY ? null : hits, offset },
      ...{ isPlain: this.#isPlain, isDictionary: this.#isDictionary, found },
      unknownKeys: store.order === 0 ? null : [...this.#unknownKeys!],
      cursor: this.#cursor?.describe(anchor, this.#order!) ?? null,
      facets: facets?.partial ?? null,
      groups: groups && describeGroups(groups),
      bounded,
      ...{ counts, time, explain, paths: null },
    };
    const placed = { hits: collector.hits, slots, groups, places };
    return { head, entries: keyEntries(store, this.#order, placed, entries) };
  }

  /** Returns the facets of the heads, as a whole or as those of one partition. */
  #countFacets(heads: HeadList, deadline: Deadline): CountedFacets {
    const { store } = this.#source;
    const facets = this.#facets!;
    const isPartial = this.#isPartial;
    return {
      whole: isPartial ? null : countFacets(store, facets, heads, deadline),
      partial: isPartial ? countPartialFacets(store, facets, heads, deadline) : null,
      columns: namesOfCounted(facets, heads),
    };
  }

  /** Returns the entries of this partition that the page may contain. */
  #partialPage({ hits, offset }: Page): Page {
    // Other partitions may have shown any of the groups of the earlier pages, or equal hits.
    const { shown = 0, equal = 0 } = this.#cursor ?? {};
    const skipped = this.#grouping === null ? equal : shown;
    return { offset: 0, hits: hits === 0 ? 0 : offset + hits + skipped };
  }

  #kept({ hits, offset }: Page): string {
    const order = this.#order === null ? "as they come" : "sorted";
    const kept = hits === Number.POSITIVE_INFINITY ? "all" : `${offset + hits} at most`;
    return `${order}, ${kept} kept`;
  }

  /** Reads vertices sorted by similarity from the vectors; false if too few have one. */
  #takeNearest(collector: HitCollector, page: Page, deadline: Deadline): boolean {
    const keep = page.offset + page.hits;
    const isOther = this.#probe === null || !this.#order?.isBySimilarity;
    if (isOther || this.#isWhole || this.#cursor !== null || keep === Number.POSITIVE_INFINITY)
      return false;
    return this.#source.nearest?.(this.#probe!, keep, collector, deadline) ?? false;
  }

  /** True if all matches are needed, shown or not. */
  get #isWhole(): boolean {
    return this.#format.hasCounts || this.#facets !== null || this.#grouping !== null;
  }

  /** Finds the best texts, and counts all others or skips them. */
  #takeBest(
    collector: HitCollector,
    page: Page,
    deadline: Deadline,
    all: HeadList | null,
  ): boolean {
    const { rerank = null } = this.#source;
    const isReranked = rerank !== null && this.#order?.isSelective === true;
    const keep = isReranked ? rerank : page.offset + page.hits;
    const isBest = this.#order?.isByText === true && this.#cursor === null;
    if ((!isReranked && !isBest) || this.#grouping !== null) return false;
    if (keep === Number.POSITIVE_INFINITY) return false;
    const heads = this.#isWhole ? (all ?? new HeadList()) : null;
    return this.#source.best?.(keep, collector, deadline, heads) ?? false;
  }

  /** Returns the slots of the kept hits in sort order; null if they are in order. */
  #sort(collector: HitCollector, deadline: Deadline): Uint32Array | null {
    const slots = collector.slots();
    if (slots !== null) deadline.spendTime(slots.length);
    return slots;
  }

  #countOnce(anchor: number, options: ExecuteOptions): number {
    const source = this.#source;
    const deadline = readDeadline(source.timed, options);
    const { meter } = source.store;
    const begun = meter.begin();
    const counter = new HitCounter();
    const ranked = this.#order?.isSelective === true ? this.#createCounter(this.#order) : null;
    source.search(anchor, ranked ?? counter, deadline, null);
    meter.end(begun);
    return ranked?.arcs ?? counter.hits;
  }

  /** Returns a collector that keeps nothing and counts the hits that an order keeps. */
  #createCounter(order: HitOrder): HitCollector {
    const heads = this.#isDistinct ? new HandleSet() : null;
    return new HitCollector({ order, keep: 0, isComplete: true, countsNeighbors: false, heads });
  }

  #renderPage(
    anchor: number,
    { hits, offset }: Page,
    { collector, deadline, slots, groups }: FoundHits,
    removals: number,
  ): RenderedPage {
    const { store } = this.#source;
    const end = Math.min(slots?.length ?? collector.hits.length, offset + hits);
    if (this.#isId && groups === null) {
      deadline.spendTime(Math.max(end - offset, 0));
      const ids = headIds(store, collector, slots, offset, end);
      const entries = this.#isList ? ids.map((id) => [id]) : ids;
      if (resolveRemovals(store) === removals) return { entries, places: [], excluded: 0 };
    }
    for (let rendering = 1; ; rendering++) {
      const now = resolveRemovals(store);
      // A row caches texts, which are outdated if the handle of its tail was reused.
      const row = new Row(store, anchor, this.#order, this.#probe, this.#source.texts);
      const entries: unknown[] = [];
      const places: number[] = [];
      for (let at = offset; at < end; at++) {
        deadline.spendTime(ROW_UNITS);
        row.load(collector.hits, slots === null ? at : slots[at]!);
        if (now !== removals && !this.#source.isCurrent(row)) continue;
        const entry = this.#render(row);
        if (this.#isDictionary) {
          if (groups !== null) addGrouped(entry, groups.at(at).count);
          const isMarked = this.#source.highlight?.(entry as object, row.head);
          if (isMarked) deadline.spendTime(HIGHLIGHT_UNITS);
        }
        entries.push(entry);
        places.push(at);
      }
      if (resolveRemovals(store) === now || rendering === MAX_RENDERINGS) {
        return { entries, places, excluded: Math.max(end - offset, 0) - entries.length };
      }
    }
  }
}

/** Collections that a search fills, and its limits. */
interface SearchTarget {
  readonly collector: HitCollector;
  readonly page: Page;
  readonly deadline: Deadline;
  /** Heads of all hits; null if they are not needed. */
  readonly all: HeadList | null;
  /** True if the source lists those heads itself. */
  readonly isListed: boolean;
}

/** Result of a search, in sort order. */
interface FoundHits {
  readonly collector: HitCollector;
  readonly deadline: Deadline;
  /** Null if hits are in order. */
  readonly slots: Uint32Array | null;
  readonly groups: HitGroups | null;
  readonly facets: CountedFacets | null;
  /** The limit that left hits out; null if there is none. */
  readonly bounded: string | null;
}

interface RenderedPage {
  readonly entries: unknown[];
  /** Places of the entries in sort order; empty if they are the first ones. */
  readonly places: number[];
  /** Hits whose vertices were removed before they were rendered. */
  readonly excluded: number;
}

/** Parts of a result that exist only on request. */
interface ResultExtras {
  readonly counts?: Readonly<Record<string, number>> | null;
  readonly time?: QueryTiming | null;
  readonly explain?: Explanation | null;
}

/** Adds the size of its group to an entry in dictionary form. */
function addGrouped(entry: unknown, count: number): void {
  (entry as { grouped?: number }).grouped = count;
}

/** Renders a page of head ids, the most common result, in a third of the time. */
function headIds(
  { ids }: GraphStore,
  { hits }: HitCollector,
  slots: Uint32Array | null,
  offset: number,
  end: number,
): string[] {
  const entries = new Array<string>(Math.max(end - offset, 0));
  for (let at = offset; at < end; at++) {
    entries[at - offset] = ids.idOf(hits.headOf(slots === null ? at : slots[at]!));
  }
  return entries;
}

/** Returns a number that changes when an id is removed, or is about to be. */
export function resolveRemovals(store: GraphStore): number {
  return Atomics.load(store.memory.header.ints, Header.IndexSequence);
}
