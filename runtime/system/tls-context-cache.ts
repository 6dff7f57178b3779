// How instances are asked that speak TLS: with which certificates, from files that may change while
// whoever asks runs.

import { type ConnectionOptions, checkServerIdentity } from "node:tls";
import { TlsFiles } from "../base/tls-files.js";
import { readTlsPaths, type TlsPaths } from "../base/tls-paths.js";
import type { SystemTls } from "./descriptor.js";

/** Files are looked at again after this. */
const FRESH_MS = 1000;

export class TlsContextCache {
  readonly #files: TlsFiles;
  readonly #name: string | null;
  #loading: Promise<unknown> | null = null;
  #lookedAtMs = 0;

  readonly #isOwn: boolean;

  /**
   * @param folder what paths are relative to
   * @param isOwn it is this process that is asked: any certificate will do
   */
  constructor(tls: SystemTls | TlsPaths, folder: string, isOwn = false) {
    this.#isOwn = isOwn;
    const { ca = null, cert = null, key = null } = tls;
    const paths = readTlsPaths(folder, { ca, cert, key });
    this.#files = new TlsFiles(paths, "tls of the system descriptor");
    this.#name = "name" in tls ? (tls.name ?? null) : null;
  }

  /**
   * For a connection that is made now.
   * @throws SvcError SVC2940 to SVC2942 for files that cannot be used
   */
  async options(): Promise<ConnectionOptions> {
    this.#loading ??= this.#files.load();
    await this.#loading.catch((error: unknown) => {
      this.#loading = null;
      throw error;
    });
    if (performance.now() - this.#lookedAtMs > FRESH_MS) {
      this.#lookedAtMs = performance.now();
      await this.#files.refresh();
    }
    const name = this.#name;
    return {
      secureContext: this.#files.material.context,
      ...(this.#isOwn && { rejectUnauthorized: false }),
      ...(name !== null && {
        servername: name,
        checkServerIdentity: (_host: string, cert) => checkServerIdentity(name, cert),
      }),
    };
  }
}
