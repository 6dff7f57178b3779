// Authentication by client certificates. The TLS handshake has verified them: `http.tls.ca` names
// the authorities.

import type { Principal } from "../../plugin/request/principal.js";
import type { AuthHandler } from "./auth-handler.js";
import type { ClientCertificate, RequestHead } from "./request-head.js";

export interface MtlsOptions {
  /**
   * Returns the principal of a certificate, or null to reject it; called once for a connection.
   * Default: its `subject`.
   */
  readonly principal?: (certificate: ClientCertificate) => Principal | null;
}

/** Returns a handler that identifies clients by their certificates. */
export function mtls({ principal = toPrincipal }: MtlsOptions = {}): AuthHandler {
  const known = new WeakMap<ClientCertificate, Principal | null>();
  return ({ certificate }: RequestHead): Principal | null => {
    if (certificate === null) return null;
    let admitted = known.get(certificate);
    if (admitted === undefined) {
      admitted = Object.freeze(principal(certificate));
      known.set(certificate, admitted);
    }
    return admitted;
  };
}

function toPrincipal({ subject }: ClientCertificate): Principal {
  return { subject } as Principal;
}
