// Runs an operation on one instance with the operator's key.

import { KEY_HEADER } from "../../runtime/http/operator-auth.js";
import { readAdminKey } from "../../runtime/settings/admin-key.js";
import { callAdminOperation } from "../../runtime/system/call-admin-operation.js";
import type { Address } from "../../runtime/system/instance-client.js";

type Parameters = Readonly<Record<string, string>>;

/**
 * @param body makes the request a POST
 * @throws SvcError SVC2701 without a response, SVC3115 for a rejection or failure
 */
export function operate(
  address: Address,
  operation: string,
  parameters: Parameters = {},
  body?: string,
  maxBytes?: number,
): Promise<unknown> {
  const key = readAdminKey(null);
  const headers = key === null ? {} : { [KEY_HEADER]: key };
  const posted = {
    ...(body !== undefined && { body }),
    ...(maxBytes !== undefined && { maxBytes }),
  };
  return callAdminOperation(address, { operation, parameters, headers, ...posted });
}
