// Location of a dump: a folder directly in the data folder, so that a client cannot make an
// instance write elsewhere. A dump is itself a data folder with snapshots and log.

import { existsSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { SvcError } from "../../base/errors.js";
import { DUMP_NAME, LOG_FOLDER } from "../../base/graph-names.js";

export const FILE_SCHEME = "file:";

/**
 * @param uri `file:opdump_NAME.tx`, or `file://<root>/opdump_NAME.tx`
 * @throws SvcError SVC3340
 */
export function dumpFolderFromUri(uri: string, root: string): string {
  const folder = resolve(root, parsePath(uri));
  if (dirname(folder) === resolve(root) && DUMP_NAME.test(basename(folder))) return folder;
  throw dumpNotUsable(uri, "it is not file:opdump_NAME.tx, in the root of the instance");
}

/** Returns the canonical URI of a dump. */
export function dumpUri(folder: string): string {
  return pathToFileURL(folder).href;
}

/** @throws SvcError SVC3340 if the folder exists and is not a dump */
export function checkDumpFolder(folder: string): void {
  if (!existsSync(folder) || existsSync(join(folder, LOG_FOLDER))) return;
  throw dumpNotUsable(dumpUri(folder), "the folder exists and is not a dump");
}

export function dumpNotUsable(uri: string, reason: string): SvcError {
  return new SvcError("SVC3340", `dump to ${uri.slice(0, 300)}: ${reason}`);
}

function parsePath(uri: string): string {
  if (!uri.startsWith(`${FILE_SCHEME}/`)) return uri.slice(FILE_SCHEME.length);
  try {
    return fileURLToPath(uri);
  } catch (error) {
    throw dumpNotUsable(uri, (error as Error).message);
  }
}
