// Sources of projects with many plugins, for the benchmarks of the compiler.

/**
 * Returns the files of a project: `files` modules of ten plugins each, eight parameters per plugin,
 * with types from a shared module.
 * @returns {Record<string, string>} by path
 */
export function madePlugins(files) {
  const made = { "types.ts": TYPES };
  for (let file = 0; file < files; file++) {
    const name = String(file).padStart(3, "0");
    const plugins = Array.from({ length: 10 }, (_, at) => plugin(`made${name}x${at}`, at));
    made[`plugins/made${name}.ts`] = HEADER + plugins.join("");
  }
  return made;
}

const TYPES = `import type { int, str } from "svc-server";

export type Color = "red" | "green" | "blue";

export enum Order {
  Ascending = "asc",
  Descending = "desc",
}

export interface Point {
  readonly x: number;
  readonly y: number;
  readonly label?: str;
}

export interface Shape {
  readonly name: str;
  readonly color: Color;
  readonly points: readonly Point[];
  readonly parent?: Shape;
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly total: int;
}
`;

const HEADER = `import type { float, int, PluginRequest, str } from "svc-server";
import { type Color, Order, type Page, type Point, type Shape } from "../types.js";

`;

function plugin(name, at) {
  return `/**
 * Makes page ${at} of what matches.
 *
 * @plugin
 * @param q what is looked for
 * @param n how many at most
 */
export function ${name}(
  _request: PluginRequest,
  q: str,
  n: int = ${at + 1},
  ratio: float = 0.5,
  color: Color = "red",
  order: Order = Order.Ascending,
  origin: Point = { x: 0, y: 0 },
  shapes: readonly Shape[] = [],
  exact?: "yes" | "no",
): Page<Shape> {
  const items = shapes.filter(({ name }) => (exact === "yes" ? name === q : name.includes(q)));
  const total = items.length + origin.x * ratio * (order === Order.Ascending ? 1 : -1);
  return { items: items.filter((shape) => shape.color === color).slice(0, n), total };
}

`;
}
