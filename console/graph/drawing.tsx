// A subgraph as an image: a click selects a vertex, a double click adds its neighbors. The table
// next to it has the same content, and buttons serve keyboards.

import { useEffect, useMemo, useRef } from "preact/hooks";
import { downloadFile } from "../data/download.js";
import { clipForDisplay, count } from "../data/text.js";
import { Icon } from "../parts/icon.js";
import { readColor } from "../parts/read-color.js";
import { theme } from "../theme.js";
import { chooseLook, type GraphInfo, type Look, shapeCorners } from "./graph-info.js";
import { layoutPositions, type Point } from "./layout.js";
import { Legend } from "./legend.js";
import type { Subgraph } from "./subgraph.js";
import { formatSvg } from "./svg-export.js";

const MARGIN_X = 80;
const MARGIN_Y = 30;
const MAX_NAME = 18;
/** With more of them, names would hide each other. */
const MAX_NAMED = 120;
const MAX_ARCS_NAMED = 40;
const HIT_DISTANCE = 14;
const HEAD = 6;
const RING = 12;

interface DrawingProps {
  readonly picture: Subgraph;
  /** The one in the middle of attention. */
  readonly anchor: string;
  readonly info: GraphInfo;
  readonly onExpand: (id: string) => void;
}

export function Drawing({ picture, anchor, info, onExpand }: DrawingProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const before = useRef<ReadonlyMap<string, Point>>(new Map());
  const shade = theme.value;
  const { ids, arcs, left } = picture;
  const places = useMemo(() => {
    const arcs = picture.arcs.map(({ from, to }) => [from, to] as const);
    before.current = layoutPositions(picture.ids, arcs, before.current);
    return before.current;
  }, [picture]);
  const seen = useRef<ReadonlyMap<string, Point>>(new Map());
  useEffect(() => {
    const element = canvas.current!;
    const redraw = (): void => {
      seen.current = fitted(places, element.clientWidth, element.clientHeight);
      draw(element, picture, seen.current, { anchor, info });
    };
    const watch = new ResizeObserver(redraw);
    watch.observe(element);
    return () => watch.disconnect();
  }, [places, anchor, shade, info]);
  const save = (): void => {
    const { clientWidth: width, clientHeight: height } = canvas.current!;
    downloadFile(formatSvg(picture, seen.current, info, { width, height }), "graph.svg");
  };
  return (
    <div class="card canvas">
      <div class="float tools">
        <button type="button" class="btn icon" aria-label="Undo" onClick={() => history.back()}>
          <Icon name="undo" />
        </button>
        <button type="button" class="btn icon" aria-label="Save as SVG" onClick={save}>
          <Icon name="get" />
        </button>
      </div>
      <Legend info={info} types={ids.map((id) => picture.types.get(id) ?? "")} />
      <canvas
        class="drawing"
        ref={canvas}
        role="img"
        aria-label={`${clipForDisplay(anchor)} among ${count(ids.length)} vertices and ${count(
          arcs.length,
        )} arcs, which the table lists`}
        onDblClick={(event) => {
          const id = hit(seen.current, event.offsetX, event.offsetY);
          if (id !== null) onExpand(id);
        }}
      />
      <p class="soft s none">
        A double click adds the neighbors of a vertex.
        {left > 0 && ` ${count(left)} more are listed in the tables only.`}
      </p>
    </div>
  );
}

/** The same places in points of the screen. */
function fitted(
  places: ReadonlyMap<string, Point>,
  width: number,
  height: number,
): ReadonlyMap<string, Point> {
  const all = [...places.values()];
  const bounds = (of: (point: Point) => number): readonly [number, number] => {
    const values = all.map(of);
    return [Math.min(...values), Math.max(...values)];
  };
  const [left, right] = bounds(({ x }) => x);
  const [top, bottom] = bounds(({ y }) => y);
  const scale = (value: number, from: number, to: number, size: number, margin: number): number =>
    to - from < 1e-6 ? size / 2 : margin + ((value - from) / (to - from)) * (size - 2 * margin);
  return new Map(
    [...places].map(([id, { x, y }]) => [
      id,
      { x: scale(x, left, right, width, MARGIN_X), y: scale(y, top, bottom, height, MARGIN_Y) },
    ]),
  );
}

