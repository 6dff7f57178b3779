// What outlives a crash of the system: files that are replaced whole, and the entries of folders.

import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Makes new and renamed entries of a folder outlive a crash of the system. */
export function fsyncDirectory(folder: string): void {
  // Windows cannot open folders, and does not need it.
  if (process.platform === "win32") return;
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Makes a folder, and those above it that are missing.
 * @param mode of the folders that are made
 */
export function mkdirDurable(folder: string, mode = 0o777): void {
  const first = mkdirSync(folder, { recursive: true, mode });
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length; made = dirname(made)) {
    fsyncDirectory(dirname(made));
  }
}

/** Puts a JSON file in place of another one, so that at every moment one of them is there. */
export function writeJsonAtomically(file: string, content: object): void {
  const temporary = `${file}.tmp`;
  writeFileSync(temporary, `${JSON.stringify(content)}\n`, { mode: 0o600, flush: true });
  renameSync(temporary, file);
  fsyncDirectory(dirname(file));
}
