// The keys of remote operators and of dispatchers, read from a file or the environment. They are
// never stored in builds, reported or logged.

import { readFileSync } from "node:fs";
import { SvcError } from "../base/errors.js";

const MIN_LENGTH = 16;

interface KeyKind {
  readonly noun: string;
  readonly variable: string;
  readonly code: "SVC2702" | "SVC2703";
}

const ADMIN: KeyKind = { noun: "admin key", variable: "SVC_ADMIN_KEY", code: "SVC2702" };
const DISPATCHER: KeyKind = {
  noun: "dispatcher key",
  variable: "SVC_DISPATCHER_KEY",
  code: "SVC2703",
};

/**
 * Returns the key in a file, or else in the environment; null if there is none.
 * @throws SvcError SVC2702 for an invalid key
 */
export function readAdminKey(file: string | null): string | null {
  return readKey(file, ADMIN);
}

/**
 * Returns the key that dispatchers and the instances below them share; null if there is none.
 * @throws SvcError SVC2703 for an invalid key
 */
export function readDispatcherKey(file: string | null): string | null {
  return readKey(file, DISPATCHER);
}

function readKey(file: string | null, kind: KeyKind): string | null {
  const { noun, variable, code } = kind;
  const text = file === null ? process.env[variable] : readKeyFile(file, kind);
  if (text === undefined || (file === null && text === "")) return null;
  const key = text.trim();
  // The key is sent in a header line.
  if (key.length >= MIN_LENGTH && key.length <= 1000 && /^[\x21-\x7e]+$/.test(key)) return key;
  const source = file === null ? `variable ${variable}` : `file ${file}`;
  const requirement = `${MIN_LENGTH} to 1000 printable characters without blanks`;
  throw new SvcError(code, `the ${noun} in ${source} is not ${requirement}`);
}

function readKeyFile(file: string, { noun, code }: KeyKind): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const { message } = error as Error;
    throw new SvcError(code, `the ${noun} cannot be read: ${message}`, { cause: error });
  }
}
