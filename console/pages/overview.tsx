// The system at a glance: what it is, how much this instance does and how fast, and all the others.

import { useMemo, useState } from "preact/hooks";
import { instanceState, memoryUse } from "../data/instance-state.js";
import type { Instance } from "../data/instances.js";
import { parseCounts, parseMatrices } from "../data/matrices.js";
import { isAt, numberAt, textAt } from "../data/node-stat.js";
import { Rates } from "../data/rates.js";
import { Series } from "../data/series.js";
import { connectionError, useLive } from "../data/server-connection.js";
import { bytes, clipForDisplay, count, duration, milliseconds } from "../data/text.js";
import { useInstances } from "../data/use-instances.js";
import { Badge } from "../parts/badge.js";
import { InstanceTable } from "../parts/instance-table.js";
import { MatrixTable } from "../parts/matrix-table.js";
import { Plot } from "../parts/plot.js";
import { StatGrid } from "../parts/stat-grid.js";
import { LocalMatrixView } from "./matrix.js";

const EVERY_MS = 1000;
/** Without a system, the other metrics suffice. */
const ALONE_EVERY_MS = 4000;
/** Of instances that have a matrix. */
const MODES: ReadonlySet<string> = new Set(["proxy", "dispatch"]);
const NODE_EVERY_MS = 2000;

/** Two parts, each drawn when there is something new of it alone. */
export function Overview() {
  return (
    <>
      <AllInstances />
      <ThisInstance />
    </>
  );
}

function AllInstances() {
  const rates = useMemo(() => new Rates(), []);
  const [isSystem, setSystem] = useState(true);
  const { overview, instances } = useInstances(isSystem ? EVERY_MS : ALONE_EVERY_MS, (found) => {
    rates.add(Date.now(), parseCounts(parseMatrices(found)));
    setSystem(found.length > 1);
  });
  const matrices = parseMatrices(instances);
  const isDispatcher = instances.some(({ node }) => MODES.has(textAt(node, "matrix", "mode")));
  return (
    <>
      {instances.length > 1 && <System overview={overview} instances={instances} />}
      {instances.length > 0 && <InstanceTable instances={instances} />}
      {isDispatcher && matrices.length === 0 && <LocalMatrixView isWhole={false} />}
      {matrices.map((matrix) => (
        <MatrixTable
          key={matrix.id}
          title={`Matrix of ${clipForDisplay(matrix.id, 60)}`}
          matrix={matrix}
          rates={rates}
          isWhole={false}
        />
      ))}
    </>
  );
}

function ThisInstance() {
  const rates = useMemo(() => new Series(1), []);
  const times = useMemo(() => new Series(2), []);
  const [turn, setTurn] = useState(0);
  const node = useLive("svc/nodestat", NODE_EVERY_MS);
  const status = useLive("svc/status", EVERY_MS, (answer, isGap) => {
    const at = Date.now() / 1000;
    rates.add(at, isGap ? [] : [numberAt(answer, "request", "rate")]);
    const response = (part: string) => numberAt(answer, "response_ms", part);
    times.add(at, isGap ? [] : [response("50.0"), response("95.0")]);
    setTurn((last) => last + 1);
  });
  return (
    <>
      <OwnFigures node={node} status={status} />
      <div class="cards">
        <Plot title="Requests" unit="/s" names={["rate"]} series={rates} turn={turn} />
        <Plot title="Latency" unit="ms" names={["median", "95th"]} series={times} turn={turn} />
      </div>
    </>
  );
}

interface SystemProps {
  readonly overview: unknown;
  readonly instances: readonly Instance[];
}

function System({ overview, instances }: SystemProps) {
  const builders = instances.filter(({ type }) => type === "builder");
  const hosts = new Set(instances.map(({ address }) => address.replace(/:\d+$/, "")));
  const warnings = instances.filter(({ state }) => state.isWarning).length;
  const sum = (name: string) => builders.reduce((all, { node }) => all + numberAt(node, name), 0);
  const word = warnings === 0 ? "OK" : `Check ${warnings} warning${warnings === 1 ? "" : "s"}`;
  const state = { word, tone: warnings === 0 ? "good" : "warn", isWarning: warnings > 0 } as const;
  return (
    <section class="card">
      <h2>
        {clipForDisplay(textAt(overview, "descriptor", "name") || "System", 80)}{" "}
        <Badge state={state} />
      </h2>
      <StatGrid
        items={[
          ["Instances", `${instances.length} on ${hosts.size} host${hosts.size === 1 ? "" : "s"}`],
          ["Builders", count(builders.length)],
          ["Builder vertices", count(sum("graph-order"))],
          ["Builder arcs", count(sum("graph-size"))],
          ["Properties", count(sum("graph-properties"))],
        ]}
      />
    </section>
  );
}

interface OwnFiguresProps {
  readonly node: unknown;
  readonly status: unknown;
}

function OwnFigures({ node, status }: OwnFiguresProps) {
  const state = instanceState(connectionError.value !== null && node === null ? undefined : node);
  return (
    <section class={connectionError.value === null ? "card" : "card stale"}>
      <h2>
        This instance <Badge state={state} />
      </h2>
      <StatGrid
        items={[
          ["Service", textAt(node, "service-name") || "unnamed"],
          ["Kind", isAt(status, "dispatcher", "enabled") ? "dispatcher" : "engine"],
          ["Plugins", isAt(node, "service-in") ? "answer" : "Service-OUT: answer 503"],
          ["Uptime", duration(numberAt(node, "uptime"))],
          ["Requests", `${count(numberAt(status, "request", "rate"))} /s`],
          ["Latency, median", milliseconds(numberAt(status, "response_ms", "50.0"))],
          ["Latency, 95th", milliseconds(numberAt(status, "response_ms", "95.0"))],
          ["Errors", `${count(numberAt(status, "errors", "rate"))} /s`],
          ["Clients", count(numberAt(status, "connected_clients"))],
          ["Vertices", count(numberAt(node, "graph-order"))],
          ["Arcs", count(numberAt(node, "graph-size"))],
          ["Memory", bytes(numberAt(node, "memory-process"))],
          ["Host's memory", `${count(memoryUse(node))} % used`],
        ]}
      />
    </section>
  );
}
