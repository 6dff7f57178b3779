// Values of facets with their counts; a pressed button restricts the hits to its value.

import { clipForDisplay, count } from "../data/text.js";

interface FacetsProps {
  readonly facets: readonly (readonly [
    name: string,
    values: readonly { readonly value: unknown; readonly count: number }[],
  ])[];
  /** JSON of the chosen value, by facet. */
  readonly chosen: ReadonlyMap<string, string>;
  readonly onToggle: (facet: string, value: string) => void;
}

export function Facets({ facets, chosen, onToggle }: FacetsProps) {
  return (
    <div class="facets">
      {facets.map(([name, values]) => (
        <fieldset key={name} class="facet">
          <legend>{name === ".type" ? "Type" : clipForDisplay(name, 60)}</legend>
          {values.length === 0 && <p class="soft">no values</p>}
          {values.map(({ value, count: matches }) => {
            const json = JSON.stringify(value);
            return (
              <button
                key={json}
                type="button"
                class="btn"
                aria-pressed={chosen.get(name) === json}
                onClick={() => onToggle(name, json)}
              >
                <span>{clipForDisplay(value, 40)}</span>
                <span>{count(matches)}</span>
              </button>
            );
          })}
        </fieldset>
      ))}
    </div>
  );
}
