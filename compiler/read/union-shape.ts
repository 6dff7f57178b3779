// Simplifies unions of shapes.

import type { TypeShape } from "../record/type-shape.js";

/**
 * Returns the members without repetition; `true | false` becomes `bool`, and a single member is no
 * union.
 */
export function readUnionShape(shapes: readonly TypeShape[]): TypeShape {
  const texts = new Map<string, TypeShape>();
  for (const shape of shapes) texts.set(JSON.stringify(shape), shape);
  const [yes, no] = [true, false].map((value) => JSON.stringify({ kind: "literal", value }));
  if (texts.has(yes!) && texts.has(no!)) {
    const both: [string, TypeShape][] = [...texts].map(([text, shape]) =>
      text === yes || text === no ? ["bool", { kind: "bool" }] : [text, shape],
    );
    return collapse(new Map(both));
  }
  return collapse(texts);
}

function collapse(members: ReadonlyMap<string, TypeShape>): TypeShape {
  const all = [...members.values()];
  if (all.some((shape) => shape.kind === "json")) return { kind: "json" };
  const shapes = all.filter((shape) => !all.some((other) => contains(other, shape)));
  return shapes.length === 1 ? shapes[0]! : { kind: "union", members: shapes };
}

/**
 * Returns true if every value of one scalar is a value of another: an `int` is a `float`, and a
 * Buffer a Uint8Array.
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
