// Comparisons of two vectors: of vertices, of the query, or in memory. If one is missing, the
// result is that of maximally different vectors, which for a cosine is 0.

import { COSINE } from "../../vectors/measures/cosine.js";
import { DOT_PRODUCT } from "../../vectors/measures/dot-product.js";
import { compareVectors, computeSimilarity } from "../../vectors/measures/measures.js";
import { computeDistance, computeHamming, computeJaccard } from "../../vectors/vector-parts.js";
import type { Context } from "../context.js";
import { boxedReal, type Value, VectorValue } from "../values.js";
import { type Argument, type FunctionRow, fixed } from "./row.js";

type Comparison = (a: VectorValue, b: VectorValue, x: Context) => Value;

/** @param other result if an argument is not a vector */
function measure(name: string, type: "int" | "real", doc: string, of: Comparison, other: Value) {
  return fixed(name, 2, type, doc, (x, a: Argument, b: Argument) =>
    a instanceof VectorValue && b instanceof VectorValue ? of(a, b, x) : other,
  );
}

const NO_SIMILARITY = boxedReal(0);
const sim: Comparison = (a, b, { run }) =>
  boxedReal(computeSimilarity(a.parts, b.parts, run.settings, run.measure));
const jaccard: Comparison = (a, b) => boxedReal(computeJaccard(a.parts, b.parts));

export const VECTORS: readonly FunctionRow[] = [
  ...[COSINE, DOT_PRODUCT].map((each) => {
    const { name, doc, missing } = each;
    const of: Comparison = (a, b) => boxedReal(compareVectors(each, a.parts, b.parts));
    return measure(name, "real", doc, of, boxedReal(missing));
  }),
  measure(
    "sim",
    "real",
    "(v, w): similarity by the measure of the graph, or by settings for features",
    sim,
    NO_SIMILARITY,
  ),
  measure(
    "jaccard",
    "real",
    "(v, w): Jaccard similarity of features; 0 for numeric vectors",
    jaccard,
    NO_SIMILARITY,
  ),
  measure(
    "euclidean",
    "real",
    "(v, w): distance",
    (a, b) => boxedReal(computeDistance(a.parts, b.parts)),
    boxedReal(8.5e37),
  ),
  measure(
    "hamdist",
    "int",
    "(v, w): Hamming distance of fingerprints",
    (a, b) => {
      return computeHamming(a.parts, b.parts);
    },
    64,
  ),
];
