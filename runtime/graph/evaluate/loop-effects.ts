// Side effects in generated loops, as statements: updates of cells with fixed addresses, and
// collected arcs. Other effects prevent a loop. Values keep their type: a whole real stays a real.

import { increment } from "./functions/memory.js";
import type { LoopWriter } from "./loop-codegen.js";
import { add, subtract } from "./operators.js";
import type { TypedNode, TypedStatement } from "./typed-tree.js";
import { boxedReal, type Value } from "./values.js";

type Call = Extract<TypedNode, { op: "call" }>;

/** Source of each update by function, from address and value. */
const EFFECTS = new Map<string, (address: string, value: string) => string>([
  ["add", (address, value) => `addTo(cells, ${address}, ${value});`],
  ["sub", (address, value) => `subtractFrom(cells, ${address}, ${value});`],
  ["store", (address, value) => `cells[${address}] = box(${value});`],
  ["mov", (address, from) => `cells[${address}] = cells[${from}];`],
  ["inc", (address) => `count(cells, ${address}, 1);`],
  ["count", (address) => `count(cells, ${address}, 1);`],
  ["dec", (address) => `count(cells, ${address}, -1);`],
]);
const UNARY = new Set(["inc", "count", "dec"]);

/** Statements of the loop before the result. */
export interface LoopBody {
  readonly statements: readonly string[];
  /** Source of whether the arc passes, or of its score. */
  readonly result: string;
}

/** Returns null if a loop cannot run the statements. */
export function loopBody(
  writer: LoopWriter,
  statements: readonly TypedStatement[],
  kind: "filter" | "score",
): LoopBody | null {
  const code = writeBody(writer, statements, kind);
  // Recomputing a large int must not repeat side effects.
  return code !== null && code.statements.length > 0 && writer.guards > 0 ? null : code;
}

function writeBody(
  writer: LoopWriter,
  statements: readonly TypedStatement[],
  kind: "filter" | "score",
): LoopBody | null {
  if (statements.some(({ slot }) => slot >= 0)) return null;
  const last = statements.at(-1)!.value;
  const sources: string[] = [];
  for (const { value } of statements) {
    if (!value.hasEffect) continue;
    const source = writeEffect(writer, value, value === last);
    if (source === null) return null;
    sources.push(source);
  }
  if (!last.hasEffect) {
    const result = kind === "filter" ? writer.passes(last) : writer.score(last);
    return result === null ? null : { statements: sources, result };
  }
  if (isCollect(last)) {
    return { statements: sources, result: kind === "filter" ? "made > 0" : "made" };
  }
  // The value of an update is the new value of the cell.
  const cell = `cells[${writer.address((last as Call).args[0]!)}]`;
  return {
    statements: sources,
    result: `${kind === "filter" ? "isPositive" : "toScore"}(${cell})`,
  };
}

function writeEffect(writer: LoopWriter, node: TypedNode, isLast: boolean): string | null {
  if (node.op !== "call") return null;
  const { name } = node.row;
  if (isCollect(node)) return isLast ? writeCollect(writer, node.args) : null;
  if (EFFECTS.has(name)) return writeUpdate(writer, name, node.args);
  const updateName = name.slice(0, -2);
  // The value of a conditional update is its condition, which may be of any type.
  if (isLast || !name.endsWith("if") || !EFFECTS.has(updateName)) return null;
  const [condition, ...args] = node.args;
  const test = writer.condition(condition!);
  const code = test === null ? null : writeUpdate(writer, updateName, args);
  return code === null ? null : `if (${test}) { ${code} }`;
}

function isCollect(node: TypedNode): boolean {
  return node.op === "call" && node.row.name === "collect";
}

/** Returns the statement of `collect`, which must be the last one because its value is used. */
function writeCollect(writer: LoopWriter, args: readonly TypedNode[]): string | null {
  const [value] = args;
  if (value === undefined || value.hasEffect) return null;
  const source = writer.numberAndKind(value);
  return source === null ? null : `const made = collectNumber(x, h, w, ${source});`;
}

function writeUpdate(writer: LoopWriter, name: string, args: readonly TypedNode[]): string | null {
  const [target, value] = args as [TypedNode, TypedNode?];
  const address = writer.address(target);
  if (address === null || args.slice(1).some(({ hasEffect }) => hasEffect)) return null;
  const write = EFFECTS.get(name)!;
  if (UNARY.has(name)) return args.length === 1 ? write(address, "") : null;
  const source = name === "mov" ? writer.address(value!) : writer.numberAndKind(value!);
  return source === null ? null : write(address, source);
}

/** Boxes a number: marks a whole real, and removes the sign of an int's zero. */
export function box(number: number, isReal: boolean): Value {
  return isReal ? boxedReal(number) : number + 0;
}

export function addTo(cells: Value[], at: number, number: number, isReal: boolean): void {
  const cell = cells[at]!;
  if (typeof cell === "number") {
    const sum = cell + number;
    if (isPlainSum(sum, cell, isReal)) {
      cells[at] = sum;
      return;
    }
  }
  cells[at] = add(cell, box(number, isReal));
}

export function subtractFrom(cells: Value[], at: number, number: number, isReal: boolean): void {
  const cell = cells[at]!;
  if (typeof cell === "number") {
    const sum = cell - number;
    if (isPlainSum(sum, cell, isReal)) {
      cells[at] = sum;
      return;
    }
  }
  cells[at] = subtract(cell, box(number, isReal));
}

/** Returns whether a sum needs no boxing: no whole real, no signed zero, no long int. */
function isPlainSum(sum: number, cell: number, isReal: boolean): boolean {
  if (isReal || !Number.isSafeInteger(cell)) return !Number.isSafeInteger(sum);
  return Number.isSafeInteger(sum) && sum !== 0;
}

export function count(cells: Value[], at: number, by: 1 | -1): void {
  const cell = cells[at]!;
  if (typeof cell === "number") {
    const counted = cell + by;
    if (Number.isSafeInteger(cell) && Number.isSafeInteger(counted) && counted !== 0) {
      cells[at] = counted;
      return;
    }
  }
  cells[at] = increment(cell, by);
}
