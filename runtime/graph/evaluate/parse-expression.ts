// Precedence-climbing parser from tokens to a tree. Depth, nodes and arguments are limited.

import { expressionError } from "./expression-error.js";
import { MAX_ARGUMENTS, MAX_DEPTH, MAX_NODES } from "./limits.js";
import { type Token, TokenKind } from "./tokens.js";
import type { Node, Statement, Tree } from "./tree.js";

/** Higher ones bind tighter; all are left-associative. */
const PRECEDENCE = new Map<string, number>([
  ["||", 1],
  ["&&", 2],
  ["|", 3],
  ["^", 4],
  ["&", 5],
  ...["==", "!="].map((name) => [name, 6] as const),
  ...["<", "<=", ">", ">="].map((name) => [name, 7] as const),
  ...["<<", ">>"].map((name) => [name, 8] as const),
  ...["+", "-"].map((name) => [name, 9] as const),
  ...["*", "/", "%"].map((name) => [name, 10] as const),
  ...["in", "notin"].map((name) => [name, 11] as const),
]);
/** Operators of other languages that are words, for error messages. */
const WORD_OPERATORS = new Map([
  ["and", "&&"],
  ["or", "||"],
]);
const PREFIXES = new Set(["+", "-", "!", "~"]);
const VERTICES = new Set(["vertex", "next", "prev"]);

/** @throws QueryError a malformed expression, with the position */
export function parseExpression(text: string, tokens: readonly Token[]): Tree {
  return new Parser(text, tokens).program();
}

class Parser {
  readonly #text: string;
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;
  #nodes = 0;

  constructor(text: string, tokens: readonly Token[]) {
    this.#text = text;
    this.#tokens = tokens;
  }

  program(): Tree {
    const first = this.#tokens[0]!;
    let name: string | null = null;
    if (first.kind === TokenKind.Name && this.#tokens[1]!.text === ":=") {
      if (!/^[A-Za-z_]\w*$/.test(first.text)) throw this.#error("invalid name", first);
      name = first.text;
      this.#at = 2;
    }
    const statements: Statement[] = [];
    for (;;) {
      while (this.#consume(";"));
      if (this.#isAtEnd) break;
      statements.push(this.#statement());
      if (!this.#isAtEnd && this.#next.text !== ";") throw this.#unexpected();
    }
    if (statements.length === 0) throw this.#error("expected operand", this.#next);
    return { name, statements };
  }

  #statement(): Statement {
    const first = this.#next;
    const second = this.#tokens[this.#at + 1];
    if (first.kind === TokenKind.Name && second?.text === "=" && second.kind === "symbol") {
      this.#at += 2;
      return { variable: first.text, at: first.at, value: this.#ternary() };
    }
    return { variable: null, at: first.at, value: this.#ternary() };
  }

  #ternary(): Node {
    this.#enter();
    const condition = this.#binary(1);
    let node = condition;
    const { at } = this.#next;
    if (this.#consume("?")) {
      const yes = this.#ternary();
      if (!this.#consume(":")) {
        throw this.#error("incomplete ternary conditional '?:'", this.#next);
      }
      node = this.#node({ kind: "ternary", condition, yes, no: this.#ternary(), at });
    }
    this.#depth--;
    return node;
  }

  #binary(minPrecedence: number): Node {
    let left = this.#unary();
    for (;;) {
      const { text, at, kind } = this.#next;
      const isOperator = kind === TokenKind.Symbol || text === "in" || text === "notin";
      const precedence = isOperator ? PRECEDENCE.get(text) : undefined;
      if (precedence === undefined || precedence < minPrecedence) return left;
      this.#at++;
      const isMembership = text === "in" || text === "notin";
      const right = isMembership ? this.#members() : this.#binary(precedence + 1);
      left = this.#node({ kind: "binary", operator: text, left, right, at });
    }
  }

  /** Parses the right side of `in`. */
  #members(): Node {
    const { text, at } = this.#next;
    if (text === "range" && this.#tokens[this.#at + 1]!.text === "(") {
      this.#at++;
      return this.#node({ kind: "call", name: "range", args: this.#arguments(), at });
    }
    return this.#unary();
  }

  #unary(): Node {
    this.#enter();
    const { text, at, kind } = this.#next;
    let node: Node;
    if (kind === TokenKind.Symbol && PREFIXES.has(text)) {
      this.#at++;
      node = this.#node({ kind: "unary", operator: text, of: this.#unary(), at });
    } else {
      node = this.#primary();
      const operator = this.#next;
      if (this.#consume("**")) {
        const right = this.#unary();
        node = this.#node({ kind: "binary", operator: "**", left: node, right, at: operator.at });
      }
    }
    this.#depth--;
    return node;
  }

  #primary(): Node {
    const token = this.#next;
    const { kind, text, at } = token;
    if (kind === TokenKind.Name) return this.#named(token);
    if (kind === TokenKind.End) throw this.#error("expected operand", token);
    if (kind !== TokenKind.Symbol) {
      this.#at++;
      return this.#node({ kind: "literal", token, at });
    }
    if (text === "(") {
      const items = this.#arguments();
      if (items.length === 0) throw this.#error("empty group", token);
      return this.#node({ kind: "group", items, at });
    }
    if (text === "{") {
      this.#at++;
      const items = this.#list("}");
      if (items.length === 0) throw this.#error("empty set", token);
      return this.#node({ kind: "set", items, at });
    }
    throw this.#error("expected operand or function call", token);
  }

