// Functions on commits for threads without graphs. Does not load the graph engine; see
// graph-engine.ts.

export { CommitClock } from "../memory/commit-clock.js";
export { countPublished, flushSince } from "../memory/commit-ring.js";
