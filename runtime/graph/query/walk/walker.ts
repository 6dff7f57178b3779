// Executes compiled conditions and rules: tests vertices, follows arcs depth first, passes
// collected arcs to a sink. One walker per store serves its queries one at a time. The arcs of a
// vertex are copied before any is followed, which keeps seqlock reads short and never acts on torn
// data.

import type { ArcProgram } from "../../evaluate/arc-program.js";
import type { ArcConsumer, QueryExecution } from "../../evaluate/context.js";
import type { VertexProgram } from "../../evaluate/vertex-program.js";
import { ARC_WORDS } from "../../memory/layout.js";
import { D_ANY, D_BOTH, D_IN, D_OUT } from "../../model/constants.js";
import type { GraphStore } from "../../store/graph-store.js";
import type { VertexTable } from "../../store/vertex-table.js";
import {
  type ArcBatch,
  HitCounter,
  HitSide,
  type HitSideNumber,
  type HitSink,
} from "../hits/hit-sink.js";
import { SyntheticArcs } from "../hits/synthetic-arcs.js";
import { ArcStack, moveArc } from "../match/arc-stack.js";
import { ArcTestKind } from "../match/arc-test.js";
import { type Deadline, NO_DEADLINE } from "../match/deadline.js";
import { hasNamedNeighbor, isNamedNeighbor } from "../match/named-neighbor.js";
import { ALL_ARCS, getScanners, type RunScanner, type Scanners } from "../match/run-scanner.js";
import {
  Collect,
  type CompoundTest,
  collectsEachArc,
  onlyTraversal,
  type VertexTest,
  type WalkRule,
} from "../match/vertex-test.js";
import { fetchAhead } from "./fetch-ahead.js";
import { Level } from "./level.js";
import { selectPairs } from "./select-pairs.js";
import { type WalkSteps, walkFar } from "./walk-far.js";

/** Arcs filtered at once, sized for the L1 cache. */
const BATCH_WORDS = 256 * ARC_WORDS;

export class Walker implements WalkSteps {
  readonly #vertices: VertexTable;
  readonly #outArcs: RunScanner;
  readonly #inArcs: RunScanner;
  readonly #scanners: Scanners;
  readonly stack = new ArcStack();
  readonly #levels: Level[] = [];
  #sink: HitSink = new HitCounter();
  #deadline = NO_DEADLINE;
  /** True if only existence matters and nothing is collected. */
  #isQuiet = false;
  /** True once the sink is full. */
  isStopped = false;
  /** State shared by the expressions of the query; null if there are none. */
  #run: QueryExecution | null = null;
  /** Arcs made by an expression. */
  readonly #synthetic = new SyntheticArcs();

  private constructor(store: GraphStore) {
    const { outArcs, inArcs } = getScanners(store);
    this.#scanners = { outArcs, inArcs };
    this.#vertices = store.vertices;
    this.#outArcs = outArcs;
    this.#inArcs = inArcs;
  }

  static readonly #ofStores = new WeakMap<GraphStore, Walker>();

  /** Returns the walker of a store. */
  static of(store: GraphStore): Walker {
    let walker = Walker.#ofStores.get(store);
    if (walker === undefined) {
      walker = new Walker(store);
      Walker.#ofStores.set(store, walker);
    }
    return walker;
  }

  /**
   * Required before each execution.
   * @param isQuiet true if only existence matters
   * @param run of the query's expressions
   */
  start(
    sink: HitSink,
    deadline: Deadline,
    isQuiet: boolean,
    run: QueryExecution | null = null,
  ): void {
    this.#sink = sink;
    this.#deadline = deadline;
    this.#isQuiet = isQuiet;
    this.isStopped = false;
    this.stack.clear();
    this.#run = run;
    this.#synthetic.clear();
    if (run !== null) run.collector = this.#collectSynthetic;
  }

  /** Returns whether a vertex exists and passes; arcs found below it go to the sink. */
  test(test: VertexTest, vertex: number, level: number): boolean {
    if (!this.#vertices.isUsed(vertex)) return false;
    return this.#passes(test, vertex, level) !== test.isNegated;
  }

  #passes(test: VertexTest, vertex: number, level: number): boolean {
    for (const check of test.checks) if (!check.passes(vertex)) return false;
    if (test.filter !== null && !this.#passesProgram(test.filter, vertex, level)) return false;
    return this.#passesTraversal(test, vertex, level);
  }

  #passesProgram(program: VertexProgram, vertex: number, level: number): boolean {
    if (level === 0) return program.passesAlone(vertex);
    const { batch, word1, bits } = this.#levels[level]!;
    return program.passes(batch, vertex, word1, bits);
  }

