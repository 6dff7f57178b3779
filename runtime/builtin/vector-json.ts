// Vectors in requests: a list of numbers, the base64 text of little-endian float32s (a
// third of the characters), or features as a list of pairs of name and weight.

import { ParameterError } from "../base/errors.js";
import type { Graph } from "../graph/api/graph.js";
import { requireCompatibleVector } from "../graph/api/graph-similarity.js";
import type { Vector } from "../graph/api/public-names.js";

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const FLOAT_BYTES = 4;

/**
 * Returns a validated vector; null for a missing one.
 * @param vectors name of the vectors in the graph; empty: those without a name
 * @throws ParameterError for an invalid vector
 */
export function vectorParameter(
  graph: Graph,
  name: string,
  value: unknown,
  vectors = "",
): Vector | null {
  if (value === null || value === undefined || value === "") return null;
  const components = typeof value === "string" ? decodeFloats(name, value) : value;
  try {
    return requireCompatibleVector(graph, components, vectors);
  } catch (error) {
    const kind = (error as Error).name === "ValueError" ? "ValueError" : "TypeError";
    throw new ParameterError(kind, `${name} (${(error as Error).message})`);
  }
}

/**
 * Returns vectors by name.
 * @throws ParameterError for another value than an object, or an invalid vector
 */
export function vectorsParameter(graph: Graph, value: unknown): Record<string, Vector> {
  const entries = value === null || value === "" ? {} : value;
  if (typeof entries !== "object" || entries === undefined || Array.isArray(entries)) {
    throw new ParameterError("TypeError", "vectors (an object is required)");
  }
  return Object.fromEntries(
    Object.entries(entries as object).flatMap(([name, value]) => {
      if (name === "") throw new ParameterError("ValueError", "vectors (a name is empty)");
      const vector = vectorParameter(graph, `vectors.${name}`, value, name);
      return vector === null ? [] : [[name, vector] as const];
    }),
  );
}

/**
 * Validates all vectors in the arguments of a query, including those of its conditions.
 * @throws ParameterError for an invalid vector
 */
export function checkVectors(graph: Graph, query: object): void {
  for (const [name, value] of Object.entries(query)) {
    if (name === "vector") checkVector(graph, value);
    else checkSimilarities(graph, name, value);
  }
}

/** Recursive: the depth of queries was limited before. */
function checkSimilarities(graph: Graph, name: string, value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  if (name === "similarity" && "vector" in value) checkVector(graph, value.vector);
  for (const [key, inner] of Object.entries(value)) {
    checkSimilarities(graph, Array.isArray(value) ? name : key, inner);
  }
}

function checkVector(graph: Graph, value: unknown): void {
  if (value === "tail") return;
  const isReference = typeof value === "object" && value !== null && "vector" in value;
  vectorParameter(graph, "vector", isReference ? value.vector : value);
}

/**
 * Decodes the numbers of a base64 text.
 * @throws ParameterError for invalid text
 */
export function decodeFloats(name: string, text: string): number[] {
  const bytes = Buffer.from(text, "base64");
  const isWhole = BASE64.test(text) && text.length % 4 === 0 && bytes.length % FLOAT_BYTES === 0;
  if (!isWhole) throw new ParameterError("ValueError", `${name} (base64 of float32s is required)`);
  return Array.from({ length: bytes.length / FLOAT_BYTES }, (_, index) =>
    bytes.readFloatLE(index * FLOAT_BYTES),
  );
}
