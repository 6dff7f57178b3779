// Second back end: generates the source of one loop over arcs from a typed tree. No character of a
// user's text enters the source, only fixed fragments, generated names and table offsets.
// Unsupported nodes are called as closures. An expression gets no loop if a non-numeric value could
// change its result.

import { readNumber, readTruth } from "./closure-compiler.js";
import type { Context } from "./context.js";
import type { NumberCall } from "./functions/row.js";
import {
  binaryBound,
  isNumberType,
  isNumericType,
  isUnsignedZero,
  MAX_SAFE,
} from "./type-rules.js";
import { type BinaryNode, childNodes, type PropertyNode, type TypedNode } from "./typed-tree.js";
import { asNumber } from "./values.js";
import type { VertexWord } from "./vocabulary.js";

/** Source of a number that may be null. */
interface Lane {
  readonly value: string;
  /** Source of a condition; `false` if the number is never null. */
  readonly isNull: string;
}

/** Functions and constants that a loop uses, by table offset. */
export interface LoopTables {
  readonly numbers: ((x: Context) => number)[];
  readonly truths: ((x: Context) => boolean)[];
  readonly calls: NumberCall[];
  readonly constants: number[];
}

/** Columns of a vertex; `h` is its handle. */
const COLUMNS = new Map<string, (h: string) => string>([
  ["deg", (h) => `(V.outDegree(${h}) + V.inDegree(${h}))`],
  ["ideg", (h) => `V.inDegree(${h})`],
  ["odeg", (h) => `V.outDegree(${h})`],
  ["type", (h) => `V.typeOf(${h})`],
  ["c1", (h) => `V.c1(${h})`],
  ["c0", (h) => `V.c0(${h})`],
  ["tmc", (h) => `V.createdAt(${h})`],
  ["tmm", (h) => `V.modifiedAt(${h})`],
  ["handle", (h) => h],
]);
const ARC_COLUMNS = new Map<string, readonly [next: string, prev: string]>([
  ["value", ["arcNumber(w, b)", "pv"]],
  ["type", ["(w >>> 16)", "(pw >>> 16)"]],
  ["mod", ["((w >>> 8) & 31)", "((pw >>> 8) & 31)"]],
  ["dist", ["level", "x.prevArc.level"]],
]);
const ARITHMETIC = new Set(["+", "-", "*"]);
const ORDERS = new Set(["<", "<=", ">", ">="]);
/** Source names of the vertices. */
export type Handles = Readonly<Record<VertexWord, string>>;
const NEVER = "false";

export class LoopWriter {
  readonly tables: LoopTables = { numbers: [], truths: [], calls: [], constants: [] };
  /** Vertices whose properties are read in the loop. */
  readonly reads = new Set<VertexWord>();
  /** Literals and codes, which are read before the loop. */
  readonly literals = new Set<number>();
  readonly codes = new Set<number>();
  /** Sources of cell addresses, which are resolved before the loop. */
  readonly addresses: string[] = [];
  /** Strings that properties are compared with, by literal. */
  readonly texts = new Set<number>();
  /** Number of results that may exceed safe ints: the loop sets `big`, and closures recompute. */
  guards = 0;
  #closuresRead = false;

  constructor(readonly handles: Handles) {}

  /** True if closures are called, which need an up-to-date context. */
  get hasClosures(): boolean {
    return this.tables.numbers.length + this.tables.truths.length > 0;
  }

