// A graph of a hundred million arcs. Run it alone: it takes several minutes and 8 GB of memory.
//
//   node graph-100m.mjs

import { measureLoad } from "./lib/graph-load.mjs";

await measureLoad(100_000_000);
