// Access to services that reveal clients and their requests.

import { ForbiddenError, type ServiceRequest } from "../service.js";

/** @throws ForbiddenError for clients other than loopback and `http.trustedNetworks` */
export function requireTrusted({ isTrusted }: ServiceRequest, name: string): void {
  if (isTrusted) return;
  const text = `403 Forbidden: /svc/${name} requires loopback or http.trustedNetworks`;
  throw new ForbiddenError(text);
}
