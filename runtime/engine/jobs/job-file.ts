// State of jobs in a file of the data folder, replaced atomically and without blocking the thread.

import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { replaceFile } from "../../base/durable-files.js";
import { log } from "../../base/log.js";
import { isPlainObject } from "../../base/plain-object.js";
import { encodeState, readStateOrNull } from "../../base/state-file.js";
import { type StoredJobs, soundJobs } from "./job-store.js";

/**
 * Returns the stored jobs; none if there is no readable file.
 * @throws SvcError SVC2506 for a file of a later release
 */
export function readJobs(file: string): StoredJobs {
  const stored = readStateOrNull(file);
  if (isPlainObject(stored?.jobs)) return soundJobs(stored.jobs);
  if (stored !== undefined) log(`jobs: ${file} ignored: it cannot be read or is corrupt`, "warn");
  return {};
}

/** Writes the jobs; never rejects, but logs failures. */
export async function writeJobs(file: string, jobs: StoredJobs): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true });
    await replaceFile(file, encodeState({ jobs }));
  } catch (error) {
    log(`jobs: ${file} not written: ${(error as Error).message}`, "error");
  }
}
