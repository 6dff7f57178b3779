// Constraints of a graph, as plugins and programs declare them.

import {
  type ConstrainedProperty,
  type Constraint,
  constrain,
  dropConstraint,
  listConstraints,
} from "../changes/constraints.js";
import { refuseFurther } from "../model/check-argument.js";
import { GraphVectors } from "./graph-vectors.js";

export class GraphConstraints extends GraphVectors {
  /**
   * Declares rules for a property of the vertices of a type, in place of earlier ones. Every change
   * keeps them from then on; a batch keeps them at its end.
   * @returns false if the graph had these rules already
   * @throws ConstraintError with the first hundred vertices that break them
   * @throws ValueError, AccessError, CapacityError
   */
  constrain(constraint: Constraint, ...further: never[]): boolean {
    refuseFurther(further, "the constraint");
    return constrain(this.access.store, constraint);
  }

  /**
   * Drops the rules for a property of a type; false if there are none.
   * @throws ValueError, AccessError
   */
  dropConstraint(property: ConstrainedProperty, ...further: never[]): boolean {
    refuseFurther(further, "the property");
    return dropConstraint(this.access.store, property);
  }

  /** Returns the constraints, sorted by type and key. */
  constraints(): Constraint[] {
    return listConstraints(this.access.store);
  }
}
