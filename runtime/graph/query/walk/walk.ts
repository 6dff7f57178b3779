// Traversals from one vertex along the arcs that a plan selects; collected arcs go to a sink. A
// plan is reusable.

import { ExpressionSet } from "../../evaluate/expression-set.js";
import type { VertexProgram } from "../../evaluate/vertex-program.js";
import { D_BOTH, D_IN, D_OUT } from "../../model/constants.js";
import { invalidArgument } from "../../model/invalid-argument.js";
import type { GraphStore } from "../../store/graph-store.js";
import { HitCounter, type HitSink } from "../hits/hit-sink.js";
import type { ArcTest, DirectionNumber } from "../match/arc-test.js";
import type { Deadline } from "../match/deadline.js";
import { getScanners } from "../match/run-scanner.js";
import { bindRule, bindTest, type VertexTest, type WalkRule } from "../match/vertex-test.js";
import type {
  ArcFilter,
  CollectRule,
  RepeatRange,
  VertexCondition,
} from "../parse/query-options.js";
import { compileRule } from "../parse/traverse-rule.js";
import { compileVertexCondition } from "../parse/vertex-condition.js";
import { Walker } from "./walker.js";

export interface WalkPlan {
  readonly store: GraphStore;
  /** Filter of the first level. */
  readonly arc: ArcTest;
  /** Condition on the heads of the first level; null for any. */
  readonly neighbor: VertexTest | null;
  readonly rule: WalkRule;
  readonly walker: Walker;
  readonly expressions: ExpressionSet;
  /** Expressions run on the anchor before and after the traversal; null for none. */
  readonly pre: VertexProgram | null;
  readonly post: VertexProgram | null;
}

/** The traversal options of a query. */
export interface WalkOptions {
  readonly arc?: ArcFilter | undefined;
  readonly neighbor?: VertexCondition | undefined;
  readonly collect?: CollectRule | undefined;
  readonly pre?: string | undefined;
  readonly filter?: string | undefined;
  readonly post?: string | undefined;
  readonly memory?: unknown;
  readonly repeat?: RepeatRange | undefined;
  readonly through?: VertexCondition | undefined;
}

/**
 * @throws QueryError, SearchError malformed options
 * @throws UnsupportedError similarity
 */
export function planWalk(
  store: GraphStore,
  options: WalkOptions,
  defaultDirection: DirectionNumber,
): WalkPlan {
  const { arc, collect, filter, repeat } = options;
  const expressions = new ExpressionSet(store, options.memory);
  const neighbor = compileVertexCondition(store, expressions, options.neighbor, ".neighbor");
  const through = compileVertexCondition(store, expressions, options.through, ".through");
  const defaults = { direction: defaultDirection, isCollected: true };
  const parts = { arc, collect, filter, repeat };
  const rule = compileRule(store, expressions, parts, { neighbor, through }, defaults);
  rule.arc.refuseDynamic(".arc");
  const pre = expressions.ofVertices(options.pre, "pre");
  const post = expressions.ofVertices(options.post, "post");
  const walker = Walker.of(store);
  return { store, arc: rule.arc, neighbor, rule, walker, expressions, pre, post };
}

/** Executes a plan; false if `pre` rejects the anchor or nothing is found. */
function walkPlan(
  { store, rule, walker, expressions, pre, post }: WalkPlan,
  anchor: number,
  sink: HitSink,
  deadline: Deadline,
  isQuiet: boolean,
): boolean {
  bindRule(rule, store);
  const run = expressions.isEmpty ? null : expressions.start((steps) => deadline.spend(steps));
  walker.start(sink, deadline, isQuiet, run);
  if (pre !== null) {
    const { vertices } = store;
    if (vertices.outDegree(anchor) + vertices.inDegree(anchor) === 0) return false;
    if (!pre.passesAlone(anchor)) return false;
  }
  const isFound = walker.walk(rule, anchor, 1);
  return post === null ? isFound : post.passesAlone(anchor) && isFound;
}

/**
 * Passes all arcs that the plan collects to the sink, deeper arcs before the arcs leading to them.
 * @throws SearchError after the deadline
 */
export function walkNeighborhood(
  plan: WalkPlan,
  anchor: number,
  sink: HitSink,
  deadline: Deadline,
): void {
  walkPlan(plan, anchor, sink, deadline, false);
}

/**
 * Returns the number of arcs that the plan collects.
 * @throws SearchError after the deadline
 */
export function countNeighborhood(plan: WalkPlan, anchor: number, deadline: Deadline): number {
  counter.hits = 0;
  walkNeighborhood(plan, anchor, counter, deadline);
  return counter.hits;
}

/** Shared, as queries do not nest. */
const counter = new HitCounter();

/**
 * Returns whether the plan finds an arc.
 * @throws SearchError after the deadline
 */
export function isAdjacent(plan: WalkPlan, anchor: number, deadline: Deadline): boolean {
  return walkPlan(plan, anchor, counter, deadline, true);
}

/** Returns whether a vertex meets a condition; null accepts all. */
export function testCondition(
  store: GraphStore,
  test: VertexTest | null,
  vertex: number,
  deadline: Deadline,
): boolean {
  if (test === null) return store.vertices.isUsed(vertex);
  bindTest(test, store);
  const walker = Walker.of(store);
  walker.start(counter, deadline, true);
  return walker.test(test, vertex, 0);
}

/**
 * Returns the number of arcs of a vertex that pass a filter, in its direction. Without a filter it
 * returns the counters, which include forward-only arcs at their terminals.
 * @throws QueryError for D_BOTH
 * @throws SearchError after the deadline
 */
export function countArcs(
  store: GraphStore,
  vertex: number,
  test: ArcTest,
  deadline: Deadline,
): number {
  const { direction } = test;
  if (direction === D_BOTH) {
    const text = "Bi-directional arc aggregation is not possible";
    throw invalidArgument(text, direction, "D_OUT, D_IN, D_ANY", ".arc");
  }
  test.bind(store.relationships);
  const { outArcs, inArcs } = getScanners(store);
  let count = 0;
  if (direction !== D_IN) count += outArcs.count(vertex, test);
  if (direction !== D_OUT) {
    count += test.isUnfiltered ? store.vertices.inDegree(vertex) : inArcs.count(vertex, test);
  }
  deadline.spend(count);
  return count;
}
