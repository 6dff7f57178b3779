// Conditions on the properties of a vertex: all keys named must be there and pass.

import { InternalError } from "../errors.js";
import type { GraphStore } from "../store/graph-store.js";

export class PropertyCondition {
  /**
   * @param condition `{ key: value condition, ... }`; negation is the caller's
   * @throws QueryError what is no condition
   */
  constructor(_store: GraphStore, _condition: unknown) {}

  /** Whether a vertex has all of it. Takes no lock. */
  matches(_vertex: number): boolean {
    throw new InternalError("not written yet");
  }
}
