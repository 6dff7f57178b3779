// Scales of plots: round values on the left, times below.

import { clockTime } from "../data/text.js";

export const PLOT = { width: 560, height: 186, left: 44, right: 6, top: 10, bottom: 22 } as const;

/** Returns the upper end of a scale with four equal steps of round numbers. */
export function niceMax(max: number): number {
  if (!(max > 0)) return 4;
  const step = max / 4;
  const power = 10 ** Math.floor(Math.log10(step));
  const factor = [1, 2, 2.5, 5, 10].find((candidate) => candidate * power >= step * 0.999) ?? 10;
  return 4 * factor * power;
}

export function toY(value: number, max: number): number {
  const { top, bottom, height } = PLOT;
  return top + (height - top - bottom) * (1 - Math.min(1, value / max));
}

/** @param count number of points, the last of which is at the right end */
export function toX(index: number, count: number): number {
  const { left, right, width } = PLOT;
  return left + ((width - left - right) * index) / Math.max(1, count - 1);
}

/** Returns the offsets of up to five times to show below the plot. */
export function timeMarks(count: number): readonly number[] {
  if (count < 2) return [];
  const marks = Math.min(5, count);
  return Array.from({ length: marks }, (_, mark) => Math.round((mark * (count - 1)) / (marks - 1)));
}

/** @param atS seconds since 1970 */
export function timeText(atS: number, spanS: number): string {
  const text = clockTime(atS * 1000);
  return spanS > 1800 ? text.slice(0, 5) : text;
}

/** Returns the path through the known values, with gaps at unknown ones. */
export function linePath(values: readonly (number | null)[], max: number): string {
  let isDrawing = false;
  return values
    .map((value, index) => {
      if (value === null) {
        isDrawing = false;
        return "";
      }
      const command = isDrawing ? "L" : "M";
      isDrawing = true;
      return `${command}${toX(index, values.length).toFixed(1)} ${toY(value, max).toFixed(1)}`;
    })
    .join("");
}

/** Returns the path around the area between two lines. */
export function bandPath(low: readonly number[], high: readonly number[], max: number): string {
  const point = (value: number, index: number) =>
    `${toX(index, high.length).toFixed(1)} ${toY(value, max).toFixed(1)}`;
  const back = low.map(point).reverse();
  return `M${high.map(point).join("L")}L${back.join("L")}Z`;
}
