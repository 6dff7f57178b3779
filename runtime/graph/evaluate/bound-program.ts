// An expression bound to one query of one store: its program and its evaluation context. Names in
// literals (properties, relationships, types) are looked up before each execution.

import type { GraphStore } from "../store/graph-store.js";
import { Context, type QueryExecution } from "./context.js";
import { ExpressionError } from "./expression-error.js";
import type { Expression, Program } from "./program.js";
import type { Value } from "./values.js";
import { VERTEX_WORDS } from "./vocabulary.js";

/** Code of an unused name. */
const NO_CODE = -1;

export class BoundProgram {
  readonly program: Program;
  readonly context: Context;
  readonly #store: GraphStore;

  /** @throws QueryError a literal that is not allowed in its position */
  constructor(store: GraphStore, { program, literals }: Expression, run: QueryExecution) {
    this.program = program;
    this.#store = store;
    this.context = new Context(store, run);
    this.context.literals = literals;
    for (const literal of program.typed.sizes) {
      if (Number(literals[literal]) >= 1) continue;
      throw new ExpressionError("mcull() size must be a positive integer literal");
    }
    this.bind(run);
  }

  /** Required before each execution. */
  bind(run: QueryExecution): void {
    const { context, program } = this;
    const { keys, codes } = program.typed;
    const { literals } = context;
    const store = this.#store;
    context.run = run;
    for (const of of VERTEX_WORDS) {
      const positions = keys[of];
      if (positions.length === 0) continue;
      context[of].keys = positions.map((literal) => store.keys.codeOf(literals[literal] as string));
    }
    if (codes.length === 0) return;
    context.codes = codes.map(
      ({ literal, kind }) => store[kind].codeOf(literals[literal] as string) || NO_CODE,
    );
  }

  value(): Value {
    return this.program.value(this.context);
  }
}
