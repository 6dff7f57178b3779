// Names of vectors of a graph with a schema. Types only.

import type { VectorIndexOptions } from "../changes/index-vectors.js";
import type { NearestOptions } from "../query/calls/nearest.js";
import type { VectorLike } from "../vectors/vector.js";
import type { GraphSchema, SchemaCondition, VectorName } from "./schema.js";
import type { VertexAttributes } from "./vertex-attributes.js";

type Probe = VectorLike | VertexAttributes;

/** A probe without a name, or probes by name. */
export type SchemaProbe<S extends GraphSchema> = Probe | { readonly [N in VectorName<S>]?: Probe };

export type SchemaNearest<S extends GraphSchema> = Omit<NearestOptions, "condition" | "weights"> & {
  readonly condition?: SchemaCondition<S>;
  readonly weights?: { readonly [N in VectorName<S>]?: number };
};

/** Name of vectors (default: vectors without a name). */
interface OfName<S extends GraphSchema> {
  readonly name?: VectorName<S>;
}
export type SchemaVectorIndex<S extends GraphSchema> = Omit<VectorIndexOptions, "name"> & OfName<S>;
export type SchemaVectorIndexName<S extends GraphSchema> = Pick<VectorIndexOptions, "length"> &
  OfName<S>;
