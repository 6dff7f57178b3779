// Parses the `aggregate` option of a neighborhood: { mode, arc, deephits }.

import { isPlainRecord } from "../../model/check-argument.js";
import { D_ANY } from "../../model/constants.js";
import { inMember, invalidArgument } from "../../model/invalid-argument.js";
import type { GraphStore } from "../../store/graph-store.js";
import { AGGREGATE_MODES, type GroupOptions, isAggregateMode } from "../hits/arc-groups.js";
import { compileArcFilter } from "../parse/arc-filter.js";
import type { ArcFilter } from "../parse/query-options.js";

const AT_ARC = ".aggregate.arc";
const MEMBERS = new Set(["mode", "arc", "deephits"]);

/**
 * Returns how arcs are grouped; null if they are not.
 * @throws QueryError, SearchError
 */
export function parseAggregateOption(store: GraphStore, option: unknown): GroupOptions | null {
  if (option === undefined || option === null) return null;
  if (typeof option !== "object" || Array.isArray(option)) {
    throw invalidArgument(
      "aggregate must be dict",
      option,
      "{ mode, arc, deephits }",
      ".aggregate",
    );
  }
  const members = new Map<string, unknown>(Object.entries(option));
  for (const name of members.keys()) {
    if (MEMBERS.has(name)) continue;
    const fits = [...MEMBERS].join(", ");
    const at = `.aggregate${inMember(name)}`;
    throw invalidArgument("Invalid aggregation argument", members.get(name), fits, at);
  }
  const mode = members.get("mode") ?? "count";
  if (!isAggregateMode(mode)) {
    const text = `Invalid aggregation mode: '${String(mode)}'`;
    throw invalidArgument(text, mode, AGGREGATE_MODES, ".aggregate.mode");
  }
  const arc = members.get("arc") as ArcFilter | undefined;
  const test =
    arc === undefined || arc === null
      ? null
      : compileArcFilter(store, withoutDirection(arc), D_ANY, AT_ARC);
  if (test !== null && test.direction !== D_ANY) {
    const text = "Invalid aggregation argument: groups of arcs have no direction";
    throw invalidArgument(text, test.direction, "D_ANY, or no direction", AT_ARC);
  }
  return { mode: String(mode), test, deepHits: deepHits(members.get("deephits")) };
}

/** Defaults `dir` to "any": filters are outbound elsewhere, but groups have no direction. */
function withoutDirection(arc: ArcFilter): ArcFilter {
  return isPlainRecord(arc) ? { dir: "any", ...(arc as object) } : arc;
}

function deepHits(value: unknown): number {
  if (value === undefined || value === null) return Number.POSITIVE_INFINITY;
  if (!Number.isSafeInteger(value)) {
    const text = "Invalid aggregation argument: deephits must be an integer";
    throw invalidArgument(text, value, "an integer", ".aggregate.deephits");
  }
  return Number(value) < 0 ? Number.POSITIVE_INFINITY : Number(value);
}
