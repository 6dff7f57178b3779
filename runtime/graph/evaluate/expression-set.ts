// All expressions of one query. They share memory, the halt flag and collected arcs. `start` begins
// an execution and binds them; it does nothing if there are no expressions.

import type { GraphStore } from "../store/graph-store.js";
import type { TextScores } from "../texts/text-scores.js";
import type { Probe } from "../vectors/probe.js";
import { NULL_PARTS, type VectorParts } from "../vectors/vector-parts.js";
import { ArcProgram } from "./arc-program.js";
import { BoundProgram } from "./bound-program.js";
import { QueryExecution } from "./context.js";
import { checkExpressionSite, type QuerySite } from "./expression-check.js";
import { ExpressionError } from "./expression-error.js";
import { memoryOption } from "./memory.js";
import { findExpression } from "./named-expressions.js";
import { compilePart } from "./program.js";
import { VectorValue } from "./values.js";
import { VertexProgram } from "./vertex-program.js";

/** Option names that differ from their sites. */
const OPTIONS: Partial<Record<QuerySite, string>> = {
  local: "filter",
  localPost: "post",
  rankVertex: "rank",
};

export class ExpressionSet {
  readonly #store: GraphStore;
  readonly #memory: unknown;
  readonly #programs: BoundProgram[] = [];
  /** `vector` in expressions. */
  vector: VectorParts = NULL_PARTS;
  /** Probe of `vector` that sorts the hits; null if expressions must create one. */
  probe: Probe | null = null;
  /** `text` in expressions. */
  texts: TextScores | null = null;
  /** Created with the first expression: most queries have none. */
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

  /** True if an expression has effects other than its result. */
  get hasEffects(): boolean {
    return this.#programs.some(({ program }) => program.typed.hasEffect);
  }

  /** True if the result may differ although the graph has not changed. */
  get isVolatile(): boolean {
    return this.#programs.some(({ program }) => program.typed.isVolatile);
  }

  /**
   * Compiles an expression over arcs; null if none is given.
   * @throws QueryError a malformed expression, with the position
   */
  ofArcs(text: unknown, site: QuerySite): ArcProgram | null {
    const bound = this.#bound(text, site);
    return bound === null ? null : new ArcProgram(bound);
  }

  /** As `ofArcs`, over vertices. */
  ofVertices(text: unknown, site: QuerySite): VertexProgram | null {
    const bound = this.#bound(text, site);
    return bound === null ? null : new VertexProgram(bound);
  }

  /** Compiles a part of a text; error positions refer to the whole. */
  ofPart(text: string, from: number, to: number, site: QuerySite): BoundProgram {
    const expression = compilePart(text, from, to);
    checkExpressionSite(expression, site);
    return this.#add(new BoundProgram(this.#store, expression, this.#firstRun));
  }

  #bound(text: unknown, site: QuerySite): BoundProgram | null {
    const name = OPTIONS[site] ?? site;
    if (text === undefined || text === null) return null;
    if (typeof text !== "string")
      throw new ExpressionError(`${name}: expected an expression string`);
    const expression = findExpression(this.#store, text);
    checkExpressionSite(expression, site);
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

  /** Begins an execution; returns null if there are no expressions. */
  start(spend: (steps: number) => void): QueryExecution | null {
    if (this.isEmpty) return null;
    const run = new QueryExecution(this.#store, memoryOption(this.#store, this.#memory));
    run.canHalt = true;
    if (this.vector.bytes.length > 0) run.vector = new VectorValue(this.vector);
    // The probe remains valid only if no settings apply to it that may have changed since.
    if (!this.vector.isFeatures && this.probe?.measure === run.measure) run.probe = this.probe;
    run.texts = this.texts;
    run.spend = spend;
    // Several expressions with side effects must alternate for each arc.
    run.isOrdered = this.hasEffects && this.#programs.length > 1;
    for (const bound of this.#programs) bound.bind(run);
    this.#run = run;
    return run;
  }
}
