// Constraints in random places of random types: each one in the source is in the JSON Schema and in
// the converter, or a diagnostic names its line. The seed is printed on a failure and repeats the
// run as SEED=n.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Diagnostic } from "../../compiler/diagnostics/diagnostic.js";
import { emitConverters } from "../../compiler/emit/converters.js";
import { toJsonSchema } from "../../compiler/emit/json-schema.js";
import type { ReadResult } from "../../compiler/read/file-reading.js";
import { LINES_BEFORE, readSource } from "../compiler/reading.js";
import { rounds } from "../support/rounds.js";
import { Random, SEED } from "./support/random.js";

const test = suite("places of constraints");
const ROUNDS = rounds(2);
const TYPES = 40;

/** A type with one constraint, which `L` stands for; declarations may precede it. */
interface Place {
  readonly type: string;
  readonly declarations?: string;
}

/** Places of a constraint; `$` makes names unique. */
const LEAVES: readonly Place[] = [
  { type: "{ L n: int }" },
  { type: "{\n  L\n  readonly n?: int | null\n}" },
  { type: "S$", declarations: "interface S$ { a: str; L n: float }" },
  { type: 'S$["n"]', declarations: "interface S$ { a: str; L n?: int }" },
  { type: "S$", declarations: "L type S$ = int;" },
  { type: "S$<int>", declarations: "L type S$<T> = T;" },
  { type: "S$<int>", declarations: "interface S$<T> { L n: T }" },
  { type: "S$", declarations: "interface B$ { L n: int } interface S$ extends B$ { m: str }" },
  { type: "S$", declarations: "interface S$ { L n: int } interface S$ { m: str }" },
  { type: "{ L [key: str]: int }" },
  { type: "Record<S$, str>", declarations: "K type S$ = str;" },
  { type: "{ [key: S$]: str }", declarations: "K type S$ = str;" },
  { type: "{ [L key: str]: int }" },
  { type: "[L n: int, s: str]" },
  { type: "(L int)[]" },
  { type: "S$", declarations: "type S$ = L int;" },
  { type: "Record<str, L int>" },
  { type: '{ [N in "a" | "b"]: L int }' },
  { type: "S$", declarations: "enum S$ { L A = 1, B = 2 }" },
  { type: "Parameters<typeof f$>[0]", declarations: "declare function f$(L n: int): void;" },
  { type: "S$", declarations: "L interface S$ { n: int }" },
  { type: "(int & Minimum<#>)" },
  { type: "Record<str & MaxLength<#>, int>" },
];

/** Types around a placeholder `T`, whose constraints they might lose. */
const AROUND: readonly string[] = [
  ...["T[]", "Array<T>", "readonly T[]", "[T, str]", "[str, ...T[]]", "[str, T?]"],
  ...["T | null", "NonNullable<T | null>", "{ a: T }", "{ a?: T; b: str }", "Record<str, T>"],
  ...["{ [key: str]: T }", 'Record<"a" | "b", T>', 'Partial<Record<"a" | "b", T>>'],
  ...["Readonly<{ a: T }>", "Required<{ a?: T }>", 'Pick<{ a: T; b: str }, "a">'],
  ...['Omit<{ a: T; b: str }, "b">', '{ a: T }["a"]', "T[][number]", "Box<T>", "Box<Box<T>>"],
  ...["Renamed<{ a: T }>", "Nullable<{ a: T }>", "Element<T[]>", "Awaited<Promise<T>>"],
  ...["{ a: T } & { b: str }", "Exclude<T | undefined, undefined>", "(T)", "Deep<{ a: T }>"],
  ...["ReturnType<() => T>", "Parameters<(a: T) => void>[0]", "T extends infer U ? U : never"],
];
const GENERICS = `
import type { MaxLength, Minimum } from "svc-server";
interface Box<X> { readonly value: X }
type Renamed<X> = { [K in keyof X as \`x_\${K & string}\`]: X[K] };
type Nullable<X> = { [K in keyof X]: X[K] | null };
type Element<X> = X extends (infer E)[] ? E : never;
type Deep<X> = X extends object ? { [K in keyof X]?: Deep<X[K]> } : X;
`;

test("are all compiled or reported", () => {
  const random = new Random();
  for (let round = 0; round < ROUNDS; round++) check(random);
});

function check(random: Random): void {
  const allTypes = Array.from({ length: TYPES }, (_, index) => randomType(random, index));
  // A plugin with an error is not read completely, so the others are read again without it.
  const rejectedTypes = diagnosedTypes(allTypes, readTypes(allTypes), "error");
  const types = allTypes.filter((type) => !rejectedTypes.has(type));
  const result = readTypes(types);
  const reported = diagnosedTypes(types, result, "warning");
  const named = Object.values(result.types).map(toJsonSchema);
  const params = result.plugins.flatMap((plugin) => plugin.params);
  const shapes = params.flatMap((param) => (param.kind === "user" ? [param.shape] : []));
  const schemas = JSON.stringify([...named, ...shapes.map(toJsonSchema)]);
  const modules = { modules: "", convert: "" };
  const converters = emitConverters(result.plugins, result.types, modules);
  for (const type of types) {
    const number = /[56]\d{3}/.exec(type)![0];
    const isKept = schemas.includes(`:${number}`) && converters.includes(`:${number}`);
    assert.ok(isKept || reported.has(type), `seed ${SEED}: ${type}`);
  }
  assert.ok(types.length > TYPES / 2, `seed ${SEED}: too many errors`);
}

function readTypes(types: readonly string[]): ReadResult {
  return readSource(GENERICS + types.join(""));
}

/** Returns the types that have a diagnostic. */
function diagnosedTypes(
  types: readonly string[],
  { diagnostics }: ReadResult,
  level: Diagnostic["severity"],
): ReadonlySet<string> {
  const ends: number[] = [];
  let end = LINES_BEFORE + GENERICS.split("\n").length - 1;
  for (const type of types) {
    end += type.split("\n").length - 1;
    ends.push(end);
  }
  const reported = diagnostics.filter(({ severity }) => severity === level);
  return new Set(
    reported.map(({ position }) => types[ends.findIndex((last) => position.line <= last)]!),
  );
}

/** Unique, and the digits of no other. */
function uniqueLimit(index: number): number {
  return 5000 + index;
}

function randomType(random: Random, index: number): string {
  const { type, declarations = "" } = random.of(LEAVES);
  const around = random.list(3, () => random.of(AROUND));
  const whole = around.reduce((inner, outer) => outer.replace(/\bT\b/, () => `(${inner})`), type);
  const text = `${declarations}
/** @plugin */
export function p$(request: PluginRequest, a: { whole: ${whole} }): int { return 1; }
`;
  return text
    .replaceAll("$", `${index}`)
    .replaceAll("L ", `/** @minimum ${uniqueLimit(index)} */ `)
    .replaceAll("L\n", `/** @minimum ${uniqueLimit(index)} */\n`)
    .replaceAll("K type", `/** @maxLength ${uniqueLimit(index)} */ type`)
    .replaceAll("#", `${uniqueLimit(index)}`);
}

test.run();
