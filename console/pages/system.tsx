// The system: problems, main numbers, map, plugins, and all instances.

import { useMemo, useState } from "preact/hooks";
import { readHistory, sumRates } from "../data/instance-history.js";
import type { Instance } from "../data/instances.js";
import { parseCounts, parseMatrices } from "../data/matrices.js";
import { isAt, numberAt, textAt } from "../data/node-stat.js";
import { Rates } from "../data/rates.js";
import { useInstances } from "../data/system-view.js";
import { clipForDisplay, count, milliseconds, plural, rate } from "../data/text.js";
import {
  buildTopology,
  clientRate,
  replicationState,
  sumOfData,
  type Topology,
} from "../data/topology.js";
import { addLists, sum, sumErrors, type Windows } from "../data/windows.js";
import { Age } from "../parts/age.js";
import { EventList } from "../parts/event-list.js";
import { InstanceTable } from "../parts/instance-table.js";
import { type KeyNumber, KeyNumbers } from "../parts/key-numbers.js";
import { Loading } from "../parts/loading.js";
import { MapCard } from "../parts/map/map-card.js";
import { PluginCard, useWindows } from "../parts/plugin-card.js";
import { Spark } from "../parts/spark.js";
import { WarningNotes } from "../parts/warning-notes.js";

export function SystemPage() {
  const rates = useMemo(() => new Rates(), []);
  const [lines, setLines] = useState<"all" | "requests" | "replication">("all");
  const { name, instances } = useInstances((found, polledAt) => {
    rates.add(polledAt, parseCounts(parseMatrices(found)));
  });
  const windows = useWindows();
  const topology = useMemo(() => buildTopology(instances), [instances]);
  if (instances.length === 0) return <Loading what="the system" />;
  return (
    <>
      <Head name={name} instances={instances} topology={topology} />
      <WarningNotes instances={instances} />
      <KeyNumbers items={keyNumbers(instances, topology, windows)} />
      <div class={instances.length > 1 ? "home" : "cards"}>
        {instances.length > 1 && (
          <MapCard {...{ instances, topology, rates, lines }} onLines={setLines} />
        )}
        <div class={instances.length > 1 ? "stack" : "pair"}>
          <PluginCard windows={windows} />
          <EventList />
        </div>
      </div>
      <InstanceTable instances={instances} />
    </>
  );
}

interface HeadProps {
  readonly name: string;
  readonly instances: readonly Instance[];
  readonly topology: Topology;
}

function Head({ name, instances, topology }: HeadProps) {
  const hosts = new Set(instances.map(({ address }) => address.replace(/:\d+$/, "")));
  const [first] = instances;
  const title = name || textAt(first?.node, "service-name");
  const uptime = () => Math.max(0, ...instances.map(({ node }) => numberAt(node, "uptime")));
  const matrices = parseMatrices(instances);
  const shape = matrices.map(({ partitions }) => {
    const height = Math.max(...partitions.map((replicas) => replicas.length));
    return `${plural(partitions.length, "partition")} × ${plural(height, "replica")}`;
  });
  const parts = [
    `${plural(instances.length, "instance")} on ${plural(hosts.size, "host")}`,
    ...(topology.dispatchers.length > 0 ? shape.slice(0, 1) : []),
  ];
  return (
    <div class="head">
      <h1>{clipForDisplay(title || "System", 80)}</h1>
      <span class="soft">
        {parts.join(", ")}, up <Age of={uptime} />
      </span>
    </div>
  );
}

function keyNumbers(
  instances: readonly Instance[],
  topology: Topology,
  windows: Windows | null,
): readonly KeyNumber[] {
  const top = topology.dispatchers.length > 0 ? topology.dispatchers : instances;
  const sums = sumRates(top.map(({ id }) => id));
  const serving = instances.filter(({ node }) => isAt(node, "service-in"));
  const out = instances.filter(({ state }) => state.isWarning).map(({ id }) => id);
  const replication = replicationState(instances);
  const slowest = top.reduce<Instance | undefined>(
    (worst, instance) => (readLatency(instance) > readLatency(worst) ? instance : worst),
    top[0],
  );
  return [
    {
      ...{ name: "Requests", value: rate(clientRate(instances, topology)), unit: "/s" },
      about: `most ${rate(Math.max(0, ...sums))} /s`,
      chart: <Spark values={sums} label="requests per second" />,
    },
    errorNumber(windows, instances.length > 1),
    {
      ...{ name: "p95", value: milliseconds(readLatency(slowest)).replace(" ms", ""), unit: "ms" },
      about: instances.length > 1 ? `of ${slowest?.id ?? ""}` : "of recent responses",
      chart: <Spark values={readHistory(slowest?.id ?? "").latencies} label="95th percentile" />,
    },
    {
      ...{
        name: "In service",
        value: count(serving.length),
        unit: `of ${count(instances.length)}`,
      },
      about: out.length === 0 ? "nothing to check" : `check ${out.slice(0, 3).join(", ")}`,
    },
    {
      ...{ name: "Vertices", value: count(sumOfData(instances, "graph-order")) },
      about:
        `${count(sumOfData(instances, "graph-size"))} arcs, ` +
        `${count(sumOfData(instances, "graph-properties"))} properties`,
    },
    {
      ...{ name: "Replication lag", value: count(replication.lagMs), unit: "ms" },
      about: `${replication.equal} of ${replication.subscribers} equal`,
    },
  ];
}

/** Failed requests of this instance. Other instances do not report theirs. */
function errorNumber(windows: Windows | null, isSystem: boolean): KeyNumber {
  const plugins = windows?.plugins ?? [];
  const all = sum(plugins.flatMap(({ counts }) => counts));
  const failed = sum(plugins.map(sumErrors));
  const perStep = addLists(plugins.flatMap(({ errors }) => errors.map(([, counts]) => counts)));
  return {
    ...(all === 0
      ? { name: "Errors", value: "–" }
      : { name: "Errors", value: count((100 * failed) / all), unit: "%" }),
    about: `${count(failed)} of ${count(all)} in 5 min${isSystem ? ", here" : ""}`,
    ...(failed > 0 && { chart: <Spark values={perStep} label="errors" /> }),
  };
}

function readLatency(instance: Instance | undefined): number {
  return numberAt(instance?.node, "service-95th-ms");
}
