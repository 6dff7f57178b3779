// Compiles the loop sources of `LoopWriter`: one per expression template once it is hot, over arcs
// or over vertices (as heads of arcs). If the process forbids code generation from strings,
// closures run instead.

import { arcSortValue, isFloatArc } from "../model/arc-number.js";
import { PropertyNumbers } from "../store/property-table.js";
import { PropertyKind } from "../store/property-values.js";
import { readValue } from "./closure-compiler.js";
import type { Context } from "./context.js";
import { collectNumber } from "./functions/collect.js";
import { type Handles, LoopWriter } from "./loop-codegen.js";
import { addTo, box, count, type LoopBody, loopBody, subtractFrom } from "./loop-effects.js";
import { divideNumbers, equalReals } from "./number-operators.js";
import {
  childNodes,
  type TypedNode,
  type TypedProgram,
  type TypedStatement,
} from "./typed-tree.js";
import { isPositive, toScore } from "./values.js";
import type { VertexWord } from "./vocabulary.js";

/** Filters or scores arcs; returns the end of the arcs that pass. */
export type ArcLoop = (
  x: Context,
  words: Uint32Array,
  from: number,
  end: number,
  scores: Float64Array | null,
) => number;

const HELPERS = {
  divide: divideNumbers,
  near: equalReals,
  arcNumber: arcSortValue,
  toScore,
  isText,
  isFloatArc,
  isPositive,
  box,
  addTo,
  subtractFrom,
  count,
  collectNumber,
};

/**
 * Returns whether a property equals a string: by pointer, or by serial number once that is known.
 */
function isText(
  { store }: Context,
  kind: number,
  pointer: number,
  textPointer: number,
  serial: number,
): boolean {
  if (kind !== PropertyKind.String || pointer !== textPointer || textPointer === 0) return false;
  return store.strings.serialOf(pointer) === serial;
}

/** A loop filters or scores arcs, or filters vertices. */
export type LoopKind = "filter" | "score" | "vertices";

/** Returns the loop of an expression; null if it has none. */
export function makeArcLoop(typed: TypedProgram, kind: LoopKind): ArcLoop | null {
  if (typed.needs.synthetic >= 0) return null;
  const isOfVertices = kind === "vertices";
  if (isOfVertices && (typed.hasEffect || !typed.statements.every(readsOnlyVertex))) return null;
  const writer = new LoopWriter(isOfVertices ? OF_VERTICES : OF_ARCS);
  const body = loopBody(writer, typed.statements, isOfVertices ? "filter" : kind);
  if (body === null || !writer.readsOnce) return null;
  const source = loopSource(writer, typed, kind, body);
  const { numbers, truths, calls, constants } = writer.tables;
  try {
    const make = new Function("H", "C", "T", "F", "K", "R", "E", source) as (
      ...tables: unknown[]
    ) => ArcLoop;
    const reads = {
      vertex: new PropertyNumbers(typed.keys.vertex.length),
      next: new PropertyNumbers(typed.keys.next.length),
      prev: new PropertyNumbers(typed.keys.prev.length),
    };
    return make(HELPERS, numbers, truths, calls, constants, reads, compileExactResult(typed, kind));
  } catch (error) {
    if (!(error instanceof EvalError)) throw error;
    return null;
  }
}

/** Returns a closure for an expression without effects that is exact for ints of any size. */
function compileExactResult({ statements }: TypedProgram, kind: LoopKind) {
  const value = readValue(statements.at(-1)!.value);
  return kind === "score"
    ? (x: Context) => toScore(value(x))
    : (x: Context) => isPositive(value(x));
}

const OF_ARCS: Handles = { vertex: "tail", prev: "prev", next: "h" };
const OF_VERTICES: Handles = { vertex: "h", prev: "prev", next: "next" };

