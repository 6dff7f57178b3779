// Random types that refer to each other, and random values that mostly match them.

import type { PropertyShape, TypeShape, TypeTable } from "../../../compiler/record/type-shape.js";
import type { Random } from "./random.js";

const KEYS = ["a", "b", "kind", "toString", "odd key"];
const SCALARS: readonly unknown[] = [
  ...[0, 1, -1, 2.5, 2 ** 53, 1e308, true, false, null],
  ...["", "a", "b", "v1", "v-2.5e3", "ünï\n"],
];
const LEAVES: readonly TypeShape[] = [
  ...[{ kind: "int" }, { kind: "float" }, { kind: "str" }, { kind: "bool" }, { kind: "null" }],
  { kind: "json" },
  { kind: "ref", name: "Anything" },
  ...["a", "b", 1, 2.5, true].map((value) => ({ kind: "literal", value })),
  { kind: "limited", base: { kind: "float" }, limits: { minimum: 1 } },
  { kind: "limited", base: { kind: "int" }, limits: { exclusiveMaximum: 1 } },
  { kind: "limited", base: { kind: "str" }, limits: { minLength: 1, maxLength: 2 } },
  { kind: "limited", base: { kind: "array", items: { kind: "float" } }, limits: { maxItems: 1 } },
  { kind: "pattern", source: "^v[+-]?\\d+$" },
] as readonly TypeShape[];

/** Objects whose keys are limited. */
const RECORDS: readonly ((additional: TypeShape) => TypeShape)[] = [
  { keys: "^(z|v\\d+)$" },
  { keyLimits: { minLength: 2, maxLength: 3 } },
  { keys: "^z+$", keyLimits: { maxLength: 2 } },
].map((keys) => (additional) => ({ kind: "object", properties: [], additional, ...keys }));

export function randomTypes(random: Random): TypeTable {
  // Each may refer to itself and the others, in optional places.
  const names = ["A", "B", "C"];
  const created = names.map((name): [string, TypeShape] => [name, randomShape(random, names, 3)]);
  return { ...Object.fromEntries(created), Anything: { kind: "json" } };
}

function randomShape(random: Random, names: readonly string[], depth: number): TypeShape {
  const part = () => randomShape(random, names, depth - 1);
  switch (depth === 0 ? 0 : random.below(6)) {
    case 1:
      return { kind: "array", items: random.below(3) === 0 ? refTo(random.of(names)) : part() };
    case 2: {
      const items = random.list(2, part);
      const rest = random.below(2) === 0 ? part() : null;
      return { kind: "tuple", items, required: random.below(items.length + 1), rest };
    }
    case 3:
    case 4:
      return randomObject(random, names, part);
    case 5:
      return { kind: "union", members: [part(), part(), ...random.list(2, part)] };
    default:
      return random.of(LEAVES);
  }
}

function randomObject(random: Random, names: readonly string[], part: () => TypeShape): TypeShape {
  if (random.below(5) === 0) return random.of(RECORDS)(part());
  const properties = KEYS.filter(() => random.below(2) === 0).map((name): PropertyShape => {
    const optional = random.below(2) === 0;
    const shape = optional && random.below(3) === 0 ? refTo(random.of(names)) : part();
    return { name, optional, shape, description: "" };
  });
  return { kind: "object", properties, additional: random.below(3) === 0 ? part() : null };
}

function refTo(name: string): TypeShape {
  return { kind: "ref", name };
}

/** Mostly a value of the shape, occasionally with a foreign part. */
export function randomValue(
  random: Random,
  types: TypeTable,
  shape: TypeShape,
  depth: number,
): unknown {
  if (random.below(25) === 0) return anything(random, 2);
  const inner = (part: TypeShape) => randomValue(random, types, part, depth - 1);
  switch (shape.kind) {
    case "literal":
      return shape.value;
    case "array":
      return depth > 0 ? random.list(3, () => inner(shape.items)) : [];
    case "tuple": {
      const rest = shape.rest !== null && depth > 0 ? random.list(2, () => shape.rest!) : [];
      return [...shape.items, ...rest].map(inner);
    }
    case "object": {
      const properties = shape.properties.filter(
        ({ optional }) => !optional || (depth > 0 && random.below(2) === 0),
      );
      const entries = properties.map(({ name, shape }): [string, unknown] => [name, inner(shape)]);
      const more = shape.additional !== null && depth > 0;
      return Object.fromEntries([
        ...(more ? [[random.of(["z", "zz", "v12", "zzzz"]), inner(shape.additional)]] : []),
        ...entries,
      ]);
    }
    case "limited":
      return inner(shape.base);
    case "union":
      return inner(random.of(shape.members));
    case "ref":
      return inner(types[shape.name]!);
    default:
      return random.of(SCALARS);
  }
}

function anything(random: Random, depth: number): unknown {
  const inner = () => anything(random, depth - 1);
  const kind = depth === 0 ? 0 : random.below(3);
  if (kind === 0) return random.of(SCALARS);
  if (kind === 1) return random.list(3, inner);
  return Object.fromEntries(random.list(3, () => [random.of(KEYS), inner()]));
}
