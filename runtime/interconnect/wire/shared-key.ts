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

  /** @param key null: none */
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
    const place = file === null ? `variable ${KEY_VARIABLE}` : `file ${file}`;
    const text2530 = `replication key in ${place} is shorter than ${MIN_KEY_BYTES} bytes`;
    throw new SvcError("SVC2530", text2530);
  }

  get isThere(): boolean {
    return this.#key.length > 0;
  }

  /** Returns the proof of a role. */
  proof(role: Role, providerNonce: Buffer, subscriberNonce: Buffer): Buffer {
    const hmac = createHmac("sha256", this.#key).update(`svc replication 1 ${role}\n`);
    return hmac.update(providerNonce).update(subscriberNonce).digest();
  }

  isProof(given: Buffer, role: Role, providerNonce: Buffer, subscriberNonce: Buffer): boolean {
    const right = this.proof(role, providerNonce, subscriberNonce);
    return given.length === right.length && timingSafeEqual(given, right);
  }
}

/** Returns whether a host is always this machine. */
export function isLoopbackAddress(host: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/.test(host);
}

function readKeyFile(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const { message } = error as Error;
    throw new SvcError("SVC2530", `the replication key cannot be read: ${message}`);
  }
}
