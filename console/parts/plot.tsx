// A live plot of a series: an image whose text gives the latest values.

import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import type { Point, Series } from "../data/series.js";
import { count } from "../data/text.js";
import { theme } from "../theme.js";
import { readColor } from "./read-color.js";

const HEIGHT = 160;
/** Between two marks of time. */
const SECONDS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600];
const CLOCK = new Intl.DateTimeFormat([], {
  ...({ hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false } as const),
});
const COLOURS = ["--plot", "--plot2"];

interface PlotProps {
  readonly title: string;
  readonly unit: string;
  readonly names: readonly string[];
  readonly series: Series;
  /** A new value redraws. */
  readonly turn: number;
}

export function Plot({ title, unit, names, series, turn }: PlotProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const shade = theme.value;
  useEffect(() => {
    const element = place.current!;
    const drawn = new uPlot(optionsOf(element, names), dataOf(series), element);
    plot.current = drawn;
    const watch = new ResizeObserver(() => {
      drawn.setSize({ width: element.clientWidth, height: HEIGHT });
    });
    watch.observe(element);
    return () => {
      watch.disconnect();
      drawn.destroy();
    };
    // Colors are read at creation.
  }, [shade]);
  useEffect(() => plot.current?.setData(dataOf(series)), [turn, shade]);
  const last = names.map((name, index) => `${name} ${lastOf(series.values[index]!)} ${unit}`);
  return (
    <section class="card">
      <h2>
        {title} <span class="quiet">({unit})</span>
      </h2>
      <div ref={place} role="img" aria-label={`${title}: ${last.join(", ")}`} />
    </section>
  );
}

function lastOf(line: readonly Point[]): string {
  const value = line.at(-1) ?? null;
  return value === null ? "unknown" : count(value);
}

function dataOf({ times, values }: Series): uPlot.AlignedData {
  return [[...times], ...values.map((line) => [...line])] as uPlot.AlignedData;
}

function optionsOf(element: HTMLElement, names: readonly string[]): uPlot.Options {
  const axis = { stroke: readColor("--quiet"), grid: { stroke: readColor("--line"), width: 1 } };
  const clock = (at: number) => CLOCK.format(at * 1000);
  return {
    width: element.clientWidth,
    height: HEIGHT,
    cursor: { show: false },
    scales: { y: { range: (_, __, max) => [0, Math.max(1, max * 1.1)] } },
    // Text alternative of the image.
    legend: { live: false, show: names.length > 1 },
    axes: [
      { ...axis, incrs: SECONDS, space: 90, values: (_, times) => times.map(clock) },
      { ...axis, size: 56 },
    ],
    series: [
      {},
      ...names.map((label, index) => ({ label, stroke: readColor(COLOURS[index]!), width: 1.5 })),
    ],
  };
}
