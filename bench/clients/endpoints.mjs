// Endpoints that tRPC and Hono serve: parameters and results of `lib/made-plugins.mjs`, described
// with zod as both recommend, ten endpoints per file.

/** Names of the files, and of the endpoints of a file. */
export function fileNames(count) {
  return Array.from({ length: count }, (_, at) => `made${String(at).padStart(3, "0")}`);
}

/** @param {(name: string, at: number) => string} print */
export function printEndpoints(file, print) {
  return Array.from({ length: 10 }, (_, at) => print(`${file}x${at}`, at)).join("");
}

/** Types shared by all endpoints, and a function that returns their result. */
export const TYPES = `import { z } from "zod";

export const Color = z.enum(["red", "green", "blue"]);

export enum Order {
  Ascending = "asc",
  Descending = "desc",
}

export const Point = z.object({ x: z.number(), y: z.number(), label: z.string().optional() });

export const Shape = z.object({
  name: z.string(),
  color: Color,
  points: z.array(Point),
  get parent() {
    return Shape.optional();
  },
});
export type Shape = z.infer<typeof Shape>;

export interface Page<T> {
  readonly items: readonly T[];
  readonly total: number;
}
`;

/** Returns the schema of the parameters of endpoint `at`. */
export const printInput = (at) => `z.object({
      q: z.string(),
      n: z.number().int().default(${at + 1}),
      ratio: z.number().default(0.5),
      color: Color.default("red"),
      order: z.enum(Order).default(Order.Ascending),
      origin: Point.default({ x: 0, y: 0 }),
      shapes: z.array(Shape).default([]),
      exact: z.enum(["yes", "no"]).optional(),
    })`;

/** Statements that compute `page` from `input`. */
export const BODY = `const { q, n, ratio, color, order, origin, shapes, exact } = input;
      const items = shapes.filter(({ name }) => (exact === "yes" ? name === q : name.includes(q)));
      const total = items.length + origin.x * ratio * (order === Order.Ascending ? 1 : -1);
      const page: Page<Shape> = {
        items: items.filter((shape) => shape.color === color).slice(0, n),
        total,
      };`;

/** Imports from `TYPES` for every file of endpoints. */
export const IMPORTS = `import { z } from "zod";
import { Color, Order, type Page, Point, Shape } from "./types.js";
`;
