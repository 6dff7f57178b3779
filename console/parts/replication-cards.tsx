// Cards of providers with their subscribers, and of the transaction log and snapshots.

import type { Instance } from "../data/instances.js";
import { isAt, listAt, numberAt, textAt } from "../data/node-stat.js";
import { bytes, clipForDisplay, count, duration } from "../data/text.js";
import { Badge } from "./badge.js";
import { type Column, DataTable } from "./data-table.js";
import { Icon } from "./icon.js";

const MIB = 1024 * 1024;

interface ProviderCardProps {
  readonly provider: Instance;
  readonly followers: readonly Instance[];
}

export function ProviderCard({ provider, followers }: ProviderCardProps) {
  const digest = textAt(provider.node, "digest");
  const link = (instance: Instance): unknown =>
    listAt(provider.node, "subscribers").find(
      (entry) => numberAt(entry, "adminport") === numberAt(instance.node, "adminport"),
    );
  const columns: readonly Column<Instance>[] = [
    { title: "Subscriber", isHead: true, cell: ({ id }) => clipForDisplay(id, 60) },
    { title: "State", cell: ({ state }) => <Badge state={state} /> },
    { title: "Connection", cell: (instance) => <Connection link={link(instance)} /> },
    { title: "Data", cell: ({ node }) => <Data own={textAt(node, "digest")} other={digest} /> },
    {
      ...{ title: "Lag ms", isNumber: true },
      cell: (instance) =>
        link(instance) === undefined ? "–" : count(numberAt(link(instance), "lag_ms")),
    },
    {
      ...{ title: "In B/s", isNumber: true, isOptional: true },
      cell: ({ node }) => count(numberAt(node, "tx-in-rate")),
    },
  ];
  return (
    <section class="card" aria-label={`Subscribers of ${clipForDisplay(provider.id, 60)}`}>
      <header>
        <h2>{clipForDisplay(provider.id, 60)}</h2>
        <span class="tag">
          <Icon name="disk" />
          provider
        </span>
        <span class="end soft s mono">digest {clipForDisplay(digest.slice(0, 8), 8)}</span>
      </header>
      <DataTable
        label={`Subscribers of ${clipForDisplay(provider.id, 60)}`}
        columns={columns}
        rows={followers}
        keyOf={({ id }) => id}
        empty="No subscribers."
      />
    </section>
  );
}

function Connection({ link }: { readonly link: unknown }) {
  if (link === undefined) return <Badge state={{ tone: "unk", word: "none" }} />;
  const isConnected = textAt(link, "status") === "CONNECTED";
  return (
    <Badge
      state={
        isConnected ? { tone: "ok", word: "connected" } : { tone: "warn", word: "disconnected" }
      }
    />
  );
}

function Data({ own, other }: { readonly own: string; readonly other: string }) {
  if (own === "" || other === "") return <Badge state={{ tone: "unk", word: "unknown" }} />;
  return (
    <Badge
      state={own === other ? { tone: "ok", word: "equal" } : { tone: "warn", word: "differs" }}
    />
  );
}

export function LogTable({ instances }: { readonly instances: readonly Instance[] }) {
  const limit = (node: unknown) => numberAt(node, "durable-max-txlog");
  const columns: readonly Column<Instance>[] = [
    {
      ...{ title: "Instance", isHead: true, sort: ({ id }: Instance) => id },
      cell: ({ id }) => clipForDisplay(id, 60),
    },
    { title: "State", cell: ({ state }) => <Badge state={state} /> },
    { title: "Provider", cell: ({ provider }) => clipForDisplay(provider ?? "none", 60) },
    { title: "Durable", cell: ({ node }) => <Durable node={node} /> },
    {
      title: "Log",
      ...{ isNumber: true, sort: ({ node }: Instance) => numberAt(node, "durable-txlog") },
      cell: ({ node }) => bytes(numberAt(node, "durable-txlog")),
    },
    {
      ...{ title: "of MiB", isNumber: true, isOptional: true },
      cell: ({ node }) => (limit(node) === 0 ? "–" : count(limit(node) / MIB)),
    },
    {
      ...{ title: "Filled", isOptional: true },
      cell: ({ node }) => <Fill part={numberAt(node, "durable-txlog")} whole={limit(node)} />,
    },
    {
      title: "Snapshot age",
      ...{ isNumber: true, sort: ({ node }: Instance) => numberAt(node, "snapshot-age") },
      cell: ({ node }) =>
        numberAt(node, "snapshot-age") > 0 ? duration(numberAt(node, "snapshot-age")) : "–",
    },
    {
      ...{ title: "Serial", isNumber: true, isOptional: true },
      cell: ({ node }) => clipForDisplay(textAt(node, "master-serial"), 30),
    },
  ];
  return (
    <section class="card" aria-label="Log and snapshots">
      <header>
        <h2>Transaction log and snapshots</h2>
        <span class="end soft s">All {count(instances.length)} instances</span>
      </header>
      <DataTable
        label="Transaction log and snapshots"
        columns={columns}
        rows={instances}
        keyOf={({ id }) => id}
        empty="No instances."
      />
    </section>
  );
}

function Durable({ node }: { readonly node: unknown }) {
  const word = textAt(node, "log-state");
  if (!isAt(node, "durable")) return <Badge state={{ tone: "unk", word: "no" }} />;
  const isGood = word === "" || word === "good";
  return (
    <Badge
      state={isGood ? { tone: "ok", word: "yes" } : { tone: "err", word: clipForDisplay(word, 30) }}
    />
  );
}

function Fill({ part, whole }: { readonly part: number; readonly whole: number }) {
  const percent = whole === 0 ? 0 : Math.min(100, (100 * part) / whole);
  return (
    <svg
      class="bar"
      viewBox="0 0 100 10"
      preserveAspectRatio="none"
      role="img"
      aria-label={`${Math.round(percent)} % of the log`}
    >
      <rect class="bg" width="100" height="10" />
      <rect class="fill-1" width={percent} height="10" />
    </svg>
  );
}
