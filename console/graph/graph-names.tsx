// Types and relationships of a graph with their counts; a click inserts the name into the query.

import { clipForDisplay, count } from "../data/text.js";
import { chooseLook, type GraphInfo, type NamedCount } from "./graph-info.js";
import { ShapeMark } from "./legend.js";

const MAX_NAMES = 40;

interface GraphNamesProps {
  readonly graph: string;
  readonly info: GraphInfo;
  readonly onPick: (name: string) => void;
}

export function GraphNames({ graph, info, onPick }: GraphNamesProps) {
  return (
    <section class="card" aria-label="Names of the graph">
      <header>
        <h2>Names in {clipForDisplay(graph, 60)}</h2>
        <span class="end soft s">a click puts one into the query</span>
      </header>
      <div class="body split">
        <NameList title="Types" names={info.types} hasShape onPick={onPick} />
        <NameList title="Relationships" names={info.relationships} onPick={onPick} />
      </div>
    </section>
  );
}

interface NameListProps {
  readonly title: string;
  readonly names: readonly NamedCount[];
  readonly hasShape?: boolean;
  readonly onPick: (name: string) => void;
}

function NameList({ title, names, hasShape = false, onPick }: NameListProps) {
  const used = names.filter(({ count: many }) => many > 0).slice(0, MAX_NAMES);
  return (
    <div>
      <h3>{title}</h3>
      {used.length === 0 && <p class="soft">None is in use.</p>}
      <ul class="facet">
        {used.map(({ name, count: many }) => (
          <li key={name}>
            {hasShape ? (
              <ShapeMark look={chooseLook(names, name)} />
            ) : (
              <LineMark color={chooseLook(names, name).color} />
            )}
            <button type="button" class="link clip" onClick={() => onPick(name)}>
              {clipForDisplay(name, 60)}
            </button>
            <span class="n">{count(many)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function LineMark({ color }: { readonly color: number }) {
  return (
    <svg class="shape" viewBox="0 0 14 14" aria-hidden="true">
      <path class={`line-${color}`} d="M1 7h12" stroke-width="2" />
    </svg>
  );
}
