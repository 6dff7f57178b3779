// Lines of the explanation of a query about its facets and groups.

import type { Facets, PartialFacet } from "../hits/facets.js";
import type { HitCollector } from "../hits/hit-collector.js";
import type { HitGroups } from "../hits/hit-groups.js";

/** Facets of a query: those of a whole graph, or of one partition. */
export interface CountedFacets {
  readonly whole: Facets | null;
  readonly partial: Readonly<Record<string, PartialFacet>> | null;
  /** Names of the facets that columns have counted. */
  readonly columns: readonly string[];
}

/** Hits of a query with their groups and facets. */
interface Summary {
  readonly collector: HitCollector;
  readonly groups: HitGroups | null;
  readonly facets: CountedFacets | null;
}

/** Describes groups and facets, one per line. */
export function explainSummary({ collector, groups, facets }: Summary): string[] {
  const hits = `of ${collector.arcs} hits`;
  const lines = Object.entries(facets?.whole ?? facets?.partial ?? {}).map(([name, facet]) => {
    const { length } = Array.isArray(facet) ? facet : (facet as PartialFacet).values;
    const source = facets?.columns.includes(name) ? ", from a column" : "";
    return `facet '${name}': ${length} values ${hits}${source}`;
  });
  return groups === null ? lines : [...lines, `groups: ${groups.firsts.length} ${hits}`];
}
