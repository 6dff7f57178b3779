// Executes compiled conditions and rules: tests vertices, follows arcs depth first, gives what is
// collected to a sink. One walker serves all queries of a store, one after the other. The arcs of a
// vertex are copied before any is followed, so that nothing is done on torn data and no sequence is
// watched for long.

import { D_ANY, D_BOTH, D_IN, D_OUT } from "../constants.js";
import { ARC_WORDS } from "../memory/layout.js";
import type { GraphStore } from "../store/graph-store.js";
import type { VertexTable } from "../store/vertex-table.js";
import { ArcStack } from "./arc-stack.js";
import { type ArcTest, ArcTestKind } from "./arc-test.js";
import type { Deadline } from "./deadline.js";
import { HandleSet } from "./handle-set.js";
import { HitSide, type HitSideNumber, type HitSink } from "./hit-sink.js";
import { ALL_ARCS, type RunScanner, scannersOf } from "./run-scanner.js";
import { Collect, type VertexTest, type WalkRule } from "./vertex-test.js";

/** Sets of one level of a walk. */
class LevelSets {
  /** Heads that have counted as neighbors of the present tail. */
  readonly counted = new HandleSet();
  /** Heads whose arcs are to be collected with their siblings. */
  readonly matched = new HandleSet();
  /** Vertices that have an arc to the present tail. */
  readonly returning = new HandleSet();
}

export class Walker {
  readonly #vertices: VertexTable;
  readonly #outArcs: RunScanner;
  readonly #inArcs: RunScanner;
  readonly #stack = new ArcStack();
  readonly #levels: LevelSets[] = [];
  #sink: HitSink;
  #deadline: Deadline;
  /** True while only existence matters and nothing is collected. */
  #isQuiet = false;
  /** True once the sink takes no more. */
  #isStopped = false;

  private constructor(store: GraphStore, sink: HitSink, deadline: Deadline) {
    const { outArcs, inArcs } = scannersOf(store);
    this.#vertices = store.vertices;
    this.#outArcs = outArcs;
    this.#inArcs = inArcs;
    this.#sink = sink;
    this.#deadline = deadline;
  }

  static readonly #ofStores = new WeakMap<GraphStore, Walker>();

