// Shown if this instance has no vertices of a graph, for example a dispatcher. Links to instances
// that have some.

import { consoleUrl, type Instance } from "../data/instances.js";
import { numberAt } from "../data/node-stat.js";
import { systemView } from "../data/system-view.js";
import { clipForDisplay, count, plural } from "../data/text.js";
import { Badge } from "./badge.js";

const MAX_SHOWN = 50;

interface NoGraphProps {
  /** Name of the graph; empty if the instance has no graphs. */
  readonly graph: string;
  /** Page that the links open. */
  readonly page: "search" | "text";
}

export function NoGraph({ graph, page }: NoGraphProps) {
  const { id, instances } = systemView.value;
  const others = instances.filter(
    (instance) => instance.id !== id && numberAt(instance.node, "graph-order") > 0,
  );
  const missing = graph === "" ? "graphs" : `vertices of the graph ${clipForDisplay(graph, 60)}`;
  const address = graph === "" ? page : `${page}?${new URLSearchParams({ graph })}`;
  return (
    <section class="card">
      <header>
        <h2>This instance has no {missing}.</h2>
      </header>
      <p class="body soft">
        {others.length === 0
          ? "No other instance of the system has vertices."
          : "These instances have vertices. Open one of them:"}
      </p>
      <ul class="list">
        {others.slice(0, MAX_SHOWN).map((instance) => (
          <li key={instance.id}>
            <Badge state={instance.state} />
            <Target instance={instance} address={address} />
            <span class="soft num">
              {plural(numberAt(instance.node, "graph-order"), "vertex", "vertices")},{" "}
              {plural(numberAt(instance.node, "graph-size"), "arc")}
            </span>
          </li>
        ))}
      </ul>
      {others.length > MAX_SHOWN && (
        <p class="body soft">
          and {count(others.length - MAX_SHOWN)} more, see the table of the page System
        </p>
      )}
    </section>
  );
}

function Target({ instance, address }: { readonly instance: Instance; readonly address: string }) {
  const target = consoleUrl(instance, address, location.protocol);
  const name = clipForDisplay(instance.id, 60);
  return (
    <span>
      {target === null ? name : <a href={target}>{name}</a>}{" "}
      <span class="faint">{clipForDisplay(instance.type, 40)}</span>
    </span>
  );
}
