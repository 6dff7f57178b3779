// Latencies over time as a heat map: a column per step, a row per two buckets.

import { count } from "../data/text.js";
import { PLOT, timeMarks, timeText } from "./plot-scale.js";

interface HeatPlotProps {
  readonly title: string;
  readonly times: readonly number[];
  /** Counts by step and bucket. */
  readonly steps: readonly (readonly number[])[];
  readonly boundsMs: readonly number[];
}

/** Number of buckets per row. */
const BUCKETS_PER_ROW = 2;
const MAX_COLUMNS = 60;

export function HeatPlot({ title, times, steps, boundsMs }: HeatPlotProps) {
  const rows = Math.ceil((boundsMs.length + 1) / BUCKETS_PER_ROW);
  const merged = steps.slice(-MAX_COLUMNS).map((step) => mergeRows(step, rows));
  const used = merged.flatMap((step) => step.flatMap((value, row) => (value > 0 ? [row] : [])));
  const top = Math.min(rows - 1, Math.max(4, ...used));
  const maximum = Math.max(1, ...merged.flat());
  const { left, right, top: above, bottom, width, height } = PLOT;
  const tall = (height - above - bottom) / (top + 1);
  const wide = (width - left - right) / Math.max(1, merged.length);
  return (
    <section class="card" aria-label={title}>
      <header>
        <h2>{title}</h2>
        <span class="end soft s">stronger is more</span>
      </header>
      <div class="body">
        <svg
          class="plot"
          viewBox={`0 0 ${width} ${height}`}
          role="img"
          aria-label={`${title}: ${count(merged.flat().reduce((a, b) => a + b, 0))} responses`}
        >
          {Array.from({ length: top + 1 }, (_, row) => (
            <text
              key={row}
              x={left - 8}
              y={height - bottom - row * tall - tall / 2 + 4}
              text-anchor="end"
            >
              {row % 2 === 0 ? boundText(boundsMs, row) : ""}
            </text>
          ))}
          {merged.flatMap((step, column) =>
            step
              .slice(0, top + 1)
              .map((value, row) => (
                <rect
                  key={`${column}/${row}`}
                  class={`heat-${heatLevel(value, maximum)}`}
                  x={(left + column * wide).toFixed(1)}
                  y={(height - bottom - (row + 1) * tall).toFixed(1)}
                  width={(wide - 1).toFixed(1)}
                  height={(tall - 1).toFixed(1)}
                  rx="1.5"
                />
              )),
          )}
          {timeMarks(times.length).map((index, mark, all) => (
            <text
              key={mark}
              x={left + ((width - left - right) * index) / Math.max(1, times.length - 1)}
              y={height - 4}
              text-anchor={mark === 0 ? "start" : mark === all.length - 1 ? "end" : "middle"}
            >
              {timeText(times[index]!, times.at(-1)! - times[0]!)}
            </text>
          ))}
        </svg>
      </div>
    </section>
  );
}

function mergeRows(step: readonly number[], rows: number): readonly number[] {
  return Array.from({ length: rows }, (_, row) => {
    return (step[row * BUCKETS_PER_ROW] ?? 0) + (step[row * BUCKETS_PER_ROW + 1] ?? 0);
  });
}

function boundText(boundsMs: readonly number[], row: number): string {
  const bound = boundsMs[Math.min(boundsMs.length - 1, row * BUCKETS_PER_ROW + 1)] ?? 0;
  return bound >= 1000 ? `${count(bound / 1000)} s` : count(bound);
}

/** Returns the step of a count on a logarithmic scale, 0 to 5. */
function heatLevel(value: number, maximum: number): number {
  if (value <= 0) return 0;
  return Math.min(5, 1 + Math.round((4 * Math.log2(1 + value)) / Math.log2(1 + maximum)));
}
