// Positions of the map: columns for clients, dispatchers, replicas and builders, a lane for each
// partition. The same topology gives the same picture.

import type { Topology } from "../../data/topology.js";

export const BOX_WIDTH = 164;
export const BOX_HEIGHT = 58;
export const MAP_WIDTH = 880;
const GAP = 30;
const ROW = BOX_HEIGHT + GAP;
const LANE_HEAD = 32;
const LANE_FOOT = 18;
const X = { clients: 10, dispatchers: 130, lane: 388, replicas: 402, builders: 690 } as const;

export interface Box {
  readonly x: number;
  readonly y: number;
}

export interface LaneBox extends Box {
  readonly title: string;
  readonly height: number;
  readonly width: number;
}

export interface MapLayout {
  readonly height: number;
  readonly clients: Box;
  /** By instance. */
  readonly boxes: ReadonlyMap<string, Box>;
  readonly lanes: readonly LaneBox[];
}

export function layoutMap({ dispatchers, lanes, others }: Topology): MapLayout {
  const boxes = new Map<string, Box>();
  const laneBoxes: LaneBox[] = [];
  let y = 0;
  for (const { title, replicas, builders } of lanes) {
    const rows = Math.max(replicas.length, builders.length, 1);
    const height = LANE_HEAD + rows * ROW - GAP + LANE_FOOT;
    stack(boxes, replicas, X.replicas, y + LANE_HEAD, rows);
    stack(boxes, builders, X.builders, y + LANE_HEAD, rows);
    laneBoxes.push({ title, x: X.lane, y, height, width: MAP_WIDTH - X.lane - 4 });
    y += height + 12;
  }
  const left = dispatchers.length + others.length;
  const height = Math.max(y - 12, left * ROW + 10, 140);
  const free = height - others.length * ROW;
  const top = Math.max(0, (free - dispatchers.length * ROW + GAP) / 2);
  stack(boxes, dispatchers, X.dispatchers, top, dispatchers.length);
  stack(boxes, others, X.dispatchers, height - others.length * ROW + GAP - 4, others.length);
  const middle = top + (dispatchers.length * ROW - GAP - BOX_HEIGHT) / 2;
  return { height, clients: { x: X.clients, y: Math.max(0, middle) }, boxes, lanes: laneBoxes };
}

/** One below the other, in the middle of a number of rows. */
function stack(
  boxes: Map<string, Box>,
  members: readonly { readonly id: string }[],
  x: number,
  top: number,
  rows: number,
): void {
  const start = top + ((rows - members.length) * ROW) / 2;
  members.forEach(({ id }, index) => {
    boxes.set(id, { x, y: start + index * ROW });
  });
}

/** A curve from the right of one box to the left of another. */
export function curve(fromX: number, fromY: number, toX: number, toY: number): string {
  const middle = (fromX + toX) / 2;
  return `M${fromX} ${fromY}C${middle} ${fromY} ${middle} ${toY} ${toX} ${toY}`;
}
