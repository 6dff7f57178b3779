// Large systems as cells: a row for each partition, a column for each replica, colored by state and
// by the chosen metric. Rows with problems are outlined and labeled. The table has the same
// content.

import type { Instance } from "../../data/instances.js";
import { numberAt } from "../../data/node-stat.js";
import { clipForDisplay, count, milliseconds, plural } from "../../data/text.js";
import type { Topology } from "../../data/topology.js";
import { heatStep } from "../heat.js";
import { kept } from "../kept.js";

export type CellMetric = "state" | "p95" | "requests";

interface CellMapProps {
  readonly instances: readonly Instance[];
  readonly topology: Topology;
  readonly metric: CellMetric;
}

const WIDTH = 880;
const LEFT = 170;
const LABELS = 150;
const MAX_CELL = 26;
const ROW = 12;
const HEAD = 22;

export function CellMap({ instances, topology, metric }: CellMapProps) {
  const { lanes, dispatchers, others } = topology;
  const rows = lanes.map(({ title, replicas, builders }) => ({
    title,
    members: [...replicas, ...builders],
  }));
  const columns = Math.max(1, ...rows.map(({ members }) => members.length));
  const cell = Math.min(MAX_CELL, (WIDTH - LEFT - LABELS) / columns);
  const sides = [...dispatchers, ...others];
  const height = HEAD + Math.max(rows.length, Math.ceil(sides.length / 8)) * ROW + 8;
  return (
    <svg
      class="map"
      viewBox={`0 0 ${WIDTH} ${height}`}
      role="img"
      aria-label={`Map of ${count(instances.length)} instances, which the table lists`}
    >
      <text class="lt" x="0" y="12">
        {plural(dispatchers.length, "dispatcher")}, {plural(others.length, "other")}
      </text>
      <text class="lt" x={LEFT} y="12">
        {plural(rows.length, "partition")}
      </text>
      {sides.map((instance, index) => (
        <Cell
          key={instance.id}
          instance={instance}
          metric={metric}
          x={(index % 8) * 16}
          y={HEAD + Math.floor(index / 8) * ROW}
          width={14}
        />
      ))}
      {rows.map(({ title, members }, row) => (
        <g key={title}>
          {members.map((instance, column) => (
            <Cell
              key={instance.id}
              instance={instance}
              metric={metric}
              x={LEFT + column * cell}
              y={HEAD + row * ROW}
              width={cell - 1.5}
            />
          ))}
          <Trouble title={title} members={members} y={HEAD + row * ROW} width={columns * cell} />
        </g>
      ))}
    </svg>
  );
}

interface CellProps {
  readonly instance: Instance;
  readonly metric: CellMetric;
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

const Cell = kept(({ instance, metric, x, y, width }: CellProps) => {
  const { id, state, node } = instance;
  const ms = numberAt(node, "service-95th-ms");
  return (
    <rect class={cellClass(instance, metric)} x={x} y={y} width={width} height={ROW - 2} rx="1.5">
      <title>
        {clipForDisplay(id, 60)}, {state.word}, p95 {milliseconds(ms)}
      </title>
    </rect>
  );
});

function cellClass({ state, node }: Instance, metric: CellMetric): string {
  if (state.tone === "err") return "fill-e";
  if (state.tone === "warn") return "wcell";
  if (metric === "state") return "heat-2";
  const value = numberAt(node, metric === "p95" ? "service-95th-ms" : "service-rate");
  return `heat-${heatStep(value)}`;
}

interface TroubleProps {
  readonly title: string;
  readonly members: readonly Instance[];
  readonly y: number;
  readonly width: number;
}

function Trouble({ title, members, y, width }: TroubleProps) {
  const down = members.filter(({ state }) => state.tone === "err").length;
  if (down === 0) return null;
  return (
    <>
      <rect class="ringbox" x={LEFT - 2} y={y - 2} width={width + 2} height={ROW + 2} rx="2" />
      <text class="lt" x={LEFT + width + 8} y={y + 9}>
        {clipForDisplay(title, 20)}: {count(down)} down
      </text>
    </>
  );
}
