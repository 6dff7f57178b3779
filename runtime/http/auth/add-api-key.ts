// Creates API keys in the file that `apiKeys` reads.

import { createHash, randomBytes } from "node:crypto";
import { existsSync, renameSync, statSync, writeFileSync } from "node:fs";
import { SvcError } from "../../base/errors.js";
import { readEntries } from "./api-keys.js";

const KEY_BYTES = 32;
/** Mode of a new file; an existing file keeps its permissions. */
const FILE_MODE = 0o600;

/**
 * Adds an entry with the digest of a new key to a file, which is created if it does not exist.
 * @returns the key
 * @throws SvcError SVC2209 if the file is not a list of keys, or cannot be written
 */
export function addApiKey(path: string, principal: Readonly<Record<string, unknown>>): string {
  const isNew = !existsSync(path);
  const entries = isNew ? [] : readEntries(path);
  const key = randomBytes(KEY_BYTES).toString("base64url");
  const sha256 = createHash("sha256").update(key).digest("hex");
  const text = `${JSON.stringify([...entries, { sha256, ...principal }], null, 2)}\n`;
  // A server may read the file at any time, so it is replaced by a rename.
  const draft = `${path}.${process.pid}.new`;
  try {
    writeFileSync(draft, text, { mode: isNew ? FILE_MODE : statSync(path).mode });
    renameSync(draft, path);
  } catch (error) {
    throw new SvcError("SVC2209", `${path}: ${(error as NodeJS.ErrnoException).code}`);
  }
  return key;
}
