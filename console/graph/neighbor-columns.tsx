// Columns of tables of vertices and their arcs.

import { clipForDisplay, count } from "../data/text.js";
import type { Column } from "../parts/data-table.js";
import { PageLink } from "../parts/page-link.js";
import { chooseLook, type GraphInfo } from "./graph-info.js";
import { ShapeMark } from "./legend.js";
import type { Neighbor } from "./neighbors.js";

export const idColumn = (graph: string): Column<Neighbor> => ({
  ...{ title: "Vertex", isHead: true, sort: ({ id }) => id },
  cell: ({ id }) => (
    <PageLink to={`search?${new URLSearchParams({ graph, id })}`}>
      {clipForDisplay(id, 60)}
    </PageLink>
  ),
});
export const typeColumn = ({ types }: GraphInfo): Column<Neighbor> => ({
  ...{ title: "Type", isOptional: true, sort: ({ type }) => type },
  cell: ({ type }) => (
    <span class="key">
      <ShapeMark look={chooseLook(types, type)} />
      {clipForDisplay(type, 40)}
    </span>
  ),
});
export const ARC: Column<Neighbor> = {
  ...{ title: "Arc", sort: ({ relationship }) => relationship },
  cell: ({ direction, relationship }) =>
    `${direction === "D_IN" ? "←" : "→"} ${clipForDisplay(relationship, 40)}`,
};
export const VALUE: Column<Neighbor> = {
  ...{ title: "Value", isNumber: true, sort: ({ value }) => value },
  cell: ({ value }) => count(value),
};
export const DEGREE: Column<Neighbor> = {
  ...{ title: "Degree", isNumber: true, sort: ({ degree }) => degree },
  cell: ({ degree }) => count(degree),
};
