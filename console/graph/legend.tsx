// Legend of a drawing: types with color, shape, and number of vertices that are shown.

import { clipForDisplay, count } from "../data/text.js";
import { chooseLook, type GraphInfo, type Look, shapeCorners } from "./graph-info.js";

interface LegendProps {
  readonly info: GraphInfo;
  /** Types of the vertices that are drawn. */
  readonly types: readonly string[];
}

export function Legend({ info, types }: LegendProps) {
  const shown = new Map<string, number>();
  for (const type of types) shown.set(type, (shown.get(type) ?? 0) + 1);
  return (
    <ul class="float legend" aria-label="Types, shown and all">
      {info.types
        .filter(({ name }) => shown.has(name))
        .map(({ name, count: all }) => (
          <li key={name}>
            <ShapeMark look={chooseLook(info.types, name)} />
            <span class="clip">{clipForDisplay(name, 30)}</span>
            <span class="n">
              {count(shown.get(name) ?? 0)} / {count(all)}
            </span>
          </li>
        ))}
    </ul>
  );
}

export function ShapeMark({ look: { color, shape } }: { readonly look: Look }) {
  const corners = shapeCorners(shape, 7, 7, 5);
  return (
    <svg class="shape" viewBox="0 0 14 14" aria-hidden="true">
      {corners.length === 0 ? (
        <circle class={`fill-${color}`} cx="7" cy="7" r="5" />
      ) : (
        <polygon
          class={`fill-${color}`}
          points={corners.map((corner) => corner.join(",")).join(" ")}
        />
      )}
    </svg>
  );
}
