// Authentication by API keys: a JSON file with the SHA-256 digests of the keys. Keys are random, so
// a plain digest suffices: the file does not reveal them, and guesses of a digest reveal nothing.

import { createHash, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { SvcError } from "../../base/errors.js";
import { log } from "../../base/log.js";
import type { Principal } from "../../plugin/request/principal.js";
import type { AuthHandler } from "./auth-handler.js";
import type { RequestHead } from "./request-head.js";

const RELOAD_INTERVAL_MS = 1000;
const DIGEST = /^[0-9a-f]{64}$/;

export interface ApiKeysOptions {
  /** JSON file of the keys, relative to the folder of the project. */
  readonly file: string;
  /** Header field with the bare key; by default the bearer token of `Authorization`. */
  readonly header?: string;
}

interface Key {
  readonly digest: Buffer;
  readonly principal: Principal;
}

/**
 * Returns a handler that accepts the API keys of a file, and reloads the file when it changes:
 * `[{ "sha256": "…", "name": "reader", "scopes": ["orders:read"] }]`. The principal is the entry
 * without its digest.
 */
export function apiKeys({ file, header }: ApiKeysOptions): AuthHandler {
  let keys: ReadonlyMap<string, Key> = new Map();
  /** Principals by header fields: repeated requests need no digest. */
  let principals = new WeakMap<object, Principal>();
  let path = file;
  const reload = (): void => {
    try {
      keys = readKeys(path);
      principals = new WeakMap();
    } catch (error) {
      log(`authentication: keys not reloaded: ${(error as Error).message}`, "error");
    }
  };
  const find = (head: RequestHead): Principal | null => {
    const cached = principals.get(head.cacheKey);
    if (cached !== undefined) return cached;
    const credential = header === undefined ? head.token : head.header(header);
    if (credential === null) return null;
    const digest = createHash("sha256").update(credential, "latin1").digest();
    const key = keys.get(digest.toString("hex"));
    if (key === undefined || !timingSafeEqual(key.digest, digest)) return null;
    principals.set(head.cacheKey, key.principal);
    return key.principal;
  };
  let timer: NodeJS.Timeout | undefined;
  return Object.assign(find, {
    open: async (projectDir: string): Promise<void> => {
      path = resolve(projectDir, file);
      // Taken before the keys are read, so that no later change is missed.
      let lastRead = await fingerprint(path);
      keys = readKeys(path);
      const check = async (): Promise<void> => {
        const current = await fingerprint(path);
        if (current === lastRead) return;
        lastRead = current;
        reload();
      };
      timer = setInterval(() => void check(), RELOAD_INTERVAL_MS).unref();
    },
    close: (): void => clearInterval(timer),
  });
}

/** Returns a string that changes with the file; empty if the file does not exist. */
async function fingerprint(path: string): Promise<string> {
  try {
    const { ino, mtimeNs, size } = await stat(path, { bigint: true });
    return `${ino} ${mtimeNs} ${size}`;
  } catch {
    return "";
  }
}

function readKeys(path: string): ReadonlyMap<string, Key> {
  return new Map(readEntries(path).map((entry, at) => readKey(entry, `${path}: entry ${at + 1}`)));
}

/** @throws SvcError SVC2209 if the file is not a list */
export function readEntries(path: string): readonly unknown[] {
  let entries: unknown;
  try {
    entries = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    // Messages of JSON.parse quote the text.
    const reason = (error as NodeJS.ErrnoException).code ?? "not JSON";
    throw new SvcError("SVC2209", `${path}: ${reason}`);
  }
  if (!Array.isArray(entries)) throw new SvcError("SVC2209", `${path}: expected a list of keys`);
  return entries;
}

function readKey(entry: unknown, where: string): [digest: string, key: Key] {
  const { sha256, ...principal } = (entry ?? {}) as { sha256?: unknown; scopes?: unknown };
  if (typeof sha256 !== "string" || !DIGEST.test(sha256)) {
    throw new SvcError("SVC2209", `${where}: expected \`sha256\` with 64 hexadecimal digits`);
  }
  const { scopes = [] } = principal;
  if (!Array.isArray(scopes) || scopes.some((scope) => typeof scope !== "string")) {
    throw new SvcError("SVC2209", `${where}: expected \`scopes\` to be a list of strings`);
  }
  const frozen = Object.freeze(principal) as Principal;
  return [sha256, { digest: Buffer.from(sha256, "hex"), principal: frozen }];
}
