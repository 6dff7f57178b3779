// Location of a dump: a folder directly below the data folder, so that a client cannot make an
// instance write elsewhere. A dump is a data folder itself: snapshots and log.

import { existsSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { SvcError } from "../../base/errors.js";
import { DUMP_NAME, LOG_FOLDER } from "../../base/graph-names.js";

export const FILE_SCHEME = "file:";

/**
 * @param given `file:opdump_NAME.tx`, or `file://<root>/opdump_NAME.tx`
 * @throws SvcError SVC3340
 */
export function dumpFolderFromUri(given: string, root: string): string {
  const folder = resolve(root, parsePath(given));
  if (dirname(folder) === resolve(root) && DUMP_NAME.test(basename(folder))) return folder;
  throw dumpNotUsable(given, "it is not file:opdump_NAME.tx, in the root of the instance");
}

/** Returns the canonical URI of a dump. */
export function dumpUri(folder: string): string {
  return pathToFileURL(folder).href;
}

/** @throws SvcError SVC3340 if the folder exists and is not a dump */
export function checkDumpFolder(folder: string): void {
  if (!existsSync(folder) || existsSync(join(folder, LOG_FOLDER))) return;
  throw dumpNotUsable(dumpUri(folder), "there is something that is no dump");
}

export function dumpNotUsable(uri: string, reason: string): SvcError {
  return new SvcError("SVC3340", `dump to ${uri.slice(0, 300)}: ${reason}`);
}

function parsePath(given: string): string {
  if (!given.startsWith(`${FILE_SCHEME}/`)) return given.slice(FILE_SCHEME.length);
  try {
    return fileURLToPath(given);
  } catch (error) {
    throw dumpNotUsable(given, (error as Error).message);
  }
}
