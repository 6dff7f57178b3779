// Typed data that a hook passes to the plugin of the same request.

import { RequestError } from "../../base/errors.js";
import type { PluginRequest } from "./plugin-request.js";

/**
 * A value per request, which exists as long as the request. A hook sets it and the plugin gets it.
 *
 *
 * @example
 * export const caller = new RequestData<Caller>("caller");
 * caller.set(request, { id: 7 });
 * caller.get(request).id;
 */
export class RequestData<T> {
  readonly #values = new WeakMap<PluginRequest, { readonly value: T }>();

  /** @param name for the error of a request without a value */
  constructor(readonly name: string) {}

  set(request: PluginRequest, value: T): void {
    this.#values.set(request, { value });
  }

  /** Returns the value, undefined without one. */
  find(request: PluginRequest): T | undefined {
    return this.#values.get(request)?.value;
  }

  /** @throws RequestError without a value: the hook that sets it did not run */
  get(request: PluginRequest): T {
    const value = this.#values.get(request);
    if (value === undefined) throw new RequestError(`request without ${this.name}`);
    return value.value;
  }
}
