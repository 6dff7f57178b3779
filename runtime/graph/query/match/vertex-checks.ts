// The checks of a condition that one vertex is tested for without traversal: type, degrees, id,
// times and properties. Each reads only what it needs; none takes a lock.

import type { Arena } from "../../memory/arena.js";
import { ARC_WORDS, SIDE_WORDS, Side } from "../../memory/layout.js";
import { D_IN, D_OUT, V_ANY } from "../../model/constants.js";
import { TMC, TMM, TMX } from "../../store/attributes/vertex-attributes.js";
import type { GraphStore } from "../../store/graph-store.js";
import { ID_KEY, type ValueRange } from "../../store/property-indexes.js";
import type { Probe } from "../../vectors/probe.js";
import { moveArc } from "./arc-stack.js";
import type { ArcTest, DirectionNumber } from "./arc-test.js";
import { describeArcs, describeCompound } from "./describe-test.js";
import { HandleSet } from "./handle-set.js";
import { type IntegerRange, isInRange } from "./integer-range.js";
import type { PropertyCondition } from "./property-condition.js";
import { getScanners, type Scanners } from "./run-scanner.js";
import { testNumber, type ValueTest } from "./value-condition.js";
import type { CompoundTest, VertexCheck, VertexTest } from "./vertex-test.js";

/** Type code in the META word. */
const TYPE_MASK = 0xff;

abstract class Check implements VertexCheck {
  bind(): void {}

  abstract describe(): string;

  abstract passes(vertex: number): boolean;

  filter(arcs: Uint32Array, from: number, end: number): number {
    let top = from;
    for (let arc = from; arc < end; arc += ARC_WORDS) {
      if (this.passes(arcs[arc]!)) top = moveArc(arcs, arc, top);
    }
    return top;
  }
}

/** Real or virtual. */
export class VirtualCheck extends Check {
  readonly #store: GraphStore;
  readonly #isVirtual: boolean;

  constructor(store: GraphStore, isVirtual: boolean) {
    super();
    this.#store = store;
    this.#isVirtual = isVirtual;
  }

  describe(): string {
    return this.#isVirtual ? "virtual" : "real";
  }

  passes(vertex: number): boolean {
    return this.#store.vertices.isVirtual(vertex) === this.#isVirtual;
  }
}

export class TypeCheck extends Check {
  readonly #store: GraphStore;
  readonly #name: string;
  readonly isEqual: boolean;
  /** 0 until a vertex has had the type. */
  code = 0;

  constructor(store: GraphStore, name: string, isEqual: boolean) {
    super();
    this.#store = store;
    this.#name = name;
    this.isEqual = isEqual;
  }

  override bind(): void {
    this.code = this.#store.types.codeOf(this.#name);
  }

  describe(): string {
    return this.isEqual ? `type '${this.#name}'` : `any type but '${this.#name}'`;
  }

  passes(vertex: number): boolean {
    return (this.#store.vertices.typeOf(vertex) === this.code) === this.isEqual;
  }

  override filter(arcs: Uint32Array, from: number, end: number): number {
    const { code, isEqual } = this;
    const { words } = this.#store.memory.meta;
    let top = from;
    for (let arc = from; arc < end; arc += ARC_WORDS) {
      const head = arcs[arc]!;
      const type =
        head < words.length ? words[head]! & TYPE_MASK : this.#store.vertices.typeOf(head);
      if ((type === code) === isEqual) top = moveArc(arcs, arc, top);
    }
    return top;
  }
}

/** By D_ constant. */
const DEGREES = ["degree", "indegree", "outdegree"];

/** Number of arcs on one side or both, from the degree counters. */
export class DegreeCheck extends Check {
  readonly #store: GraphStore;
  readonly #direction: DirectionNumber;
  readonly #range: IntegerRange;

  constructor(store: GraphStore, direction: DirectionNumber, range: IntegerRange) {
    super();
    this.#store = store;
    this.#direction = direction;
    this.#range = range;
  }

