// A list as a table: the first item determines the columns, heads sort, and frequent values filter.

import { useState } from "preact/hooks";
import { isRecord } from "../data/client.js";
import { downloadFile } from "../data/download.js";
import { clipForDisplay, count } from "../data/text.js";
import { type Column, DataTable } from "./data-table.js";
import { Icon } from "./icon.js";
import { PageLink } from "./page-link.js";

export type LinkOf = (column: string, value: string) => string | null;

interface AnswerTableProps {
  readonly rows: readonly AnswerRow[];
  readonly linkOf?: LinkOf | undefined;
}

interface AnswerRow {
  readonly index: number;
  readonly cells: Readonly<Record<string, unknown>>;
}

const MAX_COLUMNS = 12;
/** Records with more members are shown as JSON. */
const MAX_MEMBERS = 6;
const MAX_FACETS = 3;
/** Maximum values of a facet, which has at least 2, but fewer than rows. */
const MAX_VALUES = 20;
/** Number of items that determine types and facets. */
const MAX_SAMPLE = 1000;

/** Returns the rows of a list, or of a list within a result; null for anything else. */
export function readRows(value: unknown): readonly AnswerRow[] | null {
  const inner = isRecord(value)
    ? (value.entries ?? value.items ?? findExplainedList(value))
    : value;
  const list: unknown = inner ?? value;
  if (!Array.isArray(list) || list.length === 0) return null;
  return list.map((item: unknown, index) => {
    if (isRecord(item)) return { index, cells: flatten(item) };
    const parts: readonly unknown[] = Array.isArray(item) ? item : [item];
    return { index, cells: Object.fromEntries(parts.map((part, at) => [`${at + 1}`, part])) };
  });
}

/** Returns the list in the result of an explained query. */
function findExplainedList(value: Readonly<Record<string, unknown>>): unknown {
  if (value.explain === undefined) return undefined;
  return Object.values(value).find(Array.isArray);
}

/** Converts members of records to columns such as `arc.value`. */
function flatten(item: Readonly<Record<string, unknown>>): AnswerRow["cells"] {
  const cells = Object.entries(item).flatMap(([name, value]) =>
    isRecord(value) && Object.keys(value).length <= MAX_MEMBERS
      ? Object.entries(value).map(([member, part]) => [`${name}.${member}`, part] as const)
      : [[name, value] as const],
  );
  return Object.fromEntries(cells);
}

export function AnswerTable({ rows, linkOf }: AnswerTableProps) {
  const [chosen, setChosen] = useState<ReadonlyMap<string, string>>(new Map());
  const names = columnNames(rows[0]!);
  const facets = findFacets(rows, names);
  const filtered = rows.filter(({ cells }) =>
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
        columns={names.map((name, at) => createColumn(rows, name, at === 0, linkOf))}
        rows={filtered}
        keyOf={({ index }) => index}
        empty="No row has these values."
      />
      <div class="row foot">
        <strong class="s">{count(filtered.length)} rows</strong>
        <button
          type="button"
          class="tag"
          onClick={() => downloadFile(formatCsv(names, filtered), "answer.csv")}
        >
          <Icon name="get" /> CSV
        </button>
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

/** Formats CSV (RFC 4180); an apostrophe prevents spreadsheets from evaluating text as formula. */
function formatCsv(names: readonly string[], rows: readonly AnswerRow[]): string {
  const cell = (value: unknown): string => {
    const text = cellText(value);
    const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  const lines = rows.map(({ cells }) => names.map((name) => cell(cells[name])).join(","));
  return [names.map(cell).join(","), ...lines, ""].join("\r\n");
}

/** Returns the columns; `id` comes first, because it identifies the row. */
function columnNames({ cells }: AnswerRow): readonly string[] {
  const all = Object.keys(cells);
  const first = all.includes("id") ? ["id"] : [];
  return [...first, ...all.filter((name) => name !== "id")].slice(0, MAX_COLUMNS);
}

function cellText(value: unknown): string {
  return value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);
}

function createColumn(
  rows: readonly AnswerRow[],
  name: string,
  isHead: boolean,
  linkOf: LinkOf | undefined,
): Column<AnswerRow> {
  const some = rows.slice(0, MAX_SAMPLE);
  const isNumber = some.every(({ cells }) => typeof cells[name] === "number");
  return {
    title: clipForDisplay(name, 60),
    ...(isHead ? { isHead } : { isNumber }),
    cell: ({ cells }) => {
      const shown = clipForDisplay(cells[name] ?? "");
      const link = typeof cells[name] === "string" ? linkOf?.(name, cells[name]) : null;
      return link ? <PageLink to={link}>{shown}</PageLink> : shown;
    },
    sort: ({ cells }) => (isNumber ? (cells[name] as number) : cellText(cells[name])),
  };
}

function findFacets(rows: readonly AnswerRow[], names: readonly string[]) {
  const some = rows.slice(0, MAX_SAMPLE);
  return names
    .flatMap((name) => {
      const counts = new Map<string, number>();
      for (const { cells } of some) {
        const value = cells[name];
        if (typeof value !== "string" && typeof value !== "boolean") return [];
        const text = cellText(value);
        counts.set(text, (counts.get(text) ?? 0) + 1);
        if (counts.size > MAX_VALUES) return [];
      }
      if (counts.size < 2 || counts.size >= some.length) return [];
      return [[name, [...counts].sort((a, b) => b[1] - a[1])] as const];
    })
    .slice(0, MAX_FACETS);
}
