// The parts of the graph engine that `loadGraphEngine` loads.

export { GraphStore } from "../store/graph-store.js";
export { GraphCompactor } from "./graph-compactor.js";
export { requireIdentity } from "./logging-entry-points.js";
export { recoverGraphs, waitForSave } from "./recover-graphs.js";
export { saveGraphs } from "./save-graphs.js";
export { removeEverywhere, trackGraph } from "./track-graph.js";
