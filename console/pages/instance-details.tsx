// Executors, memory, errors and graphs of this instance.

import { entriesAt, listAt, numberAt, textAt } from "../data/node-stat.js";
import { useLive } from "../data/server-connection.js";
import { bytes, count, duration } from "../data/text.js";
import { StatGrid } from "../parts/stat-grid.js";
import { Table } from "../parts/table.js";

const EVERY_MS = 2000;

export function InstanceDetails({ status }: { readonly status: unknown }) {
  const node = useLive("svc/nodestat", EVERY_MS);
  const slots = useLive("svc/dispatch", EVERY_MS);
  const graphs = useLive("svc/graphsum", EVERY_MS);
  const queries = count(numberAt(graphs, "graphsum", "query", "count"));
  return (
    <>
      <section class="card">
        <h2>This instance</h2>
        <StatGrid
          items={[
            ["Address", `${textAt(node, "ip")}:${numberAt(node, "adminport")}`],
            ["Process", String(numberAt(node, "pid"))],
            ["Uptime", duration(numberAt(node, "uptime"))],
            ["Memory", bytes(numberAt(node, "memory-process"))],
            ["Total requests", count(numberAt(status, "request", "count"))],
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
        <section class="card">
          <Table
            caption="Main-port executors; idle ones are omitted"
            columns={["Executor", "Calls", "Busy, %"]}
            rows={executorRows(slots)}
            empty="none has run yet"
          />
        </section>
        <section class="card">
          <Table
            caption="Responses by status since the start"
            columns={["Code", "Count"]}
            rows={entriesAt(status, "errors", "codes")}
            empty="no errors yet"
          />
        </section>
        <section class="card">
          <Table
            caption={`Graphs, ${queries} queries so far`}
            columns={["Graph"]}
            rows={listAt(graphs, "graphsum", "names").map((name) => [name])}
            empty="no graphs"
          />
        </section>
      </div>
    </>
  );
}

/** Reads `{A: {executor: {"0": [calls, busy percent]}}}`. */
function executorRows(slots: unknown): readonly (readonly unknown[])[] {
  return entriesAt(slots, "A", "executor")
    .map(([id, numbers]) => [id, ...(Array.isArray(numbers) ? numbers.slice(0, 2) : [])])
    .filter(([, ...numbers]) => numbers.some((number) => number !== 0));
}
