// Resolves names and types: tree to typed tree. Reports all errors other than syntax errors, with
// their position.

import { PackedValue, PropertyKind } from "../store/property-values.js";
import { ARC_ATTRIBUTES, OTHER_ATTRIBUTES, VERTEX_ATTRIBUTES } from "./attributes.js";
import { expressionError } from "./expression-error.js";
import type { FunctionRow, StaticType } from "./functions/row.js";
import { Pattern } from "./pattern.js";
import { nearestName } from "./suggestions.js";
import { MAX_SHORT, type Token, TokenKind } from "./tokens.js";
import type { Node, Tree } from "./tree.js";
import {
  binaryBound,
  binaryType,
  intBound,
  isNumericType,
  joinTypes,
  MAX_SAFE,
  typeWithin,
  unaryType,
} from "./type-rules.js";
import type {
  ArcName,
  CodeName,
  Needs,
  PropertyNode,
  TypedNode,
  TypedProgram,
  TypedStatement,
} from "./typed-tree.js";
import { asNumber, Bits } from "./values.js";
import {
  CONSTANTS,
  FUNCTIONS,
  UNSUPPORTED_FUNCTIONS,
  VERTEX_WORDS,
  type VertexWord,
  valueNames,
} from "./vocabulary.js";

const NOWHERE = -1;
const PURE = { hasEffect: false } as const;
/** Bound of 32-bit values. */
const WORD = { bound: 2 ** 32 } as const;
const TRUTH = { type: "int", bound: 1 } as const;

/**
 * @param literals parameter number of each literal token in its template
 * @throws QueryError unknown name, wrong number of arguments
 */
export function typeTree(
  text: string,
  tree: Tree,
  literals: ReadonlyMap<Token, number>,
): TypedProgram {
  return new Typer(text, literals).program(tree);
}

