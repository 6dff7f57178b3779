// Reads vertex conditions as queries write them, and compiles them.

import { InternalError } from "../errors.js";
import type { GraphStore } from "../store/graph-store.js";
import type { VertexCondition } from "./query-options.js";

/** A compiled condition. */
export interface VertexTest {
  /** Degrees that the condition names, as fields: what `aggregate` shows by default. */
  readonly degreeFields: number;
}

/**
 * A condition ready for use; null when any vertex passes.
 * @throws QueryError what is not a vertex condition
 * @throws UnsupportedError expressions and similarity
 */
export function compileVertexCondition(
  store: GraphStore,
  condition: VertexCondition | undefined,
): VertexTest | null {
  throw new InternalError(`not written: ${store.name} ${condition}`);
}

/** Whether a vertex passes a condition; null passes all. */
export function testCondition(store: GraphStore, test: VertexTest | null, vertex: number): boolean {
  throw new InternalError(`not written: ${store.name} ${test} ${vertex}`);
}
