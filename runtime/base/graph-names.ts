// Valid names of graphs and of their folders.

export const GRAPH_NAME = /^[A-Za-z][A-Za-z0-9_.#$%@]*$/;
export const MAX_GRAPH_NAME_LENGTH = 1000;
/**
 * One component of a path: hidden folders, installed packages, dumps and what the check of a disk
 * has found never contain graphs.
 */
export const GRAPH_FOLDER_PART =
  /^(?!\.|node_modules$|_txlog$|lost\+found$|opdump_.*\.tx)[^/\\\0:]+$/;
/** Depth limit of the search for graphs in the data folder. */
export const MAX_GRAPH_FOLDER_PARTS = 4;

/** Returns whether snapshots may be stored in this folder below the data folder; separator `/`. */
export function isValidGraphPath(path: unknown): path is string {
  if (typeof path !== "string") return false;
  const parts = path.split("/");
  return parts.length <= MAX_GRAPH_FOLDER_PARTS && parts.every((p) => GRAPH_FOLDER_PART.test(p));
}

/** Folder of the transaction log, below the data folder; reserved, never a graph. */
export const LOG_FOLDER = "_txlog";
/** Below that: transactions that are not replicated. */
export const LOG_LOCAL_FOLDER = "local";

/** File in a data folder while it is restored from a backup: the folder is incomplete. */
export const RESTORE_MARKER = "_restoring";

/** Folder of a dump; no graph folder can have such a name. */
export const DUMP_NAME = /^opdump_[\w.-]{1,99}\.tx$/;