class Typer {
  readonly #text: string;
  readonly #literals: ReadonlyMap<Token, number>;
  readonly #variables = new Map<string, { slot: number; type: StaticType; bound: number }>();
  readonly #keys: Record<VertexWord, number[]> = { vertex: [], next: [], prev: [] };
  readonly #codes: CodeName[] = [];
  readonly #sizes: number[] = [];
  readonly #needs: Needs = {
    head: NOWHERE,
    collect: NOWHERE,
    commit: NOWHERE,
    cull: NOWHERE,
    synthetic: NOWHERE,
  };
  #isVolatile = false;

  constructor(text: string, literals: ReadonlyMap<Token, number>) {
    this.#text = text;
    this.#literals = literals;
  }

  program({ statements }: Tree): TypedProgram {
    const typed = statements.map(({ variable, at, value }): TypedStatement => {
      if (variable === null) return { slot: NOWHERE, value: this.#node(value) };
      this.#refuseName(variable, at);
      const annotated = this.#node(value);
      const slot = this.#variables.size;
      this.#variables.set(variable, { slot, type: annotated.type, bound: intBound(annotated) });
      return { slot, value: annotated };
    });
    return {
      statements: typed,
      type: typed.at(-1)!.value.type,
      hasEffect: typed.some(({ value }) => value.hasEffect),
      isVolatile: this.#isVolatile,
      needs: this.#needs,
      keys: this.#keys,
      codes: this.#codes,
      sizes: this.#sizes,
    };
  }

  #refuseName(name: string, at: number): void {
    if (this.#variables.has(name)) throw this.#error("variable redefinition", at, name);
    if (this.#isKnown(name) || FUNCTIONS.has(name) || name.startsWith(".")) {
      throw this.#error("invalid variable assignment", at, name);
    }
  }

  #isKnown(name: string): boolean {
    return this.#attribute(name, NOWHERE) !== null || CONSTANTS.has(name);
  }

  #node(node: Node): TypedNode {
    switch (node.kind) {
      case "literal":
        return this.#literal(node.token);
      case "name":
        return this.#named(node.name, node.at);
      case "property":
        return this.#property(vertexOf(node.of)!, node.key, node.at);
      case "unary":
        return this.#unary(node.operator, node.of);
      case "binary":
        return this.#binary(node.operator, node.left, node.right);
      case "ternary": {
        const [condition, yes, no] = [node.condition, node.yes, node.no].map((part) =>
          this.#node(part),
        ) as [TypedNode, TypedNode, TypedNode];
        const type = joinTypes(yes.type, no.type);
        const hasEffect = condition.hasEffect || yes.hasEffect || no.hasEffect;
        const bound = Math.max(intBound(yes), intBound(no));
        return { op: "if", condition, yes, no, type, bound, hasEffect };
      }
      case "group": {
        const items = node.items.map((item) => this.#node(item));
        if (items.length === 1) return items[0]!;
        const [first] = items as [TypedNode];
        const bound = intBound(first);
        return { op: "group", items, type: first.type, bound, hasEffect: items.some(hasEffectIn) };
      }
      case "set": {
        const items = node.items.map((item) => this.#node(item));
        return { op: "set", items, type: "any", hasEffect: items.some(hasEffectIn) };
      }
      default:
        return this.#call(node.name, node.args, node.at);
    }
  }

  #literal(token: Token): TypedNode {
    const { kind, value } = token;
    const index = this.#literals.get(token);
    if (index !== undefined) {
      if (isInt(token)) {
        const bound = kind === TokenKind.Int ? MAX_SHORT : MAX_SAFE;
        return { op: "literal", index, type: "int", bound, ...PURE };
      }
      return { op: "literal", index, type: kind === TokenKind.Real ? "real" : "text", ...PURE };
    }
    if (kind === TokenKind.Wide) {
      return { op: "constant", value: value as bigint, type: "wide", ...PURE };
    }
    if (kind === TokenKind.Bits) {
      return { op: "constant", value: new Bits(value as bigint), type: "bits", ...PURE };
    }
    if (kind === TokenKind.Bytes) {
      const bytes = new PackedValue(PropertyKind.Bytes, value as Uint8Array);
      return { op: "constant", value: bytes, type: "any", ...PURE };
    }
    return { op: "constant", value: value as Pattern, type: "any", ...PURE };
  }

  #named(name: string, at: number): TypedNode {
    const variable = this.#variables.get(name);
    if (variable !== undefined) {
      return { op: "variable", ...variable, ...PURE };
    }
    const constant = CONSTANTS.get(name);
    if (constant !== undefined) {
      const bound = constant.type === "int" ? Math.abs(asNumber(constant.value)) : MAX_SAFE;
      return { op: "constant", ...constant, bound, ...PURE };
    }
    const attribute = this.#attribute(name, at);
    if (attribute !== null) return attribute;
    throw this.#unknown(name, at);
  }

  /** Returns the node of an attribute; null for another name. */
  #attribute(name: string, at: number): TypedNode | null {
    const other = OTHER_ATTRIBUTES.get(name);
    if (other !== undefined) {
      this.#isVolatile ||= at >= 0 && /^(graph|sys|collectable)\./.test(name);
      return { op: "other", attribute: other, type: other.type, ...PURE };
    }
    const dot = name.indexOf(".");
    const of = vertexOf(dot < 0 ? name : name.slice(0, dot));
    if (of === null) return null;
    if (of === "next") this.#need("head", at);
    if (dot < 0) return { op: "vertex", of, type: "vertex", ...PURE };
    const rest = name.slice(dot + 1);
    if (rest.startsWith("arc.") && of !== "vertex") {
      const found = ARC_ATTRIBUTES.get(rest.slice(4));
      if (found === undefined) return null;
      if (found.name === "issyn") this.#need("synthetic", at);
      const { type } = found;
      return { op: "arcAttribute", of: of as ArcName, attribute: found, type, ...WORD, ...PURE };
    }
    const found = VERTEX_ATTRIBUTES.get(rest);
    if (found === undefined) return null;
    const size = found.name === "op" ? {} : WORD;
    return { op: "vertexAttribute", of, attribute: found, type: found.type, ...size, ...PURE };
  }

  #property(of: VertexWord, key: Token, at: number): PropertyNode {
    const literal = this.#literals.get(key);
    if (literal === undefined) throw this.#error("literal expected", key.at, key.text);
    if (of === "next") this.#need("head", at);
    const position = this.#keys[of].push(literal) - 1;
    return { op: "property", of, position, type: "any", ...PURE };
  }

  #unary(operator: string, operand: Node): TypedNode {
    const of = this.#node(operand);
    const bound = operator === "!" ? 1 : intBound(of) + (operator === "~" ? 1 : 0);
    const type = typeWithin(unaryType(operator, of.type), bound);
    return { op: "unary", operator, of, type, bound, hasEffect: of.hasEffect };
  }

  #binary(operator: string, left: Node, right: Node): TypedNode {
    if (operator === "in" || operator === "notin") return this.#member(left, right, operator);
    let [a, b] = [left, right].map((part) => this.#node(part)) as [TypedNode, TypedNode];
    if (operator === "==" || operator === "!=") {
      [a, b] = [this.#resolveCode(a, left, b), this.#resolveCode(b, right, a)];
    }
    const bound = binaryBound(operator, a, b);
    const type = typeWithin(binaryType(operator, a.type, b.type), bound);
    const hasEffect = a.hasEffect || b.hasEffect;
    return { op: "binary", operator, left: a, right: b, type, bound, hasEffect };
  }

  /** Replaces a string that is compared with `.type` by the code that it names. */
  #resolveCode(typed: TypedNode, node: Node, otherSide: TypedNode): TypedNode {
    const kind = codeKindOf(otherSide);
    if (kind === null) return typed;
    if (node.kind === "literal" && node.token.kind === TokenKind.Text) {
      const literal = this.#literals.get(node.token)!;
      const position = this.#codes.push({ literal, kind }) - 1;
      return { op: "code", position, type: "int", ...WORD, ...PURE };
    }
    // A lone star matches every type.
    const isAny = typed.op === "constant" && typed.value instanceof Pattern && typed.value.isAny;
    return isAny ? otherSide : typed;
  }

  #member(left: Node, right: Node, operator: string): TypedNode {
    const isNegated = operator === "notin";
    const of = right.kind === "name" ? vertexOf(right.name) : null;
    if (of !== null && left.kind === "literal" && left.token.kind === TokenKind.Text) {
      const property = this.#property(of, left.token, right.at);
      return { op: "has", property, isNegated, ...TRUTH, ...PURE };
    }
    const a = this.#node(left);
    let b = this.#node(right);
    if (b.op === "set" && right.kind === "set") {
      const items = b.items.map((item, index) => this.#resolveCode(item, right.items[index]!, a));
      b = { ...b, items };
    }
    const hasEffect = a.hasEffect || b.hasEffect;
    return { op: "in", isNegated, left: a, right: b, ...TRUTH, hasEffect };
  }

  #call(name: string, args: readonly Node[], at: number): TypedNode {
    if (name === "range") return this.#range(args, at);
    const dot = name.lastIndexOf(".property");
    if (dot >= 0 && name.endsWith(".property")) {
      const of = vertexOf(name.slice(0, dot));
      if (of !== null) return this.#withDefault(of, args, at);
    }
    const row = FUNCTIONS.get(name);
    if (row === undefined) throw this.#unknownFunction(name, at);
    this.#checkCount(args.length, row.min, row.max, name, at);
    // The operator is compiled to a loop.
    if (name === "neg") return this.#unary("-", args[0]!);
    this.#needOf(row, args, at);
    const typed = args.map((arg) => this.#node(arg));
    return {
      op: "call",
      row,
      args: typed,
      type: resultType(row, typed),
      ...(row.type === "kept" && { bound: Math.max(...typed.map(intBound)) }),
      hasEffect: row.hasEffect || typed.some(hasEffectIn),
    };
  }

  #range(args: readonly Node[], at: number): TypedNode {
    this.#checkCount(args.length, 2, 2, "range", at);
    const [low, high] = args.map((arg) => this.#node(arg)) as [TypedNode, TypedNode];
    return { op: "range", low, high, type: "any", hasEffect: low.hasEffect || high.hasEffect };
  }

  /** `vertex.property(key, default, condition)` */
  #withDefault(of: VertexWord, args: readonly Node[], at: number): TypedNode {
    this.#checkCount(args.length, 1, 3, `${of}.property`, at);
    const [key] = args;
    if (key?.kind !== "literal" || key.token.kind !== TokenKind.Text) {
      throw this.#error("literal expected", key!.at, "");
    }
    const property = this.#property(of, key.token, at);
    const [fallback, condition] = args.slice(1).map((arg) => this.#node(arg));
    if (fallback === undefined) return property;
    const hasEffect = fallback.hasEffect || (condition?.hasEffect ?? false);
    return {
      op: "default",
      property,
      fallback,
      condition: condition ?? null,
      type: "any",
      hasEffect,
    };
  }

  #needOf(row: FunctionRow, args: readonly Node[], at: number): void {
    this.#isVolatile ||= row.isVolatile || row.hasEffect;
    if (row.need === null) return;
    if (row.need === "collect" || row.need === "synthetic") this.#need("head", at);
    if (row.need !== "cull") {
      this.#need(row.need, at);
      return;
    }
    if (this.#needs.cull !== NOWHERE) {
      throw this.#error("multiple mcull() not allowed", at, row.name);
    }
    this.#need("cull", at);
    const size = args.at(-1)!;
    const index = size.kind === "literal" ? this.#literals.get(size.token) : undefined;
    if (size.kind !== "literal" || index === undefined || !isInt(size.token)) {
      throw this.#error("mcull() size must be a positive integer literal", size.at, row.name);
    }
    this.#sizes.push(index);
  }

  #need(need: keyof Needs, at: number): void {
    if (at >= 0 && this.#needs[need] === NOWHERE) this.#needs[need] = at;
  }

  #checkCount(count: number, min: number, max: number, name: string, at: number): void {
    if (count < min) throw this.#error("not enough arguments", at, name);
    if (count > max) throw this.#error("too many arguments", at, name);
  }

  #unknown(name: string, at: number): Error {
    const [, of, key] = /^(vertex|next|prev|)\.(\w+)$/.exec(name) ?? [];
    const near = nearestName(name, [...valueNames(), ...this.#variables.keys()]);
    const property =
      key === undefined ? "" : `; a property is ${of === "" ? "next" : of}['${key}']`;
    const hint = near === null ? property : `${property}; did you mean '${near}'?`;
    const call = FUNCTIONS.has(name) ? `; a function is called: ${name}(...)` : "";
    return this.#error(`undefined variable${call || hint}`, at, name);
  }

  #unknownFunction(name: string, at: number): Error {
    const reason = UNSUPPORTED_FUNCTIONS.get(name);
    if (reason !== undefined) return this.#error(`${name}() is left out: ${reason}`, at, name);
    const near = nearestName(name, FUNCTIONS.keys());
    const hint = near === null ? "" : `; did you mean '${near}'?`;
    return this.#error(`undefined function${hint}`, at, name);
  }

  #error(problem: string, at: number, token: string): Error {
    return expressionError(problem, this.#text, Math.max(at, 0), token);
  }
}

function vertexOf(name: string): VertexWord | null {
  if (name === "") return "next";
  return VERTEX_WORDS.find((vertex) => vertex === name) ?? null;
}

function isInt({ kind }: Token): boolean {
  return kind === TokenKind.Int || kind === TokenKind.Long;
}

function hasEffectIn({ hasEffect }: TypedNode): boolean {
  return hasEffect;
}

function codeKindOf(node: TypedNode): CodeName["kind"] | null {
  if (node.op === "arcAttribute" && node.attribute.name === "type") return "relationships";
  return node.op === "vertexAttribute" && node.attribute.name === "type" ? "types" : null;
}

function resultType(row: FunctionRow, args: readonly TypedNode[]): StaticType {
  if (row.number === null) return row.type === "kept" ? "any" : row.type;
  if (!args.every(({ type }) => isNumericType(type))) return "any";
  return row.type === "kept" ? args.map(({ type }) => type).reduce(joinTypes) : row.type;
}
