// A rejected call: its message, and the line that names the position.

import type { Graph } from "../../../../../runtime/graph/api/graph.js";

/** Arguments as untyped programs pass them. */
export type Calls = { [K in keyof Graph]: (...args: unknown[]) => unknown };

export type RejectedCall = readonly [
  call: (shop: Calls) => unknown,
  problem: string,
  place: string,
];
