// Making arcs and changing their values; see interface, "Connect".

import { M_TMC, M_TMM, M_TMX } from "../model/constants.js";
import { AccessError, ArcError } from "../model/errors.js";
import type { ArcFilter } from "../query/parse/query-options.js";
import type { GraphStore } from "../store/graph-store.js";
import { type ArcSpec, ArcToMake } from "./arc-to-make.js";
import { attempt, Held } from "./attempt.js";
import { connectCondition } from "./connect-condition.js";
import { linkVertices } from "./link-vertices.js";
import type { SessionView } from "./session-view.js";
import { existing, handleOf, refuseArcChanges, type VertexKey } from "./vertex-key.js";

export type { ArcSpec } from "./arc-to-make.js";

/** How arcs are made. */
export interface ConnectOptions {
  /** Seconds until the arc expires; -1 for never. */
  readonly lifespan?: number;
  /** Connects only where an arc from the initial to the terminal matches. */
  readonly condition?: ArcFilter;
  /** Milliseconds to wait for vertices that others hold; negative for ever. */
  readonly timeout?: number;
}

const ARC = new ArcToMake();
const NO_OPTIONS: ConnectOptions = {};

/**
 * Makes arcs from one vertex to another or to several, or changes their values.
 * @returns number of arcs that were not there before
 * @throws ArcError, AccessError, KeyError, VertexError
 */
export function connect(
  store: GraphStore,
  session: SessionView,
  initial: VertexKey,
  arc: ArcSpec,
  terminals: VertexKey | readonly VertexKey[],
  options: ConnectOptions = NO_OPTIONS,
): number {
  const { lifespan = -1, condition } = options;
  if (typeof lifespan !== "number") throw new TypeError("lifespan must be a number");
  ARC.read(arc);
  if (lifespan >= 0 || ARC.hasTimes) refuseTime(ARC);
  if (condition === undefined && typeof terminals !== "object") {
    const made = connectOne(store, session, initial, terminals, lifespan);
    if (made >= 0) return made;
  }
  return connectMany(store, session, initial, terminals, options);
}

/** Whatever else there may be to do: several terminals, a condition, waiting. */
function connectMany(
  store: GraphStore,
  session: SessionView,
  initial: VertexKey,
  terminals: VertexKey | readonly VertexKey[],
  { lifespan = -1, condition, timeout = 0 }: ConnectOptions,
): number {
  const isMet = condition === undefined ? always : connectCondition(store, condition);
  return attempt(store, session, timeout, () => {
    refuseArcChanges(store, session);
    const ends = typeof terminals === "object" ? several(store, initial, terminals) : [terminals];
    let made = 0;
    for (const terminal of ends) {
      if (!isMet(handleOf(store, initial), handleOf(store, terminal))) continue;
      made += linkVertices(store, session, initial, terminal, ARC, lifespan);
    }
    return made;
  });
}

/**
 * What nearly all calls are for, without an object or a function made; a function anywhere in it
 * would take memory with each call.
 * @returns -1 if others hold one of the two
 */
function connectOne(
  store: GraphStore,
  session: SessionView,
  initial: VertexKey,
  terminal: VertexKey,
  lifespan: number,
): number {
  const { writer } = store;
  writer.begin();
  try {
    refuseArcChanges(store, session);
    const made = linkVertices(store, session, initial, terminal, ARC, lifespan);
    writer.commit();
    return made;
  } catch (error) {
    writer.rollback();
    if (!(error instanceof Held)) throw error;
    return -1;
  } finally {
    writer.end();
  }
}

function always(): boolean {
  return true;
}

/** @throws ArcError */
function refuseTime({ modifier: { code } }: ArcToMake): void {
  if (code !== M_TMC && code !== M_TMM && code !== M_TMX) return;
  throw new ArcError("Arc timestamps are automatic, manual timestamp assignment not allowed");
}

/**
 * The terminals of a list, as handles; they and the initial must be there.
 * @throws KeyError, AccessError
 */
function several(store: GraphStore, initial: VertexKey, terminals: readonly VertexKey[]): number[] {
  const seen = new Set([existing(store, initial)]);
  return terminals.map((terminal) => {
    const handle = existing(store, terminal);
    if (seen.has(handle)) {
      throw new AccessError("Bad context (duplicate vertices in acquisition set)");
    }
    seen.add(handle);
    return handle;
  });
}
