// File operations that survive a power loss: files replaced atomically, and durable directory
// entries.

import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, writeFileSync } from "node:fs";
import { open, rename, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";

/** Flushes new and renamed entries of a folder to disk. */
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
 * Creates a folder and its missing parents durably.
 * @param mode of the created folders
 */
export function mkdirDurable(folder: string, mode = 0o777): void {
  // The parents of a relative path end at ".".
  const target = resolve(folder);
  const first = mkdirSync(target, { recursive: true, mode });
  if (first === undefined) return;
  for (let current = target; current.length >= first.length; current = dirname(current)) {
    fsyncDirectory(dirname(current));
  }
}

/** Replaces a file as `replaceFileSync` does, without blocking the thread. */
export async function replaceFile(file: string, text: string): Promise<void> {
  const temporary = `${file}.tmp`;
  await writeFile(temporary, text, { mode: 0o600, flush: true });
  await rename(temporary, file);
  // Windows cannot open folders, and does not need it.
  if (process.platform === "win32") return;
  const folder = await open(dirname(file), "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Replaces a file atomically: readers see either the old or the new content. */
export function replaceFileSync(file: string, text: string): void {
  const temporary = `${file}.tmp`;
  writeFileSync(temporary, text, { mode: 0o600, flush: true });
  renameSync(temporary, file);
  fsyncDirectory(dirname(file));
}
