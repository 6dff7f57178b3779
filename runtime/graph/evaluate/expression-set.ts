// All expressions of one query. They share a run: memory, halting, what is collected. An execution
// begins with `start`, which binds them all; where there are none it costs nothing.

import type { GraphStore } from "../store/graph-store.js";
import { NULL_PARTS, type VectorParts } from "../vectors/vector-parts.js";
import { ArcProgram } from "./arc-program.js";
import { BoundProgram } from "./bound-program.js";
import { QueryExecution } from "./context.js";
import { checkExpressionSite, type Place } from "./expression-check.js";
import { ExpressionError } from "./expression-error.js";
import { memoryOption } from "./memory.js";
import { findExpression } from "./named-expressions.js";
import { compilePart } from "./program.js";
import { VectorValue } from "./values.js";
import { VertexProgram } from "./vertex-program.js";

/** Names of options, where they are not those of the places. */
const OPTIONS: Partial<Record<Place, string>> = {
  local: "filter",
  localPost: "post",
  rankVertex: "rank",
};

export class ExpressionSet {
  readonly #store: GraphStore;
  readonly #memory: unknown;
  readonly #programs: BoundProgram[] = [];
  /** What expressions know as `vector`. */
  vector: VectorParts = NULL_PARTS;
  /** Null before there is an expression: most queries have none. */
  #run: QueryExecution | null = null;

  /**
   * @param memory option of the query: an object, or a number of cells for each execution
   * @throws TypeError, ValueError, AccessError
   */
  constructor(store: GraphStore, memory: unknown) {
    this.#store = store;
    this.#memory = memory;
    const cells = memoryOption(store, memory);
    if (cells !== null) this.#run = new QueryExecution(store, cells);
  }

  get isEmpty(): boolean {
    return this.#programs.length === 0;
  }

  /** True if an expression does something even where nobody looks at what is found. */
  get hasEffects(): boolean {
    return this.#programs.some(({ program }) => program.typed.hasEffect);
  }

  /** True if the result may differ though the graph has not changed. */
  get isVolatile(): boolean {
    return this.#programs.some(({ program }) => program.typed.isVolatile);
  }

  /**
   * An expression of arcs; null where none is given.
   * @throws QueryError with the place of what is wrong
   */
  ofArcs(text: unknown, place: Place): ArcProgram | null {
    const bound = this.#bound(text, place);
    return bound === null ? null : new ArcProgram(bound);
  }

  /** The same, of vertices. */
  ofVertices(text: unknown, place: Place): VertexProgram | null {
    const bound = this.#bound(text, place);
    return bound === null ? null : new VertexProgram(bound);
  }

  /** The same, of a part of a text: places of errors are those in the whole. */
  ofPart(text: string, from: number, to: number, place: Place): BoundProgram {
    const expression = compilePart(text, from, to);
    checkExpressionSite(expression, place);
    return this.#add(new BoundProgram(this.#store, expression, this.#firstRun));
  }

  #bound(text: unknown, place: Place): BoundProgram | null {
    const name = OPTIONS[place] ?? place;
    if (text === undefined || text === null) return null;
    if (typeof text !== "string") throw new ExpressionError(`${name}: an expression is a text`);
    const expression = findExpression(this.#store, text);
    checkExpressionSite(expression, place);
    return this.#add(new BoundProgram(this.#store, expression, this.#firstRun));
  }

  get #firstRun(): QueryExecution {
    this.#run ??= new QueryExecution(this.#store, null);
    return this.#run;
  }

  #add(bound: BoundProgram): BoundProgram {
    this.#programs.push(bound);
    return bound;
  }

  /** Begins an execution; null where there are no expressions. */
  start(spend: (steps: number) => void): QueryExecution | null {
    if (this.isEmpty) return null;
    const run = new QueryExecution(this.#store, memoryOption(this.#store, this.#memory));
    run.canHalt = true;
    if (this.vector.bytes.length > 0) run.vector = new VectorValue(this.vector);
    run.spend = spend;
    // Effects of several expressions come in the order of the arcs: one arc after the other.
    run.isOrdered = this.hasEffects && this.#programs.length > 1;
    for (const bound of this.#programs) bound.bind(run);
    this.#run = run;
    return run;
  }
}
