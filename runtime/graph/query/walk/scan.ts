// Scans of the whole graph, or of the vertices of a type or of given ids. No lock is held: each
// vertex is read consistently, and one created or deleted meanwhile may or may not be seen.

import type { QueryExecution } from "../../evaluate/context.js";
import { ExpressionSet } from "../../evaluate/expression-set.js";
import { ARC_WORDS } from "../../memory/layout.js";
import { D_BOTH, D_OUT } from "../../model/constants.js";
import { invalidArgument } from "../../model/invalid-argument.js";
import type { GraphStore } from "../../store/graph-store.js";
import { ArcBatch, type HitSink } from "../hits/hit-sink.js";
import type { Deadline } from "../match/deadline.js";
import { explainTest } from "../match/describe-test.js";
import {
  bindRule,
  bindTest,
  type VertexCheck,
  type VertexTest,
  type WalkRule,
} from "../match/vertex-test.js";
import type { VertexCondition } from "../parse/query-options.js";
import { compileRule } from "../parse/traverse-rule.js";
import { compileVertexCondition } from "../parse/vertex-condition.js";
import { ALL_VERTICES, Candidates, isTypeOnly, SLICE } from "./candidates.js";
import { Walker } from "./walker.js";

/** Vertices passed to a sink at once. */
const BATCH_VERTICES = 256;
/** Vertices whose properties are tested together; smaller groups save nothing. */
const GROUP = 32;
/** Maximum number of groups that are tested together. */
const MAX_GROUPS = 64;

/** Batch buffer; scans do not overlap. */
const words = new Uint32Array(BATCH_VERTICES * ARC_WORDS);
const batch = new ArcBatch(words);
/** Tails of a slice whose arcs are only counted. */
const counted = new Uint32Array(SLICE);
/** Bits of the vertices of groups that pass. */
const passing = new Uint32Array(MAX_GROUPS);

/** Source of the last scan, for explanations. */
interface Origin {
  origin: string;
  candidates: number;
}

export interface VertexScan extends Origin {
  readonly store: GraphStore;
  readonly expressions: ExpressionSet;
  /** Null for any vertex. */
  readonly test: VertexTest | null;
}

export interface ArcScan extends Origin {
  readonly store: GraphStore;
  readonly expressions: ExpressionSet;
  /** Condition on tails, null for any. */
  readonly tail: VertexTest | null;
  readonly rule: WalkRule;
}

/** Returns the source of the last scan, what was tested, and what has no index. */
export function explainScan({ origin, candidates }: Origin, test: VertexTest | null): string[] {
  const isIndexed = candidates === 0 || !UNINDEXED.has(origin);
  return [`${origin}: ${candidates} candidates`, ...explainTest(test, isIndexed)];
}

const UNINDEXED = new Set([ALL_VERTICES, "list of a type"]);

const NO_CONDITIONS = { neighbor: null, through: null };
const NOWHERE: Origin = { origin: "nowhere", candidates: 0 };

/**
 * @throws QueryError, SearchError malformed condition
 * @throws UnsupportedError similarity
 */
export function planVertexScan(
  store: GraphStore,
  condition: VertexCondition | undefined,
  memory?: unknown,
): VertexScan {
  const expressions = new ExpressionSet(store, memory);
  const test = compileVertexCondition(store, expressions, condition, ".condition");
  return { store, expressions, test, ...NOWHERE };
}

/**
 * Passes all matching vertices to the sink, as heads.
 * @throws SearchError after the deadline
 */
