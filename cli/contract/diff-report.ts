// Changes of a contract as text for a terminal: one line each, grouped by severity, then a summary.
//
//   breaking
//     search  limit   accepts fewer values  integer | null -> integer
//     search  result  has another kind      value -> response
//
//   1 plugin, 2 breaking, 0 compatible, 0 docs

import { type Change, changedTexts } from "../../argspec/diff/change.js";
import { RULES, type Severity } from "../../argspec/diff/rules.js";

const SEVERITIES: readonly Severity[] = ["breaking", "compatible", "docs"];
const SGR: Readonly<Record<Severity, number>> = { breaking: 31, compatible: 32, docs: 90 };
/** Longer cells are truncated; the JSON output contains the whole text. */
const MAX_CELL = 60;
/** Limits a column, so that the others stay visible. */
const MAX_COLUMN = 44;

/** @param changes sorted by severity */
export function diffReport(changes: readonly Change[], { color }: { color: boolean }): string {
  if (changes.length === 0) return "no changes\n";
  const rows = changes.map(cellsOf);
  const widths = [0, 1, 2].map((column) =>
    Math.min(
      MAX_COLUMN,
      rows.reduce((width, cells) => Math.max(width, cells[column]!.length), 0),
    ),
  );
  const groups = SEVERITIES.map((severity) => {
    const lines = rows.filter((_, index) => changes[index]!.severity === severity);
    const heading = color ? `\u001b[${SGR[severity]}m${severity}\u001b[39m` : severity;
    return { lines: lines.map((cells) => lineOf(cells, widths)), heading };
  });
  const texts = groups
    .filter(({ lines }) => lines.length > 0)
    .map(({ heading, lines }) => `${heading}\n${lines.join("")}\n`);
  return `${texts.join("")}${summary(changes)}\n`;
}

function cellsOf(change: Change): readonly string[] {
  const cells = [
    change.plugin === "" ? "the service" : change.plugin,
    change.path,
    RULES[change.rule].predicate,
    changedTexts(change),
  ];
  return cells.map((text) => (text.length > MAX_CELL ? `${text.slice(0, MAX_CELL - 1)}…` : text));
}

function lineOf(cells: readonly string[], widths: readonly number[]): string {
  const padded = cells.map((text, column) => text.padEnd(widths[column] ?? 0));
  return `  ${padded.join("  ").trimEnd()}\n`;
}

function summary(changes: readonly Change[]): string {
  const plugins = new Set(changes.map(({ plugin }) => plugin).filter((name) => name !== "")).size;
  const counts = SEVERITIES.map(
    (severity) => `${changes.filter((change) => change.severity === severity).length} ${severity}`,
  );
  return `${plugins} ${plugins === 1 ? "plugin" : "plugins"}: ${counts.join(", ")}`;
}
