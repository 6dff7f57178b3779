// Force-directed layout: arcs attract, vertices repel, and placed vertices move little when others
// arrive. Deterministic: the same input gives the same picture.

export interface Point {
  x: number;
  y: number;
}

const ROUNDS = 80;
/** Preferred distance of two vertices with an arc. */
const LENGTH = 1;
const MIN_DISTANCE = 0.01;
/** Share of the distance to its preferred position that a vertex moves in a round. */
const PULL = 0.12;
const PUSH = 0.08;
/** Range of the repulsion. */
const REACH = 4;
/** Maximum step in the first round; it shrinks to almost zero. */
const MAX_STEP = 0.5;
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));

/**
 * Places of all ids.
 * @param arcs pairs of ids
 * @param before known positions; other vertices start beside a neighbor
 */
export function layoutPositions(
  ids: readonly string[],
  arcs: readonly (readonly [string, string])[],
  before: ReadonlyMap<string, Point>,
): ReadonlyMap<string, Point> {
  const known = ids.flatMap((id) => {
    const position = before.get(id);
    return position === undefined ? [] : [[id, { ...position }] as const];
  });
  const begun = beginnings(ids, arcs, new Map(known));
  const positions = new Map(ids.map((id) => [id, begun.get(id)!]));
  const links = arcs.flatMap(([from, to]) => {
    const [a, b] = [positions.get(from), positions.get(to)];
    return a === undefined || b === undefined || a === b ? [] : [[a, b] as const];
  });
  const all = [...positions.values()];
  for (let round = 0; round < ROUNDS; round++) relax(all, links, MAX_STEP * (1 - round / ROUNDS));
  return positions;
}

/** Places new vertices around a vertex with which they have an arc, in their order. */
function beginnings(
  ids: readonly string[],
  arcs: readonly (readonly [string, string])[],
  positions: ReadonlyMap<string, Point>,
): ReadonlyMap<string, Point> {
  const neighbors = new Map<string, string[]>(ids.map((id) => [id, []]));
  for (const [a, b] of arcs) {
    if (!neighbors.has(a) || !neighbors.has(b)) continue;
    neighbors.get(a)!.push(b);
    neighbors.get(b)!.push(a);
  }
  const found = new Map(positions);
  let next = 0;
  const queue = [...positions.keys()];
  while (found.size < ids.length) {
    const center = queue.shift() ?? ids.find((id) => !found.has(id))!;
    const angle = next++ * GOLDEN_ANGLE;
    if (!found.has(center)) found.set(center, { x: Math.cos(angle), y: Math.sin(angle) });
    const { x, y } = found.get(center)!;
    const around = new Set(neighbors.get(center)!.filter((id) => !found.has(id)));
    let rank = 0;
    for (const id of around) {
      const turn = angle + (2 * Math.PI * rank) / around.size;
      const far = LENGTH * (1 + (rank++ % 7) / 20);
      found.set(id, { x: x + Math.cos(turn) * far, y: y + Math.sin(turn) * far });
      queue.push(id);
    }
  }
  return found;
}

function relax(
  all: readonly Point[],
  links: readonly (readonly [Point, Point])[],
  maxStep: number,
): void {
  const moves = new Map<Point, Point>(all.map((point) => [point, { x: 0, y: 0 }]));
  const move = (a: Point, b: Point, share: number): void => {
    const [dx, dy] = [b.x - a.x, b.y - a.y];
    const [ma, mb] = [moves.get(a)!, moves.get(b)!];
    ma.x += dx * share;
    ma.y += dy * share;
    mb.x -= dx * share;
    mb.y -= dy * share;
  };
  for (let first = 0; first < all.length; first++) {
    for (let second = first + 1; second < all.length; second++) {
      const [a, b] = [all[first]!, all[second]!];
      const distance = Math.max(MIN_DISTANCE, Math.hypot(b.x - a.x, b.y - a.y));
      if (distance < REACH) move(a, b, -PUSH / (distance * distance));
    }
  }
  for (const [a, b] of links) {
    const distance = Math.max(MIN_DISTANCE, Math.hypot(b.x - a.x, b.y - a.y));
    move(a, b, PULL * (1 - LENGTH / distance));
  }
  for (const [point, { x, y }] of moves) {
    const length = Math.hypot(x, y);
    const factor = length > maxStep ? maxStep / length : 1;
    point.x += x * factor;
    point.y += y * factor;
  }
}
