// Facets with counts, beside a table; checked values filter its rows.

import { clipForDisplay, count } from "../data/text.js";
import { Fold } from "./fold.js";

export interface FacetGroup {
  readonly title: string;
  readonly values: readonly (readonly [value: string, count: number])[];
}

interface CheckFacetsProps {
  readonly groups: readonly FacetGroup[];
  /** Keys such as `Status:200`. */
  readonly chosen: ReadonlySet<string>;
  readonly onChoose: (chosen: ReadonlySet<string>) => void;
}

const MAX_VALUES = 8;

export function CheckFacets({ groups, chosen, onChoose }: CheckFacetsProps) {
  const toggle = (key: string): void => {
    const next = new Set(chosen);
    if (!next.delete(key)) next.add(key);
    onChoose(next);
  };
  const shown = groups.filter(({ values }) => values.length > 0);
  return (
    <section class="card" aria-label="Facets">
      <Fold title={chosen.size === 0 ? "Filters" : `Filters: ${chosen.size} chosen`}>
        <div class="facets">
          {shown.length === 0 && <p class="soft">No values yet.</p>}
          {shown.map(({ title, values }) => (
            <fieldset class="facet" key={title}>
              <legend>{title}</legend>
              <ul>
                {values.slice(0, MAX_VALUES).map(([value, valueCount]) => {
                  const key = `${title}:${value}`;
                  return (
                    <li key={key}>
                      <input
                        type="checkbox"
                        id={`facet-${key}`}
                        checked={chosen.has(key)}
                        onChange={() => toggle(key)}
                      />
                      <label for={`facet-${key}`} class="clip">
                        {clipForDisplay(value, 40)}
                      </label>
                      <span class="n">{count(valueCount)}</span>
                    </li>
                  );
                })}
              </ul>
            </fieldset>
          ))}
        </div>
      </Fold>
    </section>
  );
}
