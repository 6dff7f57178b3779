// Tests whether a shape accepts null, or text that is not JSON.

import type { TypeShape, TypeTable } from "./type-shape.js";

/** Returns the members of a shape, resolving named types and nested unions. */
export function unionMembers(shape: TypeShape, types: TypeTable): readonly TypeShape[] {
  if (shape.kind === "union") return shape.members.flatMap((member) => unionMembers(member, types));
  if (shape.kind === "limited") return unionMembers(shape.base, types);
  const named = shape.kind === "ref" ? types[shape.name] : undefined;
  // Terminates: only names of unions and scalars are resolved.
  if (named === undefined || ["array", "tuple", "object"].includes(named.kind)) return [shape];
  return unionMembers(named, types);
}

const PARTS: ReadonlySet<TypeShape["kind"]> = new Set(["array", "tuple", "object", "ref"]);

/** Returns whether a member is an array or object. */
export function hasParts(members: readonly TypeShape[]): boolean {
  return members.some(({ kind }) => PARTS.has(kind));
}

export function admitsNull(shape: TypeShape, types: TypeTable): boolean {
  return unionMembers(shape, types).some(({ kind }) => kind === "null" || kind === "json");
}

/** Returns whether the shape accepts plain text, without JSON quotes. */
export function admitsText(shape: TypeShape, types: TypeTable): boolean {
  return unionMembers(shape, types).some(isText);
}

export function isText(member: TypeShape): boolean {
  if (member.kind === "literal") return typeof member.value === "string";
  return member.kind === "str" || member.kind === "pattern";
}

/** Returns the shape without null, unless null is its only member. */
export function removeNull(shape: TypeShape): TypeShape {
  if (shape.kind !== "union") return shape;
  const members = shape.members.filter(({ kind }) => kind !== "null");
  if (members.length === shape.members.length) return shape;
  return members.length === 1 ? members[0]! : { kind: "union", members };
}
