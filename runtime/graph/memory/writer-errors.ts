// Errors of `Writer`.

import { AccessError, CapacityError } from "../model/errors.js";

/** Changes that are committed together. */
export type Unit = "batch" | "transaction";

/** @param first graph of the batch or transaction */
export function otherGraphError(unit: Unit, name: string, first: string): AccessError {
  if (unit === "transaction") {
    return new AccessError(`a transaction is limited to its graphs: add '${name}' to their list`);
  }
  const names = `'${name}' within a batch of '${first}'`;
  return new AccessError(`a batch is limited to one graph: ${names}`);
}

/** @param name graph whose reserved addresses one mutation has exhausted */
export function notEnlargedError(name: string): CapacityError {
  return new CapacityError(
    `graph "${name}" could not be enlarged during one change or batch: make it smaller, raise ` +
      '`ulimit -v`, or open the graph with memory "large"',
  );
}
