// Places the labels of a drawing, the names of vertices and of bundles of arcs, without overlaps.

import { clipForDisplay, count } from "../data/text.js";
import type { Point } from "./layout.js";
import type { DrawnArc } from "./subgraph.js";

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export interface Label {
  readonly text: string;
  /** Left end of its line, and the middle of its height. */
  readonly x: number;
  readonly y: number;
}

const HEIGHT = 14;
const GAP = 4;

/** Keeps texts apart within a drawing. */
export class LabelSpace {
  readonly #taken: Box[] = [];
  readonly #width: number;
  readonly #height: number;

  constructor(width: number, height: number) {
    this.#width = width;
    this.#height = height;
  }

  /** Reserves the area of a mark. */
  block({ x, y }: Point, radius: number): void {
    this.#taken.push({ left: x - radius, top: y - radius, right: x + radius, bottom: y + radius });
  }

  /** Reserves and returns the first free area in a list; null if all are occupied. */
  place(text: string, wide: number, candidates: readonly Point[]): Label | null {
    for (const { x, y } of candidates) {
      const box = { left: x, top: y - HEIGHT / 2, right: x + wide, bottom: y + HEIGHT / 2 };
      const isInside =
        box.left >= 0 && box.right <= this.#width && box.top >= 0 && box.bottom <= this.#height;
      if (!isInside || this.#taken.some((taken) => overlap(taken, box))) continue;
      this.#taken.push(box);
      return { text, x, y };
    }
    return null;
  }
}

function overlap(a: Box, b: Box): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

/** Places of a vertex's name: beside it, above, below. */
export function placesAround({ x, y }: Point, radius: number, wide: number): readonly Point[] {
  const far = radius + GAP;
  return [
    { x: x + far, y },
    { x: x - far - wide, y },
    { x: x - wide / 2, y: y - far - HEIGHT / 2 },
    { x: x - wide / 2, y: y + far + HEIGHT / 2 },
  ];
}

export interface Bundle {
  readonly text: string;
  /** The arc that carries the text. */
  readonly arc: DrawnArc;
}

const MAX_NAME = 24;

/** Arcs of one relationship from or to one vertex: their number, or the value of a single one. */
export function bundleArcs(
  arcs: readonly DrawnArc[],
  positions: ReadonlyMap<string, Point>,
  centers: ReadonlySet<string>,
): readonly Bundle[] {
  const groups = new Map<string, { center: string; arcs: DrawnArc[] }>();
  for (const arc of arcs) {
    const center = centers.has(arc.to) ? arc.to : arc.from;
    const key = JSON.stringify([center, arc.to === center, arc.relationship]);
    const group = groups.get(key) ?? { center, arcs: [] };
    group.arcs.push(arc);
    groups.set(key, group);
  }
  return [...groups.values()].map(({ center, arcs: members }) => {
    const { x: midX, y: midY } = positions.get(center) ?? { x: 0, y: 0 };
    const angle = ({ from, to }: DrawnArc): number => {
      const { x, y } = positions.get(from === center ? to : from) ?? { x: 0, y: 0 };
      return Math.atan2(y - midY, x - midX);
    };
    const sorted = [...members].sort((a, b) => angle(a) - angle(b));
    const arc = sorted[Math.floor(sorted.length / 2)]!;
    const name = clipForDisplay(arc.relationship, MAX_NAME);
    const label = members.length === 1 ? count(arc.value) : `×${count(members.length)}`;
    return { arc, text: arc.to === center ? `← ${name} ${label}` : `${name} ${label} →` };
  });
}
