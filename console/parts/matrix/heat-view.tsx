// A matrix of many back-ends as heat: a row for each replica, a column for each partition. The
// table has the same numbers.

import type { PlacedBackEnd } from "../../data/matrices.js";
import { numberAt } from "../../data/node-stat.js";
import { clipForDisplay, count, milliseconds, rate } from "../../data/text.js";
import { HEAT_LEGEND, heatStep } from "../heat.js";

export type MatrixMetric = "state" | "rate" | "p95";

interface HeatViewProps {
  readonly backEnds: readonly PlacedBackEnd[];
  readonly metric: MatrixMetric;
}

const WIDTH = 900;
const MAX_CELL = 40;
const UNITS: Readonly<Record<MatrixMetric, string>> = { state: "", rate: "/s", p95: "ms" };

export function HeatView({ backEnds, metric }: HeatViewProps) {
  const columns = 1 + Math.max(0, ...backEnds.map(({ partition }) => partition));
  const rows = 1 + Math.max(0, ...backEnds.map(({ row }) => row));
  const cell = Math.min(MAX_CELL, WIDTH / columns);
  const height = Math.min(cell, 20);
  const out = backEnds.filter(({ state }) => state.tone !== "ok");
  return (
    <section class="card" aria-label="Heat view">
      <header>
        <h2>{count(backEnds.length)} back-ends</h2>
        <span class="end row">
          {metric !== "state" &&
            HEAT_LEGEND.map(([step, meaning]) => (
              <span class="key" key={step}>
                <HeatMark look={`heat-${step}`} /> {meaning} {UNITS[metric]}
              </span>
            ))}
          <span class="key">
            <HeatMark look="fill-e" /> not up <strong>{count(out.length)}</strong>
          </span>
        </span>
      </header>
      <div class="body stack">
        <svg
          class="map"
          viewBox={`0 0 ${columns * cell} ${rows * height}`}
          role="img"
          aria-label={
            `${count(columns)} partitions × ${count(rows)} replicas by ${metric}, ` +
            `${count(out.length)} not up; the table lists them`
          }
        >
          {backEnds.map((backEnd) => (
            <rect
              key={backEnd.key}
              class={lookOf(backEnd, metric)}
              x={backEnd.partition * cell}
              y={backEnd.row * height}
              width={cell - 1.5}
              height={height - 1.5}
              rx="1.5"
            >
              <title>{describe(backEnd)}</title>
            </rect>
          ))}
        </svg>
        {out.length > 0 && (
          <p class="s">
            Not up:{" "}
            {out
              .slice(0, 20)
              .map(({ name, state }) => `${clipForDisplay(name, 40)} ${state.word}`)
              .join(", ")}
          </p>
        )}
      </div>
    </section>
  );
}

function HeatMark({ look }: { readonly look: string }) {
  return (
    <svg viewBox="0 0 14 12" aria-hidden="true">
      <rect class={look} width="14" height="12" rx="2" />
    </svg>
  );
}

function lookOf({ state, rate: perSecond, p95Ms }: PlacedBackEnd, metric: MatrixMetric): string {
  if (state.tone === "err") return "fill-e";
  if (state.tone !== "ok") return "wcell";
  if (metric === "state") return "heat-2";
  return `heat-${heatStep((metric === "p95" ? p95Ms : perSecond) ?? 0)}`;
}

function describe({ name, partition, row, state, rate: perSecond, p95Ms, backEnd }: PlacedBackEnd) {
  const p95 = p95Ms === null ? "–" : milliseconds(p95Ms);
  const location = `partition ${partition}, replica ${row}`;
  return (
    `${clipForDisplay(name, 60)}, ${location}: ${state.word}, ${rate(perSecond ?? 0)} /s, ` +
    `p95 ${p95}, ${count(numberAt(backEnd, "running"))} running`
  );
}
