// Arrow keys in a drawing: from one mark to the next in a direction of the screen.

import type { Point } from "./layout.js";

const DIRECTIONS: ReadonlyMap<string, Point> = new Map([
  ["ArrowLeft", { x: -1, y: 0 }],
  ["ArrowRight", { x: 1, y: 0 }],
  ["ArrowUp", { x: 0, y: -1 }],
  ["ArrowDown", { x: 0, y: 1 }],
]);
/** Cosine of the angle to either side in which a mark still lies in the direction. */
const MIN_COSINE = Math.cos(Math.PI / 3);

/**
 * Returns the mark that an arrow key leads to: near, and straight ahead; null for other keys and
 * at the edge.
 */
export function stepTo(
  positions: ReadonlyMap<string, Point>,
  from: string,
  key: string,
): string | null {
  const direction = DIRECTIONS.get(key);
  const start = positions.get(from);
  if (direction === undefined || start === undefined) return null;
  let found: string | null = null;
  let lowestCost = Number.POSITIVE_INFINITY;
  for (const [id, { x, y }] of positions) {
    const [dx, dy] = [x - start.x, y - start.y];
    const distance = Math.hypot(dx, dy);
    if (id === from || distance === 0) continue;
    const cosine = (dx * direction.x + dy * direction.y) / distance;
    if (cosine < MIN_COSINE) continue;
    const cost = distance / cosine;
    if (cost >= lowestCost) continue;
    lowestCost = cost;
    found = id;
  }
  return found;
}
