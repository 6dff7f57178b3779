// Sets of a memory: ints by their low 32 bits, and vertices.

import type { Context } from "../context.js";
import { NO_KEY } from "../memory-cells.js";
import { asNumber, rawBits, type Value, VertexRef } from "../values.js";
import { EFFECT, type FunctionRow, fixed, VOLATILE } from "./row.js";

function keyOf(value: Value): number {
  return Number(rawBits(value) & 0xffff_ffffn);
}

function addKey(set: Set<number>, key: number): number {
  if (set.has(key)) return 0;
  set.add(key);
  return 1;
}

function clearSet(set: Set<number>): number {
  const { size } = set;
  set.clear();
  return size;
}

type SetOf = (x: Context) => Set<number>;
type KeyOf = (value: Value) => number | null;

function setFunctions(prefix: string, member: string, setOf: SetOf, key: KeyOf): FunctionRow[] {
  const none = prefix === "iset" ? -1 : 0;
  return [
    fixed(
      `${prefix}.add`,
      1,
      "int",
      `(x): adds ${member}; 1 if new`,
      (x, a) => {
        const found = key(a!);
        return found === null ? none : addKey(setOf(x), found);
      },
      EFFECT,
    ),
    fixed(
      `${prefix}.del`,
      1,
      "int",
      `(x): removes ${member}; 1 if present`,
      (x, a) => {
        const found = key(a!);
        return Number(found !== null && setOf(x).delete(found));
      },
      EFFECT,
    ),
    fixed(
      `${prefix}.has`,
      1,
      "int",
      `(x): 1 if ${member} is present`,
      (x, a) => {
        const found = key(a!);
        return Number(found !== null && setOf(x).has(found));
      },
      VOLATILE,
    ),
    fixed(`${prefix}.len`, 0, "int", "(): number of elements", (x) => setOf(x).size, VOLATILE),
    fixed(
      `${prefix}.clr`,
      0,
      "int",
      "(): clears the set; returns the number removed",
      (x) => clearSet(setOf(x)),
      EFFECT,
    ),
    fixed(`${prefix}.ini`, 1, "int", "(n): clears the set", (x) => clearSet(setOf(x)), EFFECT),
  ];
}

export const SETS: readonly FunctionRow[] = [
  ...setFunctions(
    "iset",
    "an int",
    (x) => x.run.memory.ints,
    (value) => {
      const key = Number.isNaN(asNumber(value)) ? NO_KEY : keyOf(value);
      return key === NO_KEY ? null : key;
    },
  ),
  ...setFunctions(
    "vset",
    "a vertex",
    (x) => x.run.memory.vertices,
    (value) => (value instanceof VertexRef ? value.handle : null),
  ),
];
