// Comparisons of the query vector with the vector of a vertex, which a kernel reads in place
// instead of copying it.

import { COSINE } from "../vectors/measures/cosine.js";
import { compareVectors } from "../vectors/measures/measures.js";
import { Probe } from "../vectors/probe.js";
import type { Context, QueryExecution } from "./context.js";
import type { CallNode, TypedNode } from "./typed-tree.js";
import type { VertexWord } from "./vocabulary.js";

/** Returns a closure for the number of such a call; null for other calls. */
export function probeCallNumber({ row, args }: CallNode): ((x: Context) => number) | null {
  const isCosine = row.name === COSINE.name;
  if (!isCosine && row.name !== "sim") return null;
  const [a, b] = args as readonly [TypedNode, TypedNode];
  const of = isQuery(a) ? vertexOf(b) : isQuery(b) ? vertexOf(a) : null;
  if (of === null) return null;
  return (x) => {
    const { handle } = x[of];
    if (handle === 0) return COSINE.missing;
    const { parts } = x.run.vector;
    // Settings and the measure of the graph affect the similarity, but not the cosine.
    if (isCosine && (parts.isFeatures || x.run.measure !== COSINE)) {
      return compareVectors(COSINE, parts, x.run.store.vectors.get(handle));
    }
    return probeOf(x.run).similarity(handle, COSINE.missing);
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
