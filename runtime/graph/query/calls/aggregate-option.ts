// Reads `aggregate` of a neighborhood: { mode, arc, deephits }.

import { D_ANY } from "../../model/constants.js";
import { QueryError } from "../../model/errors.js";
import type { GraphStore } from "../../store/graph-store.js";
import { type GroupOptions, isAggregateMode } from "../hits/arc-groups.js";
import { compileArcFilter } from "../parse/arc-filter.js";
import type { ArcFilter } from "../parse/query-options.js";

const MEMBERS = new Set(["mode", "arc", "deephits"]);

/**
 * How arcs are grouped; null where they are not.
 * @throws QueryError, SearchError
 */
export function readAggregate(store: GraphStore, option: unknown): GroupOptions | null {
  if (option === undefined || option === null) return null;
  if (typeof option !== "object" || Array.isArray(option)) {
    throw new QueryError("aggregate must be dict");
  }
  const members = new Map<string, unknown>(Object.entries(option));
  for (const name of members.keys()) {
    if (!MEMBERS.has(name)) throw new QueryError("Invalid aggregation argument");
  }
  const mode = members.get("mode") ?? "count";
  if (!isAggregateMode(mode)) throw new QueryError(`Invalid aggregation mode: '${String(mode)}'`);
  const arc = members.get("arc") as ArcFilter | undefined;
  const test = arc === undefined || arc === null ? null : compileArcFilter(store, arc, D_ANY);
  if (test !== null && test.direction !== D_ANY) {
    throw new QueryError("Invalid aggregation argument: groups of arcs have no direction");
  }
  return { mode: String(mode), test, deepHits: deepHits(members.get("deephits")) };
}

function deepHits(value: unknown): number {
  if (value === undefined || value === null) return Number.POSITIVE_INFINITY;
  if (!Number.isSafeInteger(value)) {
    throw new QueryError("Invalid aggregation argument: deephits must be an integer");
  }
  return Number(value) < 0 ? Number.POSITIVE_INFINITY : Number(value);
}
