// Decides which clients may act as dispatchers. Dispatchers identify themselves and receive partial
// results; for all other clients these header fields are ignored. Operator rights are decided in
// trusted-clients.ts.

import { Networks } from "../base/network.js";
import { type HeaderFields, readHeaderFields } from "./header-fields.js";

export class ClientPermissions {
  readonly #dispatchers: Networks;

  /** @param dispatchers networks of the dispatchers above this server */
  constructor(dispatchers: readonly string[]) {
    this.#dispatchers = new Networks(dispatchers);
  }

  /** Returns true if a client at `address` may act as a dispatcher. */
  isDispatcherAddress(address: string): boolean {
    return this.#dispatchers.has(address);
  }

  /**
   * Returns the fields without those reserved for dispatchers; the same object if there are none.
   */
  filterFields(fields: HeaderFields, address: string): HeaderFields {
    if (fields.accept !== "partial" || this.isDispatcherAddress(address)) return fields;
    // Copies: other requests may share the cached object.
    const copy = readHeaderFields(fields.block, fields.count) as HeaderFields;
    copy.accept = "json";
    return copy;
  }
}
