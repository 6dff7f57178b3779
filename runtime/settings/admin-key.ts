// The key of remote operators. Read from a file or the environment, never stored in builds,
// reported or logged.

import { readFileSync } from "node:fs";
import { SvcError } from "../base/errors.js";

const VARIABLE = "SVC_ADMIN_KEY";
const MIN_LENGTH = 16;

/**
 * Returns the key in a file, or else in the environment; null where there is none.
 * @throws SvcError SVC2702 for an invalid key
 */
export function readAdminKey(file: string | null): string | null {
  const text = file === null ? process.env[VARIABLE] : readKeyFile(file);
  if (text === undefined || (file === null && text === "")) return null;
  const key = text.trim();
  // The key is sent in a header line.
  if (key.length >= MIN_LENGTH && key.length <= 1000 && /^[\x21-\x7e]+$/.test(key)) return key;
  const place = file === null ? `variable ${VARIABLE}` : `file ${file}`;
  const form = `${MIN_LENGTH} to 1000 printable characters without blanks`;
  throw new SvcError("SVC2702", `the admin key in ${place} is not ${form}`);
}

function readKeyFile(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const { message } = error as Error;
    throw new SvcError("SVC2702", `the admin key cannot be read: ${message}`, { cause: error });
  }
}
