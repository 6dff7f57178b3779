// Paints a subgraph: arcs in the colors of their relationships, vertices in color and shape of
// their types, and the texts for which there is room.

import { clipForDisplay, count } from "../data/text.js";
import { readColor } from "../parts/read-color.js";
import { chooseLook, type GraphInfo, type Look, shapeCorners } from "./graph-info.js";
import { bundleArcs, type Label, LabelSpace, placesAround } from "./labels.js";
import type { Point } from "./layout.js";
import { type Bundle, isOnPath, type Subgraph } from "./subgraph.js";

const MAX_NAME = 24;
const HEAD = 6;
const RING = 12;
const BUNDLE_PAD = 10;
const BUNDLE_HIGH = 24;
/** Part of the way from the vertex in the middle to the other end. */
const ARC_TEXT_AT = 0.6;
/** More arcs are drawn fainter, because they cross. */
const MAX_CLEAR = 60;

interface Scene {
  readonly picture: Subgraph;
  readonly positions: ReadonlyMap<string, Point>;
  readonly anchor: string;
  /** Vertex or bundle that the keyboard is at. */
  readonly active: string;
  readonly info: GraphInfo;
  /** Vertices whose neighbors are drawn. */
  readonly centers: ReadonlySet<string>;
}

export function paintGraph(canvas: HTMLCanvasElement, scene: Scene): void {
  const { clientWidth: width, clientHeight: height } = canvas;
  canvas.width = width * devicePixelRatio;
  canvas.height = height * devicePixelRatio;
  const paint = canvas.getContext("2d")!;
  paint.scale(devicePixelRatio, devicePixelRatio);
  paint.textBaseline = "middle";
  paintArcs(paint, scene);
  const space = new LabelSpace(width, height);
  paintBundles(paint, scene, space);
  for (const id of scene.picture.ids) space.block(scene.positions.get(id)!, radiusOf(id, scene));
  const arcTexts = placeArcTexts(paint, scene, space);
  paintVertices(paint, scene);
  paintTexts(paint, placeNames(paint, scene, space), "--text");
  paint.font = font(450, 10.5);
  paintTexts(paint, arcTexts, "--soft");
}

function font(weight: number, size: number): string {
  return `${weight} ${size}px Inter, system-ui, sans-serif`;
}

function paintArcs(paint: CanvasRenderingContext2D, scene: Scene): void {
  const { picture, positions, info } = scene;
  const alpha = picture.arcs.length > MAX_CLEAR ? 0.45 : 0.7;
  for (const arc of picture.arcs) {
    const { from, to, relationship } = arc;
    const isEmphasized = isOnPath(arc, picture.path);
    paint.globalAlpha = isEmphasized ? 1 : alpha;
    paint.lineWidth = isEmphasized ? 3 : 1.2;
    const [a, b] = [positions.get(from), positions.get(to)];
    if (a === undefined || b === undefined) continue;
    const color = readColor(`--c${chooseLook(info.relationships, relationship).color}`);
    paint.strokeStyle = color;
    paint.fillStyle = color;
    arrow(paint, a, b, to === scene.anchor ? RING : radiusOf(to, scene));
  }
  paint.globalAlpha = 1;
}

function placeArcTexts(
  paint: CanvasRenderingContext2D,
  { picture, positions, centers }: Scene,
  space: LabelSpace,
): readonly Label[] {
  paint.font = font(450, 10.5);
  const named = picture.arcs.filter(({ from, to }) => centers.has(from) || centers.has(to));
  return bundleArcs(named, positions, centers).flatMap(({ text, arc: { from, to } }) => {
    const isIn = centers.has(to);
    const [a, b] = [positions.get(isIn ? to : from), positions.get(isIn ? from : to)];
    if (a === undefined || b === undefined) return [];
    const wide = paint.measureText(text).width;
    const along = [ARC_TEXT_AT, 0.5, 0.7].map((part) => ({
      x: a.x + (b.x - a.x) * part - wide / 2,
      y: a.y + (b.y - a.y) * part,
    }));
    return space.place(text, wide, along) ?? [];
  });
}

