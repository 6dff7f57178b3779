// Data folders, for threads without graphs. Loads no graph engine, see graph-engine.ts.

export { isRootLocked } from "./snapshot/root-lock.js";
export { listStoredGraphs } from "./snapshot/stored-graphs.js";
