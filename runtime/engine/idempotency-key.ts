// The `Idempotency-Key` of a request, and the fingerprint of the request that uses it.

import { createHash } from "node:crypto";
import type { RequestSource } from "../plugin/contract/request-source.js";
import { headerValue } from "../plugin/contract/request-text.js";

export const IDEMPOTENCY_KEY = "Idempotency-Key";
const BARE = /^[!#-[\]-~]{1,255}$/;
/** A string of RFC 9651: quotes and backslashes are escaped. */
const QUOTED = /^"((?:[ !#-[\]-~]|\\["\\]){1,255})"$/;
const FORM = /^multipart\//i;
/** Members of a principal that do not change with its token; the first one present counts. */
const NAMES = ["sub", "name", "id"];

/** Returns the key; null for an invalid value. */
export function readIdempotencyKey(value: string): string | null {
  if (BARE.test(value)) return value;
  const quoted = QUOTED.exec(value);
  return quoted === null ? null : quoted[1]!.replace(/\\(.)/g, "$1");
}

/** @param principal as JSON text; null: none */
export function principalName(principal: string | null | undefined): string {
  if (principal === null || principal === undefined) return "";
  const members = JSON.parse(principal) as Readonly<Record<string, unknown>>;
  const name = NAMES.find((candidate) => typeof members[candidate] === "string");
  return name === undefined ? principal : JSON.stringify([name, members[name]]);
}

/** Returns the id of a request's key, which is separate for each principal. */
export function requestKeyId({ principal, headerBlock }: RequestSource): string {
  const key = readIdempotencyKey(headerValue(headerBlock, IDEMPOTENCY_KEY) ?? "") ?? "";
  return digest([principalName(principal), "\n", key]);
}

/** Returns a digest of the request; without a form, whose boundary differs in each attempt. */
export function requestFingerprint({ method, target, headerBlock, body }: RequestSource): string {
  const isForm = FORM.test(headerValue(headerBlock, "Content-Type") ?? "");
  return digest([`${method} ${target}\n`, isForm || body === null ? "" : body]);
}

function digest(parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash("sha256");
  for (const part of parts) {
    hash.update(typeof part === "string" ? Buffer.from(part, "latin1") : part);
  }
  return hash.digest("base64url").slice(0, 32);
}
