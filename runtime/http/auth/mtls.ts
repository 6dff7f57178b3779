// Authentication by client certificates. The TLS handshake has verified them: `http.tls.ca` names
// the authorities.

import type { Principal } from "../../plugin/request/principal.js";
import type { AuthHandler } from "./auth-handler.js";
import type { ClientCertificate, RequestHead } from "./request-head.js";

export interface MtlsOptions {
  /**
   * Returns the principal of a certificate, or null to reject it; called once per connection.
   * Default: a principal with its `subject`.
   */
  readonly principal?: (certificate: ClientCertificate) => Principal | null;
}

/** Returns a handler that identifies clients by their certificates. */
export function mtls({ principal = toPrincipal }: MtlsOptions = {}): AuthHandler {
  const principals = new WeakMap<ClientCertificate, Principal | null>();
  return ({ certificate }: RequestHead): Principal | null => {
    if (certificate === null) return null;
    let result = principals.get(certificate);
    if (result === undefined) {
      result = Object.freeze(principal(certificate));
      principals.set(certificate, result);
    }
    return result;
  };
}

function toPrincipal({ subject }: ClientCertificate): Principal {
  return { subject } as Principal;
}
