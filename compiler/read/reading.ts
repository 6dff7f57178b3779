// The result of reading a type: its shape, and the parts that have no wire form. Problems are
// collected instead of reported, because only the caller knows the parameter or result.

import { ts } from "ts-morph";
import type { TypeShape } from "../record/type-shape.js";
import type { NamedShape } from "./named-type.js";
import type { ReadContext } from "./read-context.js";

/** A part of a type without a wire form: its path (`.at[]`), the reason, and a replacement. */
export interface Problem {
  readonly path: string;
  readonly reason: string;
  readonly help: string;
}

export interface TypeReading {
  readonly shape: TypeShape;
  readonly problems: readonly Problem[];
}

/** `input` values arrive as text and JSON; `output` values are written as JSON, using `toJSON`. */
export type Direction = "input" | "output";

/** Reads the parts of a type. */
export interface TypeReader {
  readonly context: ReadContext;
  readonly direction: Direction;
  readonly named: ReadonlyMap<string, NamedShape>;
  read(type: ts.Type): TypeReading;
  /** Returns the shape of a type in which `undefined` means absent, as in optional properties. */
  readPresent(type: ts.Type): TypeReading;
}

/** Limits the reported problems: one type can have hundreds for the same reason. */
const MAX_PROBLEMS = 3;
const MAX_PATH_LENGTH = 60;

/** Returns the problems of a part with paths relative to the whole type. */
export function problemsAtPath(path: string, reading: TypeReading): Problem[] {
  return firstProblems(reading).map((problem) => ({ ...problem, path: path + problem.path }));
}

/** Returns the problems to report, at most `MAX_PROBLEMS`. */
export function firstProblems(reading: TypeReading): readonly Problem[] {
  return reading.problems.slice(0, MAX_PROBLEMS);
}

/** Returns the path of a problem; a long one is truncated. */
export function pathText({ path }: Problem): string {
  return path.length > MAX_PATH_LENGTH ? `${path.slice(0, MAX_PATH_LENGTH)}…` : path;
}

export function plain(shape: TypeShape): TypeReading {
  return { shape, problems: [] };
}

export function unsupported(reason: string, help = ""): TypeReading {
  return { shape: { kind: "json" }, problems: [{ path: "", reason, help }] };
}

/** Returns the type without `undefined`, with its alias if the checker keeps it. */
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
