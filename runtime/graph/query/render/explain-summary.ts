// Lines of the explanation of a query about its facets and groups.

import type { Facets, PartialFacet } from "../hits/facets.js";
import type { HitGroups } from "../hits/hit-groups.js";

/** Facets and groups of a query. */
export interface Summary {
  readonly groups: HitGroups | null;
  readonly facets: Facets | null;
  readonly partialFacets: Readonly<Record<string, PartialFacet>> | null;
  /** Facets that columns have counted. */
  readonly columns: readonly string[];
  /** Groups, or hits without any. */
  readonly count: number;
}

/** Describes groups and facets, one per line. */
export function explainSummary(summary: Summary, matched: number): string[] {
  const { groups, facets, partialFacets, columns, count } = summary;
  const hits = `of ${matched} hits`;
  const counted = facets ?? partialFacets ?? {};
  const lines = Object.entries(counted).map(([name, facet]) => {
    const { length } = Array.isArray(facet) ? facet : (facet as PartialFacet).values;
    const source = columns.includes(name) ? ", from a column" : "";
    return `facet '${name}': ${length} values ${hits}${source}`;
  });
  return groups === null ? lines : [...lines, `groups: ${count} ${hits}`];
}