  /** Runs the traversals of a test, and the post expression whatever they find. */
  #passesTraversal(test: VertexTest, vertex: number, level: number): boolean {
    const isFound = this.#continuesThrough(test, vertex, level);
    return test.post === null ? isFound : this.#passesProgram(test.post, vertex, level) && isFound;
  }

  #continuesThrough(test: VertexTest, vertex: number, level: number): boolean {
    const { compounds, adjacent, traverse } = test;
    for (const compound of compounds) {
      if (!this.#passesCompound(compound, vertex, level)) return false;
    }
    if (adjacent !== null && isNamedNeighbor(adjacent)) {
      this.#deadline.spend(1);
      if (!hasNamedNeighbor(adjacent, vertex, this.#scanners)) return false;
    } else if (adjacent !== null) {
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

  /** Tests the members of a compound until one decides; none collects. */
  #passesCompound({ isAny, members, order }: CompoundTest, vertex: number, level: number): boolean {
    const wasQuiet = this.#isQuiet;
    this.#isQuiet = true;
    let isMet = !isAny;
    const tests = order ?? members;
    for (let at = 0; at < tests.length; at++) {
      if (this.test(tests[at]!, vertex, level) !== isAny) continue;
      isMet = isAny;
      if (at > 0 && order !== null) [order[at - 1], order[at]] = [order[at]!, order[at - 1]!];
      break;
    }
    this.#isQuiet = wasQuiet;
    return isMet;
  }

  /** Follows the arcs of `tail`; returns true if one matches. */
  walk(rule: WalkRule, tail: number, level: number): boolean {
    const { direction } = rule.arc;
    const at = this.#levels[level] ?? this.#addLevels(level);
    const above = level > 1 ? this.#levels[level - 1]! : null;
    at.enter(tail, above);
    if (rule.arc.isDynamic) {
      if (above === null) rule.arc.refuseDynamic(".condition.traverse.arc");
      else rule.arc.compareWith(above.word1, above.bits);
    }
    if (this.#countsNeighbors(rule)) at.counted.clear();
    at.hasDistinctHeads = false;
    if (rule.repeat !== null) {
      return walkFar(this, rule, rule.repeat, at, this.#endsAtFirst(rule, level));
    }
    if (direction === D_OUT) return this.#walkSide(rule, at, this.#outArcs);
    if (direction === D_IN) return this.#walkSide(rule, at, this.#inArcs);
    if (direction === D_BOTH) return this.#walkPairs(rule, at);
    const isMatched = this.#walkSide(rule, at, this.#outArcs);
    if (isMatched && (this.isStopped || this.#endsAtFirst(rule, level))) return true;
    return this.#walkSide(rule, at, this.#inArcs) || isMatched;
  }

  #walkSide(rule: WalkRule, at: Level, scanner: RunScanner): boolean {
    if (rule.neighbor === null && this.#isCounted(rule)) {
      const count = this.#countSide(rule, at.batch.tail, scanner);
      if (count >= 0) return count > 0;
    }
    const base = this.stack.top;
    const end = base + this.#select(rule, at, scanner) * ARC_WORDS;
    at.hasDistinctHeads =
      this.#countsNeighbors(rule) && this.#isOnlySide(rule) && this.stack.haveOneKey(base, end);
    const collectsSiblings = rule.collect === Collect.Siblings && !this.#isQuiet;
    if (collectsSiblings) at.matched.clear();
    at.batch.side = scanner.side === 0 ? HitSide.Out : HitSide.In;
    const isMatched = this.#follow(rule, at, base, end);
    this.stack.top = base;
    if (collectsSiblings && isMatched) this.#collectSiblings(rule, at, scanner);
    // At the end, so that a limit loses no arcs that were found.
    this.#deadline.spend(at.visited);
    return isMatched;
  }

  /** Implements `WalkSteps`. */
  selectSide(rule: WalkRule, at: Level, side: HitSideNumber): number {
    at.batch.side = side;
    if (side === HitSide.Both) return selectPairs(rule.arc, at, this.stack, this.#scanners);
    const scanner = side === HitSide.In ? this.#inArcs : this.#outArcs;
    scanner.select(at.batch.tail, rule.arc, this.stack, ALL_ARCS);
    at.visited = scanner.visited + 1;
    return this.stack.top;
  }

  /** Implements `WalkSteps`. */
  spendVisited({ visited }: Level): void {
    this.#deadline.spend(visited);
  }

  /** Implements `WalkSteps`. */
  passesHead(test: VertexTest, at: Level, arc: number): boolean {
    this.#loadArc(at, arc);
    const wasQuiet = this.#isQuiet;
    this.#isQuiet = true;
    const passes = this.test(test, this.stack.words[arc]!, at.index);
    this.#isQuiet = wasQuiet;
    return passes;
  }

  /** Implements `WalkSteps`. */
  matchEnds(rule: WalkRule, at: Level, from: number, end: number): boolean {
    const { neighbor } = rule;
    let passing = end;
    if (neighbor !== null) passing = this.#filter(neighbor, at, from, end);
    this.#emitSynthetic();
    if (this.#run?.isHalted === true) this.isStopped = true;
    if (neighbor !== null && !neighbor.isPlain) {
      return this.#followEach(rule, neighbor, at, from, passing);
    }
    this.#collect(rule, at, from, passing);
    return from < passing;
  }

  /** D_BOTH: one arc represents all arcs between two vertices. */
  #walkPairs(rule: WalkRule, at: Level): boolean {
    const stack = this.stack;
    const base = stack.top;
    at.matched.clear();
    at.batch.side = HitSide.Both;
    const end = selectPairs(rule.arc, at, stack, this.#scanners);
    const isMatched = this.#follow(rule, at, base, end);
    stack.top = base;
    const collectsSiblings = rule.collect === Collect.Siblings && !this.#isQuiet;
    if (collectsSiblings && isMatched) {
      this.#collectSiblings(rule, at, this.#outArcs);
      this.#collectSiblings(rule, at, this.#inArcs);
    }
    this.#deadline.spend(at.visited);
    return isMatched;
  }

  /**
   * Tests selected arcs and their heads and collects the matches; returns true if there are any.
   */
  #follow(rule: WalkRule, at: Level, from: number, end: number): boolean {
    const { neighbor } = rule;
    if (neighbor === null && rule.filter === null) {
      this.#collect(rule, at, from, end);
      return from < end;
    }
    const level = at.index;
    const endsAtFirst = this.#endsAtFirst(rule, level);
    const counted = level === 1 && neighbor !== null ? this.#countableBelow(rule, neighbor) : null;
    const isWhole = rule.filter?.isSynthetic === true || neighbor?.filter?.isCulling === true;
    const stride = isWhole ? end - from : this.#run?.isOrdered === true ? ARC_WORDS : BATCH_WORDS;
    let isMatched = false;
    for (let begin = from; begin < end && !this.isStopped; begin += stride) {
      let passing = Math.min(begin + stride, end);
      if (rule.filter !== null) passing = this.#passArcs(rule.filter, at, begin, passing);
      if (neighbor !== null) passing = this.#filter(neighbor, at, begin, passing);
      this.#emitSynthetic();
      if (counted !== null) {
        this.countAll(counted, this.stack.words, begin, passing, ARC_WORDS);
      } else if (neighbor === null || neighbor.isPlain) {
        this.#collect(rule, at, begin, passing);
        isMatched = isMatched || begin < passing;
      } else if (this.#followEach(rule, neighbor, at, begin, passing)) {
        isMatched = true;
      }
      if (this.#run?.isHalted === true) this.isStopped = true;
      if (isMatched && endsAtFirst) break;
    }
    return isMatched;
  }

  /** Moves the arcs that pass an expression to the front; returns their end. */
  #passArcs(program: ArcProgram, { batch }: Level, from: number, end: number): number {
    const stack = this.stack;
    if (!program.isSynthetic) return program.filter(batch, stack.words, from, end);
    const all = stack.words.slice(from, end);
    const passing = program.filter(batch, stack.words, from, end);
    const kept = program.filterHeads(batch, all, 0, all.length);
    // The selected arcs are the top of the stack.
    stack.top = passing;
    stack.reserve(kept.length / ARC_WORDS);
    stack.words.set(kept, passing);
    stack.top = passing + kept.length;
    return stack.top;
  }

  /** Moves the arcs whose heads pass the checks to the front; returns their end. */
  #filter(test: VertexTest, { batch }: Level, from: number, end: number): number {
    if (test.isNegated) return end;
    const { words } = this.stack;
    let passing = end;
    for (const check of test.checks) passing = check.filter(words, from, passing);
    const { filter } = test;
    if (filter === null) return passing;
    if (filter.isCulling) return filter.cull(batch, words, from, passing);
    return filter.filter(batch, words, from, passing);
  }

  /**
   * As `#follow`, for tests that need one head at a time: they may traverse and reallocate the
   * stack.
   */
  #followEach(rule: WalkRule, test: VertexTest, at: Level, from: number, end: number): boolean {
    const level = at.index;
    let isMatched = false;
    for (let arc = from; arc < end && !this.isStopped; arc += ARC_WORDS) {
      fetchAhead(this.#scanners, test.traverse, this.stack.words, from, arc, end);
      this.#loadArc(at, arc);
      const head = this.stack.words[arc]!;
      const passes = test.isNegated
        ? this.test(test, head, level)
        : this.#passesTraversal(test, head, level);
      this.#emitSynthetic();
      if (!passes) continue;
      isMatched = true;
      this.#collect(rule, at, arc, arc + ARC_WORDS);
      if (this.#endsAtFirst(rule, level)) break;
    }
    return isMatched;
  }

  /** Makes an arc on the stack the one being followed. */
  #loadArc(at: Level, arc: number): void {
    const { words } = this.stack;
    at.word1 = words[arc + 1]!;
    at.bits = words[arc + 2]!;
  }

  /** Passes what a rule collects of the matching arcs to the sink. */
  #collect(rule: WalkRule, at: Level, from: number, end: number): void {
    if (this.#isQuiet || rule.collect === Collect.None || this.isStopped || from === end) return;
    const sink = this.#sink;
    if (sink.countsNeighbors) sink.addNeighbors(at.countHeads(this.stack.words, from, end));
    if (rule.collect === Collect.Siblings) {
      const { words } = this.stack;
      for (let arc = from; arc < end; arc += ARC_WORDS) at.matched.add(words[arc]!);
    } else if (sink.isCountOnly) sink.count((end - from) / ARC_WORDS);
    else this.#emit(at.batch, from, end);
  }

  /** Takes an arc that an expression collects; `#emitSynthetic` follows each evaluation. */
  readonly #collectSynthetic: ArcConsumer = (level, tail, head, word1, bits, side) => {
    const sink = this.#sink;
    // The first one: levels below may be of the past.
    const at = this.#levels.find(({ index, batch }) => index > 0 && batch.level === level)!;
    if (sink.countsNeighbors && at.counted.add(head)) sink.addNeighbors(1);
    if (sink.isCountOnly) return sink.count(1);
    const synthetic = this.#synthetic;
    if (!synthetic.fits(level, tail, side)) this.#emitSynthetic();
    synthetic.add(head, word1, bits, at.batch, level, tail, side);
  };

  #emitSynthetic(): void {
    if (!this.#synthetic.flush(this.#sink)) this.isStopped = true;
  }

  /** Passes arcs on the stack to the sink. */
  #emit(batch: ArcBatch, from: number, end: number): void {
    // The stack may have been reallocated.
    batch.words = this.stack.words;
    batch.from = from;
    batch.end = end;
    if (!this.#sink.take(batch)) this.isStopped = true;
  }

  /** Returns whether all arcs that a rule collects of a vertex are on one side. */
  #isOnlySide({ arc }: WalkRule): boolean {
    return arc.direction !== D_ANY && this.#run === null;
  }

  /** Pushes the arcs that a rule may follow onto the stack; returns their number. */
  #select(rule: WalkRule, at: Level, scanner: RunScanner): number {
    const { batch, index } = at;
    const { arc, neighbor } = rule;
    const only = neighbor === null || neighbor.isNegated ? null : neighbor.ids;
    if (only !== null && only.handles.length <= 1) {
      at.visited = 1;
      const head = only.handles[0];
      return head === undefined ? 0 : scanner.selectTo(batch.tail, head, arc, this.stack);
    }
    const best = !this.#isQuiet && collectsEachArc(rule) ? (this.#sink.best ?? null) : null;
    const arcs = scanner.select(batch.tail, arc, this.stack, this.#limit(rule, index), best);
    at.visited = scanner.visited + 1;
    if (scanner.omitted > 0) this.#sink.count(scanner.omitted);
    return arcs;
  }

  /** Returns how many arcs suffice, if only their number matters. */
  #limit(rule: WalkRule, level: number): number {
    if (rule.neighbor !== null || rule.filter !== null) return ALL_ARCS;
    if (this.#endsAtFirst(rule, level)) return 1;
    if (rule.collect !== Collect.Arcs || this.#sink.countsNeighbors) return ALL_ARCS;
    return Math.min(this.#sink.room, ALL_ARCS);
  }

  /** Counts the arcs of a side and their heads; returns -1 if heads must be distinguished. */
  #countSide(rule: WalkRule, tail: number, scanner: RunScanner): number {
    const sink = this.#sink;
    const { countsNeighbors } = sink;
    if (countsNeighbors && !this.#isOnlySide(rule)) return -1;
    const count = countsNeighbors
      ? scanner.countHeads(tail, rule.arc)
      : scanner.count(tail, rule.arc);
    if (count < 0) return count;
    this.#deadline.spend(scanner.visited + 1);
    sink.count(count);
    if (countsNeighbors) sink.addNeighbors(count);
    return count;
  }

  /** Collects the arcs to the heads that matched on this side. */
  #collectSiblings(rule: WalkRule, { batch, matched }: Level, scanner: RunScanner): void {
    const siblings = rule.siblings!;
    const side = scanner.side === 0 ? D_OUT : D_IN;
    const isNone = siblings.kind === ArcTestKind.Nothing;
    if (isNone || (siblings.direction !== D_ANY && siblings.direction !== side)) return;
    const stack = this.stack;
    const base = stack.top;
    scanner.select(batch.tail, siblings, stack, ALL_ARCS);
    const { words, top } = stack;
    let end = base;
    for (let arc = base; arc < top; arc += ARC_WORDS) {
      if (matched.has(words[arc]!)) end = moveArc(words, arc, end);
    }
    batch.side = scanner.side === 0 ? HitSide.Out : HitSide.In;
    if (end > base && !this.isStopped) this.#emit(batch, base, end);
    stack.top = base;
  }

  /** Returns whether a rule needs only the number of its arcs. */
  isCountable(rule: WalkRule): boolean {
    if (rule.arc.isDynamic || rule.repeat !== null) return false;
    if (rule.neighbor !== null || rule.arc.direction === D_BOTH) return false;
    return this.#isCounted(rule) && !this.#sink.countsNeighbors;
  }

  /** Counts the arcs of every `stride`-th word of `tails`, for a countable rule. */
  countAll(rule: WalkRule, tails: Uint32Array, from: number, end: number, stride: number): void {
    const { arc } = rule;
    let count = 0;
    if (arc.direction !== D_IN) count += this.#outArcs.countEach(tails, from, end, stride, arc);
    if (arc.direction !== D_OUT) count += this.#inArcs.countEach(tails, from, end, stride, arc);
    this.#deadline.spend((end - from) / stride + count);
    this.#sink.count(count);
  }

  /**
   * Returns the rule counted below the first level if that level has no other effect; else null.
   */
  #countableBelow(rule: WalkRule, neighbor: VertexTest): WalkRule | null {
    const traverse = this.#isQuiet ? null : onlyTraversal(rule, neighbor);
    return traverse !== null && this.isCountable(traverse) ? traverse : null;
  }

  /** Returns whether a traversal can stop at its first match. */
  #endsAtFirst(rule: WalkRule, level: number): boolean {
    return this.#isQuiet || (rule.collect === Collect.None && level > 1);
  }

  /** Returns whether matching arcs need not be visited individually. */
  #isCounted(rule: WalkRule): boolean {
    if (this.#isQuiet || rule.collect !== Collect.Arcs || rule.filter !== null) return false;
    return this.#sink.isCountOnly;
  }

  #countsNeighbors(rule: WalkRule): boolean {
    return !this.#isQuiet && rule.collect !== Collect.None && this.#sink.countsNeighbors;
  }

  #addLevels(level: number): Level {
    const levels = this.#levels;
    while (levels.length <= level) levels.push(new Level(levels.length));
    return levels[level]!;
  }
}