  /** False if both the loop and a closure would read properties, possibly in different states. */
  get readsOnce(): boolean {
    return !(this.#closuresRead && this.reads.size > 0);
  }

  /** Returns the source of an arc's score; null if a loop cannot compute it. */
  score(node: TypedNode): string | null {
    const lane = this.#number(node);
    return lane === null ? null : `toScore(${nullAsZero(lane)})`;
  }

  /** Returns the source of a filter condition; null if a loop cannot compute it. */
  passes(node: TypedNode): string | null {
    if (isTruthNode(node)) return this.#truth(node);
    // A string passes a filter, so it must be impossible. Products are never strings, and a
    // difference is a string only if it is null - string.
    const isNoText =
      node.op === "binary" &&
      (/^[*/]$/.test(node.operator) || (node.operator === "-" && isNumberType(node.left.type)));
    if (!isNumericType(node.type) && !isNoText) return null;
    const lane = this.#number(node);
    if (lane === null) return null;
    return lane.isNull === NEVER ? `(${lane.value} > 0)` : `(!${lane.isNull} && ${lane.value} > 0)`;
  }

  /** Returns the source of the index of a cell; null if the index may differ between arcs. */
  address(node: TypedNode): string | null {
    const isFixed = node.type === "int" && (node.op === "literal" || node.op === "constant");
    const source = isFixed ? this.#number(node)!.value : null;
    if (source === null) return null;
    const known = this.addresses.indexOf(source);
    return `m${known >= 0 ? known : this.addresses.push(source) - 1}`;
  }

  /** Returns the source of a condition that yields 1 or 0 in expressions; null for other nodes. */
  condition(node: TypedNode): string | null {
    return isTruthNode(node) ? this.#truth(node) : null;
  }

  /**
   * Returns the source of two arguments: the number, and whether it is a real. Null if that depends
   * on more than the arc.
   */
  numberAndKind(node: TypedNode): string | null {
    if (isArcValue(node)) return "arcNumber(w, b), isFloatArc(w)";
    if (node.op === "binary" && ARITHMETIC.has(node.operator) && node.type === "num") {
      const [left, right] = [node.left, node.right];
      // Without a real, `box` removes the sign of a zero.
      const isOfArc =
        (isArcValue(left) || isKnownInt(left)) && (isArcValue(right) || isKnownInt(right));
      return isOfArc ? `${this.#number(node)!.value}, isFloatArc(w)` : null;
    }
    if (node.type !== "int" && node.type !== "real") return null;
    const lane = this.#number(node);
    if (lane === null || lane.isNull !== NEVER) return null;
    return `${lane.value}, ${node.type === "real"}`;
  }

  #number(node: TypedNode): Lane | null {
    switch (node.op) {
      case "literal":
        if (node.type === "text") return null;
        this.literals.add(node.index);
        return neverNull(`l${node.index}`);
      case "constant":
        if (node.type === "null") return { value: "0", isNull: "true" };
        if (!isNumberType(node.type)) return null;
        return neverNull(`K[${this.tables.constants.push(asNumber(node.value)) - 1}]`);
      case "code":
        this.codes.add(node.position);
        return neverNull(`k${node.position}`);
      case "vertexAttribute": {
        const column = COLUMNS.get(node.attribute.name);
        return column === undefined
          ? this.#closure(node)
          : neverNull(column(this.handles[node.of]));
      }
      case "arcAttribute": {
        const columns = ARC_COLUMNS.get(node.attribute.name);
        if (columns === undefined) return this.#closure(node);
        return neverNull(columns[node.of === "next" ? 0 : 1]);
      }
      case "property": {
        const at = this.#read(node);
        return { value: `n${at}`, isNull: `z${at}` };
      }
      case "binary":
        return this.#binary(node) ?? this.#closure(node);
      case "unary":
        // Only closures distinguish the types that decide whether a zero has a sign.
        if (node.operator === "-" && (node.of.type === "int" || node.of.type === "real")) {
          const of = this.#number(node.of);
          if (of !== null) return neverNull(`(${node.of.type === "int" ? "0 " : ""}-${of.value})`);
        }
        return this.#truthAsNumber(node) ?? this.#closure(node);
      case "if":
        return this.#choice(node) ?? this.#closure(node);
      case "has":
      case "in":
        return this.#truthAsNumber(node) ?? this.#closure(node);
      case "call":
        return this.#call(node) ?? this.#closure(node);
      default:
        return this.#closure(node);
    }
  }

  #binary(node: Extract<TypedNode, { op: "binary" }>): Lane | null {
    const { operator, left, right, type } = node;
    if (isTruthNode(node)) return this.#truthAsNumber(node);
    if (operator === "/") {
      if (!isNumberType(right.type) || isUnsignedZero(right)) return null;
      const [a, b] = this.#both(left, right);
      if (a === null || b === null) return null;
      return { value: `divide(${a.value}, ${b.value})`, isNull: a.isNull };
    }
    if (!ARITHMETIC.has(operator) || left.type === "text" || right.type === "text") return null;
    const [a, b] = this.#both(left, right);
    if (a === null || b === null) return null;
    const addZero = type === "int" && operator === "*" ? " + 0" : "";
    const isNull = andSource(a.isNull, b.isNull);
    const tests = [a.isNull, b.isNull].filter((test) => test !== NEVER);
    if (operator === "*" && tests.length > 0) {
      // Null times anything is 0, even times a non-number.
      const product = `(${tests.join(" || ")} ? 0 : ${a.value} * ${b.value})`;
      return { value: this.#guard(product, node), isNull };
    }
    const code = `(${nullAsZero(a)} ${operator} ${nullAsZero(b)}${addZero})`;
    return { value: this.#guard(code, node), isNull };
  }

  #guard(source: string, { operator, left, right }: BinaryNode): string {
    const isExact =
      left.type === "real" ||
      right.type === "real" ||
      binaryBound(operator, left, right) <= MAX_SAFE;
    return isExact ? source : this.#detectBig(source);
  }

