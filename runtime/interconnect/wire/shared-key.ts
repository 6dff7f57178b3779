// Shared key of replication peers. Each side proves possession by an HMAC over both nonces and its
// role, so no proof can be replayed or reflected. Without a key only loopback peers are accepted.

import { createHmac, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";
import { SvcError } from "../../base/errors.js";

const KEY_VARIABLE = "SVC_TX_KEY";
const MIN_KEY_BYTES = 16;
export const NONCE_BYTES = 32;

export type Role = "provider" | "subscriber";

export class SharedKey {
  readonly #key: Buffer;

  /** @param key null: no key is configured */
  constructor(key: Buffer | null) {
    this.#key = key ?? Buffer.alloc(0);
  }

  /**
   * Reads the key from a file, or from the environment.
   * @throws SvcError SVC2530
   */
  static read(file: string | null): SharedKey {
    const text = file === null ? process.env[KEY_VARIABLE] : readKeyFile(file);
    if (text === undefined) return new SharedKey(null);
    const key = Buffer.from(text.trim());
    if (key.length >= MIN_KEY_BYTES) return new SharedKey(key);
    const source = file === null ? `variable ${KEY_VARIABLE}` : `file ${file}`;
    const message = `replication key in ${source} is shorter than ${MIN_KEY_BYTES} bytes`;
    throw new SvcError("SVC2530", message);
  }

  get isSet(): boolean {
    return this.#key.length > 0;
  }

  /** Returns the HMAC that proves possession of the key in a role. */
  createProof(role: Role, providerNonce: Buffer, subscriberNonce: Buffer): Buffer {
    const hmac = createHmac("sha256", this.#key).update(`svc replication 1 ${role}\n`);
    return hmac.update(providerNonce).update(subscriberNonce).digest();
  }

  isProof(proof: Buffer, role: Role, providerNonce: Buffer, subscriberNonce: Buffer): boolean {
    const expected = this.createProof(role, providerNonce, subscriberNonce);
    return proof.length === expected.length && timingSafeEqual(proof, expected);
  }
}

/** Returns whether a host is a loopback name or address. */
export function isLoopbackAddress(host: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/.test(host);
}

function readKeyFile(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const { message } = error as Error;
    throw new SvcError("SVC2530", `replication key cannot be read: ${message}`);
  }
}
