// Totals over all graphs.

import { graphDigest, graphTotals } from "../../graph/api/status/graph-totals.js";
import type { ServerView } from "../server-view.js";
import { jsonService } from "../service.js";

/** Returns the digest of all graphs that are replicated. */
export function digestGraphs(view: ServerView): string {
  return graphDigest(view.graphs().filter(({ isLocal }) => !isLocal));
}

export const graphsum = jsonService((view) => {
  const graphs = view.graphs();
  const sums = graphTotals(graphs);
  return {
    graphsum: {
      digest: digestGraphs(view),
      "master-serial": String(view.traffic().serial),
      names: graphs.map(({ store }) => store.name),
      "local-only": graphs.filter(({ isLocal }) => isLocal).map(({ store }) => store.name),
      order: sums.order,
      size: sums.size,
      properties: sums.properties,
      vectors: sums.vectors,
      enumerator: {
        relationship: sums.relationships,
        vertextype: sums.types,
        key: sums.keys,
        string: sums.values,
        dimension: 0,
      },
      vprop: { bytes: sums.propertyBytes, count: sums.properties },
      query: { count: sums.queries, "ns-acc": sums.queryTimeUs * 1000 },
      engine: { exceptions: { warning: 0, error: view.metrics.strayExceptions, critical: 0 } },
    },
  };
});

export const objcnt = jsonService((view) => {
  const { order, size, properties, vectors } = graphTotals(view.graphs());
  return { "master-serial": String(view.traffic().serial), order, size, properties, vectors };
});
