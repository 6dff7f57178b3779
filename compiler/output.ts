// Writes `.svc/` atomically: the new folder is written next to the old one and renamed when
// complete. Unchanged files are reused.

import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { BUILD_FOLDER } from "../runtime/base/build-folder.js";
import { SvcError } from "../runtime/base/errors.js";
import { removeStaleOutput } from "./stale-output.js";

/** File contents of `.svc/` by name. */
export type OutputFiles = ReadonlyMap<string, string>;

/** Temporary folders beside `.svc`; a killed build leaves them behind. */
const LEFTOVERS = /^\.svc\.(?:new|old|gone)-(\d+)$/;
const SWAP_ATTEMPTS = 5;

/**
 * Returns the names of files that are missing, different or superfluous; empty if the folder is
 * current.
 */
export function differingFiles(projectDir: string, files: OutputFiles): string[] {
  const folder = join(projectDir, BUILD_FOLDER);
  const present = listFolder(folder);
  const surplus = present.filter((name) => !files.has(name));
  const changed = [...files].filter(([name, text]) => readText(join(folder, name)) !== text);
  return [...surplus, ...changed.map(([name]) => name)].sort();
}

/**
 * Makes `.svc/` contain exactly these files.
 * @param acceptable other contents that are not replaced
 * @returns false if it already does
 * @throws SvcError SVC1105 if the folder cannot be written
 */
export function writeOutput(
  projectDir: string,
  files: OutputFiles,
  acceptable: OutputFiles = files,
): boolean {
  const folder = join(projectDir, BUILD_FOLDER);
  const next = `${folder}.new-${process.pid}`;
  try {
    const differing = new Set(differingFiles(projectDir, files));
    if ([...differing].every((name) => readText(join(folder, name)) === acceptable.get(name))) {
      return false;
    }
    removeStaleOutput(projectDir, LEFTOVERS);
    // Process ids repeat, especially in containers.
    rmSync(next, { recursive: true, force: true });
    mkdirSync(next);
    for (const [name, text] of files) {
      if (differing.has(name) || !linkFile(join(folder, name), join(next, name))) {
        writeFileSync(join(next, name), text);
      }
    }
    replaceFolder(next, folder);
    return true;
  } catch (error) {
    rmSync(next, { recursive: true, force: true });
    const reason = (error as Error).message;
    throw new SvcError("SVC1105", `${BUILD_FOLDER} cannot be written: ${reason}`, { cause: error });
  }
}

/**
 * Replaces `folder` by `next`; a rename cannot replace a folder that has files. Between the two
 * renames the old folder is complete under a name from which `readManifest` restores it if this
 * process is killed.
 */
export function replaceFolder(next: string, folder: string): void {
  const old = `${folder}.old-${process.pid}`;
  for (let attempt = 1; ; attempt++) {
    discard(old);
    const hadOld = renameIfThere(folder, old);
    try {
      renameSync(next, folder);
      break;
    } catch (error) {
      // Another build may have been faster: replace its folder as well.
      if (attempt < SWAP_ATTEMPTS && isExistingFolder(error)) {
        continue;
      }
      if (hadOld) {
        renameIfThere(old, folder);
      }
      throw error;
    }
  }
  discard(old);
}

/** Renames a folder before its removal, so that no process sees a partial one under its name. */
function discard(folder: string): void {
  const gone = folder.replace(/\.old-(?=\d+$)/, ".gone-");
  rmSync(gone, { recursive: true, force: true });
  if (renameIfThere(folder, gone)) {
    rmSync(gone, { recursive: true, force: true });
  }
}

function renameIfThere(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") {
      return false;
    }
    throw error;
  }
}

function isExistingFolder(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ENOTEMPTY" || code === "EEXIST";
}

/** Links a file under a new name, keeping its times; false if the file system has no links. */
function linkFile(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch {
    return false;
  }
}

function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") {
      return [];
    }
    throw error;
  }
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
