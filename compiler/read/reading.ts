// The outcome of reading a type: its shape, and the parts that cannot travel. Problems are
// collected, not reported: only the caller knows which parameter or result the type belongs to.

import { ts } from "ts-morph";
import type { TypeShape } from "../record/type-shape.js";
import type { NamedShape } from "./named-type.js";
import type { ReadContext } from "./read-context.js";

/** A part of a type that cannot travel: where (`.at[]`), what it is, what to write instead. */
export interface Problem {
  readonly path: string;
  readonly reason: string;
  readonly help: string;
}

export interface TypeReading {
  readonly shape: TypeShape;
  readonly problems: readonly Problem[];
}

/** `input` arrives as text and JSON, `output` leaves through JSON and its `toJSON`. */
export type Direction = "input" | "output";

/** Reads the parts of a type. */
export interface TypeReader {
  readonly context: ReadContext;
  readonly direction: Direction;
  readonly named: ReadonlyMap<string, NamedShape>;
  read(type: ts.Type): TypeReading;
  /** Shape of a type whose `undefined` means absence, as in optional properties. */
  readPresent(type: ts.Type): TypeReading;
}

/** One parameter's type may have hundreds, all for one reason. */
const MAX_PROBLEMS = 3;
const MAX_PATH_LENGTH = 60;

/** The problems of a part, seen from the whole. */
export function problemsAtPath(path: string, reading: TypeReading): Problem[] {
  return firstProblems(reading).map((problem) => ({ ...problem, path: path + problem.path }));
}

/** As many problems as are worth reporting. */
export function firstProblems(reading: TypeReading): readonly Problem[] {
  return reading.problems.slice(0, MAX_PROBLEMS);
}

/** The path of a problem, without the end of one that is too long to read. */
export function pathText({ path }: Problem): string {
  return path.length > MAX_PATH_LENGTH ? `${path.slice(0, MAX_PATH_LENGTH)}…` : path;
}

export function plain(shape: TypeShape): TypeReading {
  return { shape, problems: [] };
}

export function unsupported(reason: string, help = ""): TypeReading {
  return { shape: { kind: "json" }, problems: [{ path: "", reason, help }] };
}

/** The type without `undefined`, with the alias that it had before where the checker keeps it. */
export function withoutUndefined(checker: ts.TypeChecker, type: ts.Type): ts.Type {
  if (!type.isUnion() || !type.types.some(isUndefined)) return type;
  if (!type.types.some((member) => member.flags & ts.TypeFlags.Null)) {
    return checker.getNonNullableType(type);
  }
  return type;
}

export function isUndefined(type: ts.Type): boolean {
  return (type.flags & ts.TypeFlags.Undefined) !== 0;
}