export function scanVertices(plan: VertexScan, sink: HitSink, deadline: Deadline): void {
  const { store, test, expressions } = plan;
  if (test !== null) bindTest(test, store);
  const run = expressions.isEmpty ? null : expressions.start((steps) => deadline.spend(steps));
  if (test === null && sink.isCountOnly) {
    sink.count(store.order);
    plan.origin = "the number of all vertices";
    plan.candidates = 0;
    return;
  }
  const walker = Walker.of(store);
  walker.start(sink, deadline, true, run);
  const candidates = new Candidates(store, test, sink.room);
  plan.origin = candidates.origin;
  plan.candidates = candidates.count;
  const isPure = test?.filter?.isPure !== false;
  const isChecked = test?.isPlain === true && isPure && !test.isNegated;
  const isAny = test === null && run === null;
  // A page is filled sooner from a list.
  const areAll =
    candidates.areAll || (candidates.areOfFrequentType && sink.room === Number.POSITIVE_INFINITY);
  const grouped = isChecked && areAll ? findGrouped(test) : undefined;
  if (grouped !== undefined) {
    plan.origin = ALL_VERTICES;
    plan.candidates = store.vertices.end;
    scanGroups(plan, grouped, sink, deadline);
  } else if (isChecked || isAny) scanChecked(plan, candidates, sink, deadline);
  else scanEach(plan, candidates, sink, deadline, run);
}

/** Returns a check of whole property groups, if there is one. */
function findGrouped({ checks }: VertexTest): VertexCheck | undefined {
  return checks.find((check) => check.passingOf !== undefined);
}

/** Tests many vertices at once, if there is no condition or only checks. */
function scanChecked(
  { store, test }: VertexScan,
  candidates: Candidates,
  sink: HitSink,
  deadline: Deadline,
): void {
  const { vertices } = store;
  // Slices of used vertices were read at one moment, so their vertices need no check.
  const isTested = test === null || isTypeOnly(test);
  const checks = isTested ? [] : test.checks;
  const filter = isTested ? null : test.filter;
  for (let count = candidates.next(); count >= 0; count = candidates.next()) {
    deadline.spend(count);
    const { slice } = candidates;
    for (let at = 0; at < count; ) {
      const stop = Math.min(count, at + Math.min(BATCH_VERTICES, Math.max(GROUP, sink.room)));
      let end = 0;
      for (; at < stop; at++) {
        if (!isTested && !vertices.isUsed(slice[at]!)) continue;
        words[end] = slice[at]!;
        end += ARC_WORDS;
      }
      for (const check of checks) end = check.filter(words, 0, end);
      if (filter !== null) end = filter.filterAlone(words, 0, end);
      batch.from = 0;
      batch.end = end;
      if (end > 0 && !sink.take(batch)) return;
    }
  }
}

/** Tests all vertices by their property groups: refused ones cost next to nothing. */
function scanGroups(
  { store, test }: VertexScan,
  grouped: VertexCheck,
  sink: HitSink,
  deadline: Deadline,
): void {
  const { vertices } = store;
  const last = vertices.end;
  const others = test!.checks.filter((check) => check !== grouped);
  let end = 0;
  // A page is often full after the first group.
  let groups = sink.room < BATCH_VERTICES ? 1 : MAX_GROUPS;
  for (let begin = 0; begin < last; begin += groups * GROUP, groups = MAX_GROUPS) {
    const stop = Math.min(last, begin + groups * GROUP);
    grouped.passingOf!(begin, Math.ceil((stop - begin) / GROUP), passing);
    for (let first = begin, group = 0; first < stop; first += GROUP, group++) {
      // Handle 0 is never used.
      deadline.spend(Math.min(GROUP, last - first) - (first === 0 ? 1 : 0));
      for (let bits = passing[group]!; bits !== 0; bits &= bits - 1) {
        const vertex = first + 31 - Math.clz32(bits & -bits);
        if (!vertices.isUsed(vertex)) continue;
        words[end] = vertex;
        end += ARC_WORDS;
      }
      const room = Math.min(BATCH_VERTICES - GROUP, sink.room) * ARC_WORDS;
      if (end === 0 || (end < room && first + GROUP < last)) continue;
      for (const check of others) end = check.filter(words, 0, end);
      if (test!.filter !== null) end = test!.filter.filterAlone(words, 0, end);
      batch.from = 0;
      batch.end = end;
      if (end > 0 && !sink.take(batch)) return;
      end = 0;
    }
  }
}

