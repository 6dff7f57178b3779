// What an expression is evaluated on: vertices, arcs, memory, the query. The one who evaluates
// moves it to the next arc or vertex; expressions only read it, and do what the query lets them do.

import { decodeSecond } from "../memory/time.js";
import { sortValueOf } from "../model/arc-number.js";
import type { GraphStore } from "../store/graph-store.js";
import type { Probe } from "../vectors/probe.js";
import type { SimilaritySettings } from "../vectors/similarity-settings.js";
import { ExpressionError } from "./expression-error.js";
import { MAX_MADE_CHARACTERS, MAX_MADE_TEXT } from "./limits.js";
import { MemoryCells } from "./memory-cells.js";
import { NO_VECTOR, type Value, type VectorValue } from "./values.js";
import { VertexFrame } from "./vertex-frame.js";

const DEFAULT_CELLS = 8;
const STAGING_SLOTS = 4;

/** An arc as expressions see it; all zero where there is none. */
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
    return sortValueOf(this.word1, this.bits);
  }
}

/** An arc that an expression puts aside or into the result. */
export interface SyntheticArc {
  readonly level: number;
  readonly tail: number;
  readonly head: number;
  readonly word1: number;
  readonly bits: number;
  readonly side: number;
}

/** Takes an arc into the result. */
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

/** One execution of a query: what all of its expressions share. */
export class QueryExecution {
  readonly store: GraphStore;
  vector: VectorValue = NO_VECTOR;
  #settings: SimilaritySettings | null = null;
  /** That vector as kernels take it, once it was compared. */
  probe: Probe | null = null;
  /** True where `halt` may end something. */
  canHalt = false;
  isHalted = false;
  /** Arcs are taken one by one, so that effects come in the order of what is visited. */
  isOrdered = false;
  /** Takes what `collect` gives; null where nothing can be collected. */
  collector: ArcConsumer | null = null;
  /** Charges work that is not seen by arcs alone. */
  spend: (steps: number) => void = spendNothing;
  /** In the evaluation for all arcs to a head: word 1 and value word of each. */
  components: readonly number[] = NO_COMPONENTS;
  #memory: MemoryCells | null;
  #staged: (SyntheticArc | null)[] | null = null;
  #sample: GraphSample | null = null;
  #made = 0;

  constructor(store: GraphStore, memory: MemoryCells | null) {
    this.store = store;
    this.#memory = memory;
  }

  /** What was given or, of its own, made when it is first used. */
  /** What similarity goes by, the same for all of the execution. */
  get settings(): SimilaritySettings {
    this.#settings ??= this.store.vectors.settings;
    return this.#settings;
  }

  get memory(): MemoryCells {
    this.#memory ??= new MemoryCells(DEFAULT_CELLS);
    return this.#memory;
  }

  /** Arcs that were put aside. */
  get staged(): (SyntheticArc | null)[] {
    this.#staged ??= new Array<SyntheticArc | null>(STAGING_SLOTS).fill(null);
    return this.#staged;
  }

  /** Figures of the graph, the same during the whole query. */
  get graph(): GraphSample {
    this.#sample ??= sampleOf(this.store);
    return this.#sample;
  }

  /** Counts a text that was made; throws as `reserve`. */
  charge(text: string): string {
    this.reserve(text.length);
    return text;
  }

  /**
   * Counts characters of a text that is to be made.
   * @throws ExpressionError when the text is too long, or all texts together are
   */
  reserve(characters: number): void {
    if (characters > MAX_MADE_TEXT) {
      throw new ExpressionError(`expression makes a text of more than ${MAX_MADE_TEXT} characters`);
    }
    this.#made += characters;
    this.spend(characters >>> 3);
    if (this.#made > MAX_MADE_CHARACTERS) {
      throw new ExpressionError(
        `expression makes more than ${MAX_MADE_CHARACTERS} characters of text`,
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
  /** Of the form's literals; see program.ts. */
  literals: readonly (number | string)[] = [];
  /** Codes of relationships and types that literals name. */
  codes: readonly number[] = [];
  readonly variables: Value[] = [];
  /** `context.rank` */
  score = 0;
  /** `collectable` */
  cutoff = 0;
  /** What `mcull` was last given: a score, NaN when it was not called, and how many are kept. */
  culled = Number.NaN;
  cullSize = 0;

  constructor(store: GraphStore, run: QueryExecution) {
    this.store = store;
    this.run = run;
    this.vertex = new VertexFrame(store);
    this.next = new VertexFrame(store);
    this.prev = new VertexFrame(store);
  }

  /** Texts of vertices are their ids. */
  readonly idOf = (handle: number): string => this.store.ids.idOf(handle);
}
