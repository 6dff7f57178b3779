// Comparisons of the query vector with a vertex's vector: a kernel compares in place, without
// copying the vertex's vector.

import { compareVectors, GRAPH_METRIC } from "../vectors/metrics/metrics.js";
import { Probe } from "../vectors/probe.js";
import type { Context, QueryExecution } from "./context.js";
import type { CallNode, TypedNode } from "./typed-tree.js";
import type { VertexWord } from "./vocabulary.js";

/** Returns a closure for the number of such a call; null for all others. */
export function probeCallNumber({ row, args }: CallNode): ((x: Context) => number) | null {
  const isMetric = row.name === GRAPH_METRIC.name;
  if (!isMetric && row.name !== "sim") return null;
  const [a, b] = args as readonly [TypedNode, TypedNode];
  const of = isQuery(a) ? vertexOf(b) : isQuery(b) ? vertexOf(a) : null;
  if (of === null) return null;
  return (x) => {
    const { handle } = x[of];
    if (handle === 0) return GRAPH_METRIC.missing;
    const { parts } = x.run.vector;
    // Similarity settings affect the similarity of features, but not the metric.
    if (isMetric && parts.isFeatures) {
      return compareVectors(GRAPH_METRIC, parts, x.run.store.vectors.get(handle));
    }
    return probeOf(x.run).similarity(handle, GRAPH_METRIC.missing);
  };
}

function isQuery(node: TypedNode): boolean {
  return node.op === "other" && node.attribute.name === "vector";
}

/** Returns the vertex whose vector a node is. */
function vertexOf(node: TypedNode): VertexWord | null {
  return node.op === "vertexAttribute" && node.attribute.name === "vector" ? node.of : null;
}

function probeOf(run: QueryExecution): Probe {
  run.probe ??= new Probe(run.store.vectors, run.vector.parts);
  return run.probe;
}
