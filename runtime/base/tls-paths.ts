// Where the files of TLS are. Apart from what reads them: settings are part of the declarations,
// and those need no types of Node.

import { resolve } from "node:path";

/** Paths of PEM files; null: none. */
export interface TlsPaths {
  readonly cert: string | null;
  readonly key: string | null;
  /** Whose certificates the other side has to have. */
  readonly ca: string | null;
}

/** The same paths, which are relative to a folder. */
export function readTlsPaths(folder: string, { cert, key, ca }: TlsPaths): TlsPaths {
  const path = (file: string | null) => (file === null ? null : resolve(folder, file));
  return { cert: path(cert), key: path(key), ca: path(ca) };
}
