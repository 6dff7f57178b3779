// State of jobs in a file of the data folder, replaced atomically and without blocking the thread.

import { readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { replaceFile } from "../../base/durable-files.js";
import { log } from "../../base/log.js";
import { isPlainObject } from "../../base/plain-object.js";
import type { StoredJobs } from "./job-store.js";

const FORMAT = 1;

/** Returns the stored jobs; none if there is no readable file. */
export function readJobs(file: string): StoredJobs {
  try {
    const stored = JSON.parse(readFileSync(file, "utf8"));
    if (stored.format === FORMAT && isPlainObject(stored.jobs)) return stored.jobs as StoredJobs;
    log(`jobs: ${file} ignored: unknown format`, "warn");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") {
      log(`jobs: ${file} ignored: ${(error as Error).message}`, "warn");
    }
  }
  return {};
}

/** Resolves when the jobs are on disk, or could not be written. */
export async function writeJobs(file: string, jobs: StoredJobs): Promise<void> {
  const text = `${JSON.stringify({ format: FORMAT, jobs })}\n`;
  try {
    await mkdir(dirname(file), { recursive: true });
    await replaceFile(file, text);
  } catch (error) {
    log(`jobs: ${file} not written: ${(error as Error).message}`, "error");
  }
}