  #named(token: Token): Node {
    this.#at++;
    const { text: name, at } = token;
    if (this.#next.text === "(" && this.#next.kind === TokenKind.Symbol) {
      return this.#node({ kind: "call", name, args: this.#arguments(), at });
    }
    const isIndexed = VERTICES.has(name) || name === "M" || name === "text";
    if (this.#next.text === "[" && isIndexed) {
      this.#at++;
      if (name === "M") {
        const cell = this.#ternary();
        this.#expect("]");
        return this.#node({ kind: "call", name: "load", args: [cell], at });
      }
      const key = this.#next;
      if (key.kind !== TokenKind.Text) throw this.#error("literal expected", key);
      this.#at++;
      this.#expect("]");
      if (name === "text") {
        const args: Node[] = [this.#node({ kind: "literal", token: key, at: key.at })];
        return this.#node({ kind: "call", name: "keyscore", args, at });
      }
      return this.#node({ kind: "property", of: name, key, at });
    }
    return this.#node({ kind: "name", name, at });
  }

  #arguments(): Node[] {
    this.#expect("(");
    return this.#list(")");
  }

  #list(end: ")" | "}"): Node[] {
    const items: Node[] = [];
    if (this.#consume(end)) return items;
    for (;;) {
      items.push(this.#ternary());
      if (items.length > MAX_ARGUMENTS) throw this.#error("too many arguments", this.#next);
      if (this.#consume(end)) return items;
      if (this.#next.text === ";") throw this.#error("invalid subexpression", this.#next);
      if (this.#next.text === "=" || this.#next.text === ":=") throw this.#unexpected();
      if (!this.#consume(",")) throw this.#error(`expected '${end}'`, this.#next);
    }
  }

  get #next(): Token {
    return this.#tokens[this.#at]!;
  }

  get #isAtEnd(): boolean {
    return this.#next.kind === TokenKind.End;
  }

  #consume(symbol: string): boolean {
    const { kind, text } = this.#next;
    if (kind !== TokenKind.Symbol || text !== symbol) return false;
    this.#at++;
    return true;
  }

  #expect(symbol: string): void {
    if (!this.#consume(symbol)) throw this.#error(`expected '${symbol}'`, this.#next);
  }

  #enter(): void {
    if (++this.#depth <= 2 * MAX_DEPTH) return;
    throw this.#error("expression too deep", this.#next);
  }

  #node(node: Node): Node {
    if (++this.#nodes > MAX_NODES) throw this.#error("expression too long", this.#next);
    return node;
  }

  /** Returns the error for tokens after a complete expression. */
  #unexpected(): Error {
    const token = this.#next;
    const { text } = token;
    if (text === "=" || text === ":=") {
      const before = this.#tokens[this.#at - 1]!;
      if (before.text === ")") {
        return this.#error("cannot assign function within expression", token);
      }
      if (before.kind !== TokenKind.Name) {
        return this.#error("invalid variable assignment", token);
      }
      return this.#error("cannot assign variable within expression", token);
    }
    if (text === ",") return this.#error("unexpected ','", token);
    if (text === ":") return this.#error("invalid ternary conditional '?:'", token);
    if (text === ")" || text === "]" || text === "}") {
      return this.#error(`unexpected '${text}'`, token);
    }
    const operator = WORD_OPERATORS.get(text.toLowerCase());
    const hint = operator === undefined ? "" : `; did you mean '${operator}'?`;
    return this.#error(`expected infix operator${hint}`, token);
  }

  #error(problem: string, token: Token): Error {
    return expressionError(problem, this.#text, token.at, this.#text.slice(token.at, token.end));
  }
}
