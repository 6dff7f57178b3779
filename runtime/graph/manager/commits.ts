// Commits, for threads without graphs. Loads no graph engine, see graph-engine.ts.

export { CommitClock } from "../memory/commit-clock.js";
export { countPublished, flushSince } from "../memory/commit-ring.js";