  describe(): string {
    return DEGREES[this.#direction]!;
  }

  passes(vertex: number): boolean {
    const { vertices } = this.#store;
    const outDegree = this.#direction === D_IN ? 0 : vertices.outDegree(vertex);
    const inDegree = this.#direction === D_OUT ? 0 : vertices.inDegree(vertex);
    return isInRange(this.#range, outDegree + inDegree);
  }

  override filter(arcs: Uint32Array, from: number, end: number): number {
    const { out, in: inward } = this.#store.memory;
    if (this.#direction === D_OUT) return this.#filterSide(out, arcs, from, end);
    if (this.#direction === D_IN) return this.#filterSide(inward, arcs, from, end);
    const { low, high, isOutside } = this.#range;
    const outWords = out.words;
    const inWords = inward.words;
    const covered = Math.min(outWords.length, inWords.length) / SIDE_WORDS;
    let top = from;
    for (let arc = from; arc < end; arc += ARC_WORDS) {
      const head = arcs[arc]!;
      let isKept: boolean;
      if (head < covered) {
        const at = head * SIDE_WORDS + Side.Degree;
        const degree = outWords[at]! + inWords[at]!;
        isKept = (degree >= low && degree <= high) !== isOutside;
      } else isKept = this.passes(head);
      if (isKept) top = moveArc(arcs, arc, top);
    }
    return top;
  }

  #filterSide(side: Arena, arcs: Uint32Array, from: number, end: number): number {
    const { low, high, isOutside } = this.#range;
    const { words } = side;
    const covered = words.length / SIDE_WORDS;
    let top = from;
    for (let arc = from; arc < end; arc += ARC_WORDS) {
      const head = arcs[arc]!;
      let isKept: boolean;
      if (head < covered) {
        const degree = words[head * SIDE_WORDS + Side.Degree]!;
        isKept = (degree >= low && degree <= high) !== isOutside;
      } else isKept = this.passes(head);
      if (isKept) top = moveArc(arcs, arc, top);
    }
    return top;
  }
}

/** Number of arcs that pass a filter. */
export class ArcCountCheck extends Check {
  readonly #store: GraphStore;
  readonly #scanners: Scanners;
  readonly #arc: ArcTest;
  readonly #direction: DirectionNumber;
  readonly #range: IntegerRange;

  constructor(store: GraphStore, arc: ArcTest, direction: DirectionNumber, range: IntegerRange) {
    super();
    this.#store = store;
    this.#scanners = getScanners(store);
    this.#arc = arc;
    this.#direction = direction;
    this.#range = range;
  }

  override bind(): void {
    this.#arc.bind(this.#store.relationships);
  }

  describe(): string {
    return `number of ${describeArcs(this.#arc, this.#direction)}`;
  }

  passes(vertex: number): boolean {
    const { outArcs, inArcs } = this.#scanners;
    const arc = this.#arc;
    const outward = this.#direction === D_IN ? 0 : outArcs.count(vertex, arc);
    const inward = this.#direction === D_OUT ? 0 : inArcs.count(vertex, arc);
    return isInRange(this.#range, outward + inward);
  }
}

const FEW_IDS = 8;

/** One of several ids, by the handles they have when the query starts. */
export class IdCheck extends Check {
  readonly #store: GraphStore;
  readonly #ids: readonly string[];
  /** Built for larger lists only; most conditions name one id. */
  readonly #set: HandleSet | null;
  /** Handles of the existing ids, each once. */
  readonly handles: number[] = [];

  constructor(store: GraphStore, ids: readonly string[]) {
    super();
    this.#store = store;
    this.#ids = ids;
    this.#set = ids.length > FEW_IDS ? new HandleSet() : null;
  }

  override bind(): void {
    const { handles } = this;
    handles.length = 0;
    this.#set?.clear();
    for (const id of this.#ids) {
      const handle = this.#store.ids.resolve(id);
      if (handle === 0) continue;
      if (this.#set === null ? !handles.includes(handle) : this.#set.add(handle)) {
        handles.push(handle);
      }
    }
  }

  describe(): string {
    return this.#ids.length === 1 ? "id" : `${this.#ids.length} ids`;
  }

  passes(vertex: number): boolean {
    return this.#set === null ? this.handles.includes(vertex) : this.#set.has(vertex);
  }
}

export class IdPrefixCheck extends Check {
  readonly label = "prefix of ids";
  readonly #store: GraphStore;
  readonly #prefix: Uint8Array;
  readonly #text: string;

  constructor(store: GraphStore, prefix: string) {
    super();
    this.#store = store;
    this.#text = prefix;
    this.#prefix = new TextEncoder().encode(prefix);
  }

  candidates(limit: number): readonly number[] | null {
    return this.#store.indexes.candidates(ID_KEY, this.#range, limit);
  }

  estimate(): number | null {
    return this.#store.indexes.estimate(ID_KEY, this.#range);
  }

  get #range(): ValueRange {
    return { kind: "prefix", prefix: this.#text };
  }

  unindexed(): readonly string[] {
    return this.#store.indexes.has(ID_KEY) ? [] : [this.label];
  }

  describe(): string {
    return this.label;
  }

  passes(vertex: number): boolean {
    return this.#store.ids.startsWith(vertex, this.#prefix);
  }
}

/** Times of a vertex by their names in conditions. */
export const TIMES = new Map<string, typeof TMC.of>(
  [TMC, TMM, TMX].map(({ field, of }) => [field, of]),
);

export type TimeRange = readonly [timeOf: typeof TMC.of, range: IntegerRange];

/** Times of creation, modification and expiry; all must pass. */
export class TimeCheck extends Check {
  readonly #store: GraphStore;
  readonly #times: readonly TimeRange[];
  readonly #isNegated: boolean;

  constructor(store: GraphStore, times: readonly TimeRange[], isNegated: boolean) {
    super();
    this.#store = store;
    this.#times = times;
    this.#isNegated = isNegated;
  }

  describe(): string {
    return this.#isNegated ? "not times" : "times";
  }

  passes(vertex: number): boolean {
    return this.#areAll(vertex) !== this.#isNegated;
  }

  #areAll(vertex: number): boolean {
    for (const [timeOf, range] of this.#times) {
      if (!isInRange(range, timeOf(this.#store, vertex))) return false;
    }
    return true;
  }
}

export class PropertyCheck extends Check {
  readonly #condition: PropertyCondition;
  readonly #isNegated: boolean;

  constructor(condition: PropertyCondition, isNegated: boolean) {
    super();
    this.#condition = condition;
    this.#isNegated = isNegated;
  }

  override bind(): void {
    this.#condition.bind();
  }

  get label(): string {
    return this.#condition.label;
  }

  candidates(limit: number, type: number): readonly number[] | null {
    return this.#isNegated ? null : this.#condition.candidates(limit, type);
  }

  estimate(): number | null {
    return this.#isNegated ? null : this.#condition.estimate();
  }

  unindexed(): readonly string[] {
    return this.#isNegated ? [] : this.#condition.unindexed();
  }

  describe(): string {
    return `${this.#isNegated ? "not " : ""}${this.#condition.describe()}`;
  }

  passes(vertex: number): boolean {
    return this.#condition.matches(vertex) !== this.#isNegated;
  }

  override filter(arcs: Uint32Array, from: number, end: number): number {
    return this.#condition.filter(arcs, from, end, this.#isNegated);
  }

  passingOf(vertex: number, groups: number, into: Uint32Array): void {
    this.#condition.findMatching(vertex, groups, into);
    if (!this.#isNegated) return;
    for (let group = 0; group < groups; group++) into[group] = ~into[group]!;
  }
}

/** All, or at least one, of several conditions that consist of checks. */
export class CompoundCheck extends Check {
  readonly #compound: CompoundTest;

  constructor(compound: CompoundTest) {
    super();
    this.#compound = compound;
  }

  override bind(): void {
    for (const { checks } of this.#compound.members) for (const check of checks) check.bind();
  }

  describe(): string {
    return describeCompound(this.#compound);
  }

  passes(vertex: number): boolean {
    const { isAny, members } = this.#compound;
    for (const member of members) if (passesChecks(member, vertex) === isAny) return isAny;
    return !isAny;
  }
}

function passesChecks({ checks, isNegated }: VertexTest, vertex: number): boolean {
  for (const check of checks) if (!check.passes(vertex)) return isNegated;
  return !isNegated;
}

/** Similarity of the vector to a probe vector; the cheap fingerprints are compared first. */
export class SimilarityCheck extends Check {
  readonly #probe: Probe;
  readonly #score: ValueTest;
  readonly #hamdist: ValueTest;
  readonly #isNegated: boolean;

  constructor(
    probe: Probe,
    { score, hamdist }: { readonly score: ValueTest; readonly hamdist: ValueTest },
    isNegated: boolean,
  ) {
    super();
    this.#probe = probe;
    this.#score = score;
    this.#hamdist = hamdist;
    this.#isNegated = isNegated;
  }

  describe(): string {
    return this.#isNegated ? "not similarity" : "similarity";
  }

  passes(vertex: number): boolean {
    return this.#isSimilar(vertex) !== this.#isNegated;
  }

  #isSimilar(vertex: number): boolean {
    const hasHamdist = this.#hamdist.code !== V_ANY;
    if (hasHamdist && !testNumber(this.#hamdist, this.#probe.hamming(vertex))) return false;
    return this.#score.code === V_ANY || testNumber(this.#score, this.#probe.similarity(vertex));
  }
}
