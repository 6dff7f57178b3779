// A simple table that scrolls within its card. Its cells are text, truncated if long.

import { clipForDisplay, count } from "../data/text.js";

const MAX_ROWS = 200;

interface TableProps {
  readonly caption: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  readonly empty?: string;
  /** Called for a click on the first cell of a row, which becomes a button. */
  readonly onPick?: (row: readonly unknown[]) => void;
}

export function Table({ caption, columns, rows, empty = "nothing", onPick }: TableProps) {
  const shown = rows.slice(0, MAX_ROWS);
  const rest = rows.length - shown.length;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard
    <section class="tw" tabIndex={0} aria-label={caption}>
      <table>
        <caption>
          {caption}
          {rest > 0 && `: the first ${MAX_ROWS} of ${count(rows.length)}`}
          {rows.length === 0 && `: ${empty}`}
        </caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {clipForDisplay(column, 60)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={columns[column]}>
                  {column === 0 && onPick !== undefined ? (
                    <button type="button" class="btn" onClick={() => onPick(row)}>
                      {clipForDisplay(cell)}
                    </button>
                  ) : (
                    clipForDisplay(cell)
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
