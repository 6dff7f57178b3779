// Services that count what all graphs hold together.

import { graphDigest, graphSums } from "../../graph/status/graph-sums.js";
import { jsonService } from "../service.js";

/** Operations are not numbered across instances before they are replicated. */
const MASTER_SERIAL = "0";

export const graphsum = jsonService((view) => {
  const graphs = view.graphs();
  const sums = graphSums(graphs);
  return {
    graphsum: {
      digest: graphDigest(graphs),
      "master-serial": MASTER_SERIAL,
      names: graphs.map(({ store }) => store.name),
      "local-only": graphs.filter(({ isLocal }) => isLocal).map(({ store }) => store.name),
      order: sums.order,
      size: sums.size,
      properties: sums.properties,
      vectors: 0,
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
  const { order, size, properties } = graphSums(view.graphs());
  return { "master-serial": MASTER_SERIAL, order, size, properties, vectors: 0 };
});
