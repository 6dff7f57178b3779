// A plot over time as lines, stacked areas or bars, in a card with a legend. The label of the image
// contains the latest values.

import type { ComponentChildren } from "preact";
import { count } from "../data/text.js";
import { Key } from "./key.js";
import { bandPath, linePath, niceMax, PLOT, timeMarks, timeText, toX, toY } from "./plot-scale.js";

export interface PlotLine {
  readonly title: string;
  /** Number of the color, or class of the line. */
  readonly color: number | "p50" | "p95" | "p99" | "e";
  readonly values: readonly (number | null)[];
  /** Value in the legend (default: the last value). */
  readonly value?: string;
}

export interface PlotProps {
  readonly title: string;
  readonly unit: string;
  readonly kind?: "lines" | "stack" | "bars";
  /** Seconds since 1970. */
  readonly times: readonly number[];
  readonly lines: readonly PlotLine[];
  readonly threshold?: number | undefined;
  readonly about?: ComponentChildren;
}

export function Plot(props: PlotProps) {
  const { title, unit, lines, about, kind = "lines" } = props;
  const last = lines.map((line) => `${line.title} ${lastText(line)}`).join(", ");
  return (
    <section class="card" aria-label={title}>
      <header>
        <h2>
          {title}
          <span class="soft">, {unit}</span>
        </h2>
        <span class="end row">
          {about}
          {lines.map((line) => (
            <LegendKey key={line.title} line={line} kind={kind} />
          ))}
        </span>
      </header>
      <div class="body">
        <svg
          class="plot"
          viewBox={`0 0 ${PLOT.width} ${PLOT.height}`}
          role="img"
          aria-label={`${title} in ${unit}: ${last === "" ? "nothing yet" : last}`}
        >
          <Drawn {...props} />
        </svg>
      </div>
    </section>
  );
}

function LegendKey({ line, kind }: { readonly line: PlotLine; readonly kind: string }) {
  const { title, color, value } = line;
  const text = value ?? lastText(line);
  if (kind !== "lines") return <Key title={title} fill={`fill-${color}`} value={text} />;
  return <Key title={title} line={lineClass(color)} value={text} />;
}

function lineClass(color: PlotLine["color"]): string {
  return typeof color === "string" && color !== "e" ? color : `line-${color}`;
}

function lastText({ values }: PlotLine): string {
  const value = values.at(-1) ?? null;
  return value === null ? "–" : count(value);
}

function Drawn({ kind = "lines", times, lines, threshold }: PlotProps) {
  const tops = kind === "stack" ? stackedTops(lines) : lines.map(({ values }) => values);
  const maximum = Math.max(0, ...tops.flat().map((value) => value ?? 0));
  const max = niceMax(Math.max(maximum, threshold ?? 0));
  const span = (times.at(-1) ?? 0) - (times[0] ?? 0);
  return (
    <>
      {[0, 1, 2, 3, 4].map((step) => {
        const value = (max * step) / 4;
        const y = toY(value, max);
        return (
          <g key={step}>
            <path class="grid" d={`M${PLOT.left} ${y}H${PLOT.width - PLOT.right}`} />
            <text x={PLOT.left - 8} y={y + 4} text-anchor="end">
              {count(value)}
            </text>
          </g>
        );
      })}
      {timeMarks(times.length).map((index, mark, all) => (
        <text
          key={mark}
          class={mark % 2 === 0 ? undefined : "minor"}
          x={toX(index, times.length)}
          y={PLOT.height - 4}
          text-anchor={mark === 0 ? "start" : mark === all.length - 1 ? "end" : "middle"}
        >
          {timeText(times[index]!, span)}
        </text>
      ))}
      {kind === "stack" && <Areas lines={lines} tops={tops} max={max} />}
      {kind === "bars" && <Bars lines={lines} max={max} />}
      {kind === "lines" &&
        lines.map(({ title, color, values }) => (
          <path key={title} class={`l ${lineClass(color)}`} d={linePath(values, max)} />
        ))}
      {threshold !== undefined && (
        <path class="thr" d={`M${PLOT.left} ${toY(threshold, max)}H${PLOT.width - PLOT.right}`} />
      )}
    </>
  );
}

/** The upper line of each area. */
function stackedTops(lines: readonly PlotLine[]): number[][] {
  let below: readonly number[] = [];
  return lines.map(({ values }) => {
    const top = values.map((value, index) => (below[index] ?? 0) + (value ?? 0));
    below = top;
    return top;
  });
}

interface AreasProps {
  readonly lines: readonly PlotLine[];
  readonly tops: readonly (readonly (number | null)[])[];
  readonly max: number;
}

function Areas({ lines, tops, max }: AreasProps) {
  const known = tops as readonly (readonly number[])[];
  return (
    <>
      {lines.map(({ title, color }, index) => {
        const high = known[index]!;
        const low = known[index - 1] ?? high.map(() => 0);
        return high.length > 1 ? (
          <path key={title} class={`fill-${color}`} d={bandPath(low, high, max)} />
        ) : null;
      })}
    </>
  );
}

function Bars({ lines, max }: { readonly lines: readonly PlotLine[]; readonly max: number }) {
  const length = Math.max(0, ...lines.map(({ values }) => values.length));
  const width = ((PLOT.width - PLOT.left - PLOT.right) / Math.max(1, length)) * 0.8;
  return (
    <>
      {Array.from({ length }, (_, index) => {
        let below = 0;
        return lines.map(({ title, color, values }) => {
          const value = values[index] ?? 0;
          if (value <= 0) return null;
          const y = toY(below + value, max);
          const height = toY(below, max) - y;
          below += value;
          const x = PLOT.left + (index * (PLOT.width - PLOT.left - PLOT.right)) / length;
          return (
            <rect
              key={`${title}/${index}`}
              class={`fill-${color}`}
              x={x.toFixed(1)}
              y={y.toFixed(1)}
              width={width.toFixed(1)}
              height={height.toFixed(1)}
            />
          );
        });
      })}
    </>
  );
}
