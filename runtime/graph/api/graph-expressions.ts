// Expressions of a graph (docs/expressions.md): to evaluate one by itself, to give one a
// name, and the memory that those of a query share.

import type { ArcSpec } from "../changes/arc-to-make.js";
import { evaluateText } from "../evaluate/evaluate.js";
import { type CellValue, Memory, memoryOption } from "../evaluate/memory.js";
import { type EvaluationResult, plainResult } from "../evaluate/plain-result.js";
import { KeyError } from "../model/errors.js";
import { findAnchor } from "../query/match/anchor.js";
import { keyOf, type VertexName } from "./call-arguments.js";
import { define, definition, definitions } from "./definitions.js";
import { GraphQueries } from "./graph-queries.js";

/** What an expression is evaluated on. */
export interface EvaluateOptions {
  /** `vertex` and `prev` of the expression. */
  readonly tail?: VertexName;
  /** `next` of the expression. */
  readonly head?: VertexName;
  /** `next.arc` of the expression. */
  readonly arc?: ArcSpec;
  /** `vector` of the expression. */
  readonly vector?: readonly number[];
  /** Its cells: an object, or how many; 8 of its own without. */
  readonly memory?: Memory | number;
}

export class GraphExpressions extends GraphQueries {
  /**
   * The value of an expression: `graph.evaluate("next['age'] * 2", { head: "ann" })`.
   * @throws QueryError with the place of what is wrong; KeyError, ArcError
   */
  evaluate(expression: string, options: EvaluateOptions = {}): EvaluationResult {
    const { store } = this.access;
    if (typeof options !== "object" || options === null) {
      throw new TypeError("the options of an evaluation are an object");
    }
    const { tail, head, arc, vector = [], memory } = options;
    if (typeof expression !== "string") throw new TypeError("an expression is a text");
    const handle = (vertex: VertexName | undefined): number =>
      vertex === undefined ? 0 : findAnchor(store, keyOf(store, vertex));
    const value = evaluateText(store, expression, {
      ...{ tail: handle(tail), head: handle(head), arc, vector },
      memory: memoryOption(store, memory),
    });
    return plainResult(store, value);
  }

  /**
   * Gives an expression a name, which can be used in its place: `define("near := .arc.value < 3")`.
   * @throws QueryError with the place of what is wrong; ValueError without a name
   */
  define(definition: string): void {
    if (typeof definition !== "string") throw new TypeError("a definition is a text");
    define(this.access.store, definition);
  }

  /**
   * The text of a definition.
   * @throws KeyError
   */
  getDefinition(name: string): string {
    const text = definition(this.access.store, name);
    if (text === null) throw new KeyError(`No object : '${name}'`);
    return text;
  }

  /** Texts of all definitions of this graph, by their names. */
  getDefinitions(): Record<string, string> {
    return definitions(this.access.store);
  }

  /**
   * Cells that expressions of queries share and keep.
   * @param initial how many, rounded up to a power of two; or values of the first ones
   * @throws ValueError what is no size, or too large; TypeError
   */
  memory(initial: number | readonly CellValue[]): Memory {
    return new Memory(this.access.store, initial);
  }
}
