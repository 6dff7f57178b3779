// Distinguishes the members of a union before they are checked: by the kind of the value, and
// objects by a discriminant property (`{ kind: "circle", ... }`).

import type { TypeShape } from "../record/type-shape.js";

/** A member whose check inspects the value's contents; a reference is one. */
export type Composite = Extract<TypeShape, { kind: CompositeKind }>;

type CompositeKind = "array" | "tuple" | "object" | "limited" | "ref";

export interface Members {
  readonly objects: readonly Composite[];
  readonly arrays: readonly Composite[];
  readonly others: readonly TypeShape[];
}

interface Resolver {
  resolve(shape: TypeShape): TypeShape;
}

type Literal = string | number | boolean;

/** Sorts members by the kind of their values; members of nested unions are sorted individually. */
export function sortMembers(types: Resolver, members: readonly TypeShape[]): Members {
  const flat = members.flatMap((member) => flatten(types, member));
  const kinds = flat.map((member) => kindOf(types, member));
  const isArray = (index: number) => kinds[index] === "array" || kinds[index] === "tuple";
  return {
    objects: flat.filter((_, index) => kinds[index] === "object") as Composite[],
    arrays: flat.filter((_, index) => isArray(index)) as Composite[],
    others: flat.filter((_, index) => kinds[index] !== "object" && !isArray(index)),
  };
}

/** Limits do not change the kind. */
function kindOf(types: Resolver, member: TypeShape): TypeShape["kind"] {
  const shape = types.resolve(member);
  return shape.kind === "limited" ? kindOf(types, shape.base) : shape.kind;
}

function flatten(types: Resolver, shape: TypeShape): readonly TypeShape[] {
  const resolved = types.resolve(shape);
  if (resolved.kind !== "union") {
    return [shape];
  }
  return resolved.members.flatMap((member) => flatten(types, member));
}

export interface Tag {
  readonly name: string;
  /** Literals of the property in each shape. */
  readonly values: ReadonlyMap<TypeShape, readonly Literal[]>;
}

/** Returns the discriminant property of these objects; null if there is none. */
export function findTag(types: Resolver, shapes: readonly TypeShape[]): Tag | null {
  const objects = shapes.map((shape) => types.resolve(shape));
  const [first] = objects;
  if (first?.kind !== "object") {
    return null;
  }
  for (const { name } of first.properties) {
    const found = objects.map((object) => literalsAt(types, object, name));
    const all = found.flat();
    if (found.every((literals) => literals.length > 0) && new Set(all).size === all.length) {
      return { name, values: new Map(shapes.map((shape, index) => [shape, found[index]!])) };
    }
  }
  return null;
}

/** Returns the literals that a required property can hold; empty if other values are possible. */
function literalsAt(types: Resolver, object: TypeShape, name: string): readonly Literal[] {
  if (object.kind !== "object") {
    return [];
  }
  const property = object.properties.find((candidate) => candidate.name === name);
  if (property === undefined || property.optional) {
    return [];
  }
  const members = flatten(types, property.shape).map((member) => types.resolve(member));
  const literals = members.filter((member) => member.kind === "literal");
  return literals.length === members.length ? literals.map(({ value }) => value) : [];
}
