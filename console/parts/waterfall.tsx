// Breakdown of the time of a request through a matrix, level by level: a table with a bar in each
// row, so that the text contains all information.

import type { Waterfall, WaterfallRow } from "../data/explanation.js";
import { clipForDisplay } from "../data/text.js";

const INDENT = "\u2003";

export function WaterfallRows({ waterfall: { totalMs, rows } }: { readonly waterfall: Waterfall }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard
    <section class="tw" tabIndex={0} aria-label="Dispatch timeline">
      <table class="waterfall">
        <caption>{ms(totalMs)} on the server, by step</caption>
        <thead>
          <tr>
            <th scope="col">Step</th>
            <th scope="col">When</th>
            <th scope="col" class="n">
              Time
            </th>
            <th scope="col">Where</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              <th scope="row">
                {INDENT.repeat(row.level)}
                {row.title}
              </th>
              <td>
                <Bar row={row} totalMs={totalMs} />
              </td>
              <td class="n">{ms(row.ms)}</td>
              <td>{clipForDisplay(row.detail)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Bar({ row, totalMs }: { readonly row: WaterfallRow; readonly totalMs: number }) {
  const { startMs, ms: length, level } = row;
  const left = Math.min(100, (100 * startMs) / totalMs);
  const width = Math.max(0.5, Math.min(100 - left, (100 * length) / totalMs));
  return (
    <svg
      class="bar"
      viewBox="0 0 100 10"
      preserveAspectRatio="none"
      role="img"
      aria-label={`from ${ms(startMs)} on`}
    >
      <rect class={level % 2 === 0 ? "even" : "odd"} x={left} y="1" width={width} height="8" />
    </svg>
  );
}

function ms(value: number): string {
  return `${value.toFixed(2)} ms`;
}
