// Named metrics in a grid.

import { clipForDisplay } from "../data/text.js";

interface FiguresProps {
  readonly items: readonly (readonly [name: string, value: string])[];
}

export function StatGrid({ items }: FiguresProps) {
  return (
    <dl class="figures">
      {items.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{clipForDisplay(value)}</dd>
        </div>
      ))}
    </dl>
  );
}
