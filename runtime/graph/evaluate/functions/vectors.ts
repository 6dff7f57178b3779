// What compares two vectors: of vertices, of the query, or put aside. Where one is missing they are
// as unlike as can be, which for a cosine is 0.

import { cosineOf, distanceOf, hammingOf } from "../../vectors/vector-parts.js";
import { boxedReal, type Value, VectorValue } from "../values.js";
import { type Argument, type FunctionRow, fixed } from "./row.js";

type Measure = (a: VectorValue, b: VectorValue) => Value;

/** @param other of what are no two vectors */
function measure(name: string, type: "int" | "real", doc: string, of: Measure, other: Value) {
  return fixed(name, 2, type, doc, (_x, a: Argument, b: Argument) =>
    a instanceof VectorValue && b instanceof VectorValue ? of(a, b) : other,
  );
}

const NO_COSINE = boxedReal(0);
const cosine: Measure = (a, b) => boxedReal(cosineOf(a.parts, b.parts));

export const VECTORS: readonly FunctionRow[] = [
  measure("cosine", "real", "(v, w): cosine of their angle, -1 to 1", cosine, NO_COSINE),
  measure("sim", "real", "(v, w): similarity, which is their cosine", cosine, NO_COSINE),
  measure("jaccard", "real", "(v, w): 0, as for all euclidean vectors", () => NO_COSINE, NO_COSINE),
  measure(
    "euclidean",
    "real",
    "(v, w): distance",
    (a, b) => boxedReal(distanceOf(a.parts, b.parts)),
    boxedReal(8.5e37),
  ),
  measure(
    "hamdist",
    "int",
    "(v, w): bits in which fingerprints differ",
    (a, b) => {
      return hammingOf(a.parts, b.parts);
    },
    64,
  ),
];
