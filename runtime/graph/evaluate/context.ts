// Evaluation context of expressions: vertices, arc, memory, query. The caller moves it to the next
// arc or vertex; expressions read it and use only the effects that the query permits.

import { decodeSecond } from "../memory/time.js";
import { arcSortValue } from "../model/arc-number.js";
import type { GraphStore } from "../store/graph-store.js";
import type { TextScores } from "../texts/text-scores.js";
import type { Measure } from "../vectors/measures/measure.js";
import type { Probe } from "../vectors/probe.js";
import type { SimilaritySettings } from "../vectors/similarity-settings.js";
import { ExpressionError } from "./expression-error.js";
import { MAX_CREATED_CHARACTERS, MAX_CREATED_TEXT } from "./limits.js";
import { MemoryCells } from "./memory-cells.js";
import { NO_VECTOR, type Value, type VectorValue } from "./values.js";
import { VertexFrame } from "./vertex-frame.js";

const DEFAULT_CELLS = 8;
const STAGING_SLOTS = 4;

/** An arc as expressions see it; all zero if there is none. */
export class ArcView {
  word1 = 0;
  bits = 0;
  /** `HitSide` of the arc: 0 out, 1 in, 2 both. */
  side = 0;
  level = 0;
  isSynthetic = false;

  set(word1: number, bits: number, side: number, level: number): void {
    this.word1 = word1;
    this.bits = bits;
    this.side = side;
    this.level = level;
    this.isSynthetic = false;
  }

  get number(): number {
    return arcSortValue(this.word1, this.bits);
  }
}

/** An arc that an expression stages or adds to the result. */
export interface SyntheticArc {
  readonly level: number;
  readonly tail: number;
  readonly head: number;
  readonly word1: number;
  readonly bits: number;
  readonly side: number;
}

/** Adds an arc to the result. */
export type ArcConsumer = (
  level: number,
  tail: number,
  head: number,
  word1: number,
  bits: number,
  side: number,
) => void;

const NO_COMPONENTS: readonly number[] = [];
const spendNothing = (): void => {};

/** State shared by all expressions during one execution of a query. */
export class QueryExecution {
  readonly store: GraphStore;
  vector: VectorValue = NO_VECTOR;
  /** Scores of the texts that the query searches; null if it searches none. */
  texts: TextScores | null = null;
  #settings: SimilaritySettings | null = null;
  #measure: Measure | null = null;
  /** Probe of the query vector for kernels; created on first use. */
  probe: Probe | null = null;
  /** True if `halt` has an effect. */
  canHalt = false;
  isHalted = false;
  /** True to process arcs one by one, so that side effects happen in visiting order. */
  isOrdered = false;
  /** Receives arcs of `collect`; null if nothing can be collected. */
  collector: ArcConsumer | null = null;
  /** Charges work other than visited arcs. */
  spend: (steps: number) => void = spendNothing;
  /** Word 1 and value word of each arc of the current synthetic arc. */
  components: readonly number[] = NO_COMPONENTS;
  #memory: MemoryCells | null;
  #staged: (SyntheticArc | null)[] | null = null;
  #sample: GraphSample | null = null;
  #created = 0;

  constructor(store: GraphStore, memory: MemoryCells | null) {
    this.store = store;
    this.#memory = memory;
  }

  /** Similarity settings, constant during the execution. */
  get settings(): SimilaritySettings {
    this.#settings ??= this.store.vectors.settings;
    return this.#settings;
  }

  /** Measure of similarity, constant during the execution. */
  get measure(): Measure {
    this.#measure ??= this.store.vectors.measure;
    return this.#measure;
  }

  /** Memory cells of the query's option, or own ones created on first use. */
  get memory(): MemoryCells {
    this.#memory ??= new MemoryCells(DEFAULT_CELLS);
    return this.#memory;
  }

  /** Staged arcs. */
  get staged(): (SyntheticArc | null)[] {
    this.#staged ??= new Array<SyntheticArc | null>(STAGING_SLOTS).fill(null);
    return this.#staged;
  }

  /** Graph statistics, constant during the query. */
  get graph(): GraphSample {
    this.#sample ??= sampleOf(this.store);
    return this.#sample;
  }

  /** Charges a created string; throws as `reserve`. */
  charge(text: string): string {
    this.reserve(text.length);
    return text;
  }

  /**
   * Charges the characters of a string about to be created.
   * @throws ExpressionError the string or the total is too long
   */
  reserve(characters: number): void {
    if (characters > MAX_CREATED_TEXT) {
      throw new ExpressionError(`expression result exceeds ${MAX_CREATED_TEXT} characters`);
    }
    this.#created += characters;
    this.spend(characters >>> 3);
    if (this.#created > MAX_CREATED_CHARACTERS) {
      throw new ExpressionError(
        `expression exceeds ${MAX_CREATED_CHARACTERS} characters of intermediate text`,
      );
    }
  }
}

export interface GraphSample {
  readonly ts: number;
  readonly t0: number;
  readonly order: number;
  readonly size: number;
  readonly op: number;
}

const MS_PER_SECOND = 1000;

function sampleOf(store: GraphStore): GraphSample {
  return {
    ts: Date.now() / MS_PER_SECOND,
    t0: decodeSecond(store.createdAt),
    order: store.order,
    size: store.size,
    op: store.operationCount,
  };
}

export class Context {
  readonly store: GraphStore;
  run: QueryExecution;
  readonly vertex: VertexFrame;
  readonly next: VertexFrame;
  readonly prev: VertexFrame;
  readonly arc = new ArcView();
  readonly prevArc = new ArcView();
  /** Literals of the template; see program.ts. */
  literals: readonly (number | string)[] = [];
  /** Codes of relationships and types in literals. */
  codes: readonly number[] = [];
  readonly variables: Value[] = [];
  /** `context.rank` */
  score = 0;
  /** `collectable` */
  cutoff = 0;
  /** Last arguments of `mcull`: score, NaN if not called, and number to keep. */
  culled = Number.NaN;
  cullSize = 0;

  constructor(store: GraphStore, run: QueryExecution) {
    this.store = store;
    this.run = run;
    this.vertex = new VertexFrame(store);
    this.next = new VertexFrame(store);
    this.prev = new VertexFrame(store);
  }

  /** The string value of a vertex is its id. */
  readonly idOf = (handle: number): string => this.store.ids.idOf(handle);
}
