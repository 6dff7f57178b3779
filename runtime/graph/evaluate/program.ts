// Compiles texts to programs through two caches: texts map to a template and its literals,
// templates to programs. Expressions that differ only in literals share the program.

import { ARC_WORDS } from "../memory/layout.js";
import { type ArcLoop, type LoopKind, makeArcLoop } from "./arc-loop.js";
import { readNumber, readTruth, readValue, type ValueOf } from "./closure-compiler.js";
import type { Context } from "./context.js";
import { createTemplate } from "./expression-template.js";
import { RETURNED } from "./functions/control.js";
import { LruCache } from "./lru-cache.js";
import { parseExpression } from "./parse-expression.js";
import { Scanner } from "./tokens.js";
import { isNumberType } from "./type-rules.js";
import { childNodes, type TypedNode, type TypedProgram } from "./typed-tree.js";
import { typeTree } from "./types.js";
import { isPositive, toScore, type Value } from "./values.js";

const MAX_CACHED = 1_000;
/** A program takes about 120 bytes per character: 32 MiB per cache, whatever clients send. */
const MAX_CACHED_CHARACTERS = 2 ** 18;
/** Longer texts are not cached. */
const MAX_CACHED_TEXT = 16_384;

/** A text and its compiled parts. */
export interface Expression {
  readonly text: string;
  readonly program: Program;
  readonly literals: readonly (number | string)[];
  /** Name assigned by `name := …`; null if there is none. */
  readonly name: string | null;
}

const NODES_PER_STEP = 8;
/** Number of evaluations of a template after which compiling a loop pays off. */
const HOT = 2_000;
const RETURNING = new Set(["return", "returnif", "require"]);

export class Program {
  readonly typed: TypedProgram;
  readonly value: ValueOf;
  /** Returns whether the result is positive, for filters. */
  readonly passes: (x: Context) => boolean;
  /** Cost of an evaluation in steps of the work limit; about one for a short expression. */
  readonly steps: number;
  /** Sort key for ranking. */
  readonly score: (x: Context) => number;

  #heat = 0;
  #loops: Partial<Record<LoopKind, ArcLoop | null>> = {};

  constructor(typed: TypedProgram) {
    this.typed = typed;
    const { statements } = typed;
    const isPlain = statements.length === 1 && statements[0]!.slot < 0 && !mayReturn(typed);
    const value = compileValue(typed);
    const node = statements[0]!.value;
    this.value = value;
    this.steps = 1 + statements.reduce((sum, { value }) => sum + sizeOf(value), 0) / NODES_PER_STEP;
    this.passes = isPlain ? compilePasses(node) : (x) => isPositive(value(x));
    if (isPlain && isNumberType(node.type)) {
      const number = readNumber(node);
      this.score = (x) => toScore(number(x));
    } else this.score = (x) => toScore(value(x));
  }

  /**
   * Returns a loop over arcs once the template is hot; null before that, or if it has none.
   * @param words number of words of the arcs to process
   */
  loop(kind: LoopKind, words: number): ArcLoop | null {
    const known = this.#loops[kind];
    if (known !== undefined) return known;
    this.#heat += words / ARC_WORDS;
    if (this.#heat < HOT) return null;
    const loop = makeArcLoop(this.typed, kind);
    this.#loops[kind] = loop;
    return loop;
  }
}

function compilePasses(node: TypedNode): (x: Context) => boolean {
  if (isTruth(node)) return readTruth(node);
  if (isNumberType(node.type)) {
    const number = readNumber(node);
    return (x) => number(x) > 0;
  }
  const value = readValue(node);
  return (x) => isPositive(value(x));
}

/** Returns whether the value of a node is always 1 or 0, and so equals its truth. */
function isTruth(node: TypedNode): boolean {
  if (node.op === "has" || node.op === "in") return true;
  if (node.op === "unary") return node.operator === "!";
  if (node.op !== "binary") return false;
  const { operator } = node;
  if (operator === "&&" || operator === "||") return isTruth(node.left) && isTruth(node.right);
  return /^([=!]=|[<>]=?)$/.test(operator);
}

function compileValue(typed: TypedProgram): ValueOf {
  const run = compileStatements(typed);
  if (!mayReturn(typed)) return run;
  return (x) => {
    try {
      return run(x);
    } catch (error) {
      if (error === RETURNED) return RETURNED.value;
      throw error;
    }
  };
}

function compileStatements({ statements }: TypedProgram): ValueOf {
  const values = statements.map(({ value }) => readValue(value));
  const slots = statements.map(({ slot }) => slot);
  if (values.length === 1) return values[0]!;
  return (x) => {
    let last: Value = null;
    for (let at = 0; at < values.length; at++) {
      last = values[at]!(x);
      if (slots[at]! >= 0) x.variables[slots[at]!] = last;
    }
    return last;
  };
}

function sizeOf(node: TypedNode): number {
  return childNodes(node).reduce((sum, child) => sum + sizeOf(child), 1);
}

function mayReturn({ statements }: TypedProgram): boolean {
  return statements.some(({ value }) => anyCall(value, (name) => RETURNING.has(name)));
}

function anyCall(node: TypedNode, test: (name: string) => boolean): boolean {
  if (node.op === "call" && test(node.row.name)) return true;
  return childNodes(node).some((child) => anyCall(child, test));
}

const texts = new LruCache<Expression>(MAX_CACHED, MAX_CACHED_CHARACTERS);
const programs = new LruCache<Program>(MAX_CACHED, MAX_CACHED_CHARACTERS);

/**
 * Returns the compiled expression.
 * @throws QueryError a malformed expression, with the position
 */
export function compileExpression(text: string): Expression {
  const known = texts.get(text);
  if (known !== undefined) return known;
  const tokens = Scanner.scan(text);
  const { key, literals, positions } = createTemplate(tokens);
  let program = programs.get(key);
  let name: string | null = null;
  // A cached template is valid, but only parsing determines the name that the text assigns.
  if (program === undefined || tokens[1]?.text === ":=") {
    const tree = parseExpression(text, tokens);
    name = tree.name;
    program ??= new Program(typeTree(text, tree, positions));
    programs.set(key, program);
  }
  const expression = { text, program, literals, name };
  if (text.length <= MAX_CACHED_TEXT) texts.set(text, expression);
  return expression;
}

/** As `compileExpression` for a part of a text; error positions refer to the whole. */
export function compilePart(whole: string, from: number, to: number): Expression {
  try {
    return compileExpression(whole.slice(from, to));
  } catch (error) {
    compileUncached(whole.slice(0, to), from);
    throw error;
  }
}

/** Returns the capabilities that a text needs, with their positions in it. */
export function collectNeeds(text: string): TypedProgram["needs"] {
  return compileUncached(text, 0).needs;
}

function compileUncached(text: string, from: number): TypedProgram {
  const tokens = Scanner.scan(text, from);
  return typeTree(text, parseExpression(text, tokens), createTemplate(tokens).positions);
}
