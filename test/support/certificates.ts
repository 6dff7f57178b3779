// The certificates of test/fixtures/tls, for servers and clients.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { TlsFiles, type TlsMaterial } from "../../runtime/base/tls-files.js";
import type { TlsPaths } from "../../runtime/base/tls-paths.js";

const FOLDER = fileURLToPath(new URL("../fixtures/tls", import.meta.url));

/** Path of one of the files. */
export function certificateFile(name: string): string {
  return join(FOLDER, name);
}

/** Files of a server called `name`, which requires client certificates if `ca` is given. */
export function certificatePaths(name: string, ca: string | null = null): TlsPaths {
  return {
    cert: certificateFile(`${name}.pem`),
    key: certificateFile(`${name}-key.pem`),
    ca: ca === null ? null : certificateFile(ca),
  };
}

export function createMaterial(name: string, ca: string | null = null): Promise<TlsMaterial> {
  return new TlsFiles(certificatePaths(name, ca), "http.tls").load();
}

/** Options of a client with a CA. */
export const BELIEVES = { ca: readFileSync(certificateFile("ca.pem"), "utf8") };

/** Options of a client with a certificate. */
export const KNOWN_CLIENT = {
  ...BELIEVES,
  cert: readFileSync(certificateFile("client.pem"), "utf8"),
  key: readFileSync(certificateFile("client-key.pem"), "utf8"),
};
