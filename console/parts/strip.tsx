// A strip of cells over time, colored by the heat scale of milliseconds.

import { heatStep } from "./heat.js";

interface StripProps {
  readonly values: readonly (number | null)[];
  readonly label: string;
}

const CELLS = 20;

export function Strip({ values, label }: StripProps) {
  const size = Math.max(1, Math.ceil(values.length / CELLS));
  const cells = Array.from({ length: Math.ceil(values.length / size) }, (_, index) =>
    Math.max(0, ...values.slice(index * size, (index + 1) * size).map((value) => value ?? 0)),
  );
  return (
    <svg
      class="spark"
      viewBox="0 0 100 24"
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {cells.map((value, index) => (
        <rect
          key={index}
          class={`heat-${heatStep(value)}`}
          x={(index * 100) / cells.length}
          y="4"
          width={80 / cells.length}
          height="16"
        />
      ))}
    </svg>
  );
}
