// A graph of ten million arcs: load, memory, save, reopen.
//
//   node graph-load.mjs [--arcs 10000000]

import { measureLoad } from "./lib/graph-load.mjs";
import { readOptions } from "./lib/options.mjs";

await measureLoad(readOptions({ arcs: 10_000_000 }).arcs);
