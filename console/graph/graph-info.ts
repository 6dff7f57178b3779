// Types and relationships of a graph in the order of their codes, so that their appearance is
// stable: types have a color and a shape, relationships a color.

import { fetchValue } from "../data/client.js";
import { entriesAt } from "../data/node-stat.js";

export interface NamedCount {
  readonly name: string;
  readonly count: number;
}

export interface GraphInfo {
  readonly types: readonly NamedCount[];
  readonly relationships: readonly NamedCount[];
}

/** Further ones share the last color. */
const MAX_COLORS = 8;
const SHAPES = ["circle", "square", "diamond", "triangle", "hexagon"] as const;
export type Shape = (typeof SHAPES)[number];

export interface Look {
  /** 1 to 8. */
  readonly color: number;
  readonly shape: Shape;
}

/** @throws Error */
export async function loadGraphInfo(graph: string): Promise<GraphInfo> {
  const info = await fetchValue(`svc/builtin/graphinfo?${new URLSearchParams({ graph })}`);
  return { types: read(info, "vertex_type"), relationships: read(info, "relationship") };
}

/** The codec of a kind: number and count by name. */
function read(info: unknown, kind: string): readonly NamedCount[] {
  return entriesAt(info, "enum", kind, "codec")
    .map(([name, pair]) => {
      const [number, count] = Array.isArray(pair) ? pair : [];
      return { name, number: Number(number ?? 0), count: Number(count ?? 0) };
    })
    .sort((a, b) => a.number - b.number);
}

/** Returns the color and shape of a type or relationship; unknown ones look like the last. */
export function chooseLook(all: readonly NamedCount[], name: string): Look {
  const found = all.findIndex((graph) => graph.name === name);
  const index = found < 0 ? MAX_COLORS - 1 : Math.min(found, MAX_COLORS - 1);
  return { color: index + 1, shape: SHAPES[index % SHAPES.length]! };
}

/** Corners of a shape around a point; empty for a circle. */
export function shapeCorners(
  shape: Shape,
  x: number,
  y: number,
  radius: number,
): [number, number][] {
  const sides = { circle: 0, square: 4, diamond: 4, triangle: 3, hexagon: 6 }[shape];
  const turn = shape === "square" ? Math.PI / 4 : -Math.PI / 2;
  return Array.from({ length: sides }, (_, side) => {
    const angle = turn + (2 * Math.PI * side) / sides;
    return [x + 1.2 * radius * Math.cos(angle), y + 1.2 * radius * Math.sin(angle)];
  });
}
