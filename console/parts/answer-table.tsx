// A list as a table: columns by the first item, sorted by their heads, narrowed by values that
// occur often.

import { useState } from "preact/hooks";
import { isRecord } from "../data/client.js";
import { clipForDisplay, count } from "../data/text.js";
import { type Column, DataTable } from "./data-table.js";

interface AnswerTableProps {
  readonly rows: readonly AnswerRow[];
}

interface AnswerRow {
  readonly index: number;
  readonly cells: Readonly<Record<string, unknown>>;
}

const MAX_COLUMNS = 12;
const MAX_FACETS = 3;
/** A facet has 2 to 20 values, fewer than rows. */
const MAX_VALUES = 20;
/** Items that decide on types and facets. */
const MAX_LOOKED_AT = 1000;

/** Returns the rows of a list, or of a list within a result; null for anything else. */
export function readRows(value: unknown): readonly AnswerRow[] | null {
  const inner = isRecord(value) ? (value.entries ?? value.items) : value;
  const list: unknown = inner ?? value;
  if (!Array.isArray(list) || list.length === 0) return null;
  return list.map((item: unknown, index) => {
    if (isRecord(item)) return { index, cells: item };
    const parts: readonly unknown[] = Array.isArray(item) ? item : [item];
    return { index, cells: Object.fromEntries(parts.map((part, at) => [`${at + 1}`, part])) };
  });
}

export function AnswerTable({ rows }: AnswerTableProps) {
  const [chosen, setChosen] = useState<ReadonlyMap<string, string>>(new Map());
  const names = Object.keys(rows[0]!.cells).slice(0, MAX_COLUMNS);
  const facets = findFacets(rows, names);
  const found = rows.filter(({ cells }) =>
    [...chosen].every(([name, text]) => cellText(cells[name]) === text),
  );
  const toggle = (name: string, text: string): void => {
    const next = new Map(chosen);
    if (next.get(name) === text) next.delete(name);
    else next.set(name, text);
    setChosen(next);
  };
  return (
    <div class="short bleed">
      <DataTable
        label="Result"
        columns={names.map((name, at) => columnOf(rows, name, at === 0))}
        rows={found}
        keyOf={({ index }) => index}
        empty="No row has these values."
      />
      <div class="row foot">
        <strong class="s">{count(found.length)} rows</strong>
        {facets.map(([name, values]) => (
          <span class="row" key={name}>
            <span class="soft s">by {clipForDisplay(name, 40)}:</span>
            {values.map(([text, many]) => (
              <button
                key={text}
                type="button"
                class="tag"
                aria-pressed={chosen.get(name) === text}
                onClick={() => toggle(name, text)}
              >
                {clipForDisplay(text, 30)} {count(many)}
              </button>
            ))}
          </span>
        ))}
      </div>
    </div>
  );
}

function cellText(value: unknown): string {
  return value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);
}

function columnOf(rows: readonly AnswerRow[], name: string, isHead: boolean): Column<AnswerRow> {
  const some = rows.slice(0, MAX_LOOKED_AT);
  const isNumber = some.every(({ cells }) => typeof cells[name] === "number");
  return {
    title: clipForDisplay(name, 60),
    ...(isHead ? { isHead } : { isNumber }),
    cell: ({ cells }) => clipForDisplay(cells[name] ?? ""),
    sort: ({ cells }) => (isNumber ? (cells[name] as number) : cellText(cells[name])),
  };
}

function findFacets(rows: readonly AnswerRow[], names: readonly string[]) {
  const some = rows.slice(0, MAX_LOOKED_AT);
  return names
    .flatMap((name) => {
      const counts = new Map<string, number>();
      for (const { cells } of some) {
        if (typeof cells[name] === "object" && cells[name] !== null) return [];
        const text = cellText(cells[name]);
        counts.set(text, (counts.get(text) ?? 0) + 1);
        if (counts.size > MAX_VALUES) return [];
      }
      if (counts.size < 2 || counts.size >= some.length) return [];
      return [[name, [...counts].sort((a, b) => b[1] - a[1])] as const];
    })
    .slice(0, MAX_FACETS);
}
