// Formats columns of text, each as wide as its widest cell.

/** Control characters in responses, which could control the terminal. */
const CONTROL = /\p{Cc}/gu;

export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const lines = [heads, ...rows].map((cells) => cells.map((cell) => cell.replace(CONTROL, "?")));
  const widths = heads.map((_, at) => Math.max(...lines.map((cells) => cells[at]?.length ?? 0)));
  return lines.map((cells) => {
    const padded = cells.map((cell, at) => cell.padEnd(widths[at]!));
    return padded.join("  ").trimEnd();
  });
}
