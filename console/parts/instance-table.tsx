// All instances of the system as a table with a filter. Names link to the consoles of instances.

import { useState } from "preact/hooks";
import { MAX_INSTANCES, readHistory } from "../data/instance-history.js";
import { consoleUrl, type Instance, matchesSelection } from "../data/instances.js";
import { numberAt, textAt } from "../data/node-stat.js";
import { clipForDisplay, count, milliseconds, rate } from "../data/text.js";
import { Age } from "./age.js";
import { Badge } from "./badge.js";
import { type Column, DataTable } from "./data-table.js";
import { PageLink } from "./page-link.js";
import { Spark } from "./spark.js";

const MIB = 1024 * 1024;

const hasResponded = ({ node }: Instance): boolean => node !== undefined && node !== null;
const metric =
  (name: string) =>
  ({ node }: Instance): number =>
    numberAt(node, name);
/** Formats a metric of an instance, or a dash if the instance does not respond. */
const ifResponding = (text: (instance: Instance) => string) => (instance: Instance) =>
  hasResponded(instance) ? text(instance) : "–";

const COLUMNS: readonly Column<Instance>[] = [
  { title: "Instance", cell: nameCell, sort: ({ id }) => id, isHead: true },
  { title: "Type", cell: ({ type }) => clipForDisplay(type, 40), sort: ({ type }) => type },
  { title: "State", cell: stateCell, sort: ({ state }) => rankTone(state.tone) },
  {
    ...{ title: "Requests/s", isNumber: true, sort: metric("service-rate") },
    cell: ifResponding(({ node }) => rate(numberAt(node, "service-rate"))),
  },
  { title: "Last minute", isOptional: true, cell: chartCell },
  {
    ...{ title: "p95 ms", isNumber: true, sort: metric("service-95th-ms") },
    cell: ifResponding(({ node }) =>
      milliseconds(numberAt(node, "service-95th-ms")).replace(" ms", ""),
    ),
  },
  {
    ...{ title: "Clients", isNumber: true, isOptional: true, sort: metric("connected-clients") },
    cell: ifResponding(({ node }) => count(numberAt(node, "connected-clients"))),
  },
  {
    ...{ title: "Memory MiB", isNumber: true, isOptional: true, sort: metric("memory-process") },
    cell: ifResponding(({ node }) => count(Math.round(numberAt(node, "memory-process") / MIB))),
  },
  {
    ...{ title: "Vertices", isNumber: true, isOptional: true, sort: metric("graph-order") },
    cell: ifResponding(({ node }) => count(numberAt(node, "graph-order"))),
  },
  {
    ...{ title: "Arcs", isNumber: true, isOptional: true, sort: metric("graph-size") },
    cell: ifResponding(({ node }) => count(numberAt(node, "graph-size"))),
  },
  {
    ...{ title: "Up", isNumber: true, isOptional: true, sort: metric("uptime") },
    cell: (instance) =>
      hasResponded(instance) ? <Age of={() => numberAt(instance.node, "uptime")} /> : "–",
  },
  { title: "Actions", cell: actionCell },
];

export function InstanceTable({ instances }: { readonly instances: readonly Instance[] }) {
  const [filter, setFilter] = useState("");
  const matching =
    filter.trim() === ""
      ? instances
      : instances.filter((instance) => matchesFilter(instance, filter));
  return (
    <section class="card" aria-label="Instances">
      <header>
        <h2>Instances</h2>
        {matching.length < instances.length && (
          <span class="soft">
            {count(matching.length)} of {count(instances.length)}
          </span>
        )}
        {instances.length > 1 && (
          <input
            class="end"
            data-filter
            aria-label="Filter instances"
            placeholder="S2.*, type:search, down"
            value={filter}
            onInput={(event) => setFilter(event.currentTarget.value)}
          />
        )}
      </header>
      <DataTable
        label="Instances"
        columns={COLUMNS}
        rows={matching}
        keyOf={({ id }) => id}
        rowClass={(instance) => (hasResponded(instance) ? "" : "stale")}
        empty="No instance matches."
        // Only charts of smaller systems are updated independently of the row.
        isPure={instances.length > MAX_INSTANCES}
      />
    </section>
  );
}

/** Returns whether all words of a filter match: `type:search`, a state, or a pattern of ids. */
function matchesFilter({ id, type, state }: Instance, filter: string): boolean {
  return filter
    .trim()
    .split(/\s+/)
    .every((word) => {
      if (word.startsWith("type:")) return type === word.slice(5);
      const isState = state.word.toLowerCase().includes(word.toLowerCase());
      return isState || id.includes(word) || matchesSelection(id, word);
    });
}

function rankTone(tone: Instance["state"]["tone"]): number {
  return ["err", "warn", "unk", "ok"].indexOf(tone);
}

function nameCell(instance: Instance) {
  const { id, address } = instance;
  const target = consoleUrl(instance, "status", location.protocol);
  const name = clipForDisplay(id || address, 60);
  return (
    <>
      {target === null ? name : <a href={target}>{name}</a>}
      <div class="faint s">{clipForDisplay(address, 60)}</div>
    </>
  );
}

function stateCell({ state, node, entry }: Instance) {
  const seconds = () => numberAt(entry, "unreachable-ms") / 1000;
  return (
    <>
      <Badge state={state} />
      {node === undefined && (
        <div class="s">
          no response for <Age of={seconds} isExact />
        </div>
      )}
      {textAt(node, "service-out-reason") !== "" && (
        <div class="s">{clipForDisplay(textAt(node, "service-out-reason"), 60)}</div>
      )}
    </>
  );
}

function chartCell({ id }: Instance) {
  return <Spark values={readHistory(id).rates} label={`Requests of ${clipForDisplay(id, 40)}`} />;
}

function actionCell({ id }: Instance) {
  return (
    <PageLink
      to={`admin?${new URLSearchParams({ on: id })}`}
      label={`Operate ${clipForDisplay(id, 60)}`}
    >
      Operate
    </PageLink>
  );
}
