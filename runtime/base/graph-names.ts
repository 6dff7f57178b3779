// What graphs and the folders that they are stored in may be called, for whoever configures, opens
// or finds them.

export const GRAPH_NAME = /^[A-Za-z][A-Za-z0-9_.#$%@]*$/;
export const MAX_GRAPH_NAME_LENGTH = 1000;
/** One part of a path: hidden folders, installed packages and dumps hold no graphs of a root. */
export const GRAPH_FOLDER_PART = /^(?!\.|node_modules$|_txlog$|opdump_.*\.tx)[^/\\\0:]+$/;
/** Folders below one another: what is looked at to find all graphs of a root. */
export const MAX_GRAPH_FOLDER_PARTS = 4;

/** Whether snapshots may be stored in this folder below the root, with `/`. */
export function isValidGraphPath(path: unknown): path is string {
  if (typeof path !== "string") return false;
  const parts = path.split("/");
  return parts.length <= MAX_GRAPH_FOLDER_PARTS && parts.every((p) => GRAPH_FOLDER_PART.test(p));
}

/** Folder of the log of changes, below the root: no graph can lie there. */
export const LOG_FOLDER = "_txlog";
/** Below that: changes that no other instance gets. */
export const LOG_LOCAL_FOLDER = "local";