/** Arcs that are not shown: one dashed line for each kind, to their number. */
function paintBundles(
  paint: CanvasRenderingContext2D,
  { picture: { bundles }, positions, anchor, active, info }: Scene,
  space: LabelSpace,
): void {
  const start = positions.get(anchor);
  paint.font = font(500, 11);
  for (const bundle of bundles) {
    const { key, kind } = bundle;
    const end = positions.get(key);
    if (start === undefined || end === undefined) continue;
    const text = bundleText(bundle);
    const wide = paint.measureText(text).width;
    const left = end.x - wide / 2 - BUNDLE_PAD;
    paint.setLineDash([4, 3]);
    paint.lineWidth = key === active ? 2 : 1.2;
    paint.strokeStyle = readColor(`--c${chooseLook(info.relationships, kind.relationship).color}`);
    paint.beginPath();
    paint.moveTo(start.x, start.y);
    paint.lineTo(end.x, end.y);
    paint.stroke();
    paint.fillStyle = readColor("--over");
    if (key === active) paint.strokeStyle = readColor("--accent");
    paint.beginPath();
    paint.roundRect(left, end.y - BUNDLE_HIGH / 2, wide + 2 * BUNDLE_PAD, BUNDLE_HIGH, 12);
    paint.fill();
    paint.stroke();
    paint.setLineDash([]);
    paint.fillStyle = readColor("--text");
    paint.fillText(text, left + BUNDLE_PAD, end.y);
    for (const x of [left + BUNDLE_HIGH / 2, end.x, end.x + wide / 2]) {
      space.block({ x, y: end.y }, BUNDLE_HIGH / 2);
    }
  }
}

/** The number of arcs that are not shown, such as `+ 62,984 ← bought`. */
export function bundleText({ rest, kind: { direction, relationship } }: Bundle): string {
  const name = clipForDisplay(relationship, MAX_NAME);
  return `+ ${count(rest)} ${direction === "D_IN" ? `← ${name}` : `${name} →`}`;
}

function paintVertices(paint: CanvasRenderingContext2D, scene: Scene): void {
  const { picture, positions, anchor, info } = scene;
  for (const id of picture.ids) {
    const position = positions.get(id)!;
    const look = chooseLook(info.types, picture.types.get(id) ?? "");
    paint.fillStyle = readColor(`--c${look.color}`);
    drawShape(paint, look, position, radiusOf(id, scene));
    if (id === anchor || id === scene.active) drawRing(paint, position, id === anchor);
  }
}

/** Names of the vertex in the middle first; others where they hide nothing. */
function placeNames(
  paint: CanvasRenderingContext2D,
  scene: Scene,
  space: LabelSpace,
): readonly Label[] {
  const { picture, positions, anchor } = scene;
  paint.font = font(500, 11);
  const first = new Set([...scene.centers, ...picture.path]);
  const isBefore = (id: string) => (id === anchor ? 0 : first.has(id) ? 1 : 2);
  const ids = [...picture.ids].sort((a, b) => isBefore(a) - isBefore(b));
  return ids.flatMap((id) => {
    const text = shortName(id);
    const wide = paint.measureText(text).width;
    const radius = id === anchor ? RING : radiusOf(id, scene);
    const around = placesAround(positions.get(id)!, radius, wide);
    return space.place(text, wide, around) ?? [];
  });
}

export function shortName(id: string): string {
  return id.length > MAX_NAME ? `${clipForDisplay(id.slice(0, MAX_NAME))}…` : clipForDisplay(id);
}

/** Paints labels on a background, so that arcs do not cross them. */
function paintTexts(
  paint: CanvasRenderingContext2D,
  labels: readonly Label[],
  color: string,
): void {
  paint.fillStyle = readColor(color);
  paint.strokeStyle = readColor("--card");
  paint.lineWidth = 4;
  paint.lineJoin = "round";
  for (const { text, x, y } of labels) {
    paint.strokeText(text, x, y);
    paint.fillText(text, x, y);
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

/** Marks the selected vertex by a ring, because the color shows its type. */
function drawRing(paint: CanvasRenderingContext2D, { x, y }: Point, isAnchor: boolean): void {
  paint.strokeStyle = readColor(isAnchor ? "--text" : "--accent");
  paint.lineWidth = 2;
  paint.beginPath();
  paint.arc(x, y, RING, 0, 2 * Math.PI);
  paint.stroke();
}

function radiusOf(id: string, { anchor, picture }: Scene): number {
  if (id === anchor) return 8;
  return picture.ids.length > 200 ? 4 : 5.5;
}

/** From one vertex to the edge of another, with a head there. */
function arrow(paint: CanvasRenderingContext2D, a: Point, b: Point, radius: number): void {
  const angle = Math.atan2(b.y - a.y, b.x - a.x);
  const far = radius + 1;
  const end = { x: b.x - Math.cos(angle) * far, y: b.y - Math.sin(angle) * far };
  paint.beginPath();
  paint.moveTo(a.x, a.y);
  paint.lineTo(end.x, end.y);
  paint.stroke();
  paint.beginPath();
  paint.moveTo(end.x, end.y);
  for (const turn of [-0.4, 0.4]) {
    paint.lineTo(end.x - Math.cos(angle + turn) * HEAD, end.y - Math.sin(angle + turn) * HEAD);
  }
  paint.closePath();
  paint.fill();
}