  /** Returns the source that sets `big` if a number exceeds the safe ints. */
  #detectBig(source: string): string {
    const name = `u${this.guards++}`;
    const isBig = `(${name} = ${source}) > ${MAX_SAFE} || ${name} < -${MAX_SAFE}`;
    return `(${isBig} ? (big = true, ${name}) : ${name})`;
  }

  #both(left: TypedNode, right: TypedNode): [Lane | null, Lane | null] {
    return [this.#number(left), this.#number(right)];
  }

  #choice(node: Extract<TypedNode, { op: "if" }>): Lane | null {
    const condition = this.#truth(node.condition);
    const [yes, no] = this.#both(node.yes, node.no);
    if (condition === null || yes === null || no === null) return null;
    const isNever = yes.isNull === NEVER && no.isNull === NEVER;
    return {
      value: `(${condition} ? ${yes.value} : ${no.value})`,
      isNull: isNever ? NEVER : `(${condition} ? ${yes.isNull} : ${no.isNull})`,
    };
  }

  #call({ row, args }: Extract<TypedNode, { op: "call" }>): Lane | null {
    const lanes = args.map((arg) => this.#number(arg));
    if (lanes.includes(null)) return null;
    const argLanes = lanes as Lane[];
    if (row.name === "rank") {
      const sum = argLanes.map((lane) => nullAsZero(lane)).join(" + ") || "0";
      return neverNull(`(V.c1(h) * (${sum}) + V.c0(h))`);
    }
    if (row.number === null) return null;
    const isStatic = args.every(({ type }) => isNumericType(type));
    const call = `F[${this.tables.calls.push(row.number) - 1}]`;
    const values = (replacesNull: boolean): string =>
      argLanes.map((lane) => (replacesNull ? nullAsZero(lane) : lane.value)).join(", ");
    if (isStatic || row.name === "prox") return neverNull(`${call}(${values(true)})`);
    if (args.length !== 1) return null;
    return { value: `${call}(${values(false)})`, isNull: argLanes[0]!.isNull };
  }

  #truthAsNumber(node: TypedNode): Lane | null {
    const truth = isTruthNode(node) ? this.#truth(node) : null;
    return truth === null ? null : neverNull(`(${truth} ? 1 : 0)`);
  }

  #truth(node: TypedNode): string | null {
    const code = this.#truthOf(node);
    if (code !== null) return code;
    if (node.hasEffect) return null;
    this.#noteReads(node);
    return `T[${this.tables.truths.push(readTruth(node)) - 1}](x)`;
  }

  #truthOf(node: TypedNode): string | null {
    if (node.op === "has") {
      const at = this.#read(node.property);
      return `(q${at} ${node.isNegated ? "===" : "!=="} 0)`;
    }
    if (node.op === "in") return this.#member(node);
    if (node.op === "unary" && node.operator === "!") {
      const of = this.#truth(node.of);
      return of === null ? null : `!${of}`;
    }
    if (node.op === "binary") {
      const { operator, left, right } = node;
      if (operator === "&&" || operator === "||") {
        const [a, b] = [this.#truth(left), this.#truth(right)];
        return a === null || b === null ? null : `(${a} ${operator} ${b})`;
      }
      if (operator === "==" || operator === "!=") return this.#equality(node);
      if (ORDERS.has(operator)) {
        if (!isNumericType(left.type) && !isNumericType(right.type)) return null;
        const [a, b] = this.#both(left, right);
        if (a === null || b === null) return null;
        const known = [a.isNull, b.isNull]
          .filter((test) => test !== NEVER)
          .map((test) => `!${test}`);
        return `(${[...known, `${a.value} ${operator} ${b.value}`].join(" && ")})`;
      }
    }
    if (!isNumericType(node.type)) return null;
    const lane = this.#number(node);
    return lane === null ? null : `(${nullAsZero(lane)} !== 0)`;
  }

  #equality({ operator, left, right }: Extract<TypedNode, { op: "binary" }>): string | null {
    const not = operator === "!=" ? "!" : "";
    if (left.op === "property" && right.op === "literal" && right.type === "text") {
      const at = this.#read(left);
      this.texts.add(right.index);
      return `${not}isText(x, q${at}, p${at}, t${right.index}, s${right.index})`;
    }
    if (!isNumericType(left.type) && !isNumericType(right.type)) return null;
    if (left.type === "text" || right.type === "text") return null;
    const [a, b] = this.#both(left, right);
    if (a === null || b === null) return null;
    const isInt = left.type === "int" && right.type === "int";
    const test = isInt ? `${a.value} === ${b.value}` : `near(${a.value}, ${b.value})`;
    const known = [a.isNull, b.isNull].filter((isNull) => isNull !== NEVER);
    return `${not}(${[...known.map((isNull) => `!${isNull}`), test].join(" && ")})`;
  }

  #member({ left, right, isNegated }: Extract<TypedNode, { op: "in" }>): string | null {
    const not = isNegated ? "!" : "";
    if (right.op === "range") {
      if (!isNumericType(right.low.type) || !isNumericType(right.high.type)) return null;
      const [value, low] = this.#both(left, right.low);
      const high = this.#number(right.high);
      if (value === null || low === null || high === null) return null;
      const known = value.isNull === NEVER ? "" : `!${value.isNull} && `;
      const test = `${value.value} >= ${low.value} && ${value.value} < ${high.value}`;
      return `${not}(${known}${test})`;
    }
    if (right.op !== "set" || !right.items.every(({ type }) => isNumericType(type))) return null;
    const value = this.#number(left);
    const items = right.items.map((item) => this.#number(item));
    if (value === null || items.includes(null)) return null;
    const known = value.isNull === NEVER ? "" : `!${value.isNull} && `;
    const tests = items.map((item) => `near(${value.value}, ${item!.value})`);
    return `${not}(${known}(${tests.join(" || ")}))`;
  }

  /** Returns the suffix of a property's variables: number `n`, null `z`, kind `q`, string `p`. */
  #read({ of, position }: PropertyNode): string {
    this.reads.add(of);
    return `${of[0]}${position}`;
  }

  /** Calls a numeric node without a source as a closure. */
  #closure(node: TypedNode): Lane | null {
    if (!isNumericType(node.type) || node.hasEffect) return null;
    this.#noteReads(node);
    const source = `C[${this.tables.numbers.push(readNumber(node)) - 1}](x)`;
    return neverNull(node.type === "wide" ? this.#detectBig(source) : source);
  }

  #noteReads(node: TypedNode): void {
    if (node.op === "property" || node.op === "has" || node.op === "default") {
      this.#closuresRead = true;
    }
    for (const child of childNodes(node)) this.#noteReads(child);
  }
}

function isArcValue(node: TypedNode): boolean {
  return node.op === "arcAttribute" && node.of === "next" && node.attribute.name === "value";
}

/** Returns whether a node is always a safe int. */
function isKnownInt({ op, type }: TypedNode): boolean {
  return type === "int" && (op === "literal" || op === "vertexAttribute" || op === "arcAttribute");
}

function neverNull(value: string): Lane {
  return { value, isNull: NEVER };
}

/** Returns the source of the number, 0 for null. */
function nullAsZero({ value, isNull }: Lane): string {
  return isNull === NEVER ? value : `(${isNull} ? 0 : ${value})`;
}

function andSource(a: string, b: string): string {
  return a === NEVER || b === NEVER ? NEVER : `(${a} && ${b})`;
}

function isTruthNode(node: TypedNode): boolean {
  if (node.op === "has" || node.op === "in") return true;
  if (node.op === "unary") return node.operator === "!";
  if (node.op !== "binary") return false;
  const { operator } = node;
  if (operator === "&&" || operator === "||")
    return isTruthNode(node.left) && isTruthNode(node.right);
  return operator === "==" || operator === "!=" || ORDERS.has(operator);
}
