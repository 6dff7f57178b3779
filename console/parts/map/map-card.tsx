// The map with its legend and options; on phones, lists of partitions.

import { useState } from "preact/hooks";
import { consoleUrl, type Instance } from "../../data/instances.js";
import { numberAt } from "../../data/node-stat.js";
import type { Rates } from "../../data/rates.js";
import { MAX_BOXES } from "../../data/system-view.js";
import { clipForDisplay, milliseconds, rate } from "../../data/text.js";
import type { Topology } from "../../data/topology.js";
import { Badge } from "../badge.js";
import { HEAT_LEGEND } from "../heat.js";
import { Key } from "../key.js";
import { Segments } from "../segments.js";
import { CellMap, type CellMetric } from "./cell-map.js";
import { type Lines, SystemMap } from "./system-map.js";

interface MapCardProps {
  readonly instances: readonly Instance[];
  readonly topology: Topology;
  readonly rates: Rates;
  readonly lines: Lines;
  readonly onLines: (lines: Lines) => void;
}

export function MapCard({ instances, topology, rates, lines, onLines }: MapCardProps) {
  const [metric, setMetric] = useState<CellMetric>("p95");
  const isLarge = instances.length > MAX_BOXES;
  return (
    <section class="card" aria-label="Map">
      <header>
        <h2>Map</h2>
        <span class="end row">
          {isLarge ? <HeatKeys /> : <LineKeys />}
          {isLarge ? (
            <Segments
              label="Metric"
              value={metric}
              among={[
                ["state", "State"],
                ["p95", "p95"],
                ["requests", "Requests"],
              ]}
              onChoose={setMetric}
            />
          ) : (
            <Segments
              label="Edges"
              value={lines}
              among={[
                ["all", "All"],
                ["requests", "Requests"],
                ["replication", "Replication"],
              ]}
              onChoose={onLines}
            />
          )}
        </span>
      </header>
      <div class="body">
        {isLarge ? (
          <CellMap instances={instances} topology={topology} metric={metric} />
        ) : (
          <>
            <div class="wideonly">
              <SystemMap {...{ instances, topology, rates, lines }} />
            </div>
            <Lanes topology={topology} />
          </>
        )}
      </div>
    </section>
  );
}

function LineKeys() {
  return (
    <>
      <Key title="requests, thicker is more" line="line-1" />
      <Key title="replication" line="line-3" dash="2 3" />
      <Key title="down" line="line-e" dash="4 3" />
    </>
  );
}

function HeatKeys() {
  return (
    <>
      {HEAT_LEGEND.map(([step, meaning]) => (
        <Key key={step} title={meaning} fill={`heat-${step}`} />
      ))}
      <Key title="check" fill="wcell" />
      <Key title="down" fill="fill-e" />
    </>
  );
}

/** For narrow windows, where the drawing would be too small to read. */
function Lanes({ topology: { dispatchers, lanes, others } }: { readonly topology: Topology }) {
  const groups = [
    { title: "Dispatchers", members: dispatchers },
    ...lanes.map(({ title, replicas, builders }) => ({
      title,
      members: [...replicas, ...builders],
    })),
    { title: "Others", members: others },
  ].filter(({ members }) => members.length > 0);
  return (
    <div class="phone stack">
      {groups.map(({ title, members }) => (
        <section key={title} class="stack">
          <h3>{clipForDisplay(title, 40)}</h3>
          <div class="mx">
            {members.map((instance) => (
              <PhoneCell key={instance.id} instance={instance} />
            ))}
          </div>
        </section>
      ))}
    </div>
  );
}

function PhoneCell({ instance }: { readonly instance: Instance }) {
  const { id, node, state } = instance;
  const target = consoleUrl(instance, "status", location.protocol);
  const tone = state.tone === "err" || state.tone === "warn" ? state.tone : "";
  const p95 = milliseconds(numberAt(node, "service-95th-ms"));
  return (
    <div class={`cell ${tone}`}>
      <strong>
        {target === null ? clipForDisplay(id, 30) : <a href={target}>{clipForDisplay(id, 30)}</a>}
      </strong>
      <Badge state={state} />
      <span class="soft s">
        {rate(numberAt(node, "service-rate"))} /s, p95 {p95}
      </span>
    </div>
  );
}
