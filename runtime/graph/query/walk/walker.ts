// Executes compiled conditions and rules: tests vertices, follows arcs depth first, gives what is
// collected to a sink. One walker serves all queries of a store, one after the other. The arcs of a
// vertex are copied before any is followed, so that nothing is done on torn data and no sequence is
// watched for long.

import { ARC_WORDS } from "../../memory/layout.js";
import { D_ANY, D_BOTH, D_IN, D_OUT } from "../../model/constants.js";
import type { GraphStore } from "../../store/graph-store.js";
import type { VertexTable } from "../../store/vertex-table.js";
import { HitCounter, HitSide, type HitSideNumber, type HitSink } from "../hits/hit-sink.js";
import { ArcStack } from "../match/arc-stack.js";
import { type ArcTest, ArcTestKind } from "../match/arc-test.js";
import { HandleSet } from "../match/handle-set.js";
import { ALL_ARCS, type RunScanner, scannersOf } from "../match/run-scanner.js";
import { Collect, type VertexTest, type WalkRule } from "../match/vertex-test.js";
import { type Deadline, NO_DEADLINE } from "./deadline.js";

/** Arcs that are filtered at once: all of them lie in the nearest cache. */
const BATCH_WORDS = 256 * ARC_WORDS;

/** Sets of one level of a walk. */
class LevelSets {
  /** Heads that have counted as neighbors of the present tail. */
  readonly counted = new HandleSet();
  /** Heads whose arcs are to be collected with their siblings. */
  readonly matched = new HandleSet();
  /** Vertices that have an arc to the present tail; those of them that it has one to. */
  readonly returning = new HandleSet();
  readonly paired = new HandleSet();
}

export class Walker {
  readonly #vertices: VertexTable;
  readonly #outArcs: RunScanner;
  readonly #inArcs: RunScanner;
  readonly #stack = new ArcStack();
  readonly #levels: LevelSets[] = [];
  #sink: HitSink = new HitCounter();
  #deadline = NO_DEADLINE;
  /** True while only existence matters and nothing is collected. */
  #isQuiet = false;
  /** True once the sink takes no more. */
  #isStopped = false;

  private constructor(store: GraphStore) {
    const { outArcs, inArcs } = scannersOf(store);
    this.#vertices = store.vertices;
    this.#outArcs = outArcs;
    this.#inArcs = inArcs;
  }

  static readonly #ofStores = new WeakMap<GraphStore, Walker>();

  /** The walker of a store. */
  static of(store: GraphStore): Walker {
    let walker = Walker.#ofStores.get(store);
    if (walker === undefined) {
      walker = new Walker(store);
      Walker.#ofStores.set(store, walker);
    }
    return walker;
  }

  /**
   * To be called before each execution.
   * @param isQuiet true if only existence matters
   */
  start(sink: HitSink, deadline: Deadline, isQuiet: boolean): void {
    this.#sink = sink;
    this.#deadline = deadline;
    this.#isQuiet = isQuiet;
    this.#isStopped = false;
    this.#stack.clear();
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
    return this.#goesOn(test, vertex, level);
  }

