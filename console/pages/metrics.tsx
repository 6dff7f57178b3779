// One instance: its requests and latency over time, executors, memory, errors, graphs.

import { useMemo, useState } from "preact/hooks";
import { entriesAt, listAt, numberAt, textAt } from "../data/node-stat.js";
import { Series } from "../data/series.js";
import { useLive } from "../data/server-connection.js";
import { bytes, count, duration, milliseconds } from "../data/text.js";
import { Plot } from "../parts/plot.js";
import { StatGrid } from "../parts/stat-grid.js";
import { Table } from "../parts/table.js";

const EVERY_MS = 2000;
const MIB = 1024 * 1024;
const QUANTILES = ["mean", "50.0", "90.0", "95.0", "99.0", "99.9"];

export function Metrics() {
  const memory = useMemo(() => new Series(1), []);
  const load = useMemo(() => new Series(2), []);
  const [, setTurn] = useState(0);
  const node = useLive("svc/nodestat", EVERY_MS, (answer, isGap) => {
    const used = numberAt(answer, "memory-process") / MIB;
    memory.add(Date.now() / 1000, isGap ? [] : [used]);
    setTurn((last) => last + 1);
  });
  const status = useLive("svc/status", EVERY_MS, (answer, isGap) => {
    const request = (part: string) => numberAt(answer, "request", part);
    load.add(Date.now() / 1000, isGap ? [] : [request("working"), request("waiting")]);
    setTurn((last) => last + 1);
  });
  const slots = useLive("svc/dispatch", EVERY_MS);
  const graphs = useLive("svc/graphsum", EVERY_MS);
  return (
    <>
      <section class="card">
        <h2>{textAt(status, "name") || "Instance"}</h2>
        <StatGrid
          items={[
            ["Address", `${textAt(node, "ip")}:${numberAt(node, "adminport")}`],
            ["Process", String(numberAt(node, "pid"))],
            ["Uptime", duration(numberAt(node, "uptime"))],
            ["Processor", textAt(node, "cpu")],
            ["Total requests", count(numberAt(status, "request", "count"))],
            ["Of plugins", count(numberAt(status, "request", "plugin"))],
            ["Total clients", count(numberAt(status, "total_clients"))],
            ["Received", bytes(numberAt(status, "data", "in"))],
            ["Sent", bytes(numberAt(status, "data", "out"))],
            ["Executors restarted", count(numberAt(status, "errors", "executor-restarts"))],
            ["IO thread utilization", `${numberAt(status, "io", "busy-percent")} %`],
            ["Log lines dropped", count(numberAt(status, "log", "lost"))],
          ]}
        />
      </section>
      <div class="cards">
        <Plot
          title="Memory"
          unit="MiB"
          times={memory.times}
          lines={[{ title: "process", color: 1, values: memory.values[0]! }]}
        />
        <Plot
          title="Calls"
          unit="calls"
          times={load.times}
          lines={[
            { title: "running", color: 1, values: load.values[0]! },
            { title: "waiting", color: 2, values: load.values[1]! },
          ]}
        />
      </div>
      <Details status={status} slots={slots} graphs={graphs} />
    </>
  );
}

interface DetailsProps {
  readonly status: unknown;
  readonly slots: unknown;
  readonly graphs: unknown;
}

function Details({ status, slots, graphs }: DetailsProps) {
  return (
    <div class="cards">
      <section class="card">
        <h2>Latency</h2>
        <StatGrid
          items={QUANTILES.map((part) => [
            part === "mean" ? part : `${part} %`,
            milliseconds(numberAt(status, "response_ms", part)),
          ])}
        />
      </section>
      <section class="card">
        <h2>Errors</h2>
        <Table
          caption="Responses by status"
          columns={["Code", "Count"]}
          rows={entriesAt(status, "errors", "codes")}
          empty="none yet"
        />
      </section>
      <section class="card">
        <h2>Executors</h2>
        <Table
          caption="Main-port executors; idle ones are omitted"
          columns={["Executor", "Calls", "Busy, %"]}
          rows={executorRows(slots)}
          empty="none has run yet"
        />
      </section>
      <section class="card">
        <h2>Graphs</h2>
        <Table
          caption={`${count(numberAt(graphs, "graphsum", "query", "count"))} queries so far`}
          columns={["Graph"]}
          rows={listAt(graphs, "graphsum", "names").map((name) => [name])}
          empty="no graphs"
        />
      </section>
    </div>
  );
}

/** `{A: {executor: {"0": [calls, busy percent]}}}`. */
function executorRows(slots: unknown): readonly (readonly unknown[])[] {
  return entriesAt(slots, "A", "executor")
    .map(([id, figures]) => [id, ...(Array.isArray(figures) ? figures.slice(0, 2) : [])])
    .filter(([, ...figures]) => figures.some((figure) => figure !== 0));
}
