// The map of a system: clients, dispatchers, partitions with their replicas, builders. The width of
// a line represents the rate of requests; the table of the page has the same content.

import { readHistory } from "../../data/instance-history.js";
import { consoleUrl, type Instance } from "../../data/instances.js";
import { cellKey } from "../../data/matrices.js";
import { isAt, numberAt } from "../../data/node-stat.js";
import type { Rates } from "../../data/rates.js";
import { clipForDisplay, count, milliseconds, plural, rate as rateText } from "../../data/text.js";
import { clientRate, type Edge, type Topology } from "../../data/topology.js";
import { StateShape } from "../badge.js";
import { sparkPath } from "../spark.js";
import {
  BOX_HEIGHT,
  BOX_WIDTH,
  type Box,
  curve,
  type LaneBox,
  layoutMap,
  MAP_WIDTH,
} from "./layout.js";

/** Kind of lines to draw. */
export type Lines = "all" | "requests" | "replication";

interface SystemMapProps {
  readonly instances: readonly Instance[];
  readonly topology: Topology;
  readonly rates: Rates;
  readonly lines: Lines;
}

const CLIENTS_WIDTH = 82;
const MAX_LINE = 6;

export function SystemMap({ instances, topology, rates, lines }: SystemMapProps) {
  const layout = layoutMap(topology);
  const { boxes, clients, lanes, height } = layout;
  const total = clientRate(instances, topology);
  const rateOfEdge = ({ dispatcher, partition, row }: Edge): number =>
    rates.of(cellKey(dispatcher, partition, row)) ?? 0;
  const max = Math.max(total, 1, ...topology.edges.map(rateOfEdge));
  const summary = `${instances.length} instances, ${topology.lanes.length} partitions`;
  const middle = clients.y + BOX_HEIGHT / 2;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a drawing whose nodes are links
    <svg
      class="map"
      viewBox={`0 0 ${MAP_WIDTH} ${height}`}
      role="group"
      aria-label={`Map: ${summary}`}
    >
      <Lanes lanes={lanes} topology={topology} />
      {lines !== "replication" &&
        topology.dispatchers.map(({ id }) => (
          <path
            key={id}
            class="e"
            stroke-width={width(total / topology.dispatchers.length, max)}
            d={curve(clients.x + CLIENTS_WIDTH, middle, boxes.get(id)!.x, centerY(boxes.get(id)!))}
          />
        ))}
      {lines !== "replication" &&
        topology.edges.map((edge) => (
          <RequestLine
            key={`${edge.dispatcher}/${edge.backEnd}`}
            edge={edge}
            boxes={boxes}
            rate={rateOfEdge(edge)}
            max={max}
          />
        ))}
      {lines !== "requests" &&
        instances.map((instance) => (
          <ReplicationLine key={instance.id} instance={instance} boxes={boxes} />
        ))}
      {lines !== "replication" && <EdgeLabels {...{ topology, boxes, rateOfEdge }} />}
      {topology.dispatchers.length > 0 && <Clients at={clients} rate={total} />}
      {instances.map((instance) => {
        const box = boxes.get(instance.id);
        return box === undefined ? null : (
          <Node key={instance.id} instance={instance} box={box} topology={topology} />
        );
      })}
    </svg>
  );
}

interface LanesProps {
  readonly lanes: readonly LaneBox[];
  readonly topology: Topology;
}

function Lanes({ lanes, topology }: LanesProps) {
  return (
    <>
      {lanes.map(({ title, x, y, width, height }, index) => (
        <g key={title}>
          <rect class="lane" x={x} y={y} width={width} height={height} rx="8" />
          <text class="lt" x={x + 14} y={y + 18}>
            {clipForDisplay(title, 40)}
          </text>
          <text class="lt" x={x + width - 14} y={y + 18} text-anchor="end">
            {contentOf(topology.lanes[index])}
          </text>
        </g>
      ))}
    </>
  );
}

/** Number of vertices and arcs of a partition: those of its builder or of its largest replica. */
function contentOf(lane: Topology["lanes"][number] | undefined): string {
  const members = [...(lane?.builders ?? []), ...(lane?.replicas ?? [])];
  const maxOf = (name: string) => Math.max(0, ...members.map(({ node }) => numberAt(node, name)));
  const [order, size] = [maxOf("graph-order"), maxOf("graph-size")];
  return order === 0 ? "" : `${plural(order, "vertex", "vertices")}, ${plural(size, "arc")}`;
}

interface LineProps {
  readonly edge: Edge;
  readonly boxes: ReadonlyMap<string, Box>;
  readonly rate: number;
  readonly max: number;
}

function RequestLine({ edge, boxes, rate, max }: LineProps) {
  const [from, to] = [boxes.get(edge.dispatcher), boxes.get(edge.backEnd)];
  if (from === undefined || to === undefined) return null;
  const kind = !edge.isUp ? "e down" : rate > 0 ? "e" : "e idle";
  const path = curve(from.x + BOX_WIDTH, centerY(from), Math.min(to.x, 402), centerY(to));
  const rest = to.x > 402 ? `L${to.x} ${centerY(to)}` : "";
  return <path class={kind} stroke-width={width(rate, max)} d={path + rest} />;
}

