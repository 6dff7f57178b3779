// TLS certificates and keys from files that may be renewed while a server runs; they are reloaded
// without a restart. A certificate and a key that do not match are never used: the files are
// written one after the other.

import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import type { SecureContext, SecureContextOptions } from "node:tls";
import { SvcError } from "./errors.js";
import { MAX_TLS_FILE_BYTES, TLS_EXPIRY_NOTICE_MS } from "./limits.js";
import { log } from "./log.js";
import { tls } from "./node-modules.js";
import type { TlsPaths } from "./tls-paths.js";

/** Content of the files. */
export interface TlsMaterial {
  readonly options: Pick<SecureContextOptions, "cert" | "key" | "ca">;
  readonly context: SecureContext;
}

type Part = keyof TlsPaths;
const PARTS: readonly Part[] = ["cert", "key", "ca"];
const NAMES: Readonly<Record<Part, string>> = {
  cert: "certificate",
  key: "private key",
  ca: "certificate",
};
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

export class TlsFiles {
  readonly #paths: TlsPaths;
  readonly #label: string;
  #material: TlsMaterial | null = null;
  /** Stamps of the files in use, of the last check, and of rejected files. */
  #stamp = "";
  #seenStamp = "";
  #rejectedStamp = "";
  /** End of validity of the certificate in use, milliseconds since 1970; null without one. */
  expiresAtMs: number | null = null;

  /** @param label the setting that names the files, for messages */
  constructor(paths: TlsPaths, label: string) {
    this.#paths = paths;
    this.#label = label;
  }

  /** Returns the material in use; `load` must be called before. */
  get material(): TlsMaterial {
    if (this.#material === null) throw new Error("certificates are used before they are loaded");
    return this.#material;
  }

  /** @throws SvcError SVC2940 for an unreadable file, SVC2941, SVC2942 for invalid content */
  async load(): Promise<TlsMaterial> {
    const stamp = await this.#readStamp();
    const material = await this.#read();
    this.#stamp = stamp;
    this.#seenStamp = stamp;
    this.#material = material;
    return material;
  }

  /**
   * Reloads the files if they have changed and are stable; called periodically. Invalid files are
   * logged once, and the previous material stays in use.
   * @returns the new material, null for no change
   */
  async refresh(): Promise<TlsMaterial | null> {
    const stamp = await this.#readStamp();
    const isStable = stamp === this.#seenStamp;
    this.#seenStamp = stamp;
    if (!isStable || stamp === this.#stamp || stamp === this.#rejectedStamp) return null;
    try {
      const material = await this.load();
      this.#rejectedStamp = "";
      log(`${this.#label}: certificates reloaded`, "info");
      return material;
    } catch (error) {
      this.#rejectedStamp = stamp;
      const { message, code } = error as SvcError;
      log(`${message}; keeping the previous certificates`, "error", { code });
      return null;
    }
  }

  /** Returns a stamp that changes with the files. */
  async #readStamp(): Promise<string> {
    const stamps = PARTS.map(async (part) => {
      const path = this.#paths[part];
      if (path === null) return "";
      const info = await stat(path).catch(() => null);
      return info === null ? "none" : `${info.ino} ${info.size} ${info.mtimeMs}`;
    });
    return (await Promise.all(stamps)).join("\n");
  }

  async #read(): Promise<TlsMaterial> {
    const [cert, key, ca] = await Promise.all(PARTS.map((part) => this.#text(part)));
    const leaf = cert === undefined ? null : this.#certificates("cert", cert)[0]!;
    if (ca !== undefined) this.#certificates("ca", ca);
    if (key !== undefined) this.#checkKey(key, leaf);
    const options = {
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
      ...(ca === undefined ? {} : { ca: ca.match(CERTIFICATE)! }),
    };
    try {
      const context = tls().createSecureContext({ ...options, minVersion: "TLSv1.2" });
      if (leaf !== null) this.#recordExpiry(leaf);
      return { options, context };
    } catch (error) {
      throw this.#refusal("cert", `cannot be used: ${(error as Error).message}`, error);
    }
  }

  async #text(part: Part): Promise<string | undefined> {
    const path = this.#paths[part];
    if (path === null) return undefined;
    try {
      const { size } = await stat(path);
      if (size > MAX_TLS_FILE_BYTES) throw this.#refusal(part, `has ${size} bytes`);
      return await readFile(path, "utf8");
    } catch (error) {
      if (error instanceof SvcError) throw error;
      const { message } = error as Error;
      const text = `${this.#label}.${part} cannot be read: ${message}`;
      throw new SvcError("SVC2940", text, { cause: error });
    }
  }

  #certificates(part: Part, text: string): X509Certificate[] {
    const pems = text.match(CERTIFICATE);
    if (pems === null) throw this.#refusal(part, `holds no ${NAMES[part]} (PEM)`);
    try {
      return pems.map((pem) => new X509Certificate(pem));
    } catch (error) {
      throw this.#refusal(part, `holds no ${NAMES[part]} that can be read`, error);
    }
  }

  #checkKey(text: string, leaf: X509Certificate | null): void {
    let fits: boolean;
    try {
      fits = leaf?.checkPrivateKey(createPrivateKey(text)) ?? true;
    } catch (error) {
      throw this.#refusal("key", "holds no private key (PEM, without passphrase)", error);
    }
    if (fits) return;
    const { cert, key } = this.#paths;
    const refused = `${this.#label}: ${key} is not the private key of ${cert}`;
    throw new SvcError("SVC2942", refused);
  }

  #recordExpiry({ validTo }: X509Certificate): void {
    this.expiresAtMs = Date.parse(validTo);
    const leftMs = this.expiresAtMs - Date.now();
    if (!(leftMs < TLS_EXPIRY_NOTICE_MS)) return;
    const verb = leftMs < 0 ? "has expired" : "expires soon";
    log(`${this.#label}.cert ${verb}: ${this.#paths.cert} is valid until ${validTo}`, "warn");
  }

  #refusal(part: Part, problem: string, cause?: unknown): SvcError {
    const text = `${this.#label}.${part}: ${this.#paths[part]} ${problem}`;
    return new SvcError("SVC2941", text, { cause });
  }
}
