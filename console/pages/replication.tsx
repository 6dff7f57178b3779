// Replication: this instance with its provider and subscribers, and the whole system.

import { useMemo, useState } from "preact/hooks";
import { isAt, listAt, numberAt, textAt } from "../data/node-stat.js";
import { Series } from "../data/series.js";
import { useLive } from "../data/server-connection.js";
import { useInstances } from "../data/system-view.js";
import { bytes, count, milliseconds } from "../data/text.js";
import { replicationState } from "../data/topology.js";
import { Badge } from "../parts/badge.js";
import { PageHead } from "../parts/page-head.js";
import { PageLink } from "../parts/page-link.js";
import { Plot } from "../parts/plot.js";
import { LogTable, ProviderCard } from "../parts/replication-cards.js";
import { StatGrid } from "../parts/stat-grid.js";
import { Table } from "../parts/table.js";

const EVERY_MS = 1000;
const KIB = 1024;

export function Replication() {
  const rates = useMemo(() => new Series(2), []);
  const [, setTurn] = useState(0);
  const peers = useLive("svc/peerstat", EVERY_MS);
  const stat = useLive("svc/txstat", EVERY_MS, (answer, isGap) => {
    const rate = (way: string) => numberAt(answer, "data", "rate", way) / KIB;
    rates.add(Date.now() / 1000, isGap ? [] : [rate("in"), rate("out")]);
    setTurn((last) => last + 1);
  });
  const { instances } = useInstances();
  const { subscribers, equal } = replicationState(instances);
  const providers = instances.filter(({ id }) =>
    instances.some((instance) => instance.provider === id),
  );
  const isEqual = equal === subscribers;
  return (
    <>
      <PageHead
        title="Replication"
        about={
          subscribers > 0
            ? `${count(providers.length)} providers, ${count(subscribers)} subscribers`
            : ""
        }
      >
        {subscribers > 0 && (
          <Badge
            isPill
            state={{
              tone: isEqual ? "ok" : "warn",
              word: `${count(equal)} of ${count(subscribers)} equal to their provider`,
            }}
          />
        )}
      </PageHead>
      {providers.length > 0 && (
        <div class="cards">
          {providers.map((provider) => (
            <ProviderCard
              key={provider.id}
              provider={provider}
              followers={instances.filter((instance) => instance.provider === provider.id)}
            />
          ))}
        </div>
      )}
      {instances.length > 1 && <LogTable instances={instances} />}
      <ThisInstance peers={peers} stat={stat} />
      <Subscribers peers={peers} />
      <p>
        <PageLink to="admin">Attach, subscribe, synchronize, throttle, pause</PageLink>, also on
        other instances.
      </p>
      <Plot
        title="Changes"
        unit="KiB/s"
        times={rates.times}
        lines={[
          { title: "in", color: 1, values: rates.values[0]! },
          { title: "out", color: 2, values: rates.values[1]! },
        ]}
      />
    </>
  );
}

interface ThisInstanceProps {
  readonly peers: unknown;
  readonly stat: unknown;
}

function ThisInstance({ peers, stat }: ThisInstanceProps) {
  const halted = (way: string) => (isAt(stat, "halted", way) ? "suspended" : "goes on");
  const data = (kind: string, way: string) => numberAt(stat, "data", kind, way);
  const port = numberAt(peers, "port");
  const age = textAt(peers, "persist-age");
  return (
    <section class="card">
      <h2>This instance</h2>
      <StatGrid
        items={[
          ["Provider", textAt(peers, "provider") || "none"],
          ["Listens for a provider on port", port === 0 ? "none" : String(port)],
          ["Synchronizing", isAt(peers, "synchronizing") ? "now" : "no"],
          ["Serial", textAt(peers, "master-serial")],
          ["Input lag", milliseconds(numberAt(stat, "input-lag"))],
          ["Data", compareDigests(textAt(peers, "digest"), textAt(peers, "provider-digest"))],
          ["Digest", textAt(peers, "digest").slice(0, 12)],
          ["Changes in", `${count(data("transactions", "in"))}, ${halted("in")}`],
          ["Changes out", `${count(data("transactions", "out"))}, ${halted("out")}`],
          ["Bytes in", bytes(data("bytes", "in"))],
          ["Bytes out", bytes(data("bytes", "out"))],
          ["Throttle", formatThrottle(stat)],
          ["Graphs", isAt(peers, "readonly") ? "readonly" : "writable"],
          ["Transaction log", isAt(peers, "durable") ? "enabled" : "none"],
          ["Last snapshot", isAt(peers, "persist-ts") ? `${age} ago` : "none"],
          ["Expiry", isAt(peers, "events-running") ? "runs" : "suspended"],
        ]}
      />
    </section>
  );
}

/** Compares digests. They may differ while changes are in transit. */
function compareDigests(own: string, other: string): string {
  if (other === "") return "no provider to compare with";
  return own === other ? "in sync with the provider" : "behind or diverged";
}

function formatThrottle(stat: unknown): string {
  const kinds = ["bytes", "opcodes", "operations", "transactions"];
  const limits = kinds.flatMap((kind) => {
    const throttle = numberAt(stat, "data", kind, "throttle");
    return throttle > 0 ? [`${count(throttle)} ${kind}/s`] : [];
  });
  return limits.length === 0 ? "none" : limits.join(", ");
}

function Subscribers({ peers }: { readonly peers: unknown }) {
  const own = textAt(peers, "digest");
  const rows = listAt(peers, "subscribers").map((pair) => {
    const [uri, subscriber] = Array.isArray(pair) ? pair : ["", null];
    const digest = textAt(subscriber, "digest");
    const compared = digest === "" ? "unknown" : digest === own ? "same" : "differs";
    return [
      ...[
        uri,
        textAt(subscriber, "status"),
        textAt(subscriber, "mode"),
        textAt(subscriber, "master-serial"),
      ],
      ...[
        milliseconds(numberAt(subscriber, "lag", "ms")),
        count(numberAt(subscriber, "lag", "tx")),
        compared,
      ],
    ];
  });
  return (
    <section class="card">
      <Table
        caption="Subscribers of this instance"
        columns={["Address", "Connection", "Mode", "Serial", "Lag", "Changes behind", "Data"]}
        rows={rows}
        empty="none"
      />
    </section>
  );
}
