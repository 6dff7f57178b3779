// A drawing as an SVG file, with the colors of the present theme.

import { clipForDisplay } from "../data/text.js";
import { readColor } from "../parts/read-color.js";
import { chooseLook, type GraphInfo, shapeCorners } from "./graph-info.js";
import type { Point } from "./layout.js";
import { isOnPath, type Subgraph } from "./subgraph.js";

const RADIUS = 6;
const MAX_NAME = 30;

function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`);
}

/** @param positions of the vertices in points */
export function formatSvg(
  { ids, arcs, types, path }: Subgraph,
  positions: ReadonlyMap<string, Point>,
  info: GraphInfo,
  size: { readonly width: number; readonly height: number },
): string {
  const lines = arcs.flatMap((arc) => {
    const { from, to, relationship } = arc;
    const [a, b] = [positions.get(from), positions.get(to)];
    if (a === undefined || b === undefined) return [];
    const color = readColor(`--c${chooseLook(info.relationships, relationship).color}`);
    const look = isOnPath(arc, path) ? `stroke-width="3"` : `opacity="0.6"`;
    return [`<path d="M${a.x} ${a.y}L${b.x} ${b.y}" stroke="${color}" ${look}/>`];
  });
  const marks = ids.flatMap((id) => {
    const position = positions.get(id);
    // Not drawn yet.
    if (position === undefined) return [];
    const { x, y } = position;
    const look = chooseLook(info.types, types.get(id) ?? "");
    const fill = readColor(`--c${look.color}`);
    const corners = shapeCorners(look.shape, x, y, RADIUS);
    const shape =
      corners.length === 0
        ? `<circle cx="${x}" cy="${y}" r="${RADIUS}" fill="${fill}"/>`
        : `<polygon points="${corners.map((xy) => xy.join(",")).join(" ")}" fill="${fill}"/>`;
    const name = escapeXml(clipForDisplay(id, MAX_NAME));
    return `${shape}<text x="${x + 9}" y="${y + 4}" fill="${readColor("--text")}">${name}</text>`;
  });
  const box = `viewBox="0 0 ${size.width} ${size.height}" font-family="sans-serif" font-size="11"`;
  const ground = `<rect width="100%" height="100%" fill="${readColor("--card")}"/>`;
  const content = [ground, ...lines, ...marks].join("\n");
  return `<svg xmlns="http://www.w3.org/2000/svg" ${box}>\n${content}\n</svg>\n`;
}
