// Creates arcs and changes their values.

import { Header } from "../memory/layout.js";
import { freezeClock, unfreezeClock } from "../memory/time.js";
import { checkOptions } from "../model/check-argument.js";
import { D_ANY, D_BOTH, D_IN, M_TMC, M_TMM, M_TMX } from "../model/constants.js";
import { AccessError, ArcError } from "../model/errors.js";
import { withArgumentDetails } from "../model/invalid-argument.js";
import { type ArcSpec, ParsedArc } from "../model/parsed-arc.js";
import { isForeign } from "../operations/require-owner.js";
import type { ArcTest } from "../query/match/arc-test.js";
import { compileArcFilter } from "../query/parse/arc-filter.js";
import type { ArcFilter } from "../query/parse/query-options.js";
import type { GraphStore } from "../store/graph-store.js";
import type { Access } from "../store/session-view.js";
import { promoteIfVirtual } from "./change-vertex.js";
import { linkVertices } from "./link-vertices.js";
import { LockedChange, waitForLock } from "./run-with-locks.js";
import {
  findHandle,
  isLockedByOther,
  requireMutableArcs,
  resolveExisting,
  type VertexKey,
} from "./vertex-key.js";

export type { ArcSpec } from "../model/parsed-arc.js";

/** Options of `connect`. */
export interface ConnectOptions {
  /** Seconds until the arc expires; -1 for never. */
  readonly lifespan?: number;
  /** Connects only if an existing arc from the initial to the terminal matches. */
  readonly condition?: ArcFilter;
  /** Milliseconds to wait for vertices held by others; negative: no limit. */
  readonly timeout?: number;
}

const NO_OPTIONS: ConnectOptions = {};
const NAMES = new Set(["lifespan", "condition", "timeout"]);

class Connect extends LockedChange<number> {
  readonly arc = new ParsedArc();
  initial: VertexKey = 0;
  terminals: VertexKey | readonly VertexKey[] = 0;
  lifespan = -1;
  /** Null: unconditional. */
  condition: ConnectCondition | null = null;

  protected try(access: Access): number {
    const { store } = access;
    const { initial, terminals } = this;
    requireMutableArcs(access);
    if (typeof terminals !== "object") return this.#link(access, initial, terminals);
    const from = resolveExisting(store, initial);
    const isHeld = freezeClock();
    try {
      let created = 0;
      for (const terminal of resolveTerminals(store, from, terminals)) {
        created += this.#link(access, from, terminal);
        // Terminals are acquired together, as by `openVertices`.
        if (store.vertices.isVirtual(terminal) && !isForeign(store, terminal)) {
          if (isLockedByOther(access, terminal)) waitForLock(store, terminal);
          promoteIfVirtual(store, terminal);
        }
      }
      return created;
    } finally {
      if (isHeld) unfreezeClock();
    }
  }

  #link(access: Access, initial: VertexKey, terminal: VertexKey): number {
    const { store } = access;
    const { condition, arc, lifespan } = this;
    const isMet =
      condition === null || condition(findHandle(store, initial), findHandle(store, terminal));
    return isMet ? linkVertices(access, initial, terminal, arc, lifespan) : 0;
  }
}

const CONNECT = new Connect();

/**
 * Creates arcs from one vertex to one or several others, or changes their values.
 * @returns number of new arcs
 * @throws ArcError, AccessError, KeyError, VertexError
 */
export function connect(
  access: Access,
  initial: VertexKey,
  arc: ArcSpec,
  terminals: VertexKey | readonly VertexKey[],
  options: ConnectOptions = NO_OPTIONS,
): number {
  const { store } = access;
  if (options !== NO_OPTIONS) checkOptions(options, NAMES);
  const { lifespan = -1, condition, timeout = 0 } = options;
  if (typeof lifespan !== "number" || Number.isNaN(lifespan)) {
    const fits = "seconds; -1: it never expires";
    throw withArgumentDetails(
      new TypeError("lifespan must be a number"),
      lifespan,
      fits,
      ".lifespan",
    );
  }
  CONNECT.arc.read(arc);
  if (lifespan >= 0) refuseTime(CONNECT.arc);
  else if (hasAutoTimes(store, CONNECT.arc)) CONNECT.arc.hasTimes = true;
  CONNECT.initial = initial;
  CONNECT.terminals = terminals;
  CONNECT.lifespan = lifespan;
  CONNECT.condition = condition === undefined ? null : connectCondition(store, condition);
  return CONNECT.run(access, timeout);
}

function hasAutoTimes({ memory }: GraphStore, arc: ParsedArc): boolean {
  return memory.header.words[Header.AutoArcTimes] !== 0 && !isTime(arc);
}

function isTime({ modifier: { code } }: ParsedArc): boolean {
  return code === M_TMC || code === M_TMM || code === M_TMX;
}

/** @throws ArcError */
function refuseTime(arc: ParsedArc): void {
  if (!isTime(arc)) return;
  throw new ArcError("Arc timestamps are automatic, manual timestamp assignment not allowed");
}

/**
 * Returns the handles of a list of terminals, which must exist.
 * @throws KeyError, AccessError
 */
function resolveTerminals(
  store: GraphStore,
  initial: number,
  terminals: readonly VertexKey[],
): number[] {
  const seen = new Set([initial]);
  return terminals.map((terminal) => {
    const handle = resolveExisting(store, terminal);
    if (seen.has(handle)) {
      throw new AccessError("Bad context (duplicate vertices in acquisition set)");
    }
    seen.add(handle);
    return handle;
  });
}

/** Evaluates the condition for two handles, 0 for a missing vertex. */
type ConnectCondition = (initial: number, terminal: number) => boolean;

/**
 * Compiles a condition. A negated filter holds if no arc matches the negated one, so `[false,
 * "rel"]` connects only vertices not yet connected by `rel`.
 * @throws QueryError
 */
function connectCondition(store: GraphStore, filter: ArcFilter): ConnectCondition {
  const { isNegated, inner, at } = withoutNegation(filter);
  const test = compileArcFilter(store, inner, D_ANY, `.condition${at}`);
  return (initial, terminal) => {
    test.bind(store.relationships);
    return hasArc(store, initial, terminal, test) !== isNegated;
  };
}

function withoutNegation(filter: ArcFilter): {
  isNegated: boolean;
  inner: ArcFilter;
  at: string;
} {
  let inner = filter;
  let isNegated = false;
  let at = "";
  while (Array.isArray(inner) && inner.length === 2 && typeof inner[0] === "boolean") {
    if (!inner[0]) isNegated = !isNegated;
    inner = inner[1] as ArcFilter;
    at += "[1]";
  }
  return { isNegated, inner, at };
}

function hasArc(store: GraphStore, initial: number, terminal: number, test: ArcTest): boolean {
  if (initial === 0 || terminal === 0 || test.direction === D_IN) return false;
  if (!matchesOne(store, initial, terminal, test)) return false;
  return test.direction !== D_BOTH || matchesOne(store, terminal, initial, test);
}

function matchesOne(store: GraphStore, from: number, to: number, test: ArcTest): boolean {
  const { outArcs } = store;
  return outArcs
    .findAll(from, to, test.relationship)
    .some((at) => test.matches(outArcs.word1At(from, at), outArcs.valueAt(from, at)));
}
