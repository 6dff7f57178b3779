// All instances of the system as a table, grouped by what they are. Names lead to their consoles.

import { consoleUrl, type Instance } from "../data/instances.js";
import { numberAt, textAt } from "../data/node-stat.js";
import { bytes, clipForDisplay, count, duration, milliseconds } from "../data/text.js";
import { Badge } from "./badge.js";
import { PageLink } from "./page-link.js";

const COLUMNS = [
  ...["Instance", "Type", "State", "Uptime", "Service", "Requests/s", "95th", "Clients", "Memory"],
  ...["Vertices", "Arcs", "Actions"],
];
const MAX_ROWS = 500;

export function InstanceTable({ instances }: { readonly instances: readonly Instance[] }) {
  const rest = instances.length - MAX_ROWS;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard
    <section class="card scroll" tabIndex={0} aria-label="Instances">
      <table>
        <caption>Instances{rest > 0 && `: the first ${MAX_ROWS} of ${instances.length}`}</caption>
        <thead>
          <tr>
            {COLUMNS.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {instances.slice(0, MAX_ROWS).map((instance) => (
            <Row key={instance.id} instance={instance} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Row({ instance }: { readonly instance: Instance }) {
  const { id, type, node, state, address, entry } = instance;
  const target = consoleUrl(instance, "status", location.protocol);
  const isThere = node !== undefined && node !== null;
  return (
    <tr class={isThere ? "" : "stale"}>
      <th scope="row">
        {target === null ? clipForDisplay(id, 60) : <a href={target}>{clipForDisplay(id, 60)}</a>}
        <div class="quiet">{clipForDisplay(address, 60)}</div>
      </th>
      <td>{clipForDisplay(type, 40)}</td>
      <td>
        <Badge state={state} />
      </td>
      {isThere ? <Figures node={node} /> : <NoResponse entry={entry} />}
      <td>
        <PageLink
          to={`admin?on=${encodeURIComponent(id)}`}
          label={`Operate ${clipForDisplay(id, 60)}`}
        >
          Operate
        </PageLink>
      </td>
    </tr>
  );
}

function NoResponse({ entry }: { readonly entry: unknown }) {
  const seconds = numberAt(entry, "unreachable-ms") / 1000;
  return <td colSpan={COLUMNS.length - 4}>no response for {duration(seconds)}</td>;
}

function Figures({ node }: { readonly node: unknown }) {
  const figure = (name: string) => numberAt(node, name);
  const mode = textAt(node, "matrix", "mode");
  const size = `${numberAt(node, "matrix", "height")}R × ${numberAt(node, "matrix", "width")}P`;
  return (
    <>
      <td>{duration(figure("uptime"))}</td>
      <td>
        {figure("service-in") > 0 ? "in" : "out"}
        {mode !== "engine" && mode !== "" && `, ${size}`}
      </td>
      <td>{count(figure("service-rate"))}</td>
      <td>{milliseconds(figure("service-95th-ms"))}</td>
      <td>{count(figure("connected-clients"))}</td>
      <td>{bytes(figure("memory-process"))}</td>
      <td>{count(figure("graph-order"))}</td>
      <td>{count(figure("graph-size"))}</td>
    </>
  );
}