function ReplicationLine({
  instance: { id, provider },
  boxes,
}: {
  readonly instance: Instance;
  readonly boxes: ReadonlyMap<string, Box>;
}) {
  const [from, to] = [boxes.get(id), provider === null ? undefined : boxes.get(provider)];
  if (from === undefined || to === undefined) return null;
  const path = curve(from.x + BOX_WIDTH, centerY(from), to.x, centerY(to));
  return <path class="e rep" stroke-width="2" d={path} />;
}

interface LabelProps {
  readonly topology: Topology;
  readonly boxes: ReadonlyMap<string, Box>;
  readonly rateOfEdge: (edge: Edge) => number;
}

function Clients({ at: { x, y }, rate }: { readonly at: Box; readonly rate: number }) {
  const center = x + CLIENTS_WIDTH / 2;
  const middle = y + BOX_HEIGHT / 2;
  return (
    <g>
      <rect class="node" x={x} y={y} width={CLIENTS_WIDTH} height={BOX_HEIGHT} rx="7" />
      <text x={center} y={middle - 4} text-anchor="middle">
        Clients
      </text>
      <text class="m" x={center} y={middle + 14} text-anchor="middle">
        {rateText(rate)} /s
      </text>
    </g>
  );
}

/** Labels; omitted if they would overlap. */
function EdgeLabels({ topology, boxes, rateOfEdge }: LabelProps) {
  const taken: number[] = [];
  return (
    <>
      {topology.edges.map((edge) => {
        const to = boxes.get(edge.backEnd);
        if (to === undefined) return null;
        const y = centerY(to);
        if (taken.some((other) => Math.abs(other - y) < 18)) return null;
        taken.push(y);
        const text = edge.isUp ? `${rateText(rateOfEdge(edge))} /s` : "down";
        const wide = text.length * 6 + 12;
        return (
          <g key={`${edge.dispatcher}/${edge.backEnd}`}>
            <rect class="el" x={366 - wide / 2} y={y - 9} width={wide} height="18" rx="9" />
            <text class="m" x={366} y={y + 4} text-anchor="middle">
              {text}
            </text>
          </g>
        );
      })}
    </>
  );
}

interface NodeProps {
  readonly instance: Instance;
  readonly box: Box;
  readonly topology: Topology;
}

function Node({ instance, box: { x, y }, topology }: NodeProps) {
  const { id, type, node, state } = instance;
  const target = consoleUrl(instance, "status", location.protocol);
  const isThere = node !== undefined && node !== null;
  const name = clipForDisplay(id, 14);
  const { rates } = readHistory(id);
  const box = state.tone === "err" ? "node err" : state.tone === "warn" ? "node warn" : "node";
  const busy = numberAt(node, "service-rate");
  const figures = `${rateText(busy)} /s · p95 ${milliseconds(numberAt(node, "service-95th-ms"))}`;
  const line = sparkPath(rates);
  const content = (
    <>
      <rect class={box} x={x} y={y} width={BOX_WIDTH} height={BOX_HEIGHT} rx="7" />
      <g class={`st ${state.tone}`} transform={`translate(${x + 11} ${y + 10})`}>
        <StateShape tone={state.tone} />
      </g>
      <text x={x + 28} y={y + 21}>
        {name}
      </text>
      <text class="m" x={x + 12} y={y + 36}>
        {clipForDisplay(type, 22)}
        {followers(instance, topology)}
      </text>
      <text class="m" x={x + 12} y={y + 50}>
        {state.isWarning || !isThere
          ? clipForDisplay(state.word, 26)
          : isAt(node, "service-rate")
            ? figures
            : "idle"}
      </text>
      {line !== "" && rates.some(Boolean) && (
        <g transform={`translate(${x + BOX_WIDTH - 64} ${y + 8}) scale(0.54 0.84)`}>
          <path class="a" d={`${line}L100 24L0 24Z`} />
          <path class="l" vector-effect="non-scaling-stroke" d={line} />
        </g>
      )}
    </>
  );
  const label = `${clipForDisplay(id, 40)}, ${clipForDisplay(type, 20)}, ${state.word}, ${figures}`;
  if (target === null) return <g>{content}</g>;
  return (
    <a href={target} aria-label={label}>
      {content}
    </a>
  );
}

function followers({ id }: Instance, { lanes }: Topology): string {
  const all = lanes.flatMap(({ replicas }) => replicas);
  const many = all.filter(({ provider }) => provider === id).length;
  return many === 0 ? "" : ` · ${count(many)} followers`;
}

function centerY({ y }: Box): number {
  return y + BOX_HEIGHT / 2;
}

function width(rate: number, max: number): number {
  return rate <= 0 ? 1.2 : 1.2 + MAX_LINE * Math.sqrt(Math.min(1, rate / max));
}
