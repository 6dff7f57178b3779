// A matrix as a table: a row per replica, a column per partition; a cell shows a back-end's state,
// rate and latency.

import type { NamedMatrix } from "../data/matrices.js";
import { cellKey, stateOfBackEnd } from "../data/matrices.js";
import { isAt, numberAt, readPath, textAt } from "../data/node-stat.js";
import type { Rates } from "../data/rates.js";
import { clipForDisplay, count, milliseconds } from "../data/text.js";
import { Badge } from "./badge.js";

/** Larger tables are unreadable. */
const MAX_ROWS = 32;
const MAX_COLUMNS = 32;

interface MatrixTableProps {
  readonly title: string;
  readonly matrix: NamedMatrix;
  readonly rates: Rates;
  /** Counts of what went wrong, too. */
  readonly isWhole: boolean;
}

export function MatrixTable({ title, matrix, rates, isWhole }: MatrixTableProps) {
  const { id, partitions } = matrix;
  const height = Math.max(...partitions.map((replicas) => replicas.length));
  const rows = Array.from({ length: Math.min(height, MAX_ROWS) }, (_, index) => index);
  const columns = partitions.slice(0, MAX_COLUMNS);
  const isCut = height > MAX_ROWS || partitions.length > MAX_COLUMNS;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard
    <section class="card tw" tabIndex={0} aria-label={title}>
      <table>
        <caption>
          {title}: {count(partitions.length)} partitions, {count(height)} replicas
          {isCut && `; the first ${MAX_ROWS} of each are shown`}
        </caption>
        <thead>
          <tr>
            <th scope="col">Replica</th>
            {columns.map((_, index) => (
              <th key={index} scope="col">
                Partition {index}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row}>
              <th scope="row">{row}</th>
              {columns.map((replicas, index) => (
                <td key={index}>
                  {row < replicas.length && (
                    <Cell
                      backEnd={replicas[row]}
                      rate={rates.of(cellKey(id, index, row))}
                      isWhole={isWhole}
                    />
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

interface CellProps {
  readonly backEnd: unknown;
  readonly rate: number | null;
  readonly isWhole: boolean;
}

function Cell({ backEnd, rate, isWhole }: CellProps) {
  const figure = (name: string) => count(numberAt(backEnd, name));
  const slow = readPath(backEnd, "p95-ms");
  const id = textAt(backEnd, "id");
  const place = `${textAt(backEnd, "ip")}:${numberAt(backEnd, "port")}`;
  const state = stateOfBackEnd(backEnd);
  return (
    <>
      <Badge state={{ ...state, word: clipForDisplay(state.word, 40) }} />{" "}
      {clipForDisplay(id || place, 60)}
      {isAt(backEnd, "primary") && " (primary)"}
      <div class="figure">
        {rate === null ? "–" : count(rate)} /s
        {typeof slow === "number" && `, 95th ${milliseconds(slow)}`}
      </div>
      {isWhole && (
        <div class="soft">
          {id !== "" && (
            <>
              {clipForDisplay(place, 60)}
              <br />
            </>
          )}
          {figure("running")} running, {figure("answered")} answered
          <br />
          {figure("failures")} failed, {figure("retries")} repeated
        </div>
      )}
    </>
  );
}
