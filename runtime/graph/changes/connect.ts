// Making arcs and changing their values; see interface, "Connect".

import { InternalError } from "../errors.js";
import type { ArcFilter } from "../query/query-options.js";
import type { GraphStore } from "../store/graph-store.js";
import type { SessionView } from "./session-view.js";
import type { VertexKey } from "./vertex-key.js";

/** `null`, `"rel"`, `[rel]`, `[rel, modifier]` or `[rel, modifier, value]`. */
export type ArcSpec =
  | null
  | undefined
  | string
  | readonly []
  | readonly [relationship: string | null, modifier?: number, value?: number];

export interface ConnectOptions {
  /** Seconds until the arc expires; -1 for never. */
  readonly lifespan?: number;
  /** Connects only where an arc from the initial to the terminal matches. */
  readonly condition?: ArcFilter;
  /** Milliseconds to wait for vertices that others hold; negative for ever. */
  readonly timeout?: number;
}

/**
 * Makes arcs from one vertex to another or to several, or changes their values.
 * @returns number of arcs that were not there before
 * @throws ArcError, AccessError, KeyError, VertexError
 */
export function connect(
  _store: GraphStore,
  _session: SessionView,
  _initial: VertexKey,
  _arc: ArcSpec,
  _terminals: VertexKey | readonly VertexKey[],
  _options?: ConnectOptions,
): number {
  throw new InternalError("not written");
}
