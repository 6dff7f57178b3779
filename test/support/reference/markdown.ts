// Shared by the generators of reference pages: cells and tables of Markdown.

/** Text as a table cell: an unescaped bar would end it. */
export function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll(/\s+/g, " ").trim();
}

/** Text as code within a cell; empty for an empty text. */
export function code(text: string): string {
  return text === "" ? "" : `\`${text}\``;
}

/** A table of Markdown, one line per row. */
export function table(heads: readonly string[], rows: Iterable<readonly string[]>): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map(cell).join(" | ")} |`.replace(/ {2,}(?=\|)/g, " ");
  const shown = Array.from(rows, line);
  return [line(heads), `|${"---|".repeat(heads.length)}`, ...shown, ""].join("\n");
}
