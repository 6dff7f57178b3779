// What a client may ask of the server by header fields. Dispatchers introduce themselves and get
// partial results; operators get past Service-OUT and choose executors. Everybody else is a client:
// such fields of theirs are as if they were not there.

import { type HeaderFields, readHeaderFields } from "./header-fields.js";
import { Networks, THIS_MACHINE } from "./network.js";

export class ClientRights {
  readonly #parents: Networks;
  readonly #thisMachine = new Networks(THIS_MACHINE);
  readonly #trusted: Networks;

  /**
   * @param parents networks of dispatchers above this server
   * @param trusted networks that are trusted beside this machine
   */
  constructor(parents: readonly string[], trusted: readonly string[]) {
    this.#parents = new Networks(parents);
    this.#trusted = new Networks(trusted);
  }

  /** May be a dispatcher. */
  isParent(address: string): boolean {
    return this.#parents.has(address);
  }

  /** This machine, or a network that is trusted. */
  isTrusted(address: string): boolean {
    return this.#thisMachine.has(address) || this.#trusted.has(address);
  }

  /** The fields without what this client may not say; the same object where that is nothing. */
  allowed(fields: HeaderFields, address: string): HeaderFields {
    const asksPartial = fields.accept === "partial" && !this.isParent(address);
    const asksMore = fields.bypassServiceOut || fields.minQueue > 0;
    const exceeds = asksMore && !this.isTrusted(address);
    if (!asksPartial && !exceeds) return fields;
    // The given one may be that of other clients, too.
    const copy = readHeaderFields(fields.block, fields.count) as HeaderFields;
    if (asksPartial) copy.accept = "json";
    if (exceeds) {
      copy.bypassServiceOut = false;
      copy.minQueue = 0;
    }
    return copy;
  }
}
