// Functions on data folders for threads without graphs. Does not load the graph engine; see
// graph-engine.ts.

export { listValues } from "../store/external-values.js";
export { isRootLocked } from "./snapshot/root-lock.js";
export { readSnapshotCheckpoint } from "./snapshot/snapshot-checkpoint.js";
export { SnapshotFiles } from "./snapshot/snapshot-files.js";
export { readSnapshotHeader } from "./snapshot/snapshot-reader.js";
export { listStoredGraphs, refuseIncompleteRestore } from "./snapshot/stored-graphs.js";
