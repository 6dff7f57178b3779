// The certificate of a peer, for authentication handlers.

import type { ByteSocket } from "../../trunk/byte-socket.js";
import type { ClientCertificate } from "./request-head.js";

/** @param socket of a server that rejects certificates without a trusted signature */
export function readCertificate(socket: ByteSocket): ClientCertificate | null {
  const certificate = socket.getPeerX509Certificate?.();
  if (certificate === undefined) return null;
  return Object.freeze({
    // Attributes are separated by line feeds; commas in them are escaped.
    subject: certificate.subject.replaceAll("\n", ","),
    altNames: certificate.subjectAltName ?? null,
    fingerprint: certificate.fingerprint256,
  });
}
