// Summarizes and prints: medians over rounds, a table of results, a table of targets.

/** Returns the median; of an even number of values the lower one. */
export function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) / 2)];
}

/** Returns the percentile for share `p` (0 to 1). */
export function percentile(values, p) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * p) - 1)];
}

/**
 * Returns the medians of every field.
 * @param {Record<string, number>[]} samples objects with the same fields
 */
export function medians(samples) {
  const names = Object.keys(samples[0]);
  return Object.fromEntries(
    names.map((name) => [name, median(samples.map((sample) => sample[name]))]),
  );
}

/** Prints a table; numbers are right-aligned. */
export function printTable(headings, rows) {
  const lines = [headings, ...rows].map((row) => row.map(String));
  const widths = headings.map((_, at) => Math.max(...lines.map((line) => line[at].length)));
  for (const line of lines) {
    const cells = line.map((cell, at) =>
      at === 0 ? cell.padEnd(widths[at]) : cell.padStart(widths[at]),
    );
    console.log(cells.join("  "));
  }
  console.log();
}

/** Prints how much other work may distort the results. */
export function printOtherWork(samples) {
  const cores = median(samples.map(({ otherCores }) => otherCores));
  console.log(`other work on the machine: ${cores.toFixed(2)} cores (median)\n`);
}

/**
 * Prints values with their targets; a missed target makes the process fail.
 * @param {{ label: string, value: number, unit: string, atLeast?: number, atMost?: number }[]} list
 * a value without a target is only printed
 */
export function printTargets(list) {
  const rows = list.map(({ label, value, unit, atLeast, atMost }) => {
    const measured = `${value.toFixed(2)} ${unit}`;
    if (atLeast === undefined && atMost === undefined) return [label, measured, "", ""];
    const met = atLeast === undefined ? value <= atMost : value >= atLeast;
    if (!met) process.exitCode = 1;
    const target = atLeast === undefined ? `<= ${atMost}` : `>= ${atLeast}`;
    return [label, measured, `${target} ${unit}`, met ? "met" : "MISSED"];
  });
  printTable(["target", "measured", "required", ""], rows);
}
