// Paths of TLS files. Separate from the code that reads them: settings are part of the public
// declarations, which do not depend on the types of Node.

import { resolve } from "node:path";

/** Paths of PEM files; null: none. */
export interface TlsPaths {
  readonly cert: string | null;
  readonly key: string | null;
  /** CA certificates that must have signed the peer's certificate. */
  readonly ca: string | null;
}

/** Resolves the paths relative to a folder. */
export function readTlsPaths(folder: string, { cert, key, ca }: TlsPaths): TlsPaths {
  const path = (file: string | null) => (file === null ? null : resolve(folder, file));
  return { cert: path(cert), key: path(key), ca: path(ca) };
}
