// A call that is refused: what is wrong, and the line that says where.

import type { Graph } from "../../../../../runtime/graph/api/graph.js";

/** Arguments as programs without types give them. */
export type Calls = { [K in keyof Graph]: (...given: unknown[]) => unknown };

export type Misfit = readonly [call: (shop: Calls) => unknown, problem: string, place: string];
