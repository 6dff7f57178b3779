// One change somewhere in a table of types: a widening, which still accepts every previous value,
// or any other.

import type { TypeShape, TypeTable } from "../../../compiler/record/type-shape.js";
import type { Random } from "./random.js";

type Edit = (shape: TypeShape) => TypeShape;

/** Names of values and properties that random types do not have. */
const FRESH: TypeShape = { kind: "literal", value: "fresh" };
const FRESH_NAME = "fresh";

/** The table with one part widened; all its values stay. */
export function widenTypes(random: Random, types: TypeTable): TypeTable {
  return editTypes(random, types, (shape) => widen(random, shape));
}

/** The table with a copy of one of its parts in another place. */
export function confuseTypes(random: Random, types: TypeTable): TypeTable {
  // Without references, which could become self-references without content.
  const parts = Object.values(types)
    .flatMap(childShapes)
    .filter(({ kind }) => kind !== "ref" && kind !== "union");
  return editTypes(random, types, () => random.of(parts));
}

function editTypes(random: Random, types: TypeTable, edit: Edit): TypeTable {
  const name = random.of(Object.keys(types));
  const shape = types[name]!;
  return { ...types, [name]: editPart(shape, random.below(childShapes(shape).length), edit) };
}

/** A shape and all its parts, outermost first. */
function childShapes(shape: TypeShape): readonly TypeShape[] {
  const parts: TypeShape[] = [];
  visit(shape, (part) => {
    parts.push(part);
    return null;
  });
  return parts;
}

function editPart(shape: TypeShape, index: number, edit: Edit): TypeShape {
  let at = 0;
  return visit(shape, (part) => (at++ === index ? edit(part) : null));
}

/** @param replace replacement of a part; null: itself, after its own parts are visited */
function visit(shape: TypeShape, replace: (part: TypeShape) => TypeShape | null): TypeShape {
  const replaced = replace(shape);
  if (replaced !== null) return replaced;
  const inner = (part: TypeShape) => visit(part, replace);
  switch (shape.kind) {
    case "array":
      return { ...shape, items: inner(shape.items) };
    case "tuple": {
      const rest = shape.rest === null ? null : inner(shape.rest);
      return { ...shape, items: shape.items.map(inner), rest };
    }
    case "object":
      return {
        ...shape,
        properties: shape.properties.map((property) => ({
          ...property,
          shape: inner(property.shape),
        })),
        additional: shape.additional === null ? null : inner(shape.additional),
      };
    case "union":
      return { ...shape, members: shape.members.map(inner) };
    default:
      return shape;
  }
}

function widen(random: Random, shape: TypeShape): TypeShape {
  const withFresh: TypeShape = {
    kind: "union",
    members: random.below(2) === 0 ? [shape, FRESH] : [FRESH, shape],
  };
  if (random.below(3) === 0) return withFresh;
  switch (shape.kind) {
    case "int":
      return { kind: "float" };
    case "pattern":
      return { kind: "str" };
    case "tuple":
      if (shape.required > 0 && random.below(2) === 0) {
        return { ...shape, required: shape.required - 1 };
      }
      return shape.rest === null ? { ...shape, rest: FRESH } : withFresh;
    case "object": {
      const [first, ...others] = shape.properties;
      if (first !== undefined && random.below(2) === 0) {
        return { ...shape, properties: [...others, { ...first, optional: true }] };
      }
      if (shape.additional !== null) return withFresh;
      const more = { name: FRESH_NAME, optional: true, shape: FRESH, description: "" };
      return { ...shape, properties: [...shape.properties, more] };
    }
    default:
      return withFresh;
  }
}
