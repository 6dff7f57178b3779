// Simplifies unions of shapes.

import type { TypeShape } from "../record/type-shape.js";

/**
 * Returns the union of shapes without duplicates. `true | false` becomes `bool`; a single member
 * needs no union.
 */
export function readUnionShape(shapes: readonly TypeShape[]): TypeShape {
  const texts = new Map<string, TypeShape>();
  for (const shape of shapes) texts.set(JSON.stringify(shape), shape);
  const [yes, no] = [true, false].map((value) => JSON.stringify({ kind: "literal", value }));
  if (texts.has(yes!) && texts.has(no!)) {
    const merged: [string, TypeShape][] = [...texts].map(([text, shape]) =>
      text === yes || text === no ? ["bool", { kind: "bool" }] : [text, shape],
    );
    return collapse(new Map(merged));
  }
  return collapse(texts);
}

function collapse(members: ReadonlyMap<string, TypeShape>): TypeShape {
  const candidates = [...members.values()];
  if (candidates.some((shape) => shape.kind === "json")) return { kind: "json" };
  const shapes = candidates.filter((shape) => !candidates.some((other) => contains(other, shape)));
  return shapes.length === 1 ? shapes[0]! : { kind: "union", members: shapes };
}

/**
 * Returns whether a scalar contains every value of another: `float` contains `int`, and Uint8Array
 * contains Buffer.
 */
function contains(outer: TypeShape, inner: TypeShape): boolean {
  const value = inner.kind === "literal" ? inner.value : undefined;
  switch (outer.kind) {
    case "float":
      return inner.kind === "int" || typeof value === "number";
    case "int":
      return Number.isSafeInteger(value);
    case "str":
      return inner.kind === "pattern" || typeof value === "string";
    case "limited":
      if (outer.isBuffer) return false;
      return JSON.stringify({ ...outer, isBuffer: true }) === JSON.stringify(inner);
    default:
      return false;
  }
}
