// TLS options for connections to instances, from certificate files that may change at run time.

import type { ConnectionOptions } from "node:tls";
import { tls as nodeTls } from "../base/node-modules.js";
import { TlsFiles } from "../base/tls-files.js";
import { readTlsPaths, type TlsPaths } from "../base/tls-paths.js";
import type { SystemTls } from "./descriptor.js";

/** Interval of checking the files for changes. */
const FRESH_MS = 1000;

export class TlsContextCache {
  readonly #files: TlsFiles;
  readonly #name: string | null;
  #loading: Promise<unknown> | null = null;
  #checkedAtMs = 0;

  readonly #isOwn: boolean;

  /**
   * @param folder base of relative paths
   * @param isOwn connecting to this process itself: any certificate is accepted
   */
  constructor(tls: SystemTls | TlsPaths, folder: string, isOwn = false) {
    this.#isOwn = isOwn;
    const { ca = null, cert = null, key = null } = tls;
    const paths = readTlsPaths(folder, { ca, cert, key });
    this.#files = new TlsFiles(paths, "tls of the system descriptor");
    this.#name = "name" in tls ? (tls.name ?? null) : null;
  }

  /**
   * Returns the options of a new connection.
   * @throws SvcError SVC2940 to SVC2942 if files are unusable
   */
  async options(): Promise<ConnectionOptions> {
    this.#loading ??= this.#files.load();
    await this.#loading.catch((error: unknown) => {
      this.#loading = null;
      throw error;
    });
    if (performance.now() - this.#checkedAtMs > FRESH_MS) {
      this.#checkedAtMs = performance.now();
      await this.#files.refresh();
    }
    const name = this.#name;
    return {
      secureContext: this.#files.material.context,
      ...(this.#isOwn && { rejectUnauthorized: false }),
      ...(name !== null && {
        servername: name,
        checkServerIdentity: (_host: string, cert) => nodeTls().checkServerIdentity(name, cert),
      }),
    };
  }
}