/** Returns whether a statement reads only the vertex itself: no arc, no other vertex. */
function readsOnlyVertex({ value }: TypedStatement): boolean {
  const isAlone = (node: TypedNode): boolean => {
    if (node.op === "arcAttribute" || (node.op === "call" && node.row.name === "rank"))
      return false;
    if ("of" in node && typeof node.of === "string" && node.of !== "vertex") return false;
    if ((node.op === "has" || node.op === "default") && !isAlone(node.property)) return false;
    return childNodes(node).every(isAlone);
  };
  return isAlone(value);
}

function loopSource(
  writer: LoopWriter,
  { keys }: TypedProgram,
  kind: LoopKind,
  { statements, result }: LoopBody,
): string {
  const { handles } = writer;
  // The vertex that changes from one iteration to the next.
  const inside = kind === "vertices" ? "vertex" : "next";
  const before = (["vertex", "prev"] as const).filter(
    (of) => of !== inside && writer.reads.has(of),
  );
  const read = (of: VertexWord): string[] => [
    `P.readNumbers(${handles[of]}, x.${of}.keys, R.${of});`,
    ...keys[of].flatMap((_, position) => propertyLines(of, position)),
  ];
  const moved = inside === "next" ? "x.next.move(h); x.arc.set(w, b, side, level);" : "";
  const moving = moved || "x.vertex.move(h); x.prev.move(h);";
  const movesForClosures = writer.hasClosures ? [moving] : [];
  const exact = writer.guards > 0;
  const resultSource = exact ? "made" : result;
  const act = [
    ...(exact ? [`big = false; let made = ${result};`, `if (big) { ${moving} made = E(x); }`] : []),
    kind !== "score"
      ? `if (${resultSource}) { a[top] = h; a[top + 1] = w; a[top + 2] = b; top += 3; }`
      : `scores[top++] = ${resultSource};`,
  ];
  const big = Array.from({ length: writer.guards }, (_, index) => `, u${index} = 0`).join("");
  return [
    '"use strict";',
    "const { divide, near, arcNumber, toScore, isText } = H;",
    "const { isFloatArc, isPositive, box, addTo, subtractFrom, count, collectNumber } = H;",
    "return function (x, a, from, end, scores) {",
    "const { store, arc: { side, level } } = x;",
    "const V = store.vertices, P = store.properties, S = store.strings;",
    "const tail = x.vertex.handle, prev = x.prev.handle;",
    "const pw = x.prevArc.word1, pv = arcNumber(pw, x.prevArc.bits);",
    ...[...writer.literals].map((index) => `const l${index} = x.literals[${index}];`),
    ...[...writer.codes].map((position) => `const k${position} = x.codes[${position}];`),
    ...memoryLines(writer.addresses),
    ...[...writer.texts].flatMap((index) => [
      `const t${index} = S.find(x.literals[${index}]), s${index} = S.serialOf(t${index});`,
    ]),
    ...[...writer.reads].map((of) => `R.${of}.forget();`),
    ...before.flatMap(read),
    `let top = ${kind === "score" ? "0" : "from"};`,
    ...(exact ? [`let big = false${big};`] : []),
    "for (let i = from; i < end; i += 3) {",
    "const h = a[i], w = a[i + 1], b = a[i + 2];",
    ...movesForClosures,
    ...(writer.reads.has(inside) ? read(inside) : []),
    ...statements,
    ...act,
    "}",
    "return top; };",
  ].join("\n");
}

function memoryLines(addresses: readonly string[]): string[] {
  if (addresses.length === 0) return [];
  const lines = addresses.map((source, position) => `const m${position} = memory.at(${source});`);
  return ["const { memory } = x.run, { cells } = memory;", ...lines];
}

function propertyLines(of: VertexWord, position: number): string[] {
  const name = `${of[0]}${position}`;
  const { Null } = PropertyKind;
  return [
    `const q${name} = R.${of}.kinds[${position}], n${name} = R.${of}.numbers[${position}];`,
    `const p${name} = R.${of}.pointers[${position}];`,
    `const z${name} = q${name} === 0 || q${name} === ${Null};`,
  ];
}
