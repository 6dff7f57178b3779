// Start page: the state of this instance and of its system, and links to all pages.

import { instanceState, statusIcon } from "../data/instance-state.js";
import { isAt, numberAt, textAt } from "../data/node-stat.js";
import { connectionError, useLive } from "../data/server-connection.js";
import { bytes, clipForDisplay, count, duration } from "../data/text.js";
import { useInstances } from "../data/use-instances.js";
import { Badge } from "../parts/badge.js";
import { PageLink } from "../parts/page-link.js";
import { StatGrid } from "../parts/stat-grid.js";

const EVERY_MS = 2500;
const PLACES = [
  ["system", "Overview", "All instances, with request rates and latency"],
  ["plugin", "Plugins", "Parameters of each plugin, and a form to call it"],
  ["search", "Graph", "Vertices, neighbors and queries"],
  ["requests", "Requests", "Requests in progress"],
  ["logs", "Logs", "Server log"],
  ["admin", "Administration", "Operations on this instance"],
] as const;

export function Home() {
  const node = useLive("svc/nodestat", EVERY_MS);
  const { instances } = useInstances(EVERY_MS);
  const state = instanceState(connectionError.value !== null && node === null ? undefined : node);
  const warnings = instances.filter((instance) => instance.state.isWarning);
  return (
    <>
      <section class={connectionError.value === null ? "card" : "card stale"}>
        <h2>
          {clipForDisplay(textAt(node, "service-name") || "This instance", 80)}{" "}
          <Badge state={state} />
        </h2>
        <StatGrid
          items={[
            ["Up for", duration(numberAt(node, "uptime"))],
            ["Requests", `${count(numberAt(node, "service-rate"))} /s`],
            ["Memory", bytes(numberAt(node, "memory-process"))],
            ["Vertices", count(numberAt(node, "graph-order"))],
            ["Instances", count(instances.length)],
          ]}
        />
        {warnings.map(({ id, entry, state: found }) => (
          <p key={id}>
            <span class={found.tone}>
              <span aria-hidden="true">{statusIcon(found)} </span>
              {clipForDisplay(id, 60)}: {found.word}
              {isAt(entry, "error") && ` for ${duration(numberAt(entry, "unreachable-ms") / 1000)}`}
            </span>
          </p>
        ))}
      </section>
      <section class="card">
        <h2>Pages</h2>
        <ul>
          {PLACES.map(([page, title, about]) => (
            <li key={page}>
              <PageLink to={page}>{title}</PageLink>: {about}
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}
