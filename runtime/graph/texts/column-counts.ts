// Counts matching documents by the values of columns, for facets.

import type { AllDocuments } from "./all-documents.js";
import type { ColumnValue } from "./column-values.js";
import { SegmentColumn } from "./segment-column.js";

/** Number of documents by value; documents without a value are not counted. */
export type ValueCounts = ReadonlyMap<Exclude<ColumnValue, null>, number>;

/** Counts by column, and the vertices that the columns do not cover. */
export interface ColumnCounts {
  readonly counts: ReadonlyMap<string, ValueCounts>;
  /** Vertices with texts in no segment. */
  readonly others: Uint32Array;
}

/**
 * Counts the values of those properties that are columns; returns null if no property is a column.
 * @param columns properties of the columns, in the order of the index
 */
export function countColumns(
  all: AllDocuments,
  columns: readonly string[],
  keys: readonly string[],
): ColumnCounts | null {
  const counted = [...new Set(keys)].filter((key) => columns.includes(key));
  if (counted.length === 0) return null;
  const counts = counted.map((key) => [key, countColumn(all, columns.indexOf(key))] as const);
  return { counts: new Map(counts), others: all.unsegmented };
}

function countColumn(all: AllDocuments, number: number): ValueCounts {
  const sums = new Map<string | number, number>();
  for (const { segment, from, end } of all.runs) {
    if (segment === null || from === end) continue;
    const column = new SegmentColumn(segment, number);
    const counts = new Uint32Array(column.distinct + 1);
    column.count(all.documents, from, end, counts);
    for (let ordinal = 1; ordinal < counts.length; ordinal++) {
      if (counts[ordinal] === 0) continue;
      const value = column.valueOf(ordinal);
      sums.set(value, (sums.get(value) ?? 0) + counts[ordinal]!);
    }
  }
  return sums;
}
