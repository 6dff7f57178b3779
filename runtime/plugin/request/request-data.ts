// Typed data that a hook passes to the plugin, for one request.

import { RequestError } from "../../base/errors.js";
import type { PluginRequest } from "./plugin-request.js";

/**
 * Values that belong to requests, each until its request is over. A function that runs before
 * plugins sets one, the plugin gets it.
 *
 * @example
 * export const caller = new RequestData<Caller>("caller");
 * caller.set(request, { id: 7 });
 * caller.get(request).id;
 */
export class RequestData<T> {
  readonly #values = new WeakMap<PluginRequest, { readonly value: T }>();

  /** @param name for the error of a request that has none */
  constructor(readonly name: string) {}

  set(request: PluginRequest, value: T): void {
    this.#values.set(request, { value });
  }

  /** Undefined if none was set. */
  find(request: PluginRequest): T | undefined {
    return this.#values.get(request)?.value;
  }

  /** @throws RequestError where none was set: what should have set it did not run */
  get(request: PluginRequest): T {
    const found = this.#values.get(request);
    if (found === undefined) throw new RequestError(`request without ${this.name}`);
    return found.value;
  }
}