  /** The walker of a store, ready for an execution. */
  static start(store: GraphStore, sink: HitSink, deadline: Deadline, isQuiet: boolean): Walker {
    let walker = Walker.#ofStores.get(store);
    if (walker === undefined) {
      walker = new Walker(store, sink, deadline);
      Walker.#ofStores.set(store, walker);
    }
    walker.#sink = sink;
    walker.#deadline = deadline;
    walker.#isQuiet = isQuiet;
    walker.#isStopped = false;
    walker.#stack.clear();
    return walker;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Whether a vertex is there and passes; what it finds below goes to the sink. */
  test(test: VertexTest, vertex: number, level: number): boolean {
    if (!this.#vertices.isUsed(vertex)) return false;
    return this.#passes(test, vertex, level) !== test.isNegated;
  }

  #passes(test: VertexTest, vertex: number, level: number): boolean {
    for (const check of test.checks) if (!check.passes(vertex)) return false;
    const { adjacent, traverse } = test;
    if (adjacent !== null) {
      const wasQuiet = this.#isQuiet;
      this.#isQuiet = true;
      const isFound = this.walk(adjacent, vertex, level + 1);
      this.#isQuiet = wasQuiet;
      if (!(adjacent.assert ?? isFound)) return false;
    }
    if (traverse === null) return true;
    const isFound = this.walk(traverse, vertex, level + 1);
    return traverse.assert ?? isFound;
  }

  /** Follows the arcs of `tail`; true if one matches. */
  walk(rule: WalkRule, tail: number, level: number): boolean {
    const { direction } = rule.arc;
    if (this.#countsNeighbors(rule)) this.#setsOf(level).counted.clear();
    if (direction === D_OUT) return this.#walkSide(rule, tail, level, this.#outArcs);
    if (direction === D_IN) return this.#walkSide(rule, tail, level, this.#inArcs);
    if (direction === D_BOTH) return this.#walkPairs(rule, tail, level);
    const isMatched = this.#walkSide(rule, tail, level, this.#outArcs);
    if (isMatched && (this.#isStopped || this.#endsAtFirst(rule, level))) return true;
    return this.#walkSide(rule, tail, level, this.#inArcs) || isMatched;
  }

  #walkSide(rule: WalkRule, tail: number, level: number, scanner: RunScanner): boolean {
    if (rule.neighbor === null && this.#isCounted(rule)) {
      return this.#countSide(rule.arc, tail, scanner);
    }
    const stack = this.#stack;
    const base = stack.top;
    const arcs = this.#select(rule, tail, level, scanner);
    const side = scanner.side === 0 ? HitSide.Out : HitSide.In;
    const endsAtFirst = this.#endsAtFirst(rule, level);
    const collectsSiblings = rule.collect === Collect.Siblings && !this.#isQuiet;
    if (collectsSiblings) this.#setsOf(level).matched.clear();
    let isMatched = false;
    const end = base + arcs * ARC_WORDS;
    for (let arc = base; arc < end && !this.#isStopped; arc += ARC_WORDS) {
      if (!this.#take(rule, tail, level, arc, side)) continue;
      isMatched = true;
      if (endsAtFirst) break;
    }
    stack.top = base;
    if (collectsSiblings && isMatched) this.#collectSiblings(rule, tail, level, scanner);
    return isMatched;
  }

  /** D_BOTH: of all arcs between two vertices, one stands for the pair. */
  #walkPairs(rule: WalkRule, tail: number, level: number): boolean {
    const stack = this.#stack;
    const base = stack.top;
    const { returning, matched } = this.#setsOf(level);
    returning.clear();
    this.#inArcs.select(tail, rule.arc, stack, ALL_ARCS);
    for (let arc = base; arc < stack.top; arc += ARC_WORDS) returning.add(stack.words[arc]!);
    stack.top = base;
    const arcs = this.#outArcs.select(tail, rule.arc, stack, ALL_ARCS);
    this.#deadline.spend(arcs + 1);
    matched.clear();
    const endsAtFirst = this.#endsAtFirst(rule, level);
    const end = base + arcs * ARC_WORDS;
    let isMatched = false;
    for (let arc = base; arc < end && !this.#isStopped; arc += ARC_WORDS) {
      const head = stack.words[arc]!;
      if (!returning.has(head) || matched.has(head)) continue;
      if (!this.#take(rule, tail, level, arc, HitSide.Both)) continue;
      isMatched = true;
      matched.add(head);
      if (endsAtFirst) break;
    }
    stack.top = base;
    const collectsSiblings = rule.collect === Collect.Siblings && !this.#isQuiet;
    if (collectsSiblings && isMatched) this.#collectSiblings(rule, tail, level, this.#outArcs);
    return isMatched;
  }

  /** Tests the head of one selected arc and gives what is to be collected to the sink. */
  #take(rule: WalkRule, tail: number, level: number, arc: number, side: HitSideNumber): boolean {
    const head = this.#stack.words[arc]!;
    if (rule.neighbor !== null && !this.test(rule.neighbor, head, level)) return false;
    if (this.#isQuiet || rule.collect === Collect.None || this.#isStopped) return true;
    const sink = this.#sink;
    if (sink.countsNeighbors && this.#setsOf(level).counted.add(head)) sink.neighbor(level);
    if (rule.collect === Collect.Siblings) {
      this.#setsOf(level).matched.add(head);
      return true;
    }
    // Read again: the walk below may have moved the stack.
    const { words } = this.#stack;
    const isTaken = sink.emit(level, tail, head, words[arc + 1]!, words[arc + 2]!, side);
    if (!isTaken) this.#isStopped = true;
    return true;
  }

  /** Copies the arcs that a rule may follow to the stack; returns how many. */
  #select(rule: WalkRule, tail: number, level: number, scanner: RunScanner): number {
    const { arc, neighbor } = rule;
    const only = neighbor === null || neighbor.isNegated ? null : neighbor.ids;
    if (only !== null && only.handles.length <= 1) {
      this.#deadline.spend(1);
      return only.handles.length === 0
        ? 0
        : scanner.selectTo(tail, only.handles[0]!, arc, this.#stack);
    }
    const arcs = scanner.select(tail, arc, this.#stack, this.#limit(rule, level));
    this.#deadline.spend(scanner.visited + 1);
    return arcs;
  }

  /** How many arcs are enough, where nothing but their number decides. */
  #limit(rule: WalkRule, level: number): number {
    if (rule.neighbor !== null) return ALL_ARCS;
    if (this.#endsAtFirst(rule, level)) return 1;
    if (rule.collect !== Collect.Arcs || this.#sink.countsNeighbors) return ALL_ARCS;
    return Math.min(this.#sink.room, ALL_ARCS);
  }

  #countSide(arc: ArcTest, tail: number, scanner: RunScanner): boolean {
    const count = scanner.count(tail, arc);
    this.#deadline.spend(scanner.visited + 1);
    this.#sink.count(count);
    return count > 0;
  }

  /** Collects the arcs to the heads that matched; on the side on which they did. */
  #collectSiblings(rule: WalkRule, tail: number, level: number, scanner: RunScanner): void {
    const siblings = rule.siblings!;
    const side = scanner.side === 0 ? D_OUT : D_IN;
    const isNone = siblings.kind === ArcTestKind.Nothing;
    if (isNone || (siblings.direction !== D_ANY && siblings.direction !== side)) return;
    const { matched } = this.#setsOf(level);
    const stack = this.#stack;
    const base = stack.top;
    scanner.select(tail, siblings, stack, ALL_ARCS);
    const { words, top } = stack;
    const hitSide = scanner.side === 0 ? HitSide.Out : HitSide.In;
    for (let arc = base; arc < top && !this.#isStopped; arc += ARC_WORDS) {
      const head = words[arc]!;
      if (!matched.has(head)) continue;
      const isTaken = this.#sink.emit(level, tail, head, words[arc + 1]!, words[arc + 2]!, hitSide);
      if (!isTaken) this.#isStopped = true;
    }
    stack.top = base;
  }

  /** True if a walk is over as soon as it knows that there is an arc. */
  #endsAtFirst(rule: WalkRule, level: number): boolean {
    return this.#isQuiet || (rule.collect === Collect.None && level > 1);
  }

  /** True if the arcs that match need not be looked at one by one. */
  #isCounted(rule: WalkRule): boolean {
    if (this.#isQuiet || rule.collect !== Collect.Arcs) return false;
    return this.#sink.isCountOnly && !this.#sink.countsNeighbors;
  }

  #countsNeighbors(rule: WalkRule): boolean {
    return !this.#isQuiet && rule.collect !== Collect.None && this.#sink.countsNeighbors;
  }

  #setsOf(level: number): LevelSets {
    let sets = this.#levels[level];
    if (sets === undefined) {
      sets = new LevelSets();
      for (let below = this.#levels.length; below < level; below++)
        this.#levels.push(new LevelSets());
      this.#levels[level] = sets;
    }
    return sets;
  }
}
