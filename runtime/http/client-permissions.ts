// Who may be a dispatcher. Dispatchers introduce themselves and get partial results; everybody else
// is a client, and such fields of theirs are as if they were not there. What operators may do is
// another question, which trusted-clients.ts answers.

import { type HeaderFields, readHeaderFields } from "./header-fields.js";
import { Networks } from "./network.js";

export class ClientPermissions {
  readonly #parents: Networks;

  /** @param parents networks of dispatchers above this server */
  constructor(parents: readonly string[]) {
    this.#parents = new Networks(parents);
  }

  /** May be a dispatcher. */
  isParent(address: string): boolean {
    return this.#parents.has(address);
  }

  /** The fields without what this client may not say; the same object where that is nothing. */
  allowed(fields: HeaderFields, address: string): HeaderFields {
    if (fields.accept !== "partial" || this.isParent(address)) return fields;
    // The given one may be that of other clients, too.
    const copy = readHeaderFields(fields.block, fields.count) as HeaderFields;
    copy.accept = "json";
    return copy;
  }
}
