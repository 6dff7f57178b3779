// Named figures in a grid.

import { shown } from "../data/text.js";

interface FiguresProps {
  readonly items: readonly (readonly [name: string, value: string])[];
}

export function Figures({ items }: FiguresProps) {
  return (
    <dl class="figures">
      {items.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{shown(value)}</dd>
        </div>
      ))}
    </dl>
  );
}
