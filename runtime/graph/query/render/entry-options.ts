// Parts of an entry query that its options determine: the probe vector, the order and the fields.

import { S_ID, S_RANK } from "../../../base/sort-constants.js";
import { ExpressionSet } from "../../evaluate/expression-set.js";
import { F_ID, F_PROP } from "../../model/constants.js";
import { type Probe, probeFor, requireSameKind } from "../../vectors/probe.js";
import { parseVector, type VectorLike } from "../../vectors/vector.js";
import { HitOrder, parseSortby } from "../hits/hit-order.js";
import type { ResultOptions, SummaryOptions } from "../parse/query-options.js";
import { displayFields, type Field, fieldMask } from "./fields.js";
import type { EntrySource, HitSource } from "./hit-source.js";
import { requireStableOrder } from "./query-cursor.js";
import { parseSelectOption } from "./select.js";

/** Options of queries with a ranking formula and a probe vector. */
export type RankedOptions = ResultOptions &
  SummaryOptions & {
    readonly rank?: string | undefined;
    readonly vector?: VectorLike | null | undefined;
  };

/** Returns the probe vector that hits are compared with, `vector` in expressions. */
export function resolveProbe({ store, expressions }: HitSource, vector: unknown): Probe | null {
  if (vector === undefined || vector === null) return null;
  const parts = parseVector(vector, "vector");
  if (parts.bytes.length === 0) return null;
  expressions.vector = parts;
  expressions.probe = probeFor(store.vectors, parts, "vector");
  return expressions.probe;
}

/**
 * Replaces the vector of a probe; false if the new vector is empty, or if the measure has
 * changed.
 * @throws ValueError, TypeError
 */
export function rebindProbe(
  { store, expressions }: HitSource,
  probe: Probe,
  vector: unknown,
): boolean {
  const parts = parseVector(vector, "vector");
  if (parts.bytes.length === 0 || store.vectors.measure !== probe.measure) return false;
  requireSameKind(store.vectors, parts, "vector");
  expressions.vector = parts;
  probe.rebind(parts);
  return true;
}

export function resolveSortOrder(
  source: HitSource,
  { sortby, rank }: RankedOptions,
  probe: Probe | null,
  hasCursor = false,
  isTotal = hasCursor,
): HitOrder | null {
  const { store, kind, expressions, texts = null } = source;
  const hasRank = rank !== undefined && rank !== null;
  // Pages require an order, by default that of ids.
  const byDefault = source.sortby ?? (hasCursor ? S_ID : undefined);
  const order = parseSortby(sortby ?? byDefault, kind, hasRank);
  if (hasCursor) requireStableOrder(order);
  // A ranking formula is compiled even if hits are not sorted by it, to report its errors.
  const used = order.kind === S_RANK ? expressions : new ExpressionSet(store, null);
  const program = used.ofArcs(rank, kind === "vertex" ? "rankVertex" : "rank");
  if (order.kind === 0) return null;
  const formula = order.kind === S_RANK ? program : null;
  return new HitOrder(
    store,
    order,
    { rank: formula, probe, texts: source.fused ?? texts },
    kind,
    isTotal,
  );
}

export function fieldsFor(
  source: EntrySource,
  { fields, select }: ResultOptions,
): readonly Field[] {
  const selection = parseSelectOption(select, source.expressions);
  const added = selection === null ? 0 : F_PROP;
  const mask = fieldMask(fields, added === 0 ? source.defaultFields : added) | added;
  return displayFields(mask & ~source.missingFields || F_ID, selection);
}
