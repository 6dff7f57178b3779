// What the generators of reference pages share: cells and tables of Markdown.

/** Text as the cell of a table: the bar would end it. */
export function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll(/\s+/g, " ").trim();
}

/** Text as code within a cell; nothing for no text. */
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
