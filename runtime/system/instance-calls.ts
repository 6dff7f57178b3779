// How a procedure reaches the instances of its system: a command of an operator, or an instance.

import type { Address } from "./instance-client.js";
import type { System } from "./system.js";

export interface InstanceCalls {
  readonly system: System;
  /** Address of an instance's admin port. */
  address(id: string): Address;
  /**
   * Calls an admin operation of an instance.
   * @param body makes the request a POST
   * @throws SvcError SVC2701 without a response, SVC3115 for a rejection or failure
   */
  call(
    id: string,
    operation: string,
    parameters: Readonly<Record<string, string>>,
    body?: string,
    maxBytes?: number,
  ): Promise<unknown>;
}
