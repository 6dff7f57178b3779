// The main numbers of a page with their units, some with a chart of the last minutes.

import type { ComponentChildren } from "preact";
import { clipForDisplay } from "../data/text.js";

export interface KeyNumber {
  readonly name: string;
  readonly value: string;
  readonly unit?: string;
  readonly about?: string;
  readonly chart?: ComponentChildren;
}

export function KeyNumbers({ items }: { readonly items: readonly KeyNumber[] }) {
  return (
    <dl class="card figs">
      {items.map(({ name, value, unit = "", about = "", chart }) => (
        <div class="fig" key={name}>
          <dt>{name}</dt>
          <dd class="v">
            {clipForDisplay(value, 40)}
            <small>{unit}</small>
          </dd>
          {about !== "" && <dd class="sub">{clipForDisplay(about, 120)}</dd>}
          {chart !== undefined && <dd>{chart}</dd>}
        </div>
      ))}
    </dl>
  );
}
