// What may be the id of a vertex.

import { MAX_STRING } from "../constants.js";
import { VertexError } from "../errors.js";

/**
 * The id, if it can be one; graph digest 1.8.
 * @throws SvcError SVC2405
 */
export function checkedId(id: unknown): string {
  if (typeof id !== "string") throw new VertexError("Vertex identifier must be a string");
  if (id.length > MAX_STRING) {
    throw new VertexError(`Vertex identifier too long (${id.length}), max length is ${MAX_STRING}`);
  }
  return id;
}
