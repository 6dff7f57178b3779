// Nearest-vector search: binds the condition, and searches one table of vectors or several.

import { isPlainRecord } from "../../model/check-argument.js";
import { invalidArgument } from "../../model/invalid-argument.js";
import { MAX_EF, MIN_EF } from "../../vectors/index-layout.js";
import type { NearestTopK } from "../../vectors/nearest-top-k.js";
import { HitCounter } from "../hits/hit-sink.js";
import type { Deadline } from "../match/deadline.js";
import { explainTest } from "../match/describe-test.js";
import { bindTest, type VertexTest } from "../match/vertex-test.js";
import { findCombined } from "./combined-search.js";
import { FilterMemo } from "./filter-memo.js";
import {
  findInTable,
  isSelective,
  type NearestSearch,
  type NearestSource,
} from "./find-in-table.js";
import { Walker } from "./walker.js";

/** The `approximate` option. */
export type Approximate = boolean | { readonly ef?: number } | null | undefined;

const DEFAULT_EF = 64;

/**
 * Returns the number of index candidates; 0 for an exact search.
 * @throws QueryError
 */
export function parseEf(approximate: Approximate): number {
  if (approximate === undefined || approximate === null || approximate === false) return 0;
  const isOptions = approximate === true || isPlainRecord(approximate);
  if (!isOptions || Object.keys(approximate).some((name) => name !== "ef")) {
    throw invalidArgument(
      "invalid approximate parameter",
      approximate,
      "true, { ef }",
      ".approximate",
    );
  }
  const { ef = DEFAULT_EF } = approximate === true ? {} : approximate;
  if (!Number.isInteger(ef) || ef < MIN_EF || ef > MAX_EF) {
    const fits = `an integer of ${MIN_EF} to ${MAX_EF}`;
    throw invalidArgument(`ef must be ${fits}`, ef, fits, ".approximate.ef");
  }
  return ef;
}

/** Source of a search if the graph has no vectors of the requested name. */
export const NO_VECTORS: NearestSource = { origin: "no vectors of this name", count: 0 };

/** Returns the vectors that a search compared, and what it tested. */
export function explainNearest(
  sources: readonly NearestSource[],
  test: VertexTest | null,
): string[] {
  const isIndexed = sources.some(isSelective);
  return [
    ...sources.map(({ origin, count }) => `nearest vectors: ${origin}: ${count} candidates`),
    ...explainTest(test, isIndexed),
  ];
}

/**
 * Offers the nearest vertices; returns the sources of the vectors that were compared.
 * @throws SearchError after the deadline
 */
export function findNearest(
  search: NearestSearch,
  best: NearestTopK,
  deadline: Deadline,
): readonly NearestSource[] {
  const { store, targets, test, expressions } = search;
  if (test !== null) bindTest(test, store);
  const walker = Walker.of(store);
  const run = expressions.start((steps) => deadline.spend(steps));
  walker.start(new HitCounter(), deadline, true, run);
  const accepts = (vertex: number): boolean => test === null || walker.test(test, vertex, 0);
  const memo = test === null || !expressions.isEmpty ? null : FilterMemo.of(store, test, walker);
  const filter = test === null ? null : (memo ?? { accepts, serial: 0 });
  const poll = (count: number): void => deadline.spend(count);
  if (targets.length > 1) return findCombined({ ...search, accepts, filter, poll }, best);
  const { table, probe } = targets[0]!;
  return [findInTable(search, { table, probe, best, accepts, filter, poll })];
}

export type { NearestSource } from "./find-in-table.js";