/** Tests one vertex at a time: a test may traverse or have side effects. */
function scanEach(
  { store, test }: VertexScan,
  candidates: Candidates,
  sink: HitSink,
  deadline: Deadline,
  run: QueryExecution | null,
): void {
  const walker = Walker.of(store);
  // Vertices beyond the sink's room need no test.
  let stop = Math.max(1, Math.min(BATCH_VERTICES, sink.room)) * ARC_WORDS;
  let end = 0;
  const take = (): boolean => {
    batch.from = 0;
    batch.end = end;
    if (end > 0 && !sink.take(batch)) return false;
    end = 0;
    stop = Math.min(BATCH_VERTICES, sink.room) * ARC_WORDS;
    return true;
  };
  for (let count = candidates.next(); count >= 0; count = candidates.next()) {
    deadline.spend(count);
    for (let at = 0; at < count; at++) {
      const vertex = candidates.slice[at]!;
      if (run?.isHalted === true) {
        take();
        return;
      }
      if (test !== null && !walker.test(test, vertex, 0)) continue;
      words[end] = vertex;
      end += ARC_WORDS;
      if (end >= stop && !take()) return;
    }
  }
  take();
}

const ALL_OUTARCS = { direction: D_OUT, isCollected: true } as const;

/**
 * The condition applies to tails; its `traverse` selects their arcs, all outarcs without one.
 * @throws QueryError, SearchError malformed condition
 * @throws UnsupportedError similarity
 */
export function planArcScan(
  store: GraphStore,
  condition: VertexCondition | undefined,
  memory?: unknown,
): ArcScan {
  const expressions = new ExpressionSet(store, memory);
  const test = compileVertexCondition(store, expressions, condition, ".condition", ALL_OUTARCS);
  const rule = test?.traverse ?? compileRule(store, expressions, {}, NO_CONDITIONS, ALL_OUTARCS);
  if (rule.arc.direction === D_BOTH) {
    const text = "Global traversal filter error";
    throw invalidArgument(
      text,
      rule.arc.direction,
      "D_OUT, D_IN, D_ANY",
      ".condition.traverse.arc",
    );
  }
  const isAny = test === null || isUnchecked(test);
  const tail = isAny ? null : { ...test, traverse: null };
  return { store, expressions, tail, rule, ...NOWHERE };
}

/** Returns whether a test restricts nothing of the vertex itself. */
function isUnchecked({ checks, filter, post, adjacent, compounds }: VertexTest): boolean {
  const isPlain = checks.length === 0 && compounds.length === 0;
  return isPlain && filter === null && post === null && adjacent === null;
}

/**
 * Passes all matching arcs to the sink.
 * @throws SearchError after the deadline
 */
export function scanArcs(plan: ArcScan, sink: HitSink, deadline: Deadline): void {
  const { store, expressions, tail, rule } = plan;
  if (tail !== null) bindTest(tail, store);
  bindRule(rule, store);
  const walker = Walker.of(store);
  const run = expressions.isEmpty ? null : expressions.start((steps) => deadline.spend(steps));
  walker.start(sink, deadline, false, run);
  const isCountable = walker.isCountable(rule);
  const candidates = new Candidates(store, tail, sink.room);
  plan.origin = candidates.origin;
  plan.candidates = candidates.count;
  for (let count = candidates.next(); count >= 0; count = candidates.next()) {
    const { slice } = candidates;
    deadline.spend(count);
    let tails = 0;
    for (let at = 0; at < count; at++) {
      const vertex = slice[at]!;
      if (tail !== null && !walker.test(tail, vertex, 0)) continue;
      if (isCountable) counted[tails++] = vertex;
      else walker.walk(rule, vertex, 1);
      if (walker.isStopped) return;
    }
    if (tails > 0) walker.countAll(rule, counted, 0, tails, 1);
  }
}