function hit(places: ReadonlyMap<string, Point>, x: number, y: number): string | null {
  let found: string | null = null;
  let nearest = HIT_DISTANCE;
  for (const [id, point] of places) {
    const distance = Math.hypot(point.x - x, point.y - y);
    if (distance >= nearest) continue;
    nearest = distance;
    found = id;
  }
  return found;
}

function draw(
  canvas: HTMLCanvasElement,
  { ids, arcs, types }: Subgraph,
  places: ReadonlyMap<string, Point>,
  { anchor, info }: { readonly anchor: string; readonly info: GraphInfo },
): void {
  canvas.width = canvas.clientWidth * devicePixelRatio;
  canvas.height = canvas.clientHeight * devicePixelRatio;
  const paint = canvas.getContext("2d")!;
  paint.scale(devicePixelRatio, devicePixelRatio);
  paint.font = "12px system-ui, sans-serif";
  paint.textAlign = "center";
  paint.strokeStyle = readColor("--soft");
  paint.fillStyle = readColor("--soft");
  const named: [text: string, at: Point][] = [];
  for (const { from, to, relationship, value } of arcs) {
    const [a, b] = [places.get(from), places.get(to)];
    if (a === undefined || b === undefined) continue;
    paint.strokeStyle = readColor(`--c${chooseLook(info.relationships, relationship).color}`);
    arrow(paint, a, b, radiusOf(to, anchor));
    if (arcs.length > MAX_ARCS_NAMED) continue;
    const middle = { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
    named.push([clipForDisplay(`${relationship} ${value}`, MAX_NAME), middle]);
  }
  // After all lines, and on ground of their own: names are read, not crossed out.
  paint.fillStyle = readColor("--soft");
  paint.strokeStyle = readColor("--card");
  paint.lineWidth = 5;
  for (const [text, { x, y }] of named) {
    paint.strokeText(text, x, y + 4);
    paint.fillText(text, x, y + 4);
  }
  for (const id of ids) {
    const { x, y } = places.get(id)!;
    const look = chooseLook(info.types, types.get(id) ?? "");
    paint.fillStyle = readColor(`--c${look.color}`);
    drawShape(paint, look, { x, y }, radiusOf(id, anchor));
    if (id === anchor) drawRing(paint, { x, y });
    if (ids.length > MAX_NAMED && id !== anchor) continue;
    paint.fillStyle = readColor("--text");
    paint.fillText(
      id.length > MAX_NAME ? `${clipForDisplay(id.slice(0, MAX_NAME))}…` : clipForDisplay(id),
      x,
      y - (id === anchor ? 16 : 9),
    );
  }
}

function drawShape(
  paint: CanvasRenderingContext2D,
  { shape }: Look,
  { x, y }: Point,
  radius: number,
): void {
  paint.beginPath();
  const corners = shapeCorners(shape, x, y, radius);
  if (corners.length === 0) paint.arc(x, y, radius, 0, 2 * Math.PI);
  for (const [cornerX, cornerY] of corners) paint.lineTo(cornerX, cornerY);
  paint.closePath();
  paint.fill();
}

/** The chosen vertex has a ring, too: its type has the color. */
function drawRing(paint: CanvasRenderingContext2D, { x, y }: Point): void {
  paint.strokeStyle = readColor("--text");
  paint.lineWidth = 2;
  paint.beginPath();
  paint.arc(x, y, RING, 0, 2 * Math.PI);
  paint.stroke();
}

function radiusOf(id: string, anchor: string): number {
  return id === anchor ? 8 : 5;
}

/** From one vertex to the edge of another, with a head there. */
function arrow(paint: CanvasRenderingContext2D, a: Point, b: Point, radius: number): void {
  const angle = Math.atan2(b.y - a.y, b.x - a.x);
  const far = radius + 1;
  const end = { x: b.x - Math.cos(angle) * far, y: b.y - Math.sin(angle) * far };
  paint.beginPath();
  paint.moveTo(a.x, a.y);
  paint.lineTo(end.x, end.y);
  for (const turn of [-0.4, 0.4]) {
    paint.moveTo(end.x, end.y);
    paint.lineTo(end.x - Math.cos(angle + turn) * HEAD, end.y - Math.sin(angle + turn) * HEAD);
  }
  paint.stroke();
}
