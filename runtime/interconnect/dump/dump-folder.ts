// Where a dump lies: a folder of its own in the root of the instance that writes it, because nobody
// is to write elsewhere by asking an instance to. It is a root by itself: snapshots, and the log.

import { existsSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { SvcError } from "../../base/errors.js";
import { LOG_FOLDER } from "../../base/graph-names.js";

export const FILE_SCHEME = "file:";
/** No graph of the root can lie below such a name. */
const NAME = /^opdump_[\w.-]{1,99}\.tx$/;

/**
 * @param given `file:opdump_NAME.tx`, or `file://<root>/opdump_NAME.tx`
 * @throws SvcError SVC3340
 */
export function dumpFolderFromUri(given: string, root: string): string {
  const folder = resolve(root, pathIn(given));
  if (dirname(folder) === resolve(root) && NAME.test(basename(folder))) return folder;
  throw dumpNotUsable(given, "it is not file:opdump_NAME.tx, in the root of the instance");
}

/** What a dump is known by. */
export function dumpUri(folder: string): string {
  return pathToFileURL(folder).href;
}

/** @throws SvcError SVC3340 there is something that is no dump */
export function checkDumpFolder(folder: string): void {
  if (!existsSync(folder) || existsSync(join(folder, LOG_FOLDER))) return;
  throw dumpNotUsable(dumpUri(folder), "there is something that is no dump");
}

export function dumpNotUsable(uri: string, reason: string): SvcError {
  return new SvcError("SVC3340", `dump to ${uri.slice(0, 300)}: ${reason}`);
}

function pathIn(given: string): string {
  if (!given.startsWith(`${FILE_SCHEME}/`)) return given.slice(FILE_SCHEME.length);
  try {
    return fileURLToPath(given);
  } catch (error) {
    throw dumpNotUsable(given, (error as Error).message);
  }
}