  /** The part of a test that walks. */
  #goesOn(test: VertexTest, vertex: number, level: number): boolean {
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
    const base = this.#stack.top;
    const end = base + this.#select(rule, tail, level, scanner) * ARC_WORDS;
    const collectsSiblings = rule.collect === Collect.Siblings && !this.#isQuiet;
    if (collectsSiblings) this.#setsOf(level).matched.clear();
    const side = scanner.side === 0 ? HitSide.Out : HitSide.In;
    const isMatched = this.#follow(rule, tail, level, base, end, side);
    this.#stack.top = base;
    if (collectsSiblings && isMatched) this.#collectSiblings(rule, tail, level, scanner);
    return isMatched;
  }

  /** D_BOTH: of all arcs between two vertices, one stands for the pair. */
  #walkPairs(rule: WalkRule, tail: number, level: number): boolean {
    const stack = this.#stack;
    const base = stack.top;
    const { returning, paired, matched } = this.#setsOf(level);
    returning.clear();
    const back = this.#inArcs.select(tail, rule.arc, stack, ALL_ARCS);
    for (let arc = base; arc < stack.top; arc += ARC_WORDS) returning.add(stack.words[arc]!);
    stack.top = base;
    const arcs = this.#outArcs.select(tail, rule.arc, stack, ALL_ARCS);
    this.#deadline.spend(back + arcs + 1);
    paired.clear();
    matched.clear();
    const { words } = stack;
    let end = base;
    for (let arc = base; arc < base + arcs * ARC_WORDS; arc += ARC_WORDS) {
      const head = words[arc]!;
      if (!returning.has(head) || !paired.add(head)) continue;
      words.copyWithin(end, arc, arc + ARC_WORDS);
      end += ARC_WORDS;
    }
    const isMatched = this.#follow(rule, tail, level, base, end, HitSide.Both);
    stack.top = base;
    const collectsSiblings = rule.collect === Collect.Siblings && !this.#isQuiet;
    if (collectsSiblings && isMatched) {
      this.#collectSiblings(rule, tail, level, this.#outArcs);
      this.#collectSiblings(rule, tail, level, this.#inArcs);
    }
    return isMatched;
  }

  /** Tests the heads of selected arcs and collects those that pass; true if one does. */
  #follow(
    rule: WalkRule,
    tail: number,
    level: number,
    from: number,
    end: number,
    side: HitSideNumber,
  ): boolean {
    const { neighbor } = rule;
    if (neighbor === null) {
      this.#collect(rule, tail, level, from, end, side);
      return from < end;
    }
    const endsAtFirst = this.#endsAtFirst(rule, level);
    const counted = level === 1 ? this.#countedBelow(rule, neighbor) : null;
    let isMatched = false;
    for (let begin = from; begin < end && !this.#isStopped; begin += BATCH_WORDS) {
      const passing = this.#filter(neighbor, begin, Math.min(begin + BATCH_WORDS, end));
      if (counted !== null) {
        this.countAll(counted, this.#stack.words, begin, passing, ARC_WORDS);
      } else if (neighbor.isPlain) {
        this.#collect(rule, tail, level, begin, passing, side);
        isMatched = isMatched || begin < passing;
      } else if (this.#followEach(rule, neighbor, tail, level, begin, passing, side)) {
        isMatched = true;
      }
      if (isMatched && endsAtFirst) break;
    }
    return isMatched;
  }

  /** Moves the arcs whose heads pass the checks to the front; returns where they end. */
  #filter(test: VertexTest, from: number, end: number): number {
    if (test.isNegated) return end;
    const { words } = this.#stack;
    let passing = end;
    for (const check of test.checks) passing = check.filter(words, from, passing);
    return passing;
  }

  /** The same for what can only be tested one by one; a test may walk on and move the stack. */
  #followEach(
    rule: WalkRule,
    test: VertexTest,
    tail: number,
    level: number,
    from: number,
    end: number,
    side: HitSideNumber,
  ): boolean {
    const endsAtFirst = this.#endsAtFirst(rule, level);
    let isMatched = false;
    for (let arc = from; arc < end && !this.#isStopped; arc += ARC_WORDS) {
      const head = this.#stack.words[arc]!;
      if (test.isNegated ? !this.test(test, head, level) : !this.#goesOn(test, head, level))
        continue;
      isMatched = true;
      this.#collect(rule, tail, level, arc, arc + ARC_WORDS, side);
      if (endsAtFirst) break;
    }
    return isMatched;
  }

  /** Gives what a rule collects of some matching arcs to the sink. */
  #collect(
    rule: WalkRule,
    tail: number,
    level: number,
    from: number,
    end: number,
    side: HitSideNumber,
  ): void {
    if (this.#isQuiet || rule.collect === Collect.None || this.#isStopped) return;
    const sink = this.#sink;
    const { words } = this.#stack;
    if (sink.countsNeighbors) this.#countNeighbors(level, from, end);
    if (rule.collect === Collect.Siblings) {
      const { matched } = this.#setsOf(level);
      for (let arc = from; arc < end; arc += ARC_WORDS) matched.add(words[arc]!);
    } else if (sink.isCountOnly) sink.count((end - from) / ARC_WORDS);
    else if (from < end && !sink.emitRun(level, tail, words, from, end, side)) {
      this.#isStopped = true;
    }
  }

  #countNeighbors(level: number, from: number, end: number): void {
    const { words } = this.#stack;
    const { counted } = this.#setsOf(level);
    for (let arc = from; arc < end; arc += ARC_WORDS) {
      if (counted.add(words[arc]!)) this.#sink.neighbor(level);
    }
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

  /** Collects the arcs to the heads that matched on this side. */
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

  /** True if all that a rule asks for is the number of its arcs. */
  isCountable(rule: WalkRule): boolean {
    return rule.neighbor === null && rule.arc.direction !== D_BOTH && this.#isCounted(rule);
  }

  /** Counts the arcs of many tails, every `stride`-th word of `tails`, for a countable rule. */
  countAll(rule: WalkRule, tails: Uint32Array, from: number, end: number, stride: number): void {
    const { arc } = rule;
    let count = 0;
    if (arc.direction !== D_IN) count += this.#outArcs.countEach(tails, from, end, stride, arc);
    if (arc.direction !== D_OUT) count += this.#inArcs.countEach(tails, from, end, stride, arc);
    this.#deadline.spend((end - from) / stride + count);
    this.#sink.count(count);
  }

  /** What is counted below the first level, if nothing else comes of that level; null if not. */
  #countedBelow(rule: WalkRule, neighbor: VertexTest): WalkRule | null {
    const isOnlyWay = rule.collect === Collect.None || rule.siblings?.kind === ArcTestKind.Nothing;
    const { traverse } = neighbor;
    if (!isOnlyWay || traverse === null || this.#isQuiet) return null;
    if (neighbor.isNegated || neighbor.adjacent !== null) return null;
    return this.isCountable(traverse) ? traverse : null;
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
