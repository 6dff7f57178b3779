// Unions of shapes in their simplest form.

import type { TypeShape } from "../record/type-shape.js";

/** The members without repetition; `true | false` is `bool`, and one member is no union. */
export function unionOf(shapes: readonly TypeShape[]): TypeShape {
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
  const shapes = [...members.values()];
  if (shapes.some((shape) => shape.kind === "json")) return { kind: "json" };
  return shapes.length === 1 ? shapes[0]! : { kind: "union", members: shapes };
}
