// The key that both ends have: each shows it by what it makes of both ends' random numbers, and of
// which end it is, so that nothing that was said once, or by the other end, can be said again.
// Without a key only this machine is talked with.

import { createHmac, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";
import { SvcError } from "../../base/errors.js";

const KEY_VARIABLE = "SVC_TX_KEY";
const MIN_KEY_BYTES = 16;
export const NONCE_BYTES = 32;

export type Role = "provider" | "subscriber";

export class SharedKey {
  readonly #key: Buffer;

  /** @param key null: there is none */
  constructor(key: Buffer | null) {
    this.#key = key ?? Buffer.alloc(0);
  }

  /**
   * The key that a file or the environment has.
   * @throws SvcError SVC2530
   */
  static read(file: string | null): SharedKey {
    const text = file === null ? process.env[KEY_VARIABLE] : readKeyFile(file);
    if (text === undefined) return new SharedKey(null);
    const key = Buffer.from(text.trim());
    if (key.length >= MIN_KEY_BYTES) return new SharedKey(key);
    const place = file === null ? `variable ${KEY_VARIABLE}` : `file ${file}`;
    const text2530 = `the replication key in ${place} has less than ${MIN_KEY_BYTES} bytes`;
    throw new SvcError("SVC2530", text2530);
  }

  get isThere(): boolean {
    return this.#key.length > 0;
  }

  /** What shows that the end of a role has the key. */
  proof(role: Role, providerNonce: Buffer, subscriberNonce: Buffer): Buffer {
    const hmac = createHmac("sha256", this.#key).update(`svc replication 1 ${role}\n`);
    return hmac.update(providerNonce).update(subscriberNonce).digest();
  }

  isProof(given: Buffer, role: Role, providerNonce: Buffer, subscriberNonce: Buffer): boolean {
    const right = this.proof(role, providerNonce, subscriberNonce);
    return given.length === right.length && timingSafeEqual(given, right);
  }
}

/** True for what only this machine can be. */
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
