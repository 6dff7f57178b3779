// Expressions by themselves (docs/reference/expressions.md), and the names that a graph gives them.

import { evaluateText } from "../evaluate/evaluate.js";
import { Memory, type MemoryCell, memoryOption } from "../evaluate/memory.js";
import { type EvaluationResult, toPlainValue } from "../evaluate/result-values.js";
import { checkOptions, checkText, refuseFurther } from "../model/check-argument.js";
import { KeyError } from "../model/errors.js";
import type { ArcSpec } from "../model/parsed-arc.js";
import { findAnchor } from "../query/match/anchor.js";
import type { GraphStore } from "../store/graph-store.js";
import { parseVector, type VectorLike } from "../vectors/vector.js";
import { toVertexKey, type VertexName } from "./call-arguments.js";
import { define, definition, definitions } from "./definitions.js";
import { GraphHandle } from "./graph-handle.js";

/** Inputs of an expression. */
export interface EvaluateOptions {
  /** `vertex` and `prev` of the expression. */
  readonly tail?: VertexName;
  /** `next` of the expression. */
  readonly head?: VertexName;
  /** `next.arc` of the expression. */
  readonly arc?: ArcSpec;
  /** `vector` of the expression. */
  readonly vector?: VectorLike;
  /** Memory of the expression, as an object or a number of cells (default: 8). */
  readonly memory?: Memory | number;
}

export class GraphExpressions extends GraphHandle {
  /**
   * Returns the value of an expression: `graph.evaluate("next['age'] * 2", { head: "ann" })`.
   * @throws QueryError a malformed expression, with the position; KeyError, ArcError
   */
  evaluate(
    expression: string,
    options: EvaluateOptions = {},
    ...further: never[]
  ): EvaluationResult {
    refuseFurther(further, "options");
    const { store } = this.access;
    checkOptions(options, EVALUATE_NAMES);
    const { tail, head, arc, vector = [], memory } = options;
    parseVector(vector, "vector");
    if (typeof expression !== "string") throw new TypeError("expected an expression string");
    const value = evaluateText(store, expression, {
      tail: handleOf(store, tail),
      head: handleOf(store, head),
      arc,
      vector,
      memory: memoryOption(store, memory),
    });
    return toPlainValue(store, value);
  }

  /**
   * Defines a name for an expression: `define("near := .arc.value < 3")`.
   * @throws QueryError a malformed expression, with the position; ValueError no name
   */
  define(definition: string, ...further: never[]): void {
    refuseFurther(further, "definition");
    if (typeof definition !== "string") throw new TypeError("a definition is a text");
    define(this.access.store, definition);
  }

  /**
   * Returns the text of a definition.
   * @throws KeyError
   */
  getDefinition(name: string, ...further: never[]): string {
    refuseFurther(further, "name");
    checkText(name, "the name of a definition");
    const text = definition(this.access.store, name);
    if (text === null) throw new KeyError(`No object : '${name}'`);
    return text;
  }

  /** Returns the texts of all definitions of this graph, by name. */
  getDefinitions(): Record<string, string> {
    return definitions(this.access.store);
  }

  /**
   * Creates memory cells that expressions of several queries share.
   * @param initial number of cells, rounded up to a power of two; or their first values
   * @throws ValueError an invalid or too large size; TypeError
   */
  memory(initial: number | readonly MemoryCell[], ...further: never[]): Memory {
    refuseFurther(further, "initial");
    return new Memory(this.access.store, initial);
  }
}

const EVALUATE_NAMES = new Set(["tail", "head", "arc", "vector", "memory"]);

/** Returns the handle of an optional vertex; 0 if it is omitted. */
function handleOf(store: GraphStore, vertex: VertexName | undefined): number {
  return vertex === undefined ? 0 : findAnchor(store, toVertexKey(store, vertex));
}
